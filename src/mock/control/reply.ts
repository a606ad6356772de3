import { printJson } from '../../json.ts'
import { codeOfStatus } from '../errors.ts'
import type { MockReply } from '../message.ts'

/** Server-Sent Events. The adapter cancels the stream when its client or the server closes. */
export interface StreamReply extends Pick<MockReply, 'status' | 'headers'> {
  stream: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Sent with each response. No CORS header, on purpose: no other page may read it. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** So that no proxy holds events back. */
const unbuffered = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

/** Indented JSON. */
export function json(status: number, value: object): MockReply {
  return text(status, 'application/json', `${printJson(value, 2)}\n`)
}

/** 204. */
export function empty(): MockReply {
  return { status: 204, headers: { ...always }, body: '' }
}

/** A body of another type. */
export function text(status: number, type: string, body: string): MockReply {
  return { status, headers: { 'content-type': type, ...always }, body }
}

/** Server-Sent Events. */
export function events(stream: StreamReply['stream']): StreamReply {
  return { status: 200, headers: { ...always, ...unbuffered }, stream }
}

/** A report: a page without scripts, whose policy allows the stylesheet of all reports. */
export async function page(body: string): Promise<MockReply> {
  const { styleHash } = await import('../../report/style.gen.ts')
  const reply = text(200, 'text/html; charset=utf-8', body)
  const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    ...reply,
    headers: { ...reply.headers, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  }
}

/** An Error body. */
export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): MockReply {
  const code = status === 503 ? 'unavailable' : codeOfStatus(status)
  const reply = json(status, { code, message, status })
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/**
 * `GET /health`: the process is alive.
 *
 * @param reloads how often the engine of a shared mock has lost what a sandbox had.
 */
export function health(reloads?: number): MockReply {
  return json(200, { status: 'ok', ...(reloads !== undefined && { reloads }) })
}

/** `GET /ready`. */
export function readiness(isReady: boolean): MockReply {
  return isReady ? json(200, { status: 'ready' }) : problem(503, 'The mock is not ready.')
}
