import { UsageError } from '../../../errors.ts'
import { version } from '../../../spec/version.ts'
import type { Journal, JournalEntry, JournalFilter } from '../../journal/entry.ts'
import { commonFormats } from '../../../report/formats.ts'
import { tryParseJson } from '../../../validate.ts'
import { defaultWaitMs, readCondition } from '../../journal/journal.ts'
import type { MockReply } from '../../service/message.ts'
import type { EventsQuery, JournalQuery, RuleCondition } from '../../schemas/schemas.gen.ts'
import { listReply } from './list-reply.ts'
import {
  type ControlCall,
  json,
  problem,
  report,
  reportTypes,
  response,
  type ControlRoute,
  route,
} from './route.ts'
import {
  batch,
  follow,
  maxStreams,
  type Position,
  printLine,
  readEntries,
  rejectAnother,
  tickMs,
  toEvent,
} from './stream.ts'

const noEntry = response('The journal has no such entry.', 'Error')
const tooMany = response('Too many calls are waiting.', 'Error')
const streamResponses = {
  200: { description: 'The stream. It has no end.', types: ['text/event-stream'] },
  503: response('Too many streams are open.', 'Error'),
}

/** The journal of a sandbox, its scorecard and its events. */
export const journalRoutes: readonly ControlRoute[] = [
  route('GET /journal', 'listJournal', 'List the latest requests and their responses', {
    needs: 'journal',
    description: 'At most 10,000, without keys, bodies cut at 16 KiB, in the order of arrival.',
    query: 'JournalQuery',
    responses: {
      200: response('The entries.', 'Journal'),
      503: tooMany,
    },
    handle: afterWaiting(async ({ isGone, sandbox, query }, nextBatch) => {
      const { bodies = true } = query
      const { journal } = sandbox
      const entries = await readInBatches(
        journal,
        bodies ? journal.list : journal.summaries,
        toFilter(query),
        nextBatch,
      )
      const { dropped } = journal.range
      return listReply({ dropped, entries: [] }, await sandbox.inspect(entries), { isGone })
    }),
  }),
  route('GET /journal/count', 'countJournal', 'Count requests, or wait until so many came', {
    needs: 'journal',
    description:
      'For tests in any language: `?operation=createPet&wait=3` responds as soon as three creations came, or after ' +
      '`timeoutMs` with their number. Of the entries that the journal still holds.',
    query: 'JournalCountQuery',
    responses: {
      200: response('The number.', 'JournalCount'),
      503: tooMany,
    },
    handle: afterWaiting(async ({ sandbox: { journal }, query }, nextBatch) => {
      const filter = toFilter(query)
      const entries = await readInBatches(journal, journal.summaries, filter, nextBatch)
      return json(200, { count: entries.length })
    }),
  }),
  route('GET /journal.har', 'exportJournal', 'Export the journal as an HTTP archive (HAR)', {
    needs: 'journal',
    description: 'For browsers, proxies and load generators. Without keys, bodies cut at 16 KiB.',
    query: 'HarQuery',
    responses: { 200: response('The entries.', 'Har') },
    handle: inTurn(async ({ isGone, sandbox: { journal }, query }, nextBatch) => {
      const { toHar, toHarEntry } = await import('../../journal/har.ts')
      const entries = await readInBatches(journal, journal.list, toFilter(query), nextBatch)
      return listReply(toHar([]), entries, { toRow: toHarEntry, isGone })
    }),
  }),
  route('DELETE /journal', 'clearJournal', 'Clear the journal, and the scorecard with it', {
    responses: { 204: response('The journal is empty.') },
    handle: ({ sandbox }) => sandbox.journal.clear(),
  }),
  route('GET /journal/stream', 'streamJournal', 'Follow requests as Server-Sent Events', {
    needs: 'stream',
    description:
      'One event for each entry: `id` is its number, `data` its JSON in one line. `after` starts with earlier entries, ' +
      `as far as the journal still holds them. At most ${maxStreams.mock} streams are open at the same time, and ${maxStreams.sandbox} of a sandbox.`,
    query: 'JournalStreamQuery',
    responses: streamResponses,
    handle(call) {
      const { sandbox, query } = call
      const { journal } = sandbox
      const position = { number: 0, cleared: 0 }
      const start = (): string => {
        startAt(position, query.after ?? journal.range.last, journal)
        return ': the journal follows\n\n'
      }
      const wanted = toFilter(query)
      const list = (filter: JournalFilter): JournalEntry[] => journal.list({ ...wanted, ...filter })
      const print = (entry: { number: number }): string =>
        `id: ${entry.number}\ndata: ${printLine(entry)}\n\n`
      const isFiltered = Object.keys(wanted).some((name) => name !== 'after')
      const kind = isFiltered ? undefined : 'entries'
      return follow(call, start, () => readEntries(journal, position, { list, print, kind }))
    },
  }),
  route('GET /journal/{number}', 'readEntry', 'Read one request and its response', {
    needs: 'journal',
    responses: {
      200: response('The entry.', 'JournalEntry'),
      404: noEntry,
    },
    async handle({ sandbox, path: { number = '' } }) {
      const wanted = toEntryNumber(number)
      const [entry] = await sandbox.inspect(
        sandbox.journal.list({ after: wanted - 1, before: wanted + 1 }),
      )
      return entry === undefined ? missingEntry(number) : json(200, entry)
    },
  }),
  route('POST /journal/{number}/repeat', 'repeatRequest', 'Send a recorded request again', {
    needs: 'journal',
    description:
      'It is sent with its key, which the journal does not show. The new entry contains the response.',
    responses: {
      201: response('The new entry.', 'JournalEntry'),
      404: noEntry,
    },
    handle({ sandbox, path: { number = '' } }) {
      const entry = sandbox.repeat(toEntryNumber(number))
      return entry === undefined ? missingEntry(number) : json(201, entry)
    },
  }),
  route('GET /events', 'streamEvents', 'Follow everything as Server-Sent Events', {
    needs: 'stream',
    description:
      'Starts with `hello`, which says where the stream begins; `instance` changes when the mock is restarted. ' +
      'Then come `entry` for each request, without headers and bodies; `changed` for one whose client left, or whose body ' +
      'was dropped, since then, with the whole entry as it is now; `lost` for entries that left the journal before ' +
      'they were read; `cleared`; `run` for the progress of a run of the suite; `pets`, `rules`, `settings`, `clock`, ' +
      '`snapshots` and `sandboxes` when these have changed. The `id` of an entry, as `Last-Event-ID`, resumes after it.',
    query: 'EventsQuery',
    responses: streamResponses,
    handle: followAll,
  }),
  route('GET /scorecard', 'readScorecards', 'Read how well each client follows the contract', {
    needs: 'journal',
    description: 'For all sandboxes, or for one sandbox under its path.',
    query: 'ScorecardQuery',
    responses: {
      200: {
        description: 'The scorecards.',
        schema: 'Scorecards',
        types: reportTypes(commonFormats),
      },
    },
    handle: inTurn(async ({ api, isGone, sandbox, query: { reporter = 'json' } }) => {
      const scorecards = await (sandbox === api.mock
        ? api.mock.allScorecards()
        : sandbox.scorecards())
      if (reporter === 'json')
        return listReply({ scorecards: [] }, scorecards, { indent: 2, isGone })
      const { scorecardReporters: reporters } = await import('../../scorecard/reporters.ts')
      return report(reporter, reporters[reporter](scorecards))
    }),
  }),
]

/** At most so many entries are read in one turn of the event loop. */
const maxBatch = 10
/** About the milliseconds of a turn: large entries with many credentials take some milliseconds each. */
const turnMs = 10

/** Lets others have their turn. Rejects when the client has gone. */
type NextBatch = () => Promise<void>

/** Resolves when no call is in its turn. */
let latest: Promise<unknown> = Promise.resolve()

type Handle<Query, Reply> = (call: ControlCall<Query>, nextBatch: NextBatch) => Promise<Reply>

/** Handles calls one after another: each may take seconds, and the memory of a whole journal. */
function inTurn<Query, Reply>(handle: Handle<Query, Reply>) {
  return (call: ControlCall<Query>): Promise<Reply> => {
    const nextBatch: NextBatch = async () => {
      await new Promise((resolve) => void setImmediate(resolve))
      if (call.isGone()) throw new Error('The client has gone.')
    }
    const reply = latest.then(nextBatch).then(() => handle(call, nextBatch))
    latest = reply.catch(() => {})
    return reply
  }
}

/** Waits for entries first, if the query says so, out of turn: others read meanwhile. */
function afterWaiting<Query extends JournalQuery, Reply>(handle: Handle<Query, Reply>) {
  const respond = inTurn(handle)
  return async (call: ControlCall<Query>): Promise<Reply | MockReply> => {
    const { sandbox, streams, query } = call
    const { wait } = query
    if (wait === undefined) return respond(call)
    const full = rejectAnother(sandbox, streams)
    if (full !== undefined) return full
    const waiter = {}
    streams.set(waiter, sandbox)
    const unwatch = call.watch?.()
    try {
      await waitForEntries(call, wait)
    } finally {
      streams.delete(waiter)
      unwatch?.()
    }
    return respond(call)
  }
}

/** Rejects when the client has gone. */
async function waitForEntries(call: ControlCall<JournalQuery>, wanted: number): Promise<void> {
  const { sandbox, query, isGone, isThere } = call
  const { journal } = sandbox
  const { limit: _, ...filter } = toFilter(query)
  const { before = Infinity } = filter
  const until = performance.now() + (query.timeoutMs ?? defaultWaitMs)
  let seen = filter.after ?? 0
  let found = 0
  let latestCleared = journal.range.cleared
  for (;;) {
    const { last, cleared } = journal.range
    if (cleared > latestCleared) found = 0
    latestCleared = cleared
    if (last > seen) {
      const between = { ...filter, after: seen, before: Math.min(before, last + 1) }
      const count = inTurn(
        async (_call, nextBatch) =>
          (await readInBatches(journal, journal.summaries, between, nextBatch)).length,
      )
      found += await count(call)
      seen = last
    }
    if (found >= wanted || performance.now() >= until || !isThere()) return
    await new Promise<void>((resolve) => void setTimeout(resolve, tickMs).unref())
    if (isGone()) throw new Error('The client has gone.')
  }
}

/** @throws {UsageError} when the condition is invalid */
function toFilter(query: JournalQuery): JournalFilter {
  const { when, bodies: _bodies, wait: _wait, timeoutMs: _timeoutMs, ...filter } = query
  if (when === undefined) return filter
  const value = tryParseJson(when)
  if (value === undefined) {
    const message = 'must be the condition of a rule as JSON: {"headers":{"x-test":"7"}}.'
    throw new UsageError([{ path: 'when', message }])
  }
  const wanted = { ...filter, when: value as RuleCondition }
  // An empty journal would not find mistakes.
  readCondition(wanted)
  return wanted
}

/** Calls `list` without blocking other requests: 10,000 entries take more than a second. */
async function readInBatches<Entry>(
  { range: { first, last }, summaries }: Journal,
  list: (filter: JournalFilter) => Entry[],
  filter: JournalFilter,
  nextBatch: NextBatch,
): Promise<Entry[]> {
  const { after = 0, limit = Infinity } = filter
  const found: Entry[][] = []
  let before = Math.min(filter.before ?? Infinity, last + 1)
  let batch = maxBatch
  for (let left = limit; left > 0 && before > Math.max(after + 1, first); await nextBatch()) {
    const started = performance.now()
    const entries = list({
      ...filter,
      before,
      after: Math.max(after, before - batch - 1),
      limit: left,
    })
    found.unshift(entries)
    left -= entries.length
    before -= batch
    const taken = Math.max(performance.now() - started, 0.01)
    batch = Math.ceil(Math.min(maxBatch, batch * 2, (batch * turnMs) / taken))
    // Numbers may have long gaps.
    if (entries.length === 0) before = (summaries({ before, limit: 1 })[0]?.number ?? 0) + 1
  }
  return found.flat()
}

/** 0, which no entry has, when it is not a number. */
export const toEntryNumber = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0)

export const missingEntry = (number: string) =>
  problem(
    404,
    `Entry ${JSON.stringify(number)} is not in the journal: it was cleared, or newer entries have replaced it.`,
  )

function followAll(call: ControlCall<EventsQuery>): ReturnType<typeof follow> {
  const { api, sandbox } = call
  const { journal } = sandbox
  const { instance } = api
  const position = { number: 0, cleared: 0 }
  let seen: unknown[] = []
  let seenChange = journal.changes(0).reduce((last, { change }) => Math.max(last, change), 0)
  const idOf = (number: number): string => `${instance}-${number}`

  function start(): string {
    const { last, cleared } = journal.range
    startAt(position, beginningOf(call, last), journal)
    seen = versionsOf(call)
    const { name } = sandbox
    return toEvent('hello', {
      instance,
      version,
      sandbox: name,
      after: position.number,
      last,
      cleared,
    })
  }

  const runs = api.runs?.runs
  let seenRuns = runs?.version
  /** The latest run of this sandbox. */
  function readRuns(): string {
    if (runs === undefined || runs.version === seenRuns) return ''
    seenRuns = runs.version
    const run = runs.list(sandbox).at(-1)
    return run === undefined ? '' : toEvent('run', run)
  }

  /** Entries that the client has seen, and that changed since then. They have no id: the stream does not resume there. */
  function readChanges(): string {
    const read = journal
      .changes(seenChange)
      .toSorted((one, other) => one.change - other.change)
      .slice(0, batch)
    seenChange = read.at(-1)?.change ?? seenChange
    return read
      .filter(({ number }) => number <= position.number)
      .flatMap(({ number }) => journal.summaries({ after: number - 1, before: number + 1 }))
      .map((entry) => toEvent('changed', entry))
      .join('')
  }

  return follow(call, start, () => {
    const now = versionsOf(call)
    const changed = parts.filter((_, index) => now[index] !== seen[index])
    seen = now
    const print = (entry: { number: number }): string => toEvent('entry', entry, idOf(entry.number))
    const format = { list: journal.summaries, print, kind: 'events' } as const
    const { text, isMore } = readEntries(journal, position, format)
    const events = changed.map((part) => toEvent(part, {})).join('')
    return { text: events + readRuns() + text + readChanges(), isMore }
  })
}

/** The number after which events begin: the last one that a client has, or the latest. */
function beginningOf({ api, headers, query }: ControlCall<EventsQuery>, last: number): number {
  const [instance, number = ''] = String(headers['last-event-id'] ?? '').split('-')
  // All entries are new to a client that followed other ones, or an earlier start.
  if (instance !== '' && instance !== api.instance) return 0
  const after = /^\d{1,15}$/.test(number) ? Number(number) : (query.after ?? last)
  return after > last ? 0 : after
}

function startAt(position: Position, number: number, { range }: Journal): void {
  Object.assign(position, { number, cleared: Math.min(number, range.cleared) })
}

/** The parts of a mock whose changes are events. */
const parts = ['pets', 'rules', 'settings', 'clock', 'snapshots', 'sandboxes'] as const

function versionsOf({ api, sandbox }: Pick<ControlCall, 'api' | 'sandbox'>): unknown[] {
  const { versions } = sandbox
  return parts.map((part) => (part === 'sandboxes' ? api.mock.sandboxes.version : versions[part]))
}
