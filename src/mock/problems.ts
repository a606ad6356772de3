import type { Profile } from '../spec/choices.ts'
import type { MockReply } from './message.ts'
import type { Replies } from './replies.ts'

/** The Error replies. "Every error response carries an Error body (`code`, `message`, `status`; all required)." */
export interface Problems {
  badRequest(message: string): MockReply
  unauthorized(message: string): MockReply
  /** The request is refused with a status that the profile chose. */
  refused(status: string, message: string): MockReply
  /** As `refused`, by getPet: its 404 has a code of its own. */
  getRefused(status: string, message: string): MockReply
  methodNotAllowed(status: string, method: string, allow: string): MockReply
  bodyTooLarge(): MockReply
}

/** Codes of the statuses for which the profile has none. */
const codes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  413: 'body_too_large',
  414: 'target_too_long',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'not_implemented',
}

/** Bytes of a request body that are read: 1 MiB. */
export const bodyLimit = 1_048_576

/** The Error replies of a deployment with this profile. */
export function createProblems(profile: Readonly<Profile>, replies: Replies): Problems {
  const problem = (status: number, message: string, headers?: Record<string, string>, code?: string): MockReply =>
    replies.json(status, errorBody(profile, status, message, code), headers)

  const kept401 = new Map<string, MockReply>()
  const challenge =
    profile['auth.www-authenticate'] === 'present'
      ? { 'www-authenticate': 'Bearer realm="Pet Store Service"' }
      : undefined

  return {
    badRequest: (message) => problem(400, message),
    unauthorized(message) {
      const kept = kept401.get(message) ?? problem(401, message, challenge)
      kept401.set(message, kept)
      return kept
    },
    refused: (status, message) =>
      status === '401' ? problem(401, message, challenge) : problem(Number(status), message),
    getRefused: (status, message) =>
      problem(Number(status), message, undefined, status === '404' ? profile['error.code.404'] : undefined),
    methodNotAllowed: (status, method, allow) =>
      problem(Number(status), `${method} is no operation here. There are ${allow}.`, status === '405' ? { allow } : {}),
    bodyTooLarge: () => problem(413, `The body is larger than ${bodyLimit} bytes.`),
  }
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
