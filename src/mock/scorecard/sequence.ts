/** Issues that only show in several requests of one client. */
import { type OperationId, operations } from '../../spec/operations.ts'
import { readInteger } from '../int64.ts'
import type { Sliced } from '../slices.ts'
import { type BodyExtract, extractBody, type RecordedEntry } from '../journal-entry.ts'
import type { Assessment } from './request.ts'

/** A request with its assessment, to which issues are added. */
export interface Step extends Assessment {
  entry: RecordedEntry
}

/** Requests within this time may be related. */
const soonMs = 2_000

/** Adds issues to the requests of one client. Requests before all pets were replaced are not related to those after. */
export function* assessSequence(steps: readonly Step[]): Sliced<void> {
  const eras = new Map<number, Step[]>()
  for (const step of steps) {
    const era = eras.get(step.entry.era)
    if (era === undefined) eras.set(step.entry.era, [step])
    else era.push(step)
  }
  const finders = [
    findEarlyRetries,
    findStreaks,
    findRepeatedCreations,
    findFullPages,
    findGrowingLimits,
    findRounding,
  ]
  for (const era of eras.values()) {
    for (const find of finders) {
      find(era)
      yield
    }
  }
}

const extractOf = ({ extract, reply }: RecordedEntry): BodyExtract =>
  extract ?? extractBody(reply.body)
const isLost = ({ reply: { wire } }: RecordedEntry): boolean =>
  wire?.reset === true || wire?.silent === true
const isCreated = (step: Step | undefined): step is Step =>
  step?.operation === 'createPet' && step.entry.reply.status === 201 && !isLost(step.entry)

/**
 * A request that arrives this soon after a response was probably sent before it. Other requests than the same one may also
 * have waited for a connection.
 */
const concurrentMs = { same: 50, other: 1_000 }
/** Tolerance for clients whose timers are early. */
const earlyMs = 100
const maxWaitMs = 3_600_000

function findEarlyRetries(steps: readonly Step[]): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  const waits = new Map<OperationId, { entry: RecordedEntry; at: number; until: number }>()
  for (const { operation, entry, issues } of steps) {
    if (operation === undefined) continue
    const { elapsed: now, method, target, reply } = entry
    const wait = waits.get(operation)
    if (wait !== undefined && now >= wait.until - earlyMs) waits.delete(operation)
    else if (wait !== undefined) {
      const after = now - wait.at
      const isSame = method === wait.entry.method && target === wait.entry.target
      if (after >= (isSame ? concurrentMs.same : concurrentMs.other)) {
        const message = `It was sent ${seconds(after)} after a response ${wait.entry.reply.status}, ${seconds(wait.until - now)} before the time given by Retry-After.`
        issues.push({ id: 'retry.too-early', message })
      }
    }
    const ms = reply.status === 429 || reply.status === 503 ? retryAfterMs(entry) : undefined
    if (ms === undefined) continue
    const at = now + (reply.delayMs ?? 0)
    const until = at + Math.min(ms, maxWaitMs)
    waits.set(operation, { ...(waits.get(operation) ?? { entry, at }), until })
  }
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function retryAfterMs({ reply, at }: RecordedEntry): number | undefined {
  const value = reply.headers['retry-after'] ?? ''
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - at
  return Number.isNaN(ms) ? undefined : ms
}

/** How many repetitions are accepted, and how soon the next one must follow to count. */
const streaks = {
  refused: { id: 'retry.refused', words: 'was refused', after: 4, withinMs: soonMs },
  failed: { id: 'retry.storm', words: 'failed', after: 10, withinMs: 250 },
} as const

type Streak = (typeof streaks)[keyof typeof streaks]

function findStreaks(steps: readonly Step[]): void {
  let before: { streak: Streak | undefined; entry: RecordedEntry; count: number } | undefined
  for (const { operation, entry, issues } of steps) {
    if (operation === undefined) continue
    const streak = streakOf(entry.reply)
    let count = 1
    if (before?.streak !== undefined && isSame(before.entry, entry)) {
      const { id, words, after, withinMs } = before.streak
      if (entry.elapsed - before.entry.elapsed - (before.entry.reply.delayMs ?? 0) <= withinMs) {
        const message = `The same request ${words} ${before.count} times in a row right before.`
        if (before.count >= after) issues.push({ id, message })
        if (before.streak === streak) count = before.count + 1
      }
    }
    before = { streak, entry, count }
  }
}

/** Repeating a refused request is useless, except after 404: the pet may exist later. */
function streakOf({ status, headers, wire }: RecordedEntry['reply']): Streak | undefined {
  const isUnavailable = (status === 429 || status >= 500) && headers['retry-after'] === undefined
  if (wire?.reset === true) return streaks.failed
  if ([400, 401, 403, 405, 415, 422].includes(status)) return streaks.refused
  return isUnavailable ? streaks.failed : undefined
}

const isSame = (one: RecordedEntry, other: RecordedEntry): boolean =>
  one.method === other.method &&
  one.target === other.target &&
  one.body === other.body &&
  one.headers['authorization'] === other.headers['authorization']

/** How long a client may have waited for a response. */
const maxTimeoutMs = 60_000

function findRepeatedCreations(steps: readonly Step[]): void {
  let failures: ReturnType<typeof failuresOf> = []
  for (const [index, step] of steps.entries()) {
    const { operation, entry, issues } = step
    // A client that has read the list knows whether the pet is there.
    if (operation === 'listPets') failures = []
    if (operation !== 'createPet') continue
    failures = failures.filter(({ until }) => entry.elapsed <= until)
    const retried = failures.find(({ body }) => body === entry.body)
    failures = failures.filter((failure) => failure !== retried).concat(failuresOf(entry))
    const before = steps[index - 1]
    if (retried !== undefined) {
      issues.push({
        id: 'retry.creation',
        message: `The same creation had ${retried.what} right before.`,
      })
    } else if (isCreated(step) && isCreated(before) && before.entry.body === entry.body) {
      const former = extractOf(before.entry).first
      const latter = extractOf(entry).first
      if (
        former === undefined ||
        latter === undefined ||
        entry.elapsed - before.entry.elapsed > soonMs
      )
        continue
      issues.push({
        id: 'creation.repeated',
        message: `Pets ${former} and ${latter} were created from the same body.`,
      })
    }
  }
}

/** A creation that may or may not have succeeded, and until when the same creation counts as its retry. */
function failuresOf({ body, elapsed, reply, abandoned }: RecordedEntry) {
  const { status, wire, delayMs = 0 } = reply
  // With Retry-After, the creation has certainly not happened.
  const isAmbiguous =
    [500, 502, 503, 504].includes(status) && reply.headers['retry-after'] === undefined
  if (wire?.silent) return [{ body, until: elapsed + maxTimeoutMs, what: 'got no response' }]
  if (wire?.reset) return [{ body, until: elapsed + soonMs, what: 'lost its connection' }]
  if (isAmbiguous)
    return [{ body, until: elapsed + delayMs + soonMs, what: `failed with ${status}` }]
  return abandoned
    ? [{ body, until: elapsed + maxTimeoutMs, what: 'been given up by the client' }]
    : []
}

/** A list right after a creation, which should contain the new pet, but whose page is full. */
function findFullPages(steps: readonly Step[]): void {
  for (const [index, { operation, entry, limit, status, issues }] of steps.entries()) {
    const before = steps[index - 1]
    if (
      operation !== 'listPets' ||
      entry.reply.status !== 200 ||
      limit === undefined ||
      !isCreated(before)
    )
      continue
    const pet = extractOf(before.entry)
    if (entry.elapsed - before.entry.elapsed > soonMs || (status ?? pet.status) !== pet.status)
      continue
    if (extractOf(entry).pets < limit) continue
    const message = `Pet ${pet.first} was created; the next request was a list, whose page of ${limit} was full.`
    issues.push({ id: 'order.new-pet-in-page', message })
  }
}

/** Fewer or smaller steps may be a coincidence. */
const minPages = 3
const minStep = 5

/** Consecutive limits of 20, 40, 60 and so on with the same filter. */
function findGrowingLimits(steps: readonly Step[]): void {
  let limits: number[] = []
  let filter: Step['status']
  for (const { operation, entry, limit = 0, status, issues } of steps) {
    if (operation !== 'listPets' || entry.reply.status !== 200) continue
    const [step = 0] = limits
    if (status === filter && limit === limits.at(-1)) continue
    const isNext = step >= minStep && status === filter && limit === step * (limits.length + 1)
    limits = isNext ? [...limits, limit] : [limit]
    filter = status
    // The previous pages were full if this one has more pets.
    if (limits.length < minPages || extractOf(entry).pets <= limit - step) continue
    issues.push({ id: 'order.growing-limits', message: `The limits were ${limits.join(', ')}.` })
  }
}

/** Responses that are searched for the number that a client has rounded. */
const maxBefore = 50
/** Where clients send numbers that the mock has shown. */
const rounded = {
  path: {
    id: 'pet-id.rounded',
    name: 'petId',
    field: 'id',
    part: 'target',
    number: /\/(-?\d{16,19})\/?(?:\?|$)/,
  },
  body: {
    id: 'category-id.shown-rounded',
    name: 'categoryId',
    field: 'categoryId',
    part: 'body',
    number: /"categoryId"\s*:\s*(-?\d{16,19})(?![\d.eE])/,
  },
} as const

/** A number that is an earlier id or categoryId, rounded to a double. */
function findRounding(steps: readonly Step[]): void {
  for (const [index, { operation, entry, issues }] of steps.entries()) {
    if (operation === undefined) continue
    const { id, name, field, part, number } = rounded[operations[operation].body ? 'body' : 'path']
    const [, sent = ''] = number.exec(entry[part]) ?? []
    if (typeof readInteger(sent) !== 'bigint' || !isDouble(sent)) continue
    const before = steps
      .slice(Math.max(0, index - maxBefore), index)
      .filter((step) => step.entry.reply.status < 300)
    const shown = before.flatMap((step) => extractOf(step.entry).large[field])
    // A number that was shown itself was not rounded.
    const meant = shown.includes(sent)
      ? undefined
      : shown.find((integer) => Number(integer) === Number(sent))
    if (meant !== undefined)
      issues.push({ id, message: `${name} was ${sent}, and the mock had shown ${meant}.` })
  }
}

/** Whether a program that stores integers in doubles may have printed a number. */
const isDouble = (text: string): boolean =>
  String(Number(text)) === text || BigInt(Number(text)) === BigInt(text)
