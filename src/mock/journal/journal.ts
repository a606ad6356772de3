import { detach, expectNone } from '../../errors.ts'
import { issuesOf } from '../../validate.ts'
import { Deque } from './deque.ts'
import {
  type BodyExtract,
  createFormats,
  extractBody,
  type Journal,
  type JournalEntry,
  type JournalFilter,
  type JournalSummary,
  type RecordedEntry,
  toCall,
} from './entry.ts'
import { bytesOfHeaders, type MockReply, type MockRequest, notify } from '../service/message.ts'
import { conditionIssues, matches, regexSize, withLowerCase } from '../rules/condition.ts'
import { bytesOfTexts } from '../pets/pet.ts'
import { maxRegexSize } from '../rules/regex.ts'
import { type FindRoute, removalOfGetPet } from '../service/route.ts'
import type { RuleCondition } from '../schemas/schemas.gen.ts'
import { expectValid } from '../../option-checks.ts'
import { validators } from '../schemas/validators.gen.ts'

/** The position of a journal. */
export interface JournalProgress {
  /** The number of the latest request. */
  number: number
  /** The number of the last entry that was cleared. */
  cleared: number
  /** The number of the latest request before the pets were replaced. */
  era: number
  /** The time of the latest request: milliseconds since 1970; 0 for never. */
  seenAt: number
  /** How many entries were dropped since it was cleared, because the journals of all sandboxes were too large. */
  dropped: number
  /** Up to this number, the journal has all entries. Default: up to `number`. */
  complete?: number | undefined
}

/** What a sandbox does when its journal changes, and how many entries it keeps. */
interface JournalOwner {
  maxEntries: number
  beforeClear: () => void
  /** All entries were removed. */
  onClear: () => void
  /** An entry leaves to make space for others. */
  onLeave: (entry: RecordedEntry) => void
}

/** The entries in a journal, all requests since it was cleared, and those that a scorecard has counted. */
export interface JournalCounts {
  kept: number
  received: number
  counted: number
}

export type WritableJournal = ReturnType<typeof createJournal>

/** How many entries a journal keeps by default. */
export const defaultEntries = 10_000
/** The share of each journal, which no other one can take: 16 KiB. It counts for the size of its sandbox. */
const share = 2 ** 14
/** When all that exceeds these shares is above 32 MiB, journals shrink to 30 MiB. */
export const maxJournalBytes = 32 * 2 ** 20
const targetBytes = 30 * 2 ** 20
/** The approximate size of an entry without its texts. */
const entryBytes = 600
/** A shorter response body is not dropped: its extract takes as much. */
const shortBody = 300
/** The characters that are kept of the body of a request that is rejected whatever its body is. */
const maxUnreadBody = 1_000

/** How long a call waits for requests by default: less than a test may take in Vitest, Jest and Playwright. */
export const defaultWaitMs = 4_000
const maxTimeoutMs = 2 ** 31 - 1

/** What all journals of a mock take beyond their shares, and what they have lost. */
export interface JournalBudget {
  used: number
  droppedBodies: number
  droppedEntries: number
}

/**
 * Shrinks the largest journals to a common size: smaller ones lose nothing. Each drops its oldest response bodies, then its
 * oldest entries. Returns the sandboxes that have lost entries.
 */
export function shrinkJournals<Sandbox extends { journal: WritableJournal }>(
  sandboxes: () => Sandbox[],
  budget: JournalBudget,
): Sandbox[] {
  if (budget.used <= maxJournalBytes) return []
  const excess = budget.used - targetBytes
  const sorted = sandboxes()
    .map((sandbox) => ({ sandbox, bytes: sandbox.journal.bytes() }))
    .sort((one, other) => other.bytes - one.bytes)
  // With the sizes 9, 5, 1, the first two shrink to 4 to free 6.
  let taken = 0
  let size = share
  for (const [index, { bytes }] of sorted.entries()) {
    const next = sorted[index + 1]?.bytes ?? 0
    taken += bytes
    size = Math.max(share, (taken - excess) / (index + 1))
    if (size >= next) break
  }
  return sorted
    .filter(({ bytes }) => bytes > size)
    .flatMap(({ sandbox }) => (sandbox.journal.shrink(size) ? [sandbox] : []))
}

/** The journal of one sandbox. Entries are formatted when they are read. */
export function createJournal(
  findRoute: FindRoute,
  secrets: readonly string[],
  clock: { millis: () => number; elapsed: () => number },
  budget: JournalBudget,
  owner: JournalOwner,
) {
  const { maxEntries } = owner
  const { format, summarize } = createFormats(findRoute, secrets)
  const entries = new Deque<RecordedEntry>()
  /** The index of the first entry whose response body was not dropped. */
  let bodies = 0
  let bytes = 0
  const progress: JournalProgress = { number: 0, cleared: 0, era: 0, seenAt: 0, dropped: 0 }
  let changeCount = 0
  const listeners = new Set<(entry: JournalEntry) => void>()

  /** Counts bytes of this journal, and those beyond its share for all. */
  const charge = (change: number): void => {
    const before = Math.max(0, bytes - share)
    bytes += change
    budget.used += Math.max(0, bytes - share) - before
  }

  function dropEntry(): boolean {
    const entry = entries.shift()
    if (entry === undefined) return false
    owner.onLeave(entry)
    charge(-entry.bytes)
    bodies = Math.max(0, bodies - 1)
    return true
  }

  /** Drops the oldest response body; returns whether there was one. */
  function dropBody(): boolean {
    let entry = entries.at(bodies)
    while (entry !== undefined && bytesOfResponse(entry) <= shortBody) {
      bodies += 1
      entry = entries.at(bodies)
    }
    if (entry === undefined) return false
    const left = withoutBody(entry.reply)
    const freed = bytesOfResponse(entry) - 2 * JSON.stringify(left.extract).length
    Object.assign(entry, left, { changes: [] })
    entry.bytes -= freed
    charge(-freed)
    bodies += 1
    entry.change = changeCount += 1
    return true
  }

  function collect<Entry extends JournalSummary>(
    toEntry: (recorded: RecordedEntry) => Entry,
    filter: JournalFilter = {},
  ): Entry[] {
    const when = readCondition(filter)
    const { after = 0, before = Infinity, limit = maxEntries } = filter
    const found: Entry[] = []
    const last = Math.min(entries.length, before - (entries.at(0)?.number ?? 0)) - 1
    for (let index = last; index >= 0 && found.length < limit; index -= 1) {
      const recorded = entries.at(index) as RecordedEntry
      if (recorded.number <= after) break
      // Numbers may have gaps.
      if (recorded.number >= before) continue
      const entry = toEntry(recorded)
      if (!passes(entry, filter)) continue
      if (when === undefined || matches(when, toCall(format(recorded), findRoute)))
        found.push(entry)
    }
    return found.toReversed()
  }

  const list: Journal['list'] = (filter) => collect(format, filter)

  function clearThrough(last: number): void {
    charge(-bytes)
    entries.replace([])
    bodies = 0
    progress.number = last
    progress.cleared = last
    progress.dropped = 0
    owner.onClear()
  }

  function subscribe(listener: (entry: JournalEntry) => void): () => void {
    // Subscribing the same listener twice must call it twice.
    const own = (entry: JournalEntry): void => listener(entry)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  const journal: Journal = {
    get range() {
      const { number, cleared, complete = number } = progress
      // A stream waits for entries that are on their way, which are not lost.
      const last = Math.max(cleared, Math.min(number, complete))
      const first = Math.min(entries.at(0)?.number ?? number + 1, last + 1)
      return { first, last, cleared, dropped: progress.dropped }
    },
    list,
    summaries: (filter) => collect(summarize, filter),
    toHar: async (filter) => (await import('./har.ts')).toHar(list(filter)),
    last: (filter) => list({ ...filter, limit: 1 })[0],
    waitFor: (filter = {}, options = {}) =>
      new Promise((resolve, reject) => {
        const wanted = { ...filter, limit: maxEntries }
        const find = (): JournalEntry | undefined => {
          const [first] = collect(summarize, wanted)
          return first && list({ after: first.number - 1, before: first.number + 1 })[0]
        }
        const found = find()
        expectValid(options, {
          timeoutMs: ['a number', (ms) => typeof ms === 'number' && ms > -Infinity],
        })
        if (found !== undefined) return resolve(found)
        const { timeoutMs = defaultWaitMs } = options
        wanted.after = Math.max(filter.after ?? 0, progress.number)
        const fail = (): void => {
          end()
          void import('./nearest.ts')
            .then(({ toTimeout }) => toTimeout(filter, timeoutMs, { journal, findRoute }))
            .then(reject, reject)
        }
        const timer = setTimeout(fail, Math.min(timeoutMs, maxTimeoutMs))
        const end = subscribe(() => {
          const entry = find()
          if (entry === undefined) return
          clearTimeout(timer)
          end()
          resolve(entry)
        })
      }),
    changes: (after) =>
      after === changeCount
        ? []
        : entries
            .toArray()
            .flatMap(({ number, change = 0 }) => (change > after ? { number, change } : [])),
    subscribe,
    clear() {
      owner.beforeClear()
      clearThrough(progress.number)
    },
  }
  return Object.assign(journal, {
    progress,
    /** Adds an entry, at the time that the caller has set the clock to, and drops the oldest one if there are too many. */
    record(
      request: MockRequest,
      reply: MockReply,
      work: Pick<RecordedEntry, 'at' | 'microseconds' | 'changes'> & {
        number?: number | undefined
        rules?: number
      },
    ) {
      const { at, microseconds, changes, rules = 0, number = progress.number + 1 } = work
      const { method, target, headers, body: sent, bodyFault: fault, rejection } = request
      progress.number = Math.max(progress.number, number)
      progress.seenAt = at
      const isUnread = reply.rule === undefined && unreadStatuses.has(reply.status)
      const isCut = (isUnread || fault === 'too-large') && sent.length > maxUnreadBody
      const body = isCut ? cut(sent) : sent
      const bodyFault = isCut ? (fault ?? 'cut') : fault
      const taken =
        entryBytes +
        target.length +
        body.length +
        bytesOfHeaders(headers) +
        bytesOfResponse({ reply, changes })
      const entry: RecordedEntry = {
        number,
        at,
        // V8 stores small integers without allocating memory.
        elapsed: Math.round(clock.elapsed()),
        isRemoved: clock.millis() >= removalOfGetPet,
        era: progress.era,
        rules,
        connection: request.connection ?? 0,
        address: request.address ?? '',
        method,
        target,
        headers,
        body,
        reply,
        extract: undefined,
        abandoned: false,
        bytes: taken,
        microseconds,
        changes,
        countedIn: undefined,
      }
      // A spread among the fields would double the time and the memory for an entry.
      if (bodyFault !== undefined) entry.bodyFault = bodyFault
      if (rejection !== undefined) entry.rejection = rejection
      charge(taken)
      if (entries.push(entry) > maxEntries) dropEntry()
      if (listeners.size > 0) {
        const shown = format(entry)
        for (const listener of listeners) notify(listener, shown)
      }
      return entry
    },
    /** The client of a delayed or slow reply has left. */
    abandon(entry: RecordedEntry, waitedMs: number) {
      entry.abandoned = true
      entry.waitedMs = Math.round(waitedMs * 1000) / 1000
      entry.change = changeCount += 1
    },
    /** The entries in the journal, and how many were recorded since it was cleared. */
    recorded() {
      // Later numbers may have been taken for entries that are not here.
      const last = entries.at(-1)?.number ?? progress.number
      return { entries: entries.toArray(), received: last - progress.cleared }
    },
    /** The latest entry with the address of its client. */
    latest(): (JournalEntry & { address: string }) | undefined {
      const entry = entries.at(-1)
      return entry && { ...format(entry), address: entry.address }
    },
    /** The request of an entry with its key, to be sent again. */
    requestOf: (wanted: number): MockRequest | undefined =>
      entries.toArray().find((entry) => entry.number === wanted),
    /** Replaces the entries. They must be in the order of their numbers. */
    replace(change: (entries: RecordedEntry[]) => RecordedEntry[]) {
      const all = change(entries.toArray())
      for (const entry of all.splice(0, all.length - maxEntries)) owner.onLeave(entry)
      entries.replace(all)
      charge(all.reduce((sum, entry) => sum + entry.bytes, -bytes))
      progress.number = Math.max(progress.number, entries.at(-1)?.number ?? 0)
      bodies = 0
    },
    /** To be called when all pets were replaced: scorecards do not relate requests before and after. */
    startEra: () => void (progress.era = progress.number),
    /** The approximate size of all entries. */
    bytes: (): number => bytes,
    /** The part of them that counts for the size of the sandbox. */
    ownBytes: (): number => Math.min(bytes, share),
    /** Drops the oldest bodies, then the oldest entries, until it has this size; returns whether it has lost entries. */
    shrink(size: number): boolean {
      const isLarger = (): boolean => bytes > size
      while (isLarger() && dropBody()) budget.droppedBodies += 1
      const { dropped } = progress
      while (isLarger() && dropEntry()) progress.dropped += 1
      budget.droppedEntries += progress.dropped - dropped
      return progress.dropped > dropped
    },
    clearThrough,
  })
}

/**
 * Checks a filter, and returns its condition.
 *
 * @throws {UsageError} for a filter in JavaScript that would match all entries, or none
 */
export function readCondition(filter: JournalFilter): RuleCondition | undefined {
  expectNone(issuesOf(validators.JournalFilter, filter, { quotes: true }))
  const { when } = filter
  if (when === undefined) return undefined
  expectNone(conditionIssues(when, 'when'))
  if (regexSize(when) > maxRegexSize)
    expectNone([{ path: 'when', message: 'has regular expressions that are too large together.' }])
  return withLowerCase(when)
}

/** Whether an entry passes a filter, apart from its number. */
function passes(entry: JournalSummary, { operation, status, method }: JournalFilter): boolean {
  return (
    (operation === undefined || operation === entry.operation) &&
    (status === undefined || status === entry.response.status) &&
    (method === undefined || method.toUpperCase() === entry.request.method.toUpperCase())
  )
}

/** The statuses of requests that are rejected whatever their body is, but for those of rules. */
const unreadStatuses: ReadonlySet<number> = new Set([401, 403, 405])

/** The beginning of a body. */
const cut = (body: string): string =>
  `${detach(body.slice(0, maxUnreadBody)).toWellFormed()}... (${body.length} characters)`

/** Caches stripped replies, since many requests for the same page share a reply. */
const strippedReplies = new WeakMap<MockReply, { extract: BodyExtract; reply: MockReply }>()

function withoutBody(reply: MockReply): { extract: BodyExtract; reply: MockReply } {
  const known = strippedReplies.get(reply)
  if (known !== undefined) return known
  const { bytes: _, ...wire } = reply.wire ?? {}
  const left = {
    extract: extractBody(reply.body),
    reply: { ...reply, body: '', ...(reply.wire !== undefined && { wire }) },
  }
  strippedReplies.set(reply, left)
  return left
}

/** The size of a response. */
const bytesOfResponse = ({ reply, changes }: Pick<RecordedEntry, 'reply' | 'changes'>): number =>
  changes.reduce(
    (sum, { before, after }) =>
      sum + (before ? bytesOfTexts(before) : 0) + (after ? bytesOfTexts(after) : 0),
    reply.body.length + (reply.wire?.bytes?.length ?? 0),
  )
