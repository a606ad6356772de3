import type { Exchange } from './exchange.ts'
import { type JudgeClock, soonMs } from './judge-clock.ts'
import { idOf } from './judge-page.ts'
import type { Mark } from './marks.ts'

/** A pet that was created right before. */
export interface FreshPet {
  id: number | bigint
  status: string | undefined
  at: number
}

/** What is kept of the creation of such a pet. */
interface Creation {
  /** The pet, or of a long one what is read of it. It is read when somebody asks. */
  readonly text: string
  readonly at: number
  /** Of the body that it was made of. */
  readonly print: Print
}

/** What tells one body from another: a body that is short stands for itself. */
export type Print = string | number

/** Characters of a text that is kept. */
const longestKept = 500

/** A creation after which the pet may be there or not. */
interface Failure {
  print: Print
  /** When the client came to know of it. */
  at: number
  forMs: number
  what: string
  /** Of a response that takes time: only a client that did not wait for it does not know what came of its request. */
  delivery?: { abandoned: boolean }
}

/** Failures that are remembered, and how long one may be that the client had to find out by its own patience. */
const mostFailures = 8
const longestPatienceMs = 60_000

/** Statuses after which the pet may be there or not. */
const ambiguous = new Set([500, 502, 503, 504])

/** The creations of one client: those that failed without telling whether there is a pet now, and the last one. */
export class Creations {
  #failures: Failure[] | undefined
  #last: Creation | undefined

  judge(exchange: Exchange, clock: JudgeClock): Mark[] | undefined {
    const now = clock.elapsed()
    const print = printOf(exchange.body)
    const before = this.#last
    const last = creationOf(exchange, print, now)
    this.#last = last
    const retried = this.#takeFailure(print, now)
    const failure = failureOf(exchange, print, now)
    if (failure !== undefined) this.#failures = [...(this.#failures ?? []), failure].slice(-mostFailures)
    if (retried !== undefined) {
      return [{ kind: 'retry.creation', message: `The same creation had ${retried.what} right before.` }]
    }
    if (before === undefined || last === undefined || before.print !== print || now - before.at > soonMs)
      return undefined
    const former = idOf(before.text)
    const latter = idOf(last.text)
    // Ids begin again when the mock is reset: then it is another test that creates its pet.
    if (former === undefined || latter === undefined || latter <= former) return undefined
    return [{ kind: 'creation.repeated', message: `Pets ${former} and ${latter} were created of the same body.` }]
  }

  /** Another request comes. Returns the pet that was created right before it. */
  turnTo(next: 'list' | 'other'): FreshPet | undefined {
    const last = this.#last
    this.#last = undefined
    // Whoever has read the list knows whether the pet is there.
    if (next === 'list') this.#failures = undefined
    if (last === undefined) return undefined
    const id = idOf(last.text)
    return id === undefined ? undefined : { id, status: statusOf(last.text), at: last.at }
  }

  #takeFailure(print: Print, now: number): Failure | undefined {
    if (this.#failures === undefined) return undefined
    const retried = this.#failures.find(
      ({ print: former, at, forMs, delivery }) =>
        former === print && now - at <= forMs && delivery?.abandoned !== false,
    )
    this.#failures = this.#failures.filter((failure) => failure !== retried)
    return retried
  }
}

function creationOf({ reply }: Exchange, print: Print, at: number): Creation | undefined {
  if (reply.status !== 201 || isLost(reply)) return undefined
  const { body } = reply
  return { text: body.length <= longestKept ? body : glance(body), at, print }
}

/** A text with the id and the status of a long one. */
function glance(body: string): string {
  return `{"id":${idOf(body)},"status":"${statusOf(body)}"}`
}

function statusOf(body: string): string | undefined {
  return ['available', 'pending', 'sold'].find((status) => body.includes(`"status":"${status}"`))
}

function failureOf({ reply, delivery }: Exchange, print: Print, now: number): Failure | undefined {
  if (isLost(reply)) {
    return reply.wire?.silent
      ? { print, at: now, forMs: longestPatienceMs, what: 'got no answer' }
      : { print, at: now, forMs: soonMs, what: 'lost its connection' }
  }
  // A service that says when to try again has not done it.
  const isInvited = reply.headers['retry-after'] !== undefined
  if (!ambiguous.has(reply.status) || isInvited) {
    if (delivery === undefined) return undefined
    return { print, at: now, forMs: longestPatienceMs, what: 'been given up by the client', delivery }
  }
  return { print, at: now + (reply.delayMs ?? 0), forMs: soonMs, what: `failed with ${reply.status}` }
}

function isLost({ wire }: Exchange['reply']): boolean {
  return wire?.reset === true || wire?.silent === true
}

/** A long text is not kept: a number stands for it (FNV-1a, and the length). */
export function printOf(text: string): Print {
  if (text.length <= longestKept) return text
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) * 2 ** 21 + (text.length % 2 ** 21)
}
