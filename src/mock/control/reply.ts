import { printJson } from '../../json.ts'
import { codeOfStatus } from '../replies.ts'
import type { MockReply } from '../message.ts'

/** Server-Sent Events. The adapter cancels the stream when its client or the server closes. */
export interface StreamReply extends Pick<MockReply, 'status' | 'headers'> {
  stream: ReadableStream<Uint8Array>
}

/** Headers of each response. Deliberately without CORS: no page of another origin may read it. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Keeps proxies from buffering events. */
const unbuffered = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

export function json(status: number, value: object): MockReply {
  return text(status, 'application/json', `${printJson(value, 2)}\n`)
}

export const empty = (): MockReply => ({ status: 204, headers: { ...always }, body: '' })

export function text(status: number, type: string, body: string): MockReply {
  return { status, headers: { 'content-type': type, ...always }, body }
}

export function events(stream: StreamReply['stream']): StreamReply {
  return { status: 200, headers: { ...always, ...unbuffered }, stream }
}

const reportTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  sarif: 'application/json',
  junit: 'application/xml',
  markdown: 'text/markdown; charset=utf-8',
}

/** A report in the format of a reporter. The policy of an HTML page allows only the stylesheet of reports. */
export async function report(reporter: string, body: string): Promise<MockReply> {
  if (reporter !== 'html') return text(200, reportTypes[reporter] ?? 'text/plain; charset=utf-8', body)
  const { styleHash } = await import('../../report/style.gen.ts')
  const reply = text(200, 'text/html; charset=utf-8', body)
  const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    ...reply,
    headers: { ...reply.headers, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  }
}

export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): MockReply {
  const reply = json(status, { code: status === 503 ? 'unavailable' : codeOfStatus(status), message, status })
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** @param reloads how often a shared mock had to load a sandbox again. */
export function health(reloads?: number): MockReply {
  return json(200, { status: 'ok', ...(reloads !== undefined && { reloads }) })
}

export function readiness(isReady: boolean): MockReply {
  return isReady ? json(200, { status: 'ready' }) : problem(503, 'The mock is not ready.')
}
