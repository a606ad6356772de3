import type { OperationId } from '../../spec/operations.ts'
import type { Exchange } from './exchange.ts'
import type { JudgeClock } from './judge-clock.ts'
import type { Mark } from './marks.ts'

/** Whether a client waits for as long as Retry-After says. */
export interface Waits {
  /** An answer 429 or 503. */
  note: (operation: OperationId, exchange: Exchange, clock: JudgeClock) => void
  /** Whether a request came too early. */
  judge: (operation: OperationId, exchange: Exchange, clock: JudgeClock) => Mark | undefined
}

interface Wait {
  /** When the first answer of this kind was given. */
  at: number
  until: number
  status: number
  method: string
  target: string
}

/**
 * Requests that were under way when the answer came are no retries. The same request again is one that was sent later,
 * unless it came at almost the same moment; another one may have waited in the client for a connection.
 */
const underWayMs = { same: 50, other: 1_000 }
/** A timer may be a little early. */
const earlyMs = 100
const longestWaitMs = 3_600_000

export function createWaits(): Waits {
  const waits = new Map<OperationId, Wait>()
  return {
    note(operation, { at, method, target, reply }, clock) {
      const ms = retryAfterMs(reply.headers['retry-after'], at)
      if (ms === undefined) return
      const now = clock.elapsed() + (reply.delayMs ?? 0)
      const until = now + Math.min(ms, longestWaitMs)
      const wait = waits.get(operation)
      if (wait === undefined) waits.set(operation, { at: now, until, status: reply.status, method, target })
      else wait.until = until
    },
    judge(operation, { method, target }, clock) {
      const wait = waits.get(operation)
      if (wait === undefined) return undefined
      const now = clock.elapsed()
      if (now >= wait.until - earlyMs) {
        waits.delete(operation)
        return undefined
      }
      const isSame = method === wait.method && target === wait.target
      const after = now - wait.at
      if (after < (isSame ? underWayMs.same : underWayMs.other)) return undefined
      return {
        kind: 'retry.too-early',
        message: `It came ${seconds(after)} after an answer ${wait.status}, and ${seconds(wait.until - now)} before the time that Retry-After gave.`,
      }
    },
  }
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : date - now
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
