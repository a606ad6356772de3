import { fuzzCases } from './cases/index.ts'
import { createChance } from './chance.ts'
import { isolate, playAll } from './round.ts'
import { type Failure, type Session, startSession } from './session.ts'

/** How to fuzz. */
export interface FuzzOptions {
  /** The same seed, the same bytes. */
  seed: string
  /** Ends after so many rounds; each plays every case once. */
  rounds?: number
  /** Ends after so many seconds. Cases that wait for the time limits of the mock are played from 90 s on. */
  seconds?: number
  /** `group`, `group/name` or `group/name#round`: plays this alone. */
  only?: string
  /** Draws another lawful mock for the seed; then only what holds for all of them is judged. */
  vary?: boolean
  /** The command to start; the one in dist/ by default. */
  cli?: string
  /** Further options of it. */
  flags?: readonly string[]
  /** Told of failures as they are found. */
  onFailure?: (failure: Failure) => void
}

export interface FuzzReport {
  cases: number
  rounds: number
  failures: Failure[]
}

/** Bytes that may stay in use besides the pets: what is kept for speed is bounded, and full after the first round. */
const memoryAllowance = 48 * 1024 * 1024
/** A mock with more bytes of pets than this is replaced by a fresh one. */
const petsAllowance = 24 * 1024 * 1024
/** The share of a run that the slow cases take. */
const slowSeconds = 45

/** Fuzzes a mock of its own and tells what went wrong. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, seconds, onFailure, vary = false, cli, flags = [] } = options
  const [onlyId, onlyRound] = options.only?.split('#') ?? []
  const chosen = fuzzCases.filter(({ id }) => onlyId === undefined || isChosen(id, onlyId))
  if (chosen.length === 0) throw new Error(`There is no case ${JSON.stringify(options.only)}.`)
  // A storm tries the server, which is the same whatever a deployment chooses.
  const quick = chosen.filter(
    (fuzzCase) => onlyId !== undefined || (fuzzCase.slow !== true && !(vary && 'storm' in fuzzCase)),
  )
  const withSlow = onlyId === undefined && seconds !== undefined && seconds >= 2 * slowSeconds
  const rounds = onlyRound === undefined ? (options.rounds ?? Infinity) : 1
  const endsAt =
    performance.now() + (seconds === undefined ? Infinity : (seconds - (withSlow ? slowSeconds : 0)) * 1000)
  const report: FuzzReport = { cases: 0, rounds: 0, failures: [] }
  const start = (): Promise<Session> =>
    startSession(seed, vary ? [...flags, '--vary', String(numberOf(seed))] : flags, vary, cli)
  const add = (...failures: readonly Failure[]): void => {
    for (const failure of failures) onFailure?.(failure)
    report.failures.push(...failures)
  }

  let session = await start()
  let warmBytes: number | undefined
  try {
    for (let round = Number(onlyRound ?? 1); report.rounds < rounds && performance.now() < endsAt; round += 1) {
      report.rounds += 1
      const cases = createChance(`${seed} order ${round}`).shuffle(quick)
      report.cases += cases.length
      const lost = await playAll(session, cases, round, add, onlyRound === undefined ? endsAt : Infinity)
      if (lost.length > 0) {
        add(...(await isolate(lost, round, session, start)))
        await session.mock.stop()
        session = await start()
        warmBytes = undefined
        continue
      }
      warmBytes = await checkpoint(session, round, warmBytes, add)
      if (session.ledger.bytes > petsAllowance) {
        add(...(await session.audit('all')))
        await session.mock.stop()
        session = await start()
        warmBytes = undefined
      }
    }
    if (withSlow) {
      const slow = chosen.filter((fuzzCase) => fuzzCase.slow === true)
      report.cases += slow.length
      const failures = await Promise.all(slow.map((fuzzCase) => session.run(fuzzCase, 1)))
      add(...failures.filter((failure) => failure !== undefined))
      await checkpoint(session, report.rounds, warmBytes, add)
    }
    add(...(await session.audit('all')))
  } finally {
    await session.mock.stop()
  }
  return report
}

/** Looks at the mock between two rounds. Returns the bytes in use after the first one. */
async function checkpoint(
  session: Session,
  round: number,
  warmBytes: number | undefined,
  add: (...failures: Failure[]) => void,
): Promise<number> {
  const { bytes, sockets, faults } = await session.settle()
  const wrong = [...faults]
  if (sockets > 0) wrong.push(`${sockets} connections are still open though nobody holds them.`)
  const allowed = (warmBytes ?? bytes) + memoryAllowance + 3 * session.ledger.bytes
  if (bytes > allowed) wrong.push(`${mebibytes(bytes)} are in use, and no more than ${mebibytes(allowed)} should be.`)
  const printed = session.mock.stderr()
  if (printed !== '' && faults.length === 0 && !printed.startsWith('Other machines'))
    wrong.push(`It printed: ${printed}`)
  if (wrong.length > 0) add({ name: `round#${round}`, faults: wrong, sent: Buffer.alloc(0), received: Buffer.alloc(0) })
  add(...(await session.audit('new')))
  return warmBytes ?? bytes
}

/** Whether a case is the one, or of the group, that shall be played alone. */
export function isChosen(id: string, only: string): boolean {
  return id === only || id.startsWith(`${only}/`)
}

function numberOf(seed: string): number {
  return createChance(seed).below(2 ** 31)
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
