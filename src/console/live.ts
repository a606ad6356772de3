import { parseJson } from '../json.ts'
import type { JournalSummary } from '../mock/journal-entry.ts'
import { ApiError, pathOf, sandbox, send, token, tokenIsMissing } from './api.ts'
import { say } from './parts/feedback.tsx'
import { refresh } from './resource.ts'
import { enter } from './route.ts'
import { cell } from './store.ts'

/** Whether requests arrive: `lost` until the mock is there again. */
export const connection = cell<'connecting' | 'live' | 'lost'>('connecting')
/** The latest requests of the sandbox, the oldest first; their headers and bodies stay with the mock. */
export const rows = cell<readonly JournalSummary[]>([])
/** How often the mock was started anew while this page was open. */
export const restarts = cell(0)

/** Requests that came faster than they could be shown, and that the journal no longer holds. */
export const lost = cell(0)

/** As many as the journal of the mock holds. */
const mostRows = 10_000
/** How long arrivals wait for one another, so that a thousand requests in a second are ten updates. */
const flushMs = 100
/** How long changes wait before what they concern is read again. */
const refreshMs = 400
/** A browser opens six connections to a mock: a tab that nothing shows gives up its own after a while. */
const hiddenMs = 30_000
/** The mock sends a comment every 15 seconds: longer silence is a lost connection. */
const silenceMs = 40_000

/** What an event concerns: paths to read again. */
const concerned: Readonly<Record<string, readonly string[]>> = {
  entry: ['/scorecard', '/rules', '/sandboxes'],
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
let flushTimer: ReturnType<typeof setTimeout> | undefined
const changed = new Set<string>()
let refreshTimer: ReturnType<typeof setTimeout> | undefined
let session = new AbortController()
let instance = ''

/** Follows the sandbox that is shown, and another one when that is chosen, until the page is closed. */
export function followMock(): void {
  const restart = (): void => {
    session.abort()
    session = new AbortController()
    arrived = []
    rows.set([])
    lost.set(0)
    void follow(session.signal)
  }
  let hiding: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
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
      // Numbers of a mock that was started anew begin at 1 again: the instance says which numbers are meant.
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

const lastNumber = (): number => rows.get().at(-1)?.number ?? 0

/** Reads Server-Sent Events by fetch: an EventSource sends no token, and gives up after any error. */
async function readEvents(response: Response, signal: AbortSignal): Promise<void> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!signal.aborted) {
    const silence = setTimeout(() => void reader.cancel(), silenceMs)
    const { done, value } = await reader.read()
    clearTimeout(silence)
    if (done) return
    const events = (text + value).split('\n\n')
    text = events.pop() ?? ''
    if (signal.aborted) return
    for (const event of events) receive(event)
  }
}

function receive(event: string): void {
  const name = /^event: (.*)$/m.exec(event)?.[1]
  const data = /^data: (.*)$/m.exec(event)?.[1]
  if (name === undefined || data === undefined) return
  const value: unknown = parseJson(data)
  if (name === 'hello') greet(value as { instance: string })
  else if (name === 'cleared') {
    const { through } = value as { through: number }
    flush()
    rows.set(rows.get().filter(({ number }) => number > through))
  } else if (name === 'lost') lost.set(lost.get() + (value as { entries: number }).entries)
  else if (name === 'entry') {
    arrived.push(value as JournalSummary)
    flushTimer ??= setTimeout(flush, flushMs)
  }
  for (const path of concerned[name] ?? []) changed.add(path)
  refreshTimer ??= setTimeout(refreshChanged, refreshMs)
}

/** A mock that was started anew has other requests, and other pets. */
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
  rows.set([...rows.get(), ...arrived.filter(({ number }) => number > last)].slice(-mostRows))
  arrived = []
}

function refreshChanged(): void {
  refreshTimer = undefined
  if (changed.size > 0) refresh(...changed)
  changed.clear()
}
