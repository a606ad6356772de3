import { parseJson } from '../json.ts'
import type { JournalEntry } from '../mock/types.ts'
import { pathOf, read, sandbox, send, token, tokenIsMissing } from './api.ts'
import { cell } from './store.ts'

/** What the table shows of a request; bodies stay with the mock until they are opened. */
export interface Row extends Pick<JournalEntry, 'number' | 'at' | 'operation' | 'reason' | 'rule'> {
  method: string
  target: string
  status: number
}

/** Whether requests arrive: `lost` until the mock is there again. */
export const connection = cell<'connecting' | 'live' | 'lost'>('connecting')
/** The latest requests of the sandbox, the oldest first. */
export const rows = cell<readonly Row[]>([])
/** How often the mock was started anew while this page was open. */
export const restarts = cell(0)

/** As many as the journal of the mock holds. */
const mostRows = 10_000
/** How long arrivals wait for one another, so that a thousand requests in a second are ten updates. */
const flushMs = 100
/** The mock sends a comment every 15 seconds: longer silence is a lost connection. */
const silenceMs = 40_000

let arrived: Row[] = []
let timer: ReturnType<typeof setTimeout> | undefined
let session = new AbortController()

/** Follows the journal of the sandbox that is shown, and again whenever that changes, until the page is closed. */
export function followMock(): void {
  const restart = (): void => {
    session.abort()
    session = new AbortController()
    arrived = []
    rows.set([])
    void follow(session.signal)
  }
  sandbox.follow(restart)
  token.follow(restart)
  restart()
}

async function follow(signal: AbortSignal): Promise<void> {
  let waitMs = 250
  while (!signal.aborted) {
    try {
      const last = await catchUp()
      const response = await send('GET', pathOf(`/journal/stream?after=${last}`), undefined, signal)
      waitMs = 250
      connection.set('live')
      await readEvents(response, signal)
    } catch {
      // Whatever ended it, the next try says more.
    }
    if (signal.aborted || tokenIsMissing.get()) return
    connection.set('lost')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, 4_000)
  }
}

/** Reads what came before. Returns the number of the last entry. */
async function catchUp(): Promise<number> {
  const { entries } = await read<{ entries: JournalEntry[] }>('/journal?limit=500')
  const known = rows.get()
  const same = entries.find(({ number }) => number === known.at(-1)?.number)
  const isOther = known.length > 0 && same?.at !== known.at(-1)?.at
  if (isOther && connection.get() === 'lost') restarts.set(restarts.get() + 1)
  rows.set(
    isOther || known.length === 0
      ? entries.map(toRow)
      : [...known, ...entries.map(toRow).filter(({ number }) => number > (known.at(-1)?.number ?? 0))],
  )
  return entries.at(-1)?.number ?? 0
}

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
    for (const event of events) receive(event)
  }
}

function receive(event: string): void {
  const data = /^data: (.*)$/m.exec(event)?.[1]
  if (data === undefined) return
  arrived.push(toRow(parseJson(data) as unknown as JournalEntry))
  timer ??= setTimeout(flush, flushMs)
}

function flush(): void {
  timer = undefined
  const last = rows.get().at(-1)?.number ?? 0
  rows.set([...rows.get(), ...arrived.filter(({ number }) => number > last)].slice(-mostRows))
  arrived = []
}

function toRow({ number, at, operation, reason, rule, request, response }: JournalEntry): Row {
  return {
    number,
    at,
    operation,
    method: request.method,
    target: request.target,
    status: response.status,
    ...(reason !== undefined && { reason }),
    ...(rule !== undefined && { rule }),
  }
}
