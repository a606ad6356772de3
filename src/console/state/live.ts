import { parseJson } from '../../json.ts'
import type { JournalSummary } from '../../mock/journal/entry.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'
import { ApiError, pathOf, sandbox, send, token, tokenIsMissing } from './api.ts'
import { say } from './feedback.tsx'
import { refresh, refreshShown } from './resource.ts'
import { enter } from './route.ts'
import { cell } from './store.ts'

/** The state of the event stream; `lost` until the mock responds again. */
export const connection = cell<'connecting' | 'live' | 'lost'>('connecting')
/** The latest requests of the sandbox, oldest first, without headers and bodies. */
export const rows = cell<readonly JournalSummary[]>([])
/** Restarts of the mock since this page was opened. */
export const restarts = cell(0)

/** Requests that left the journal before the stream could send them. */
export const lost = cell(0)
/** Events that could not be read, and were skipped. */
export const unreadable = cell(0)

/** The capacity of the mock's journal. */
const mostRows = 10_000
/** How long new requests are collected: a thousand in a second cause ten updates. */
const flushMs = 100
/** How long changes are collected before the affected data is refreshed. */
const refreshMs = 400
/** Browsers allow six connections to a host, so a hidden tab closes its own after this time. */
const hiddenMs = 30_000
/** The mock sends a comment every 15 seconds, so longer silence means a lost connection. */
const silenceMs = 40_000

/** The paths to refresh after an event. */
const concerned: Readonly<Record<string, readonly string[]>> = {
  entry: ['/scorecard', '/rules', '/sandboxes?scores'],
  changed: ['/scorecard', '/journal'],
  cleared: ['/scorecard', '/sandboxes'],
  pets: ['/pets', '/sandboxes'],
  rules: ['/rules'],
  settings: ['/settings'],
  clock: ['/clock'],
  snapshots: ['/snapshots'],
  sandboxes: ['/sandboxes'],
  run: ['/runs'],
}

let arrived: JournalSummary[] = []
/** Requests that changed since they arrived, by number. */
const replaced = new Map<number, JournalSummary>()
let flushTimer: ReturnType<typeof setTimeout> | undefined
const changed = new Set<string>()
let refreshTimer: ReturnType<typeof setTimeout> | undefined
let session = new AbortController()
let instance = ''

/** Follows the events of the current sandbox until the page is closed. */
export function followMock(): void {
  const restart = (): void => {
    session.abort()
    session = new AbortController()
    arrived = []
    rows.set([])
    lost.set(0)
    unreadable.set(0)
    void follow(session.signal)
  }
  let hiding: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
    if (!document.hidden) refreshShown()
    if (document.hidden) hiding = setTimeout(() => session.abort(), hiddenMs)
    else if (session.signal.aborted) {
      session = new AbortController()
      refresh()
      void follow(session.signal)
    }
  })
  sandbox.follow(restart)
  token.follow(restart)
  restart()
}

async function follow(signal: AbortSignal): Promise<void> {
  let waitMs = 250
  while (!signal.aborted) {
    try {
      // A restarted mock counts from 1 again, so the instance is part of the event id.
      const headers = { ...(instance !== '' && { 'last-event-id': `${instance}-${lastNumber()}` }) }
      const response = await send('GET', pathOf('/events?after=0'), undefined, { headers, signal })
      waitMs = 250
      if (connection.get() === 'lost') refresh()
      connection.set('live')
      await readEvents(response, signal)
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && sandbox.get() !== '') {
        say(`The sandbox ${sandbox.get()} is gone.`, true)
        enter('')
      } else if (error instanceof ApiError && error.status === 503) say(error.message, true)
    }
    if (signal.aborted || tokenIsMissing.get()) return
    connection.set('lost')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, 4_000)
  }
}

/** The number of the latest request that the page knows. */
export const lastNumber = (): number => rows.get().at(-1)?.number ?? 0

/** Reads Server-Sent Events with fetch: EventSource cannot send a token, and gives up after any error. */
async function readEvents(response: Response, signal: AbortSignal): Promise<void> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const read = createEventReader()
  while (!signal.aborted) {
    const silence = setTimeout(() => void reader.cancel(), silenceMs)
    // Also after an abort: a stream that has failed cannot be canceled.
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    const events = read(decoder.decode(value, { stream: true }))
    if (signal.aborted) return
    for (const event of events) {
      try {
        receive(event)
      } catch {
        // A stream that ended here would start again with the same event.
        unreadable.set(unreadable.get() + 1)
      }
    }
  }
}

function receive({ name, data }: StreamEvent): void {
  const value: unknown = parseJson(data)
  if (name === 'hello') greet(value as { instance: string })
  else if (name === 'cleared') {
    const { through } = value as { through: number }
    flush()
    rows.set(rows.get().filter(({ number }) => number > through))
  } else if (name === 'lost') lost.set(lost.get() + (value as { entries: number }).entries)
  else if (name === 'changed') {
    const row = expectRow(value as JournalSummary)
    replaced.set(row.number, row)
    flushTimer ??= setTimeout(flush, flushMs)
  } else if (name === 'entry') {
    arrived.push(expectRow(value as JournalSummary))
    flushTimer ??= setTimeout(flush, flushMs)
  }
  for (const path of concerned[name] ?? []) changed.add(path)
  refreshTimer ??= setTimeout(refreshChanged, refreshMs)
}

/** A row that no screen can show must not reach one. */
function expectRow(row: JournalSummary): JournalSummary {
  const { number, at, request, response } = row
  const isShown =
    Number.isInteger(number) && !Number.isNaN(Date.parse(at)) && Number.isInteger(response.status)
  if (!isShown || typeof request.target !== 'string' || typeof request.method !== 'string')
    throw new TypeError('not an entry of the journal')
  return row
}

/** After a restart, the mock has other requests and other pets. */
function greet(hello: { instance: string }): void {
  if (instance !== '' && instance !== hello.instance) {
    restarts.set(restarts.get() + 1)
    arrived = []
    rows.set([])
    refresh()
  }
  instance = hello.instance
}

function flush(): void {
  clearTimeout(flushTimer)
  flushTimer = undefined
  const last = lastNumber()
  const all = [...rows.get(), ...arrived.filter(({ number }) => number > last)].slice(-mostRows)
  rows.set(replaced.size === 0 ? all : all.map((row) => replaced.get(row.number) ?? row))
  arrived = []
  replaced.clear()
}

function refreshChanged(): void {
  refreshTimer = undefined
  if (changed.size > 0) refresh(...changed)
  changed.clear()
}
