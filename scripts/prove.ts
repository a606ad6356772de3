/**
 * `npm run prove`: the suite against every deliberate defect, broken server and conforming variant.
 * `npm run prove -- --often [--all]`: measures in how many of 20 runs each defect and broken server is found; without
 * --all, only those that were not measured yet.
 * `npm run prove -- --peer schemathesis [--every N]`: runs another tool against the same servers, or one in N of them.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { verify } from '../src/contract/index.ts'
import { defects } from '../src/mock/index.ts'
import { brokenServers } from '../test/proof/broken/catalog.ts'
import type { Often, PeerFigures } from '../test/proof/prove/figures.ts'
import { readOften } from '../test/proof/prove/figures.ts'
import { brokenOften, defectsOften, isSeldom, runs } from '../test/proof/prove/often.ts'
import { conformingVariants } from '../test/support/variants/catalog.ts'
import type { RunningVariant } from '../test/support/variants/running-variant.ts'

const root = join(import.meta.dirname, '..')
const folderOfProof = join(root, 'test/proof/prove')
const run = promisify(execFile)

const version = '4.32.5'
/** Checks of unspecified behavior, which are excluded in favor of the peer. */
const leftOut = {
  unsupported_method: 'what a method outside the operations gets is not stated',
  allow_header_conformance: 'no response header is stated',
  positive_data_acceptance: 'a name, a category or a field more may be rejected',
}
const settings = `# An undescribed limit, status or petId may be accepted.
[[operations]]
include-name = "GET /pets"
checks.negative_data_rejection.enabled = false

[[operations]]
include-name = "GET /pets/{petId}"
checks.negative_data_rejection.enabled = false
`
const examples = 50
/** Time limit of a run, after which it counts as having found nothing. */
const longestMs = 180_000

export async function main(args: string[]): Promise<number> {
  if (args[0] === '--often') return measure(args.includes('--all'))
  const at = args.indexOf('--peer')
  if (at === -1) {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const proof = ['run', '--config', 'vitest.prove.config.ts', ...args]
    return (
      spawnSync(process.execPath, [vitest, ...proof], { stdio: 'inherit', cwd: root }).status ?? 1
    )
  }
  if (args[at + 1] !== 'schemathesis') {
    console.error('--peer takes schemathesis')
    return 2
  }
  const every = args.includes('--every') ? Number(args[args.indexOf('--every') + 1]) : 1
  if (!Number.isInteger(every) || every < 1) {
    console.error('--every takes a number from 1')
    return 2
  }
  const program = await install()
  if (program !== undefined) await compare(program, every)
  return 0
}

/** Measures the faults that were not measured yet, or all. Writes the results after each fault. */
async function measure(isAll: boolean): Promise<number> {
  const file = join(folderOfProof, 'often.json')
  const figures = (isAll ? undefined : readOften()) ?? { runs, defects: [], broken: [] }
  const write = (): void => {
    for (const [name, known] of [
      ['defects', defects],
      ['broken', brokenServers],
    ] as const) {
      figures[name] = known.flatMap(({ id }) => figures[name].find((one) => one.id === id) ?? [])
    }
    writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
  }
  const isNew = (known: readonly Often[], id: string): boolean =>
    !known.some((one) => one.id === id)
  const take = (into: Often[], often: readonly Often[]): void => {
    into.push(...often)
    for (const one of often.filter(isSeldom)) console.log(`seldom: ${JSON.stringify(one)}`)
    write()
  }
  for (const one of defects) {
    if (isNew(figures.defects, one.id)) take(figures.defects, await defectsOften([one]))
  }
  for (const one of brokenServers) {
    if (isNew(figures.broken, one.id)) take(figures.broken, await brokenOften([one]))
  }
  spawnSync('npx', ['oxfmt', file], { stdio: 'ignore', shell: process.platform === 'win32' })
  return 0
}

/** Creates a virtual environment with the peer, or prints why it cannot. */
async function install(): Promise<string | undefined> {
  const folder = join(root, '.schemathesis/venv')
  const program = join(folder, 'bin/schemathesis')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin/pip'), ['install', '--quiet', `schemathesis==${version}`])
    return program
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    console.log(
      `skipped: Schemathesis cannot be installed (${(error as Error).message.split('\n')[0]})`,
    )
    return undefined
  }
}

interface Server {
  id: string
  isConforming: boolean
  start(): Promise<RunningVariant>
  more?: { settleMs?: number; categoryId?: number; now?: string }
}

/** The result of a tool for a server. */
interface Tried {
  isReported: boolean
  requests: number
  ms: number
}

async function compare(program: string, every: number): Promise<void> {
  const patient = { settleMs: 600, timeoutMs: 1_500, retryBudgetMs: 3_000 }
  const broken = brokenServers.filter(({ verdict }) => verdict === undefined)
  const servers: Server[] = [
    ...broken.map(({ id, start }) => ({
      id,
      isConforming: false,
      start: () => start(),
      more: patient,
    })),
    ...conformingVariants.map(({ id, start, verifyOptions = {} }) => {
      const { settleMs = 1_500, categoryId, now } = verifyOptions
      const more = {
        settleMs,
        ...(categoryId !== undefined && { categoryId }),
        ...(now !== undefined && { now }),
      }
      return { id, isConforming: true, start: () => start(), more }
    }),
  ].filter((_, place) => place % every === 0)
  const rows: (Server & { kit: Tried; peer: Tried })[] = []
  for (const server of servers) {
    const kit = await onServer(server, tryKit)
    const peer = await onServer(server, (running) => tryPeer(program, running))
    rows.push({ ...server, kit, peer })
    console.log(
      `${rows.length} of ${servers.length} ${server.id}: kit ${kit.isReported}, peer ${peer.isReported}`,
    )
  }
  const sumUp = (of: 'kit' | 'peer') => {
    const count = (isConforming: boolean): string => {
      const some = rows.filter((row) => row.isConforming === isConforming)
      return `${some.filter((row) => row[of].isReported).length} of ${some.length}`
    }
    const middle = (name: 'requests' | 'ms'): number =>
      rows.map((row) => row[of][name]).toSorted((a, b) => a - b)[rows.length >> 1] ?? 0
    return {
      caught: count(false),
      wronglyReported: count(true),
      requests: middle('requests'),
      seconds: middle('ms') / 1_000,
    }
  }
  const wrongly = rows
    .filter(({ isConforming, peer }) => isConforming && peer.isReported)
    .map(({ id }) => id)
  const result: PeerFigures = {
    version,
    every,
    examples,
    leftOut,
    kit: sumUp('kit'),
    peer: sumUp('peer'),
    wrongly,
  }
  writeFileSync(join(folderOfProof, 'peer.json'), `${JSON.stringify(result, null, 2)}\n`)
  console.log(JSON.stringify(result, null, 2))
}

async function onServer(
  { start, more }: Server,
  tool: (running: RunningVariant, more: Server['more']) => Promise<Tried>,
): Promise<Tried> {
  const running = await start()
  try {
    return await tool(running, more)
  } finally {
    await running.close()
  }
}

async function tryKit({ url, key }: RunningVariant, more: Server['more']): Promise<Tried> {
  const { findings, counts, durationMs } = await verify({ baseUrl: url, apiKey: key, ...more })
  return { isReported: findings.length > 0, requests: counts.requests, ms: durationMs }
}

async function tryPeer(program: string, { url, key }: RunningVariant): Promise<Tried> {
  const folder = mkdtempSync(join(tmpdir(), 'peer-'))
  const [config, report] = [join(folder, 'settings.toml'), join(folder, 'report.json')]
  writeFileSync(config, settings)
  const startedAt = Date.now()
  const document = join(root, 'src/spec/openapi.json')
  const target = [
    '--url',
    url,
    '--header',
    `Authorization: Bearer ${key}`,
    '--request-timeout',
    '3',
  ]
  const effort = [
    '--max-examples',
    String(examples),
    '--seed',
    '1',
    '--no-shrink',
    '--rate-limit',
    'auto',
  ]
  const output = [
    '--exclude-checks',
    Object.keys(leftOut).join(),
    '--report',
    'json',
    '--report-json-path',
    report,
  ]
  try {
    // Exit code 1 means that it has found something.
    await run(
      program,
      ['--config-file', config, 'run', document, ...target, ...effort, ...output],
      {
        cwd: folder,
        timeout: longestMs,
      },
    ).catch(() => {})
    const { failures, test_cases: cases } = existsSync(report)
      ? (JSON.parse(readFileSync(report, 'utf8')) as {
          failures: unknown[]
          test_cases: { generated: number }
        })
      : { failures: [], test_cases: { generated: 0 } }
    return {
      isReported: failures.length > 0,
      requests: cases.generated,
      ms: Date.now() - startedAt,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
