import { UsageError } from '../errors.ts'
import {
  createFormats,
  extractBody,
  type Journal,
  type JournalEntry,
  type JournalFilter,
  type JournalSummary,
  type RecordedEntry,
} from './journal-entry.ts'
import type { StoredPet } from './catalog.ts'
import { type MockReply, type MockRequest, notify } from './message.ts'
import { type FindRoute, removalOfGetPet } from './route.ts'

/** The bytes that the journals of all sandboxes of a mock hold together. */
export interface JournalBudget {
  used: number
}

/** A journal that can be written. */
export interface WritableJournal extends Journal {
  /** Keeps one request and its reply. Of the request it keeps the texts alone, not the connection. */
  record: (
    request: MockRequest,
    reply: MockReply,
    work: Pick<RecordedEntry, 'at' | 'microseconds' | 'changes'> & { number?: number | undefined },
  ) => RecordedEntry
  /** The entries that are still there, and how many there were since the journal was empty. */
  recorded: () => { entries: readonly RecordedEntry[]; received: number }
  /** The request of an entry, to be sent again with the key that no entry shows. */
  requestOf: (number: number) => MockRequest | undefined
  /** Forgets the entries up to this number. */
  clearThrough: (number: number) => void
  /** Puts others in the place of the entries, in the order of their numbers. */
  replace: (change: (entries: RecordedEntry[]) => RecordedEntry[]) => void
  /** The pets are others from now on: no request has to do with those before. */
  startEra: () => void
  /** Drops the oldest response body or entry; returns whether there was one. */
  dropBody: () => boolean
  dropEntry: () => boolean
  readonly requests: number
  /** When the latest request came, if it is still there. */
  readonly lastSeen: { lastSeen?: string }
}

const maxEntries = 10_000
/** Bytes that all journals hold together: 32 MiB. Dropping frees capacity for a while, not for one entry. */
const maxBytes = 32 * 2 ** 20
const targetBytes = 30 * 2 ** 20
/** About what an entry takes beside its texts. */
const entryBytes = 600
/** A shorter response body stays: what is known of it takes as much. */
const shortBody = 300

const defaultTimeoutMs = 5_000
/** No timer waits longer: about 25 days. */
const maxTimeoutMs = 2 ** 31 - 1

/** Drops response bodies first, then whole entries, until there is capacity again; the first journals give first. */
export function shrinkJournals(journals: () => Iterable<WritableJournal>, budget: JournalBudget): void {
  if (budget.used <= maxBytes) return
  for (const journal of journals()) while (budget.used > targetBytes && journal.dropBody());
  for (const journal of journals()) while (budget.used > targetBytes && journal.dropEntry());
}

/**
 * The journal of one sandbox: requests are kept as they came, and formatted when they are read.
 *
 * @param secrets the keys that lead to this sandbox, and whatever else no entry may show
 */
export function createJournal(
  findRoute: FindRoute,
  secrets: readonly string[],
  clock: { millis: () => number; elapsed: () => number },
  budget: JournalBudget,
): WritableJournal {
  const { format, summarize } = createFormats(findRoute, secrets)
  let entries: RecordedEntry[] = []
  /** Entries before this one have no response body any more. */
  let bodies = 0
  let bytes = 0
  let number = 0
  let cleared = 0
  let era = 0
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
    const { after = 0, before = Infinity, limit = maxEntries } = filter
    const found: Entry[] = []
    const last = Math.min(entries.length, before - (entries[0]?.number ?? 0)) - 1
    for (let index = last; index >= 0 && found.length < limit; index -= 1) {
      const recorded = entries[index] as RecordedEntry
      if (recorded.number <= after) break
      // Those of other mocks are missing in between.
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
    number = last
    cleared = last
  }

  function subscribe(listener: (entry: JournalEntry) => void): () => void {
    // One that is given twice is called twice.
    const own = (entry: JournalEntry): void => listener(entry)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  return {
    get requests() {
      return number
    },
    get lastSeen() {
      const at = entries.at(-1)?.at
      return at === undefined ? {} : { lastSeen: new Date(at).toISOString() }
    },
    record({ method, target, headers, body, bodyFault }, reply, { at, microseconds, changes, number: given }) {
      number = given ?? number + 1
      const bytesLeaving = bytesOfReply(reply) + (changes.length === 0 ? 0 : bytesOfChanges(changes))
      const taken = entryBytes + target.length + body.length + bytesOfHeaders(headers) + bytesLeaving
      const entry: RecordedEntry = {
        number,
        at,
        // A whole number takes no memory of its own.
        elapsed: Math.round(clock.elapsed()),
        isRemoved: clock.millis() >= removalOfGetPet,
        era,
        method,
        target,
        headers,
        body,
        ...(bodyFault !== undefined && { bodyFault }),
        reply,
        extract: undefined,
        abandoned: false,
        bytes: taken,
        microseconds,
        changes,
      }
      charge(taken)
      entries.push(entry)
      if (entries.length > maxEntries) dropEntry()
      if (listeners.size > 0) {
        const shown = format(entry)
        for (const listener of listeners) notify(listener, shown)
      }
      return entry
    },
    recorded: () => ({ entries: [...entries], received: number - cleared }),
    requestOf(wanted) {
      const found = entries.find((entry) => entry.number === wanted)
      if (found === undefined) return undefined
      const { method, target, headers, body, bodyFault } = found
      return { method, target, headers, body, ...(bodyFault !== undefined && { bodyFault }) }
    },
    replace(change) {
      entries = change(entries).slice(-maxEntries)
      charge(entries.reduce((sum, entry) => sum + entry.bytes, -bytes))
      number = Math.max(number, entries.at(-1)?.number ?? 0)
      bodies = 0
    },
    startEra: () => void (era += 1),
    dropBody() {
      let entry = entries[bodies]
      const bytesOf = ({ reply, changes }: RecordedEntry): number => bytesOfReply(reply) + bytesOfChanges(changes)
      while (entry !== undefined && bytesOf(entry) <= shortBody) entry = entries[(bodies += 1)]
      if (entry === undefined) return false
      const freed = bytesOf(entry) - shortBody
      Object.assign(entry, withoutBody(entry.reply), { changes: [] })
      entry.bytes -= freed
      charge(-freed)
      bodies += 1
      return true
    },
    dropEntry,
    get range() {
      return { first: entries[0]?.number ?? number + 1, last: number, cleared }
    },
    list,
    summaries: (filter) => collect(summarize, filter),
    toHar: async (filter) => (await import('./har.ts')).toHar(list(filter)),
    last: (filter) => list({ ...filter, limit: 1 })[0],
    waitFor: (filter = {}, { timeoutMs = defaultTimeoutMs } = {}) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            end()
            reject(new UsageError(`No request came within ${timeoutMs} ms that fits ${JSON.stringify(filter)}.`))
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
    clear: () => clearThrough(number),
    clearThrough,
  }
}

/** Whether an entry is one of those that a filter selects, beside their number. */
function passes(entry: JournalSummary, { operation, status, method }: JournalFilter): boolean {
  return (
    (operation === undefined || operation === entry.operation) &&
    (status === undefined || status === entry.response.status) &&
    (method === undefined || method.toUpperCase() === entry.request.method.toUpperCase())
  )
}

/** A page of the list is one reply to many requests: what is left of it is made once. */
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

function bytesOfReply({ body, wire }: MockReply): number {
  return body.length + (wire?.bytes?.length ?? 0)
}

function bytesOfChanges(changes: RecordedEntry['changes']): number {
  return changes.reduce((sum, { before, after }) => sum + nameOf(before) + nameOf(after), 0)
}

const nameOf = (pet: StoredPet | undefined): number => pet?.name.length ?? 0

function bytesOfHeaders(headers: MockRequest['headers']): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    bytes += name.length
    if (typeof value === 'string') bytes += value.length
    else for (const one of value ?? []) bytes += one.length
  }
  return bytes
}
