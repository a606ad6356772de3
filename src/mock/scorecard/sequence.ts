/** What only several requests of one client show. Each function looks for one kind of mistake. */
import type { OperationId } from '../../spec/operations.ts'
import { readInteger } from '../int64.ts'
import { type Glance, glanceAt, type RecordedEntry } from '../journal-entry.ts'
import type { Judged } from './judge.ts'
import type { Issue } from './rules.ts'

/** A judged request, whose issues may become more. */
export interface Step extends Judged {
  entry: RecordedEntry
}

/** Milliseconds in which one request follows from another. */
const soonMs = 2_000

/** Adds what is wrong with requests of one client because of those before. */
export function judgeSequence(steps: readonly Step[]): void {
  for (let start = 0; start < steps.length;) {
    const era = steps[start]?.entry.era
    const length = steps.slice(start).findIndex(({ entry }) => entry.era !== era)
    const end = length === -1 ? steps.length : start + length
    const own = steps.slice(start, end)
    for (const find of [judgeWaits, judgeRetries, judgeCreations, judgeGrowth, judgeRounding]) find(own)
    start = end
  }
}

const glanceOf = ({ glance, reply }: RecordedEntry): Glance => glance ?? glanceAt(reply.body)
const isLost = ({ reply: { wire } }: RecordedEntry): boolean => wire?.reset === true || wire?.silent === true
const isCreated = (step: Step | undefined): step is Step =>
  step?.operation === 'createPet' && step.entry.reply.status === 201 && !isLost(step.entry)

/**
 * Requests that were under way when the response came are no retries. The same request again is one that was sent
 * later, unless it came at almost the same moment; another one may have waited in the client for a connection.
 */
const underWayMs = { same: 50, other: 1_000 }
/** A timer may be a little early. */
const earlyMs = 100
const longestWaitMs = 3_600_000

function judgeWaits(steps: readonly Step[]): void {
  const waits = new Map<OperationId, { entry: RecordedEntry; at: number; until: number }>()
  for (const { operation, entry, issues } of steps) {
    if (operation === undefined) continue
    const { elapsed: now, method, target, reply } = entry
    const wait = waits.get(operation)
    if (wait !== undefined && now >= wait.until - earlyMs) waits.delete(operation)
    else if (wait !== undefined) {
      const after = now - wait.at
      const isSame = method === wait.entry.method && target === wait.entry.target
      if (after >= (isSame ? underWayMs.same : underWayMs.other)) {
        const message = `It came ${seconds(after)} after a response ${wait.entry.reply.status}, and ${seconds(wait.until - now)} before the time that Retry-After gave.`
        issues.push({ id: 'retry.too-early', message })
      }
    }
    const ms = reply.status === 429 || reply.status === 503 ? retryAfterMs(entry) : undefined
    if (ms === undefined) continue
    const at = now + (reply.delayMs ?? 0)
    const until = at + Math.min(ms, longestWaitMs)
    waits.set(operation, { ...(waits.get(operation) ?? { entry, at }), until })
  }
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function retryAfterMs({ reply, at }: RecordedEntry): number | undefined {
  const value = reply.headers['retry-after']
  if (value === undefined) return undefined
  const date = /^\d{1,9}$/.test(value) ? at + Number(value) * 1000 : Date.parse(value)
  return Number.isNaN(date) ? undefined : date - at
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Statuses that the same request gets again, whenever it is sent. A pet that is not found may be there later. */
const final = new Set([400, 401, 403, 405, 415, 422])
/** How often in a row is no mistake yet, and how soon the next one follows. */
const streaks = {
  refused: { id: 'retry.refused', words: 'was refused', after: 4, withinMs: soonMs },
  failed: { id: 'retry.storm', words: 'failed', after: 10, withinMs: 250 },
} as const

function judgeRetries(steps: readonly Step[]): void {
  let before: { outcome: keyof typeof streaks; entry: RecordedEntry; count: number } | undefined
  for (const { operation, entry, issues } of steps) {
    if (operation === undefined) continue
    const outcome = outcomeOf(entry.reply)
    let count = 1
    if (before !== undefined && isSame(before.entry, entry)) {
      const { id, words, after, withinMs } = streaks[before.outcome]
      if (entry.elapsed - before.entry.elapsed - (before.entry.reply.delayMs ?? 0) <= withinMs) {
        if (before.outcome === outcome) count = before.count + 1
        const message = `The same request ${words} ${before.count} times in a row right before.`
        if (before.count >= after) issues.push({ id, message })
      }
    }
    before = outcome && { outcome, entry, count }
  }
}

function outcomeOf({ status, headers, wire }: RecordedEntry['reply']): keyof typeof streaks | undefined {
  if (wire?.reset === true) return 'failed'
  if (final.has(status)) return 'refused'
  // Whether a client waits for as long as Retry-After says is judged elsewhere.
  return (status === 429 || status >= 500) && headers['retry-after'] === undefined ? 'failed' : undefined
}

function isSame(one: RecordedEntry, other: RecordedEntry): boolean {
  const fields = ['method', 'target', 'body'] as const
  return (
    fields.every((field) => one[field] === other[field]) &&
    one.headers['authorization'] === other.headers['authorization']
  )
}

/** Statuses after which the pet may be there or not; and how long the client may have waited for a response. */
const ambiguous = new Set([500, 502, 503, 504])
const longestPatienceMs = 60_000

function judgeCreations(steps: readonly Step[]): void {
  let failures: { entry: RecordedEntry; until: number; what: string }[] = []
  for (const [index, step] of steps.entries()) {
    const { operation, entry, issues } = step
    // Whoever has read the list knows whether the pet is there.
    if (operation === 'listPets') failures = []
    const before = steps[index - 1]
    if (isCreated(before)) issues.push(...judgeNewPetInPage(step, before.entry))
    if (operation !== 'createPet') continue
    const retried = failures.find(({ entry: { body }, until }) => body === entry.body && entry.elapsed <= until)
    failures = failures.filter(({ until }) => entry.elapsed <= until).filter((failure) => failure !== retried)
    const failure = failureOf(entry)
    if (failure !== undefined) failures.push({ entry, ...failure })
    if (retried !== undefined) {
      issues.push({ id: 'retry.creation', message: `The same creation had ${retried.what} right before.` })
    } else if (isCreated(step) && isCreated(before) && before.entry.body === entry.body) {
      const [former, latter] = [glanceOf(before.entry).first, glanceOf(entry).first]
      if (former === undefined || latter === undefined || entry.elapsed - before.entry.elapsed > soonMs) continue
      issues.push({ id: 'creation.repeated', message: `Pets ${former} and ${latter} were created of the same body.` })
    }
  }
}

/** A creation after which the pet may be there or not, and how long the same creation again is a retry. */
function failureOf({ elapsed, reply, abandoned }: RecordedEntry): { until: number; what: string } | undefined {
  if (reply.wire?.silent) return { until: elapsed + longestPatienceMs, what: 'got no response' }
  if (reply.wire?.reset) return { until: elapsed + soonMs, what: 'lost its connection' }
  // A service that says when to try again has not done it.
  if (ambiguous.has(reply.status) && reply.headers['retry-after'] === undefined) {
    return { until: elapsed + (reply.delayMs ?? 0) + soonMs, what: `failed with ${reply.status}` }
  }
  return abandoned ? { until: elapsed + longestPatienceMs, what: 'been given up by the client' } : undefined
}

function judgeNewPetInPage({ operation, entry, limit, status }: Step, creation: RecordedEntry): Issue[] {
  if (operation !== 'listPets' || entry.reply.status !== 200 || limit === undefined) return []
  if (entry.elapsed - creation.elapsed > soonMs || glanceOf(entry).pets < limit) return []
  const pet = glanceOf(creation)
  if (status !== undefined && status !== pet.status) return []
  const message = `Pet ${pet.first} was created; the next request was a list, whose page of ${limit} was full.`
  return [{ id: 'order.new-pet-in-page', message }]
}

/** So many pages, each larger by the first, are no accident any more. */
const leastPages = 3
const leastStep = 5

/** Limits of 20, 40, 60 and so on, with the same filter, in a row. */
function judgeGrowth(steps: readonly Step[]): void {
  let limits: number[] = []
  let filter: Step['status']
  for (const { operation, entry, limit = 0, status, issues } of steps) {
    if (operation !== 'listPets' || entry.reply.status !== 200) continue
    const [step = 0] = limits
    if (status === filter && limit === limits.at(-1)) continue
    const isNext = step >= leastStep && status === filter && limit === step * (limits.length + 1)
    limits = isNext ? [...limits, limit] : [limit]
    filter = status
    // The former pages were full when this one has more.
    if (limits.length < leastPages || glanceOf(entry).pets <= limit - step) continue
    issues.push({ id: 'order.growing-limits', message: `The limits were ${limits.join(', ')}.` })
  }
}

/** Responses in which a number is looked for that a client rounded. */
const mostBefore = 50

/** The double of an id or categoryId that was shown before, in place of the number itself. */
function judgeRounding(steps: readonly Step[]): void {
  for (const [index, { operation, entry, issues }] of steps.entries()) {
    const field = operation === 'getPet' ? 'id' : 'categoryId'
    const [, sent = ''] =
      operation === 'getPet'
        ? (/\/(-?\d{16,19})\/?(?:\?|$)/.exec(entry.target) ?? [])
        : operation === 'createPet'
          ? (/"categoryId"\s*:\s*(-?\d{16,19})(?![\d.eE])/.exec(entry.body) ?? [])
          : []
    if (typeof readInteger(sent) !== 'bigint' || !isDouble(sent)) continue
    const before = steps.slice(Math.max(0, index - mostBefore), index).filter((step) => step.entry.reply.status < 300)
    const shown = before.flatMap((step) => glanceOf(step.entry).large[field])
    // A number that was shown itself is no other one's double.
    const meant = shown.includes(sent) ? undefined : shown.find((integer) => Number(integer) === Number(sent))
    if (meant === undefined) continue
    issues.push(
      operation === 'getPet'
        ? { id: 'pet-id.rounded', message: `petId was ${sent}, and the mock had shown ${meant}.` }
        : { id: 'category-id.shown-rounded', message: `categoryId was ${sent}, and the mock had shown ${meant}.` },
    )
  }
}

/** Whether a program that holds integers in doubles may have written a number. */
function isDouble(text: string): boolean {
  return String(Number(text)) === text || BigInt(Number(text)) === BigInt(text)
}
