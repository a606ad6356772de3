import { printJson } from '../../../json.ts'
import type { MockReply } from '../../service/message.ts'
import type { Journal, JournalFilter, JournalSummary } from '../../journal/entry.ts'
import type { Sandbox } from '../../sandbox/types.ts'
import { type ControlCall, events, problem, type StreamReply } from './route.ts'

/** Concurrent streams: of the mock itself, of each sandbox, and of all sandboxes together. */
export const maxStreams = { mock: 128, sandbox: 8, sandboxes: 128 }
export const tickMs = 50
/** The interval of comments that keep a quiet connection alive. */
const heartbeatMs = 15_000
/** Entries that are read at once. A slow client does not fill up memory: the journal is its buffer. */
export const batch = 100
/** Characters, and milliseconds, after which no further entry is added to a batch. */
const longBatch = 2 ** 16
const longTurnMs = 10

/** The position of a stream in the journal. */
export interface Position {
  number: number
  cleared: number
}

interface News {
  text: string
  isMore: boolean
}

/** Server-Sent Events on demand of the client: `first` is the initial text, `read` what is new since its last call. */
export function follow(
  {
    isThere,
    sandbox,
    streams,
    watch,
  }: Pick<ControlCall, 'isThere' | 'sandbox' | 'streams' | 'watch'>,
  first: () => string,
  read: () => News,
): MockReply | StreamReply {
  const full = rejectAnother(sandbox, streams)
  if (full !== undefined) return full
  const encoder = new TextEncoder()
  const unwatch = watch?.()
  streams.set(encoder, sandbox)
  let isMore = true
  const stop = (): void => {
    if (streams.delete(encoder)) unwatch?.()
  }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => controller.enqueue(encoder.encode(first())),
      async pull(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text))
        for (let waited = 0; waited < heartbeatMs; waited += tickMs) {
          // Between the batches of a long journal, others get their turn.
          await new Promise<void>(
            (resolve) => void setTimeout(resolve, isMore ? 0 : tickMs).unref(),
          )
          if (!streams.has(encoder)) return
          if (!isThere()) {
            stop()
            return controller.close()
          }
          const news = read()
          isMore = news.isMore
          if (news.text !== '') return send(news.text)
        }
        return send(': still here\n\n')
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
  return events(stream)
}

/** The response to a stream, or a call that waits, beyond the limit. */
export function rejectAnother(
  sandbox: Sandbox,
  streams: ControlCall['streams'],
): MockReply | undefined {
  const full = findLimit(sandbox, streams)
  if (full === undefined) return undefined
  const message = `${full} are open, which is the maximum: close a page that shows the console, or a client that follows the journal or waits for it.`
  return problem(503, message, { 'retry-after': '1' })
}

/** The limit that another stream would exceed: `8 streams of this sandbox`. */
function findLimit(sandbox: Sandbox, streams: ControlCall['streams']): string | undefined {
  const open = [...streams.values()]
  const own = open.filter((other) => other.name === sandbox.name).length
  if (sandbox.name === undefined)
    return own < maxStreams.mock ? undefined : `${maxStreams.mock} streams`
  if (own >= maxStreams.sandbox) return `${maxStreams.sandbox} streams of this sandbox`
  const all = open.filter(({ name }) => name !== undefined).length
  return all < maxStreams.sandboxes ? undefined : `${maxStreams.sandboxes} streams of sandboxes`
}

export function toEvent(name: string, data: object, id?: number | string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${printLine(data)}\n\n`
}

/** JSON in one line, also for clients that end lines at other characters than the standard. */
export const printLine = (data: object): string =>
  printJson(data).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** How a stream shows entries. `kind`: all streams with this word show the same. */
interface EntryFormat {
  list: (filter: JournalFilter) => readonly JournalSummary[]
  print: (entry: JournalSummary) => string
  kind?: 'entries' | 'events' | undefined
}

/** The texts of the latest entries of a journal, which were formatted up to a number. */
interface Texts {
  last: number
  byKey: Map<string, { text: string; until: number }>
}

/** Streams of one journal look for news at about the same time: the first one formats it for the others. */
const textsOf = new WeakMap<Journal, Texts>()
const textMs = 2 * tickMs

function formatOnce(journal: Journal, number: number, { list, print, kind }: EntryFormat): string {
  const format = (): string =>
    list({ after: number - 1, before: number + 1 })
      .map(print)
      .join('')
  if (kind === undefined) return format()
  let texts = textsOf.get(journal)
  // In a journal that starts over, other entries get the same numbers.
  if (texts === undefined || journal.range.last < texts.last)
    textsOf.set(journal, (texts = { last: 0, byKey: new Map() }))
  const key = `${kind} ${number}`
  const known = texts.byKey.get(key)
  const now = performance.now()
  // Later, the entry may show that the client has given up.
  if (known !== undefined && known.until > now) return known.text
  const text = format()
  texts.last = journal.range.last
  texts.byKey.delete(key)
  texts.byKey.set(key, { text, until: now + textMs })
  for (const [old, { until }] of texts.byKey) {
    if (until > now && texts.byKey.size <= 2 * batch) break
    texts.byKey.delete(old)
  }
  return text
}

/** Reads entries after a position, after events about missing ones: `cleared`, `lost`. */
export function readEntries(journal: Journal, position: Position, format: EntryFormat): News {
  const { first, last, cleared } = journal.range
  const missing: string[] = []
  if (cleared > position.cleared) {
    missing.push(toEvent('cleared', { through: cleared }))
    position.cleared = cleared
    position.number = Math.max(position.number, cleared)
  }
  if (first - 1 > position.number) {
    missing.push(toEvent('lost', { entries: first - 1 - position.number }))
    position.number = first - 1
  }
  let text = missing.join('')
  const until = Math.min(last, position.number + batch)
  const end = performance.now() + longTurnMs
  while (position.number < until && text.length < longBatch && performance.now() < end) {
    position.number += 1
    text += formatOnce(journal, position.number, format)
  }
  return { text, isMore: position.number < last }
}
