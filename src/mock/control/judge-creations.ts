import type { Exchange } from './exchange.ts'
import { type JudgeClock, soonMs } from './judge-clock.ts'
import { idOf } from './judge-page.ts'
import type { Mark } from './judge.ts'

/** A pet that was created right before. */
interface FreshPet {
  id: number | bigint
  status: string | undefined
  at: number
  /** Of the body that it was made of. */
  print: number
}

/** A creation after which the pet may be there or not. */
interface Failure {
  print: number
  /** When the client came to know of it. */
  at: number
  forMs: number
  what: string
}

/** Failures that are remembered, and how long one may be that the client had to find out by its own patience. */
const mostFailures = 8
const longestPatienceMs = 60_000

/** Statuses after which the pet may be there or not. */
const ambiguous = new Set([500, 502, 503, 504])

/** The creations of one client: those that failed without telling whether there is a pet now, and the last one. */
export class Creations {
  #failures: Failure[] | undefined
  #fresh: FreshPet | undefined

  judge(exchange: Exchange, clock: JudgeClock): Mark[] | undefined {
    const now = clock.elapsed()
    const print = fingerprint(exchange.body)
    const last = this.#fresh
    const fresh = freshPet(exchange, print, now)
    this.#fresh = fresh
    const retried = this.#takeFailure(print, now)
    const failure = fresh === undefined ? failureOf(exchange, print, now) : undefined
    if (failure !== undefined) this.#failures = [...(this.#failures ?? []), failure].slice(-mostFailures)
    if (retried !== undefined) {
      return [{ kind: 'retry.creation', message: `The same creation had ${retried.what} right before.` }]
    }
    // Ids begin again when the mock is reset: then it is another test that creates its pet.
    const isRepeated =
      last !== undefined && fresh !== undefined && last.print === print && now - last.at <= soonMs && fresh.id > last.id
    if (!isRepeated) return undefined
    return [{ kind: 'creation.repeated', message: `Pets ${last.id} and ${fresh.id} were created of the same body.` }]
  }

  /** Another request comes. Returns the pet that was created right before it. */
  turnTo(next: 'list' | 'other'): FreshPet | undefined {
    const last = this.#fresh
    this.#fresh = undefined
    // Whoever has read the list knows whether the pet is there.
    if (next === 'list') this.#failures = undefined
    return last
  }

  #takeFailure(print: number, now: number): Failure | undefined {
    if (this.#failures === undefined) return undefined
    const retried = this.#failures.find((failure) => failure.print === print && now - failure.at <= failure.forMs)
    this.#failures = this.#failures.filter((failure) => failure !== retried)
    return retried
  }
}

function freshPet({ reply }: Exchange, print: number, at: number): FreshPet | undefined {
  if (reply.status !== 201 || isLost(reply)) return undefined
  const id = idOf(reply.body)
  return id === undefined ? undefined : { id, status: statusOf(reply.body), at, print }
}

function statusOf(body: string): string | undefined {
  return ['available', 'pending', 'sold'].find((status) => body.includes(`"status":"${status}"`))
}

function failureOf({ reply }: Exchange, print: number, now: number): Failure | undefined {
  if (isLost(reply)) {
    return reply.wire?.silent
      ? { print, at: now, forMs: longestPatienceMs, what: 'got no answer' }
      : { print, at: now, forMs: soonMs, what: 'lost its connection' }
  }
  // A service that says when to try again has not done it.
  const isInvited = reply.headers['retry-after'] !== undefined
  if (!ambiguous.has(reply.status) || isInvited) return undefined
  return { print, at: now + (reply.delayMs ?? 0), forMs: soonMs, what: `failed with ${reply.status}` }
}

function isLost({ wire }: Exchange['reply']): boolean {
  return wire?.reset === true || wire?.silent === true
}

/** A number for a text, so that the text need not be kept (FNV-1a, and the length). */
function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) * 2 ** 21 + (text.length % 2 ** 21)
}
