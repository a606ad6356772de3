/** `npm run bench -- --against COMMIT`: builds that commit, and compares what a request costs the two mocks. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { commandIn, floorOf, mock, mockOf, operations } from './contestants.mjs'
import { bodiesOf, takeTurns } from './measure.mjs'
import { ratio, spread, summary, table } from './page.mjs'
import { startServer } from './servers.mjs'

const root = join(import.meta.dirname, '..')

/**
 * Measures the mock of this checkout, that of a commit and the floor in turns, slice by slice.
 *
 * @returns the page: microseconds of processor time per request, and the ratio of the two mocks in each round.
 */
export async function compareWithCommit({ commit, pets, rounds, seconds, folder, log }) {
  const other = mockOf(build({ commit, folder, log }), 'other')
  const bodies = await bodiesOf(pets, folder)
  const rows = []
  for (const operation of operations) {
    // New servers for each operation, so that what one leaves behind weighs on no other.
    const servers = []
    for (const contestant of [floorOf(operation.status, bodies[operation.id]), mock, other]) {
      const server = await startServer(contestant, { pets, folder, operation })
      if (server === undefined) throw new Error(`The ${contestant.id} does not start.`)
      servers.push(server)
    }
    const plan = { operation, pets, rounds, seconds, folder, log }
    const { measured } = await takeTurns(servers, plan)
    for (const server of servers) await server.stop()
    const [floor, now, before] = ['floor', 'mock', 'other'].map((id) =>
      measured[id].map(({ cpuMicros }) => cpuMicros),
    )
    const median = (numbers) => summary(numbers).median.toFixed(1)
    rows.push([
      operation.title,
      median(floor),
      median(before),
      median(now),
      spread(ratio(now, before)),
    ])
  }
  return `Microseconds of processor time per request, medians of ${rounds} rounds. The ratio compares the slices of a round:
more than 1 means that a request costs more than at ${commit}.

${table(['', 'floor', commit, 'this checkout', 'ratio'], rows)}
`
}

/** Builds a commit in a folder of its own. Returns the path of its command. */
function build({ commit, folder, log }) {
  const target = join(folder, 'commit')
  const run = (command, args, cwd) => {
    const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`)
  }
  log(`building ${commit}\n`)
  run('git', ['worktree', 'add', '--detach', '--force', target, commit], root)
  process.on('exit', () => {
    rmSync(target, { recursive: true, force: true })
    spawnSync('git', ['worktree', 'prune'], { cwd: root })
  })
  const lock = (of) => readFileSync(join(of, 'package-lock.json'), 'utf8')
  const modules = join(root, 'node_modules')
  if (existsSync(modules) && lock(target) === lock(root))
    symlinkSync(modules, join(target, 'node_modules'))
  else run('npm', ['ci', '--no-audit', '--no-fund'], target)
  run(process.execPath, ['scripts/build.mjs'], target)
  return commandIn(target)
}
