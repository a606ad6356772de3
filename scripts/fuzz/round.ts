import { pause } from './conversation.ts'
import type { FuzzCase } from './scenario.ts'
import type { Failure, Session } from './session.ts'

/** Conversations at the same time. */
const together = 6

/**
 * Plays cases, some at a time; storms each by itself.
 *
 * @returns the cases that were under way, or had just been, when the mock ended or fell silent; none when all is well.
 */
export async function playAll(
  session: Session,
  cases: readonly FuzzCase[],
  round: number,
  add: (failure: Failure) => void,
  endsAt: number,
): Promise<FuzzCase[]> {
  const waiting = cases.filter((fuzzCase) => 'make' in fuzzCase)
  const storms = cases.filter((fuzzCase) => 'storm' in fuzzCase)
  const underWay = new Set<FuzzCase>()
  const justOver: FuzzCase[] = []
  let lost: FuzzCase[] = []

  async function work(from: FuzzCase[]): Promise<void> {
    for (let next = from.pop(); next !== undefined; next = from.pop()) {
      if (lost.length > 0 || performance.now() > endsAt) return
      underWay.add(next)
      const failure = await session.run(next, round)
      if (failure !== undefined) {
        if (session.mock.ended() !== undefined || !(await session.answers())) {
          if (lost.length === 0) lost = [...underWay, ...justOver]
          return
        }
        add(failure)
      }
      underWay.delete(next)
      justOver.push(next)
      if (justOver.length > 2 * together) justOver.shift()
    }
  }
  await Promise.all(Array.from({ length: together }, () => work(waiting)))
  await work([...storms])
  return lost
}

/** Finds out, each on a fresh mock, which of these cases made the mock end or fall silent. */
export async function isolate(
  lost: readonly FuzzCase[],
  round: number,
  session: Session,
  start: () => Promise<Session>,
): Promise<Failure[]> {
  const what = (await endOf(session)) ?? 'it no longer answers'
  const { mock } = session
  const failures: Failure[] = []
  for (const fuzzCase of lost) {
    const alone = await start()
    const name = `${fuzzCase.id}#${round}`
    const failure = (await alone.run(fuzzCase, round)) ?? {
      name,
      faults: [],
      sent: Buffer.alloc(0),
      received: Buffer.alloc(0),
    }
    const end = (await alone.answers()) ? undefined : ((await endOf(alone)) ?? 'it no longer answers')
    if (end !== undefined) failure.faults.unshift(`The mock did not survive: ${end}. ${alone.mock.stderr()}`.trim())
    if (failure.faults.length > 0) failures.push(failure)
    await alone.mock.stop()
  }
  if (failures.length > 0) return failures
  const names = lost.map(({ id }) => `${id}#${round}`).join(', ')
  const faults = [`The mock did not survive ${names} together: ${what}. ${mock.stderr()}`.trim()]
  return [{ name: 'together', faults, sent: Buffer.alloc(0), received: Buffer.alloc(0) }]
}

/** Why a mock that does not answer has ended, if it has. The news may come a little after its last connection. */
async function endOf({ mock }: Session): Promise<string | undefined> {
  for (let look = 0; look < 20 && mock.ended() === undefined; look += 1) await pause(50)
  return mock.ended()
}
