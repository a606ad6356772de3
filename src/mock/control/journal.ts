import { UsageError } from '../../errors.ts'
import type { MockReply, MockRequest } from '../message.ts'
import type { Journal, JournalEntry, JournalFilter } from '../sandbox.ts'
import { tell } from '../tell.ts'
import type { Exchange } from './exchange.ts'
import type { ToEntry } from './journal-entry.ts'

/** The bytes that the journals of all worlds of a mock hold together. */
export interface JournalBudget {
  used: number
}

/** A journal that can be written. */
export interface WritableJournal extends Journal {
  /** Takes one request and its answer. Of the request it keeps the texts alone, not the connection. */
  note: (request: MockRequest, reply: MockReply) => Exchange
  /** Forgets the oldest entry, and tells whether there was one. */
  shrink: () => boolean
  readonly requests: number
  /** The latest exchanges before one, the latest first: at most so many. */
  before: (exchange: Exchange, most: number) => Exchange[]
}

const mostEntries = 1_000
/** About what an entry takes beside its texts. */
const entryBytes = 600
/** Bytes of one journal: 8 MiB. */
const mostBytes = 8 * 2 ** 20

const defaultTimeoutMs = 5_000
/** No timer waits longer: about 25 days. */
const longestTimeoutMs = 2 ** 31 - 1

/** The journal of one world: the latest requests as they were; what is shown is made when it is asked for. */
export function createJournal(toEntry: ToEntry, budget: JournalBudget, onClear: () => void): WritableJournal {
  let exchanges: (Exchange | undefined)[] = []
  /** Where the oldest stands. What is before it is thrown away now and then. */
  let oldest = 0
  let bytes = 0
  let number = 0
  const listeners = new Set<(entry: JournalEntry) => void>()

  const charge = (change: number): void => {
    bytes += change
    budget.used += change
  }

  const isFull = (): boolean => {
    const entries = exchanges.length - oldest
    return entries > mostEntries || (bytes > mostBytes && entries > 1)
  }

  function shrink(): boolean {
    const exchange = exchanges[oldest]
    if (exchange === undefined) return false
    charge(-exchange.bytes)
    exchanges[oldest] = undefined
    oldest += 1
    if (oldest >= mostEntries || oldest === exchanges.length) {
      exchanges = exchanges.slice(oldest)
      oldest = 0
    }
    return true
  }

  function list(filter: JournalFilter = {}): JournalEntry[] {
    const { after = 0, limit = mostEntries } = filter
    const entries: JournalEntry[] = []
    for (let index = exchanges.length - 1; index >= oldest && entries.length < limit; index -= 1) {
      const exchange = exchanges[index] as Exchange
      if (exchange.number <= after) break
      const entry = toEntry(exchange)
      if (passes(entry, filter)) entries.push(entry)
    }
    return entries.toReversed()
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
    note({ method, target, headers, body, bodyFault }, reply) {
      number += 1
      const taken = entryBytes + target.length + body.length + bytesOfHeaders(headers) + bytesOfReply(reply)
      const exchange: Exchange = {
        number,
        at: Date.now(),
        method,
        target,
        headers,
        body,
        ...(bodyFault !== undefined && { bodyFault }),
        reply,
        rule: reply.rule,
        delivery: reply.delayMs === undefined && reply.wire === undefined ? undefined : { abandoned: false },
        bytes: taken,
      }
      charge(taken)
      exchanges.push(exchange)
      while (isFull()) shrink()
      if (listeners.size > 0) {
        const entry = toEntry(exchange)
        for (const listener of listeners) tell(listener, entry)
      }
      return exchange
    },
    shrink,
    before(exchange, most) {
      const end = exchanges.lastIndexOf(exchange)
      return exchanges.slice(Math.max(oldest, end - most), Math.max(oldest, end)).toReversed() as Exchange[]
    },
    list,
    last: (filter) => list({ ...filter, limit: 1 })[0],
    waitFor: (filter = {}, { timeoutMs = defaultTimeoutMs } = {}) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            end()
            reject(new UsageError(`No request came within ${timeoutMs} ms that fits ${JSON.stringify(filter)}.`))
          },
          Math.min(timeoutMs, longestTimeoutMs),
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
      charge(-bytes)
      exchanges = []
      oldest = 0
      onClear()
    },
  }
}

function passes(entry: JournalEntry, { operation, status, method }: JournalFilter): boolean {
  return (
    (operation === undefined || operation === entry.operation) &&
    (status === undefined || status === entry.response.status) &&
    (method === undefined || method.toUpperCase() === entry.request.method.toUpperCase())
  )
}

function bytesOfReply({ body, wire }: MockReply): number {
  return body.length + (wire?.bytes?.length ?? 0)
}

/** Most requests of a connection share their headers. */
let lastHeaders: MockRequest['headers'] | undefined
let lastBytes = 0

function bytesOfHeaders(headers: MockRequest['headers']): number {
  if (headers !== lastHeaders) {
    lastBytes = countHeaders(headers)
    lastHeaders = headers
  }
  return lastBytes
}

function countHeaders(headers: MockRequest['headers']): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    bytes += name.length
    if (typeof value === 'string') bytes += value.length
    else for (const one of value ?? []) bytes += one.length
  }
  return bytes
}
