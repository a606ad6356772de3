import { type Report, verify, type VerifyInput } from '../../../src/contract/index.ts'
import { carryOutAt, withJitter } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import type { BrokenServer } from './fault.ts'

type Target = Pick<BrokenServer, 'start' | 'needsSockets'>

/** Runs the suite against a broken server: in process and in virtual time, unless its fault needs sockets. */
export async function verifyBroken(
  { start, needsSockets }: Target,
  { jitter, ...more }: Partial<VerifyInput> & { jitter?: number } = {},
): Promise<Report> {
  const clock = new VirtualClock()
  const time = { now: () => clock.now(), sleep: (ms: number) => clock.sleep(ms) }
  const {
    url: baseUrl,
    key: apiKey,
    dispatcher,
    close,
  } = await start(needsSockets === true ? undefined : time)
  const input = { baseUrl, apiKey, settleMs: 600, timeoutMs: 1_500, retryBudgetMs: 3_000, ...more }
  try {
    if (dispatcher === undefined) return await verify(input)
    return await carryOutAt(clock, { ...input, dispatcher: withJitter(dispatcher, jitter) })
  } finally {
    await close()
  }
}
