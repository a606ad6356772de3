import { expectNone, UsageError } from '../errors.ts'
import { issuesOf } from '../validate.ts'
import {
  createFormats,
  extractBody,
  type Journal,
  type JournalEntry,
  type JournalFilter,
  type JournalSummary,
  type RecordedEntry,
} from './journal-entry.ts'
import { type MockReply, type MockRequest, notify } from './message.ts'
import { bytesOfTexts } from './pet.ts'
import { type FindRoute, removalOfGetPet } from './route.ts'
import { expectValid } from './settings.ts'
import { validators } from './validators.gen.ts'

/** The position of a journal. In a shared mock, it counts the requests to all mocks. */
export interface JournalProgress {
  /** The number of the latest request. */
  number: number
  /** The number of the last entry that was cleared. */
  cleared: number
  /** The number of the latest request before the pets were replaced. */
  era: number
  /** The time of the latest request: milliseconds since 1970; 0 for never. */
  seenAt: number
  /** Set while the journal of a shared mock is streamed: up to this number, it has the entries of all mocks. */
  complete?: number | undefined
}

export type WritableJournal = ReturnType<typeof createJournal>

const maxEntries = 10_000
/** Above 32 MiB, journals shrink to 30 MiB. */
const maxBytes = 32 * 2 ** 20
const targetBytes = 30 * 2 ** 20
/** The approximate size of an entry without its texts. */
const entryBytes = 600
/** A shorter response body is not dropped: its extract takes as much. */
const shortBody = 300

const defaultTimeoutMs = 5_000
const maxTimeoutMs = 2 ** 31 - 1

/** Drops response bodies, then whole entries, starting with the first journals. */
export function shrinkJournals(
  journals: () => Iterable<WritableJournal>,
  budget: { used: number },
): void {
  if (budget.used <= maxBytes) return
  for (const journal of journals()) while (budget.used > targetBytes && journal.dropBody());
  for (const journal of journals()) while (budget.used > targetBytes && journal.dropEntry());
}

/** The journal of one sandbox. Entries are formatted when they are read. */
export function createJournal(
  findRoute: FindRoute,
  secrets: readonly string[],
  clock: { millis: () => number; elapsed: () => number },
  budget: { used: number },
  beforeClear: () => void = () => {},
) {
  const { format, summarize } = createFormats(findRoute, secrets)
  let entries: RecordedEntry[] = []
  /** The index of the first entry whose response body was not dropped. */
  let bodies = 0
  let bytes = 0
  const progress: JournalProgress = { number: 0, cleared: 0, era: 0, seenAt: 0 }
  const listeners = new Set<(entry: JournalEntry) => void>()

  const charge = (change: number): void => {
    bytes += change
    budget.used += change
  }

  function dropEntry(): boolean {
    const entry = entries.shift()
    if (entry === undefined) return false
    charge(-entry.bytes)
    bodies = Math.max(0, bodies - 1)
    return true
  }

  function collect<Entry extends JournalSummary>(
    toEntry: (recorded: RecordedEntry) => Entry,
    filter: JournalFilter = {},
  ): Entry[] {
    expectFilter(filter)
    const { after = 0, before = Infinity, limit = maxEntries } = filter
    const found: Entry[] = []
    const last = Math.min(entries.length, before - (entries[0]?.number ?? 0)) - 1
    for (let index = last; index >= 0 && found.length < limit; index -= 1) {
      const recorded = entries[index] as RecordedEntry
      if (recorded.number <= after) break
      // In a shared mock, numbers may have gaps.
      if (recorded.number >= before) continue
      const entry = toEntry(recorded)
      if (passes(entry, filter)) found.push(entry)
    }
    return found.toReversed()
  }
  const list: Journal['list'] = (filter) => collect(format, filter)

  function clearThrough(last: number): void {
    charge(-bytes)
    entries = []
    bodies = 0
    progress.number = last
    progress.cleared = last
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
      // A stream waits for missing entries of other mocks, which are not lost.
      const last = Math.max(cleared, Math.min(number, complete))
      return { first: Math.min(entries[0]?.number ?? number + 1, last + 1), last, cleared }
    },
    list,
    summaries: (filter) => collect(summarize, filter),
    toHar: async (filter) => (await import('./har.ts')).toHar(list(filter)),
    last: (filter) => list({ ...filter, limit: 1 })[0],
    waitFor: (filter = {}, options = {}) =>
      new Promise((resolve, reject) => {
        expectFilter(filter)
        expectValid(options, {
          timeoutMs: ['a number', (ms) => typeof ms === 'number' && ms > -Infinity],
        })
        const { timeoutMs = defaultTimeoutMs } = options
        const timer = setTimeout(
          () => {
            end()
            reject(
              new UsageError(
                `No request came within ${timeoutMs} ms that fits ${JSON.stringify(filter)}.`,
              ),
            )
          },
          Math.min(timeoutMs, maxTimeoutMs),
        )
        const end = subscribe((entry) => {
          if (entry.number <= (filter.after ?? 0) || !passes(entry, filter)) return
          clearTimeout(timer)
          end()
          resolve(entry)
        })
      }),
    subscribe,
    clear() {
      beforeClear()
      clearThrough(progress.number)
    },
  }
  return Object.assign(journal, {
    progress,
    record(
      { method, target, headers, body, bodyFault, refusal }: MockRequest,
      reply: MockReply,
      work: Pick<RecordedEntry, 'at' | 'microseconds' | 'changes'> & {
        number?: number | undefined
      },
    ) {
      const { at, microseconds, changes, number = progress.number + 1 } = work
      progress.number = Math.max(progress.number, number)
      progress.seenAt = at
      const bytesLeaving =
        bytesOfReply(reply) + (changes.length === 0 ? 0 : bytesOfChanges(changes))
      const taken =
        entryBytes + target.length + body.length + bytesOfHeaders(headers) + bytesLeaving
      const entry: RecordedEntry = {
        number,
        at,
        // V8 stores small integers without allocating memory.
        elapsed: Math.round(clock.elapsed()),
        isRemoved: clock.millis() >= removalOfGetPet,
        era: progress.era,
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
      }
      // A spread among the fields would double the time and the memory for an entry.
      if (bodyFault !== undefined) entry.bodyFault = bodyFault
      if (refusal !== undefined) entry.refusal = refusal
      charge(taken)
      entries.push(entry)
      if (entries.length > maxEntries) dropEntry()
      if (listeners.size > 0) {
        const shown = format(entry)
        for (const listener of listeners) notify(listener, shown)
      }
      return entry
    },
    /** The entries in the journal, and how many were recorded since it was cleared. */
    recorded() {
      // Other mocks may have taken later numbers.
      const last = entries.at(-1)?.number ?? progress.number
      return { entries: [...entries], received: last - progress.cleared }
    },
    /** The request of an entry with its key, to be sent again. */
    requestOf: (wanted: number): MockRequest | undefined =>
      entries.find((entry) => entry.number === wanted),
    /** Replaces the entries. They must be in the order of their numbers. */
    replace(change: (entries: RecordedEntry[]) => RecordedEntry[]) {
      entries = change(entries).slice(-maxEntries)
      charge(entries.reduce((sum, entry) => sum + entry.bytes, -bytes))
      progress.number = Math.max(progress.number, entries.at(-1)?.number ?? 0)
      bodies = 0
    },
    /** To be called when all pets were replaced: scorecards do not relate requests before and after. */
    startEra: () => void (progress.era = progress.number),
    /** Drops the oldest response body; returns whether there was one. */
    dropBody() {
      let entry = entries[bodies]
      const bytesOf = ({ reply, changes }: RecordedEntry): number =>
        bytesOfReply(reply) + bytesOfChanges(changes)
      while (entry !== undefined && bytesOf(entry) <= shortBody) entry = entries[(bodies += 1)]
      if (entry === undefined) return false
      const freed = bytesOf(entry) - shortBody
      Object.assign(entry, withoutBody(entry.reply), { changes: [] })
      entry.bytes -= freed
      charge(-freed)
      bodies += 1
      return true
    },
    /** Drops the oldest entry; returns whether there was one. */
    dropEntry,
    clearThrough,
  })
}

/** @throws {UsageError} for a filter in JavaScript that would match all entries, or none */
function expectFilter(filter: JournalFilter): void {
  const issues = issuesOf(validators.JournalFilter, filter, { quotes: true })
  expectNone(issues)
}

/** Whether an entry passes a filter, apart from its number. */
function passes(entry: JournalSummary, { operation, status, method }: JournalFilter): boolean {
  return (
    (operation === undefined || operation === entry.operation) &&
    (status === undefined || status === entry.response.status) &&
    (method === undefined || method.toUpperCase() === entry.request.method.toUpperCase())
  )
}

/** Caches stripped replies, since many requests for the same page share a reply. */
const strippedReplies = new WeakMap<MockReply, Pick<RecordedEntry, 'extract' | 'reply'>>()

function withoutBody(reply: MockReply): Pick<RecordedEntry, 'extract' | 'reply'> {
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

const bytesOfReply = ({ body, wire }: MockReply): number => body.length + (wire?.bytes?.length ?? 0)

const bytesOfChanges = (changes: RecordedEntry['changes']): number =>
  changes.reduce(
    (sum, { before, after }) =>
      sum + (before ? bytesOfTexts(before) : 0) + (after ? bytesOfTexts(after) : 0),
    0,
  )

function bytesOfHeaders(headers: MockRequest['headers']): number {
  let bytes = 0
  for (const name in headers) bytes += name.length + String(headers[name]).length
  return bytes
}
