import { UsageError } from '../../errors.ts'
import { operations } from '../../spec/operations.ts'
import type { JournalFilter } from '../sandbox.ts'
import { highestEntry, methodName, readJournalFilter } from './api-query.ts'
import { done, json, problem } from './api-replies.ts'
import type { Call, Route, RouteParameter } from './api-route.ts'

const filters: readonly RouteParameter[] = [
  {
    name: 'operation',
    description: 'Only requests to this operation.',
    schema: { type: 'string', enum: Object.keys(operations) },
  },
  {
    name: 'status',
    description: 'Only requests that were answered with this status.',
    schema: { type: 'integer', minimum: 100, maximum: 599 },
  },
  {
    name: 'method',
    description: 'Only requests with this method.',
    schema: { type: 'string', pattern: methodName.source },
  },
  {
    name: 'after',
    description: 'Only entries behind the one with this number.',
    schema: { type: 'integer', minimum: 0, maximum: highestEntry },
  },
]

/** The journal of a world. */
export const journalRoutes: readonly Route[] = [
  {
    id: 'listJournal',
    method: 'GET',
    path: '/journal',
    summary: 'The latest requests and their answers',
    description: 'At most 1,000, without keys, and with bodies cut at 16 KiB. In the order in which they came.',
    parameters: [
      ...filters,
      {
        name: 'limit',
        description: 'At most so many: the latest.',
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
      },
    ],
    replies: { 200: { description: 'The entries.', schema: 'Journal' } },
    handle: ({ world, query }) => json(200, { entries: world.journal.list(readJournalFilter(query)) }),
  },
  {
    id: 'clearJournal',
    method: 'DELETE',
    path: '/journal',
    summary: 'Forget all entries, and what the scorecard is made of',
    replies: { 204: { description: 'The journal is empty.' } },
    handle({ world }) {
      world.journal.clear()
      return done()
    },
  },
  {
    id: 'streamJournal',
    method: 'GET',
    path: '/journal/stream',
    summary: 'Each request as it comes: Server-Sent Events',
    description:
      'One event for each entry: `id` is its number, `data` its JSON in one line. Whoever comes back with `Last-Event-ID` ' +
      'gets what was missed, as far as the journal still has it. At most 32 streams are open at the same time.',
    parameters: [
      ...filters,
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'As `after`, and before it: what an EventSource sends when it connects again.',
        schema: { type: 'integer', minimum: 0, maximum: highestEntry },
      },
    ],
    replies: {
      200: { description: 'The stream. It has no end.', types: ['text/event-stream'] },
      503: { description: 'Too many streams are open.', schema: 'Error' },
    },
    handle(call) {
      const filter = readStreamFilter(call)
      const { streams } = call.api
      if (streams.isFull()) {
        return problem(503, 'Too many streams of the journal are open. Close one first.', { 'retry-after': '1' })
      }
      return streams.journal(call.world, filter, call.isWorldThere)
    },
  },
]

function readStreamFilter({ query, headers }: Call): JournalFilter {
  const { 'last-event-id': last } = headers
  const filter = readJournalFilter(query)
  if (last === undefined || last === '') return filter
  if (typeof last !== 'string' || !/^\d{1,15}$/.test(last)) {
    throw new UsageError('Last-Event-ID must be the number of an entry.')
  }
  return { ...filter, after: Number(last) }
}
