import { statusTexts } from '../../spec/http.ts'
import type { MockReply } from '../service/message.ts'

/** A reply as a client receives it. */
export type Payload = ReturnType<typeof toPayload>

/** Statuses without a body: RFC 9110 section 6.4.1, and 205 by the Fetch standard. */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/** Converts a reply, apart from its delay, silence and reset. */
export function toPayload(reply: MockReply, method: string) {
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
    /** The body is shorter than declared, and the connection breaks after it. */
    isCut: hasBody && declared > all.length,
    /** Milliseconds over which the body arrives. */
    bodyMs: wire.bodyMs ?? 0,
    onAbandoned: reply.onAbandoned,
  }
}

export const isBodiless = (status: number): boolean => status === 204 || status === 304

/** Whether a reply has a Content-Length. A type without a body belongs to one that is not sent, as for HEAD: its length is unknown. */
export function hasLength({ status, headers, body, wire }: MockReply): boolean {
  return (
    wire !== undefined ||
    body !== '' ||
    !(isBodiless(status) || headers['content-type'] !== undefined)
  )
}

/** The interval between two pieces of a slow body. */
const pieceMs = 20

/**
 * The pieces of a body, spread evenly over its time from now on. A late reader gets more at once.
 *
 * @param pause waits; its rejection ends the pieces.
 */
export async function* inPieces(
  { bytes = new Uint8Array(), bodyMs }: Pick<Payload, 'bytes' | 'bodyMs'>,
  pause: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array, undefined> {
  const startedAt = performance.now()
  const elapsed = (): number => performance.now() - startedAt
  let taken = 0
  let takenAt = 0
  while (taken < bytes.length) {
    const next = (bodyMs * (taken + 1)) / bytes.length
    await pause(Math.max(0, next - elapsed(), takenAt + Math.min(pieceMs, bodyMs / 2) - elapsed()))
    takenAt = elapsed()
    const due = takenAt >= bodyMs ? bytes.length : Math.floor((bytes.length * takenAt) / bodyMs)
    if (due <= taken) continue
    yield bytes.subarray(taken, due)
    taken = due
  }
}

/** The longest delay of `setTimeout`: about 25 days. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Waits, forever when `ms` is infinite. Rejects with the reason of the first signal that aborts. `AbortSignal.any` would
 * not take signals of both Node and jsdom.
 */
export async function wait(ms: number, ...signals: AbortSignal[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = (): void => {}
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => {
        const aborted = signals.find((signal) => signal.aborted)
        // A reason may be any value; it is passed on unchanged.
        if (aborted !== undefined) reject(aborted.reason as Error)
      }
      stop()
      // Infinite waits need a timer, too: like an open connection, it keeps the process alive.
      timer = setTimeout(Number.isFinite(ms) ? resolve : () => {}, Math.min(ms, maxTimerMs))
      for (const signal of signals) signal.addEventListener('abort', stop)
    })
  } finally {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
}

/** Resolves with the promise, or rejects with the signal's reason when it is aborted first. */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const ended = new AbortController()
  const aborted = wait(Number.POSITIVE_INFINITY, signal, ended.signal)
  try {
    return (await Promise.race([promise, aborted])) as Value
  } finally {
    aborted.catch(() => {})
    ended.abort('ended')
  }
}
