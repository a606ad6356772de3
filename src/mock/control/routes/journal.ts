import { printJson } from '../../../json.ts'
import { passes } from '../../journal.ts'
import type { JournalEntry, JournalFilter } from '../../types.ts'
import { empty, events, json, problem } from '../reply.ts'
import { type Call, response, type Route, route } from '../route.ts'

/** Streams that may be open at the same time. */
const mostStreams = 32
/** Interval of the comments that keep the connection alive, in milliseconds. */
const heartbeatMs = 15_000

/** The journal of a sandbox. */
export const journalRoutes: readonly Route[] = [
  route<undefined, JournalFilter>('GET /journal', 'listJournal', 'List the latest requests and their responses', {
    description: 'At most 10,000, without keys, bodies cut at 16 KiB, in the order of arrival.',
    query: 'JournalQuery',
    responses: { 200: response('The entries.', 'Journal') },
    handle: ({ sandbox, query }) => json(200, { entries: sandbox.journal.list(query) }),
  }),
  route('DELETE /journal', 'clearJournal', 'Clear the journal, and the scorecard with it', {
    responses: { 204: response('The journal is empty.') },
    handle({ sandbox }) {
      sandbox.journal.clear()
      return empty()
    },
  }),
  route<undefined, JournalFilter>('GET /journal/stream', 'streamJournal', 'Follow requests as Server-Sent Events', {
    description:
      'One event for each entry: `id` is its number, `data` its JSON in one line. `after` starts with earlier entries, ' +
      `as far as the journal still holds them. At most ${mostStreams} streams are open at the same time.`,
    query: 'JournalStreamQuery',
    responses: {
      200: { description: 'The stream. It has no end.', types: ['text/event-stream'] },
      503: response('Too many streams are open.', 'Error'),
    },
    handle(call) {
      if (call.streams.size >= mostStreams) {
        return problem(503, 'Too many streams are open. Close one first.', { 'retry-after': '1' })
      }
      return events(follow(call, call.query))
    },
  }),
]

/** The entries from now on, and before those the ones after `filter.after`. Nothing starts before the first read. */
function follow({ sandbox, isThere, streams }: Call<JournalFilter>, filter: JournalFilter) {
  const encoder = new TextEncoder()
  let stop: (() => void) | undefined
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (stop !== undefined) return
        const send = (text: string): void => controller.enqueue(encoder.encode(text))
        const unsubscribe = sandbox.journal.subscribe((entry) => {
          if (passes(entry, filter)) send(toEvent(entry))
        })
        const heartbeat = setInterval(() => {
          if (isThere()) return send(': still here\n\n')
          stop?.()
          controller.close()
        }, heartbeatMs)
        heartbeat.unref()
        streams.add(controller)
        stop = () => {
          clearInterval(heartbeat)
          unsubscribe()
          streams.delete(controller)
        }
        send(': the journal follows\n\n')
        if (filter.after !== undefined) for (const entry of sandbox.journal.list(filter)) send(toEvent(entry))
      },
      cancel: () => stop?.(),
    },
    { highWaterMark: 0 },
  )
}

function toEvent(entry: JournalEntry): string {
  return `id: ${entry.number}\ndata: ${printJson(entry)}\n\n`
}
