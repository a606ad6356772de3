import { type JsonValue, printJson } from '../json.ts'
import type { Profile } from '../spec/choices.ts'
import type { OperationId } from '../spec/operations.ts'
import type { MockReply } from './message.ts'
import { shown } from './parameters.ts'
import type { Replies } from './replies.ts'
import type { RuleReply } from './types.ts'

/**
 * The Error replies. "Every error response carries an Error body (`code`, `message`, `status`; all required)."
 * `reason` is the clause or choice that made it.
 */
export interface Problems {
  badRequest(message: string, reason?: string): MockReply
  unauthorized(message: string, reason?: string): MockReply
  /** The request is refused with a status that the profile chose. */
  refused(status: string, message: string, reason?: string): MockReply
  /** As `refused`, by getPet: its 404 has a code of its own. */
  getRefused(status: string, message: string, reason?: string): MockReply
  methodNotAllowed(status: string, method: string, allow: string, reason: string): MockReply
  bodyTooLarge(): MockReply
  encodedBody(encoding: string): MockReply
  /** There is no room for another pet. */
  full(): MockReply
  /** What a rule, or the request itself, asked for: `rule` is the id of the rule, or `prefer`. */
  ruled(reply: RuleReply, operation: OperationId, rule: string): MockReply
}

/** Codes of the statuses for which the profile has none. */
const codes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  413: 'body_too_large',
  414: 'target_too_long',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  507: 'insufficient_storage',
}

/** Bytes of a request body that are read: 1 MiB. */
export const bodyLimit = 1_048_576

/** The Error replies of a deployment with this profile. */
export function createProblems(profile: Readonly<Profile>, replies: Replies): Problems {
  const problem = (
    status: number,
    message: string,
    { headers, code, reason = 'error.body' }: Details = {},
  ): MockReply => ({ ...replies.json(status, errorBody(profile, status, message, code), headers), reason })

  const kept401 = new Map<string, MockReply>()
  const challenge =
    profile['auth.www-authenticate'] === 'present'
      ? { 'www-authenticate': 'Bearer realm="Pet Store Service"' }
      : undefined

  return {
    badRequest: (message, reason) => problem(400, message, { reason }),
    unauthorized(message, reason) {
      const kind = `${reason} ${message}`
      const kept = kept401.get(kind) ?? Object.freeze(problem(401, message, { headers: challenge, reason }))
      kept401.set(kind, kept)
      return kept
    },
    refused: (status, message, reason) =>
      problem(Number(status), message, { headers: status === '401' ? challenge : undefined, reason }),
    getRefused: (status, message, reason) =>
      problem(Number(status), message, {
        // Nothing but OPTIONS is left of it when it is removed in this way.
        headers: status === '405' ? { allow: profile['http.options'].startsWith('20') ? 'OPTIONS' : '' } : undefined,
        code: status === '404' ? profile['error.code.404'] : undefined,
        reason,
      }),
    methodNotAllowed: (status, method, allow, reason) =>
      problem(Number(status), `${method} is no operation here. There ${allow === '' ? 'is none' : `are ${allow}`}.`, {
        headers: status === '405' ? { allow } : undefined,
        reason,
      }),
    bodyTooLarge: () => problem(413, `The body is larger than ${bodyLimit} bytes.`),
    encodedBody: (encoding) =>
      problem(415, `The body has the Content-Encoding ${shown(encoding)}. Send it as it is, without one.`, {
        // RFC 9110 section 12.5.3: so the client knows that it is the coding.
        headers: { 'accept-encoding': 'identity' },
      }),
    full: () => problem(507, 'There is no room for another pet. Reset the mock to go on.'),
    ruled({ status, code, message, headers, body }, operation, rule) {
      // Only errors have a body of their own.
      const isEmpty = status === 204 || status === 304 || (status < 400 && body === undefined)
      if (isEmpty) return replies.empty(status, headers)
      const complete = status === 401 ? { ...challenge, ...headers } : headers
      if (body !== undefined) return replies.json(status, textOf(body, complete?.['content-type']), complete)
      const ownCode = operation === 'getPet' && status === 404 ? profile['error.code.404'] : undefined
      const source = rule === 'prefer' ? 'The Prefer header of the request' : `The rule ${rule}`
      return problem(status, message ?? `${source} asked for this response.`, {
        headers: complete,
        code: code ?? ownCode,
      })
    },
  }
}

interface Details {
  headers?: Record<string, string> | undefined
  code?: string | undefined
  reason?: string | undefined
}

/** A string whose type is not JSON is sent as it is: HTML, text. */
function textOf(body: JsonValue | object, contentType: string | undefined): string {
  const isJson = contentType === undefined || /^[^;]*[/+]json\s*(;|$)/i.test(contentType)
  return typeof body === 'string' && !isJson ? body : printJson(body)
}

/** The Error body as text. */
function errorBody(profile: Readonly<Profile>, status: number, message: string, code?: string): string {
  const known = code ?? codeOf(profile, status)
  const body = { code: known, message, status }
  return JSON.stringify(profile['error.extra-members'] === 'present' ? { ...body, details: [] } : body)
}

function codeOf(profile: Readonly<Profile>, status: number): string {
  if (status === 400) return profile['error.code.400']
  if (status === 401) return profile['error.code.401']
  return codes[status] ?? 'error'
}
