/**
 * `npm run bench`: measures the mock, a bare server and peers, and writes docs/project/performance.md.
 *
 * `--quick` takes a minute with only 100 pets, and prints the page; `--no-peers` skips the peers; `--rounds N` sets the
 * number of rounds. `--shared` measures mocks with shared state instead, and writes the figures of
 * docs/explanation/scale.md; `--scale` measures growth, and writes docs/project/scale.md. `--against COMMIT` prints what
 * a request costs this checkout and that commit.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    'no-peers': { type: 'boolean' },
    rounds: { type: 'string', default: '5' },
    shared: { type: 'boolean' },
    scale: { type: 'boolean' },
    against: { type: 'string' },
  },
})
const rounds = Number(flags.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(`--rounds takes a number from 1, not ${JSON.stringify(flags.rounds)}.\n`)
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const prepare = (command, args, options) => {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 2, 2], ...options })
  if (status !== 0) process.exit(1)
}
prepare(process.execPath, [join(root, 'scripts/build.mjs')])
if (!(flags['no-peers'] || flags.shared || flags.scale || flags.against)) install()

const { measureMemory, measureProxy, measureStart, measureSuite, measureThroughput, otherLoad } =
  await import('./measure.mjs')
const { mock, peers, versionOf } = await import('./contestants.mjs')
const { generator } = await import('./servers.mjs')
const { toPage } = await import('./page.mjs')
const { sectionOf, withSection } = await import('../scripts/time-to-red-section.mjs')
if (generator() === undefined) {
  process.stderr.write(
    'The load generator wrk is not in the PATH: apt-get install wrk, or brew install wrk\n',
  )
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
// A server that is ending may still write there.
process.on('exit', () =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const log = (text) => process.stderr.write(text)
const date = new Date().toISOString().slice(0, 10)
const quick = flags.quick ?? false
const publish = (file, text) =>
  quick ? process.stdout.write(text) : writeFileSync(join(root, file), text)

if (flags.shared) {
  const { measureShared, sharedSection } = await import('./shared.mjs')
  const measured = await measureShared({ rounds, quick, folder, log })
  const section = sharedSection({ date, generator: generator(), ...measured })
  const page = 'docs/explanation/scale.md'
  const figures = /(<!-- figures -->\n)[^]*(?=\n<!-- \/figures -->)/
  publish(
    page,
    quick ? section : readFileSync(join(root, page), 'utf8').replace(figures, `$1${section}`),
  )
} else if (flags.scale) {
  const { measureScale } = await import('./scale.mjs')
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'processor'}, Node ${process.version}`
  publish(
    'docs/project/scale.md',
    await measureScale({ quick, rounds, folder, log, date, machine }),
  )
} else if (flags.against !== undefined) {
  const { compareWithCommit } = await import('./against.mjs')
  const [pets, seconds] = [100, 1]
  process.stdout.write(
    await compareWithCommit({ commit: flags.against, pets, rounds, seconds, folder, log }),
  )
} else await compareWithPeers()

async function compareWithPeers() {
  const chosen = flags['no-peers'] ? [] : peers
  const contestants = [
    mock,
    ...chosen.map((peer) => ({ ...peer, version: versionOf(peer.package) })),
  ]
  const sizes = quick ? [100] : [100, 10_000, 100_000]
  const ends = [...new Set([sizes[0], sizes.at(-1)])]
  const seconds = 1
  const plan = { contestants, sizes, ends, rounds, seconds, folder, log }

  const results = {
    date,
    plan: { rounds, seconds, sizes, ends },
    generator: generator(),
    contestants: contestants.map(({ id, title, version, keepsPets }) => ({
      id,
      title,
      version,
      keepsPets,
    })),
    start: await measureStart(plan),
    throughput: await measureThroughput(plan),
    memory: await measureMemory(plan, quick ? 100_000 : 1_000_000),
    suite: await measureSuite(plan),
    proxy: await measureProxy(plan),
    otherLoad,
  }
  const page = 'docs/project/performance.md'
  const timeToRed = sectionOf(readFileSync(join(root, page), 'utf8'))
  publish(page, timeToRed === undefined ? toPage(results) : withSection(toPage(results), timeToRed))
}

/** Installs the dependencies of bench/package.json, unless the same versions are installed. */
function install() {
  const isThere = existsSync(join(import.meta.dirname, 'node_modules/.package-lock.json'))
  const isRight = () =>
    spawnSync('npm', ['ls', '--depth=0'], { cwd: import.meta.dirname, stdio: 'ignore' }).status ===
    0
  if (isThere && isRight()) return
  process.stderr.write('Installing the peers into bench/node_modules ...\n')
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  prepare('npm', ['install', ...quiet], { cwd: import.meta.dirname })
}
