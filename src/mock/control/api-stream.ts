import { printJson } from '../../json.ts'
import type { JournalEntry, JournalFilter, Sandbox } from '../sandbox.ts'
import type { ControlSink, ControlStream } from './control.ts'
import { headersOf } from './api-replies.ts'

/** Streams that may be open at the same time. */
const mostStreams = 32
/** So often a line shows whoever is between that the connection lives: milliseconds. */
const heartbeatMs = 15_000

/** The open streams of a control API. */
export interface Streams {
  /** Whether there is no room for another one. */
  isFull: () => boolean
  /** The entries of a journal from now on, and before those the ones behind `filter.after`. */
  journal: (world: Sandbox, filter: JournalFilter, isWorldThere: () => boolean) => ControlStream
}

export function createStreams(): Streams {
  let open = 0
  return {
    isFull: () => open >= mostStreams,
    journal: (world, filter, isWorldThere) => ({
      status: 200,
      headers: headersOf('text/event-stream'),
      open(sink) {
        // Others may have come between the answer and its headers.
        if (open >= mostStreams) {
          sink.end()
          return () => {}
        }
        open += 1
        return follow(world, filter, isWorldThere, sink, () => {
          open -= 1
        })
      },
    }),
  }
}

/** Writes what comes, until the client is gone or the world is. */
function follow(
  world: Sandbox,
  filter: JournalFilter,
  isWorldThere: () => boolean,
  sink: ControlSink,
  ended: () => void,
): () => void {
  let isOpen = true
  const write = (text: string): void => {
    if (isOpen && !sink.write(text)) stop()
  }
  const unsubscribe = world.journal.subscribe((entry) => {
    if (fits(entry, filter)) write(toEvent(entry))
  })
  const heartbeat = setInterval(() => {
    if (isWorldThere()) write(': still here\n\n')
    else {
      stop()
      sink.end()
    }
  }, heartbeatMs)
  heartbeat.unref()

  function stop(): void {
    if (!isOpen) return
    isOpen = false
    clearInterval(heartbeat)
    unsubscribe()
    ended()
  }

  write(': the journal follows\n\n')
  if (filter.after !== undefined) for (const entry of world.journal.list(filter)) write(toEvent(entry))
  return stop
}

function fits({ operation, request, response }: JournalEntry, filter: JournalFilter): boolean {
  return (
    (filter.operation === undefined || filter.operation === operation) &&
    (filter.method === undefined || filter.method === request.method.toUpperCase()) &&
    (filter.status === undefined || filter.status === response.status)
  )
}

function toEvent(entry: JournalEntry): string {
  return `id: ${entry.number}\ndata: ${printJson(entry)}\n\n`
}
