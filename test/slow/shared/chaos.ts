/** Mocks with shared state, whose processes, engine and wires fail. Every history must be linearizable. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Agent } from 'undici'

import { Random } from '../../../src/mock/pets/seed.ts'
import { audit, auditJournals, type History, play, send, type Target } from './clients.ts'
import { type Judgment, judge } from './linearizable.ts'
import { Engine, MockProcess, pause, Wire } from '../../support/machines.ts'
import { infer, type Operation, sandboxModel, startState } from './register.ts'

interface ChaosOptions {
  seed: number
  seconds: number
  /** A folder in which each history is saved as one line of JSON. */
  keep?: string | undefined
}

const machines = 3
const sandboxes = 2
const clients = 4
/** Duration of an episode, and maximum number of operations per sandbox. */
const episodeMs = 4_000
const mostOperations = 4_000
/** The documented limit is two seconds; a busy machine adds to the time that the client measures. */
const longestUnavailableMs = 2_500

const createReport = () => ({
  episodes: 0,
  operations: 0,
  /** Operations whose response was lost or 503. */
  unknown: 0,
  created: 0,
  linearizable: 0,
  notChecked: 0,
  /** Number of injected failures by kind. */
  events: {} as Record<string, number>,
  /** Number of 503 responses, and the longest time of one while no process was stopped, in milliseconds. */
  unavailable: 0,
  longestUnavailableMs: 0,
  /** Milliseconds from the start of a process to its first line. */
  starts: [] as number[],
  lostResponses: 0,
  faults: [] as string[],
})

/** Runs clients against a mock with several processes, and breaks its parts one after the other. */
export async function chaos({ seed, seconds, keep }: ChaosOptions) {
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), 'petstore-chaos-'))
  const report = createReport()
  const engine = new Engine(join(folder, 'engine'), [
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
  ])
  await engine.start()
  const wires = await Promise.all(
    Array.from({ length: machines }, async () => {
      const wire = new Wire(engine.socket)
      await wire.start()
      return wire
    }),
  )
  const mocks = wires.map(
    ({ url }, index) => new MockProcess(`mock-${index + 1}`, ['--shared', url, '--pets', '3']),
  )
  const dispatcher = new Agent({ connections: null })
  /** The confirmed pets of a sandbox with only creations, which exists through all episodes. */
  const register: Register = { sandbox: `register-${seed}`, confirmed: new Map(), doubted: 0 }
  for (const mock of mocks) mock.onEnd = fault
  try {
    for (const mock of mocks) report.starts.push(await mock.start())
    const endsAt = performance.now() + seconds * 1_000
    while (performance.now() < endsAt) {
      await playEpisode()
    }
    await auditRegister()
    for (const mock of mocks) {
      const code = await mock.end('SIGTERM')
      if (code !== 0) fault(`${mock.name} ended with ${code} after SIGTERM.`)
    }
  } finally {
    report.lostResponses = wires.reduce((sum, { lost }) => sum + lost, 0)
    for (const mock of mocks) await mock.end('SIGKILL')
    for (const wire of wires) await wire.stop()
    await engine.kill()
    await dispatcher.destroy()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  return report

  async function playEpisode(): Promise<void> {
    report.episodes += 1
    const histories = await Promise.all(
      Array.from({ length: sandboxes }, async (_, index): Promise<Episode> => {
        const sandbox = `episode-${seed}-${report.episodes}-${index}`
        const history: History = {
          sandbox,
          operations: [],
          unavailable: { count: 0, longestMs: 0, wrong: [] },
        }
        return { history, start: await exported(sandbox) }
      }),
    )
    const until = performance.now() + episodeMs
    let isStopped = false
    const nemesis = breakThings(until, () => (isStopped = true))
    const goesOn = (operations: number): boolean =>
      performance.now() < until && operations < mostOperations
    await Promise.all([
      nemesis,
      ...histories.map(({ history }, index) =>
        play({
          dispatcher,
          targets: mocks,
          clients,
          seed: seed * 1_000 + report.episodes * 10 + index,
          goesOn,
          history,
        }),
      ),
      fillRegister(until),
    ])
    for (const { history, start } of histories) {
      await audit(dispatcher, mocks, history)
      for (const text of await auditJournals(dispatcher, mocks, history.sandbox))
        fault(`${history.sandbox}: ${text}`)
      assess(history, start, isStopped)
    }
  }

  /** Exports the pets of a sandbox through the first mock that responds. */
  async function exported(sandbox: string): Promise<string> {
    const patienceEnds = performance.now() + 30_000
    for (let turn = 0; ; turn += 1) {
      const origin = (mocks[turn % mocks.length] as Target).origin()
      // A request with its key creates the sandbox.
      if (origin !== undefined) {
        await send(dispatcher, origin, sandbox, { kind: 'list', limit: 1 })
        const outcome = await send(dispatcher, origin, sandbox, { kind: 'export' })
        if ('result' in outcome && outcome.result.startsWith('200 ')) return outcome.result.slice(4)
      }
      if (performance.now() > patienceEnds)
        throw new Error(
          `No mock responds, although nothing is broken: ${engine.output.slice(-2_000)}`,
        )
      await pause(50)
    }
  }

  function assess(
    { sandbox, operations, unavailable }: History,
    start: string,
    isStopped: boolean,
  ): void {
    report.operations += operations.length
    report.unknown += operations.filter(({ result }) => result === undefined).length
    report.created += operations.filter(({ result }) => result?.startsWith('201 {') === true).length
    report.unavailable += unavailable.count
    if (!isStopped)
      report.longestUnavailableMs = Math.max(report.longestUnavailableMs, unavailable.longestMs)
    for (const text of unavailable.wrong)
      fault(`${sandbox}: a 503 without Retry-After or without an Error body: ${text}`)
    if (!isStopped && unavailable.longestMs > longestUnavailableMs)
      fault(`${sandbox}: a 503 took ${Math.round(unavailable.longestMs)} ms.`)
    if (keep !== undefined) {
      mkdirSync(keep, { recursive: true })
      writeFileSync(join(keep, `${sandbox}.json`), `${toLine(start, operations)}\n`)
    }
    const judgment = judge(sandboxModel, startState(start), infer(operations))
    if (judgment.verdict === 'linearizable') report.linearizable += 1
    else if (judgment.verdict === 'not checked') report.notChecked += 1
    else fault(`${sandbox}: ${explain(judgment, operations)}`)
  }

  function fault(text: string): void {
    if (report.faults.length < 30) report.faults.push(text)
    process.stdout.write(`WRONG ${text}\n`)
  }

  /** Restarts a mock like a supervisor: on a busy machine, the engine may not respond in time to a starting mock. */
  async function startAgain(mock: MockProcess): Promise<number> {
    for (let turn = 0; turn < 3; turn += 1) {
      try {
        return await mock.start()
      } catch (error) {
        process.stdout.write(`${String(error)}\n`)
      }
    }
    return mock.start()
  }

  /** Breaks and repairs one part after the other. */
  async function breakThings(until: number, onStop: () => void): Promise<void> {
    const below = (end: number): number => Math.floor(random.next() * end)
    const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
    const restart = async (mock: MockProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      const code = await mock.end(signal)
      if (signal === 'SIGTERM' && code !== 0)
        fault(`${mock.name} ended with ${code} after SIGTERM: ${mock.errors}`)
      await pause(below(300))
      report.starts.push(await startAgain(mock))
    }
    const whileStopped = async (machine: Engine | MockProcess, ms: number): Promise<void> => {
      onStop()
      machine.signal('SIGSTOP')
      await pause(ms)
      machine.signal('SIGCONT')
    }
    const inState = async (wire: Wire, state: Wire['state'], ms: number): Promise<void> => {
      wire.state = state
      if (state === 'rejects') wire.cut()
      await pause(ms)
      wire.state = 'open'
    }
    const events: Readonly<Record<string, () => Promise<unknown>>> = {
      'a mock is killed': () => restart(pick(mocks), 'SIGKILL'),
      'a mock is terminated': () => restart(pick(mocks), 'SIGTERM'),
      'a mock is stopped for a while': () => whileStopped(pick(mocks), 100 + below(2_500)),
      'the engine is stopped for a while': () => whileStopped(engine, 100 + below(2_500)),
      async 'the engine is killed and started'() {
        await engine.kill()
        await pause(below(1_000))
        await engine.start()
      },
      'a wire is cut': async () => pick(wires).cut(),
      'a wire is out for a while': () => inState(pick(wires), 'rejects', 100 + below(2_000)),
      'a wire is silent for a while': () => inState(pick(wires), 'silent', 100 + below(2_500)),
      async 'responses of the engine are lost'() {
        for (let turn = 0; turn < 5; turn += 1) {
          pick(wires).loseNext()
          await pause(50 + below(100))
        }
      },
      async 'a wire is slow'() {
        const wire = pick(wires)
        wire.delayMs = 1 + below(20)
        await pause(500)
        wire.delayMs = 0
      },
    }
    const names = Object.keys(events)
    while (performance.now() < until - 500) {
      const name = pick(names)
      report.events[name] = (report.events[name] ?? 0) + 1
      await Promise.all([events[name]?.(), pause(100 + below(500))])
    }
  }

  /** Creates pets in the register sandbox. */
  async function fillRegister(until: number): Promise<void> {
    let turn = 0
    while (performance.now() < until) {
      turn += 1
      const origin = (mocks[turn % mocks.length] as Target).origin()
      const name = `r-${report.episodes}-${turn}`
      const op: Operation = { kind: 'create', name, status: 'sold' }
      const outcome =
        origin === undefined ? undefined : await send(dispatcher, origin, register.sandbox, op)
      if (outcome === undefined || 'rejected' in outcome) await pause(20)
      else if ('unknown' in outcome) register.doubted += 1
      else if (outcome.result.startsWith('201 ')) {
        const text = outcome.result.slice(4)
        const { id } = JSON.parse(text) as { id: number }
        const before = register.confirmed.get(id)
        if (before !== undefined) fault(`The id ${id} was given twice: ${before} and ${text}`)
        register.confirmed.set(id, text)
      } else fault(`A creation got ${outcome.result}`)
    }
  }

  /** Checks that all confirmed pets exist, and no others except possible creations without a response. */
  async function auditRegister(): Promise<void> {
    const all = JSON.parse(await exported(register.sandbox)) as { id: number; name: string }[]
    const shown = new Map(all.map((pet) => [pet.id, JSON.stringify(pet)]))
    for (const [id, text] of register.confirmed)
      if (shown.get(id) !== text) fault(`Pet ${id} was ${text} and is ${shown.get(id)}`)
    const names = all.map(({ name }) => name)
    if (new Set(names).size < names.length) fault('A creation was applied twice.')
    const more = names.filter((name) => name.startsWith('r-')).length - register.confirmed.size
    if (more > register.doubted)
      fault(`${more} pets were never confirmed, and ${register.doubted} creations got no response.`)
    report.created += register.confirmed.size
    report.operations += register.confirmed.size + register.doubted
    report.unknown += register.doubted
  }
}

interface Episode {
  history: History
  start: string
}

interface Register {
  sandbox: string
  confirmed: Map<number, string>
  doubted: number
}

/** Formats a history for Porcupine. */
function toLine(start: string, operations: History['operations']): string {
  const events = operations.map(({ op, call, return: end, result }) => ({
    op,
    call,
    ...(end !== Infinity && { return: end, result }),
  }))
  return JSON.stringify({ start: JSON.parse(start) as unknown, events })
}

/** Shows the operations around the place where no order fits, with clients and times. */
function explain({ stuck }: Judgment<Operation>, operations: History['operations']): string {
  if (stuck === undefined) return 'not linearizable'
  const { at, expected } = stuck
  const ms = (time: number): string => (time === Infinity ? '...' : (time - at.call).toFixed(1))
  const near = operations
    .filter((one) => one.return >= at.call - 20 && one.call <= at.return + 5)
    .toSorted((a, b) => a.call - b.call)
    .slice(-40)
  const rows = near.map((one) => {
    const place = one.op === at.op ? '->' : '  '
    return `${place} ${ms(one.call)} to ${ms(one.return)} ms, ${one.by}: ${JSON.stringify(one.op)} ${one.result?.slice(0, 300) ?? 'no response'}`
  })
  return `no order of the operations explains ${at.result?.slice(0, 600)}, where ${expected.slice(0, 600)} was expected:\n${rows.join('\n')}`
}

/** Summarizes a run in a few lines. */
export function summary(report: ReturnType<typeof createReport>): string {
  const { episodes, operations, unknown, created, linearizable, notChecked, faults, starts } =
    report
  const done = Object.entries(report.events).map(([event, times]) => `${event}: ${times}`)
  return [
    ...done.toSorted(),
    `${report.lostResponses} responses of the engine were lost after it had executed the request`,
    `${report.unavailable} times 503; the longest took ${Math.round(report.longestUnavailableMs)} ms where no process was stopped`,
    `a mock needed ${Math.round(Math.max(...starts))} ms at most from its start to its first line`,
    `chaos: ${episodes} episodes, ${operations} operations, ${unknown} of them without a known outcome, ${created} creations ` +
      `confirmed; ${linearizable} histories linearizable, ${notChecked} not checked: ${faults.length === 0 ? 'nothing wrong' : 'WRONG'}`,
  ].join('\n')
}
