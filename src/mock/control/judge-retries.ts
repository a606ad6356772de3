import type { Exchange } from './exchange.ts'
import { type JudgeClock, soonMs } from './judge-clock.ts'
import { type Print, printOf } from './judge-creations.ts'
import type { Mark } from './marks.ts'

/** A request that was refused or failed, and how often in a row. */
interface Streak {
  outcome: 'refused' | 'failed'
  /** Of the method, the target, the key and the body. */
  print: Print
  count: number
  /** When the client came to know of the last one. */
  at: number
}

/** Statuses that the same request gets again, whenever it is sent. A pet that is not found may be there later. */
const final = new Set([400, 401, 403, 405, 415, 422])

/** After so many in a row, the next one is told; and how soon it follows. */
const limits = { refused: { after: 4, withinMs: soonMs }, failed: { after: 10, withinMs: 250 } } as const

/** The same request again and again, by one client. */
export class Retries {
  #streak: Streak | undefined

  judge(exchange: Exchange, clock: JudgeClock): Mark | undefined {
    const outcome = outcomeOf(exchange)
    const before = this.#streak
    if (outcome === undefined && before === undefined) return undefined
    const now = clock.elapsed()
    const { method, target, headers, body, reply } = exchange
    const print = printOf([method, target, headers['authorization'], body].join('\n'))
    const isAgain = before?.print === print && now - before.at <= limits[before.outcome].withinMs
    const at = now + (reply.delayMs ?? 0)
    const count = isAgain && before.outcome === outcome ? before.count + 1 : 1
    this.#streak = outcome && { outcome, print, count, at }
    return isAgain && before.count >= limits[before.outcome].after ? toMark(before) : undefined
  }
}

function outcomeOf({ reply: { status, headers, wire } }: Exchange): Streak['outcome'] | undefined {
  if (wire?.reset === true) return 'failed'
  if (final.has(status)) return 'refused'
  // Whether a client waits for as long as it is told is judged elsewhere.
  return (status === 429 || status >= 500) && headers['retry-after'] === undefined ? 'failed' : undefined
}

function toMark({ outcome, count }: Streak): Mark {
  return outcome === 'refused'
    ? { kind: 'retry.refused', message: `The same request was refused ${count} times in a row right before.` }
    : { kind: 'retry.storm', message: `The same request failed ${count} times in a row right before.` }
}
