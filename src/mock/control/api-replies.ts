import { printJson } from '../../json.ts'
import type { MockReply } from '../message.ts'

/** Sent with each answer. There is no header for other origins among them, on purpose: no other page may read this. */
const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Nothing on these pages may run, load, be framed or send. `style` says which styles apply. */
const policy = (style: string): string =>
  `default-src 'none'; style-src ${style}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Codes of the Error bodies. */
const codes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  500: 'internal_error',
  501: 'not_implemented',
  503: 'unavailable',
}

/** A JSON answer, in lines that can be read. */
export function json(status: number, value: object): MockReply {
  return text(status, 'application/json', `${printJson(value, 2)}\n`)
}

/** An answer without a body. */
export function done(): MockReply {
  return { status: 204, headers: { ...always }, body: '' }
}

/** An answer of another type. */
export function text(status: number, type: string, body: string): MockReply {
  return { status, headers: { ...headersOf(type) }, body }
}

/**
 * A page without scripts.
 *
 * @param style the source of the policy that its styles fit: `'sha256-...'`.
 */
export function page(body: string, style: string): MockReply {
  const headers = {
    ...headersOf('text/html; charset=utf-8'),
    'content-security-policy': policy(style),
    'referrer-policy': 'no-referrer',
  }
  return { status: 200, headers, body }
}

/** An error, in the shape of the interface: code, message and status. */
export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): MockReply {
  const reply = json(status, { code: codes[status] ?? 'error', message, status })
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** The headers of each answer with this type. */
export function headersOf(type: string): Record<string, string> {
  return { 'content-type': type, ...always }
}
