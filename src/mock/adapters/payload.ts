import { statusTexts } from '../../spec/http.ts'
import type { MockReply } from '../message.ts'

/** A reply as a client reads it from a connection. */
export interface Payload {
  status: number
  statusText: string
  headers: Readonly<Record<string, string>>
  /** Undefined when the reply has no body at all. */
  bytes: Uint8Array | undefined
  /** The body is shorter than declared: behind it, the connection breaks. */
  isCut: boolean
  /** Milliseconds over which the body comes. */
  bodyMs: number
  /** To be called when the client gives the body up. */
  onAbandoned: (() => void) | undefined
}

/** Statuses of replies that never have a body: RFC 9110 section 6.4.1, and 205 by the Fetch standard. */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/** How a reply arrives, apart from its delay, and unless it never does. */
export function toPayload(reply: MockReply, method: string): Payload {
  const { status, headers, wire = {} } = reply
  const hasBody = method !== 'HEAD' && !bodiless.has(status)
  const all = wire.bytes ?? new TextEncoder().encode(reply.body)
  const declared = wire.contentLength ?? all.length
  return {
    status,
    statusText: statusTexts[status] ?? '',
    headers: hasLength(reply) ? { ...headers, 'content-length': String(declared) } : headers,
    // A declared length below the true one truncates the body.
    bytes: hasBody ? all.subarray(0, declared) : undefined,
    isCut: hasBody && declared > all.length,
    bodyMs: wire.bodyMs ?? 0,
    onAbandoned: reply.onAbandoned,
  }
}

/** The rule of the server: the length of a body that a reply to HEAD does not have is not known. */
function hasLength({ status, headers, body, wire }: MockReply): boolean {
  return wire !== undefined || body !== '' || (status !== 204 && headers['content-type'] === undefined)
}

/** How often a piece of a slow body comes: milliseconds. */
const pieceMs = 20

/** Hands out a body evenly over its time. A late reader gets more at once. */
export interface Drip {
  /** Milliseconds until more is due; undefined when all is out. */
  waitMs: () => number | undefined
  /** What is due. */
  take: () => Uint8Array
}

/** The body of a reply, from now on. */
export function createDrip({ bytes = new Uint8Array(), bodyMs }: Payload): Drip {
  const startedAt = performance.now()
  let [taken, takenAt] = [0, 0]
  const elapsed = (): number => performance.now() - startedAt
  return {
    waitMs() {
      if (taken === bytes.length) return undefined
      const next = (bodyMs * (taken + 1)) / bytes.length
      return Math.max(0, next - elapsed(), takenAt + Math.min(pieceMs, bodyMs / 2) - elapsed())
    },
    take() {
      takenAt = elapsed()
      const due = takenAt >= bodyMs ? bytes.length : Math.floor((bytes.length * takenAt) / bodyMs)
      const piece = bytes.subarray(taken, due)
      taken = Math.max(taken, due)
      return piece
    },
  }
}

/** Timers take no more: about 25 days. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Waits so many milliseconds, for ever when they are infinite. Rejects with the reason of the first signal that is, or
 * has been, aborted.
 */
export function wait(ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = signals.find((signal) => signal.aborted)
    if (aborted !== undefined) {
      reject(reasonOf(aborted))
      return
    }
    const stop = (event: Event): void => {
      end()
      reject(reasonOf(event.target as AbortSignal))
    }
    // A timer for ever, too: as a connection does, it keeps a process alive that waits for nothing else, since neither
    // `AbortSignal.timeout` nor a promise would.
    const timer = setTimeout(Number.isFinite(ms) ? finish : () => {}, Math.min(ms, maxTimerMs))
    for (const signal of signals) signal.addEventListener('abort', stop)

    function finish(): void {
      end()
      resolve()
    }
    function end(): void {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', stop)
    }
  })
}

/** Resolves with the promise, or rejects with the signal's reason when it is aborted first. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const ended = new AbortController()
  const aborted = wait(Number.POSITIVE_INFINITY, signal, ended.signal)
  try {
    return (await Promise.race([promise, aborted])) as Value
  } finally {
    aborted.catch(() => {})
    ended.abort('ended')
  }
}

/** An abort may have any reason; as an error it is kept as it is. */
function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error
}
