import { type JsonValue, printJson } from '../../json.ts'
import { describeValue } from '../../validate.ts'
import type { Profile } from '../../spec/behaviors.ts'
import { statusTexts } from '../../spec/http.ts'
import { type OperationId, operations } from '../../spec/operations.ts'
import type { KeyRejection } from './authenticate.ts'
import { exposedHeaders } from './cors.ts'
import type { MockReply } from './message.ts'
import type { ErrorStatus, Rejection } from './parameters.ts'
import type { RuleReply } from '../schemas/schemas.gen.ts'

type Headers = Readonly<Record<string, string>>

export type Replies = ReturnType<typeof createReplies>

/** Codes that differ from the reason phrase of the status. */
const ownCodes: Readonly<Record<number, string>> = {
  413: 'body_too_large',
  414: 'target_too_long',
  422: 'unprocessable',
  431: 'headers_too_large',
  500: 'internal_error',
}

/** The code of a status: `not_found`. */
export const codeOfStatus = (status: number): string =>
  ownCodes[status] ?? (statusTexts[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_')

/** The message of an error that a rule or the header `Prefer` requested without one. */
export const messageOfRule = (rule: string): string =>
  `This response was requested by ${rule === 'prefer' ? 'the Prefer header' : rule}.`

/** The largest request body in bytes: 1 MiB. */
export const bodyLimit = 1_048_576

export function ifPresent<Part extends object>(
  option: 'present' | 'absent',
  part: Part,
): Partial<Part> {
  const nothing: Partial<Part> = {}
  return option === 'present' ? part : nothing
}

/** Builds replies with the headers that the profile adds to all of them. */
export function createReplies(profile: Readonly<Profile>) {
  const cors = { 'any-origin': true, none: false }[profile['http.cors']]
  const always = {
    ...(cors && { 'access-control-allow-origin': '*' }),
    // The format of the IETF draft. The values are constant.
    ...ifPresent(profile['rate-limit.headers'], {
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=999;t=60',
    }),
  }

  const withAlways = (headers: Headers): Headers =>
    Object.freeze({
      ...always,
      ...headers,
      ...(cors && exposedHeaders({ ...headers, ...always })),
    })
  const plain = withAlways({})
  const plainJson = withAlways({ 'content-type': 'application/json' })
  /** Headers of a JSON reply: frozen, so that adapters can cache what they derive from them. */
  const jsonHeaders = (headers?: Headers): Headers =>
    headers === undefined
      ? plainJson
      : withAlways({ 'content-type': 'application/json', ...headers })

  return {
    jsonHeaders,
    json: (status: number, body: string, headers?: Headers): MockReply => ({
      status,
      headers: jsonHeaders(headers),
      body,
    }),
    empty: (status: number, headers?: Headers): MockReply => ({
      status,
      headers: headers === undefined ? plain : withAlways(headers),
      body: '',
    }),
    withHeaders: (reply: MockReply, headers: Headers): MockReply => ({
      ...reply,
      headers: withAlways({ ...reply.headers, ...headers }),
    }),
  }
}

/** Builds "an Error body (`code`, `message`, `status`; all required)". `reason` is the requirement or behavior. */
export function createProblems(profile: Readonly<Profile>, replies: Replies) {
  const challenge = ifPresent(profile['auth.www-authenticate'], {
    'www-authenticate': 'Bearer realm="Pet Store Service"',
  })
  const extraFields = ifPresent(profile['error.extra-fields'], { details: [] })
  // The same objects each time, which adapters cache.
  const plain = replies.jsonHeaders()
  const rejections = new Map<KeyRejection, MockReply>()
  const challenged = Object.keys(challenge).length > 0 ? replies.jsonHeaders(challenge) : plain

  function problem(
    status: number,
    message: string,
    {
      headers,
      code,
      reason = 'error.body',
    }: { headers?: Headers | undefined; code?: string; reason?: string | undefined } = {},
  ): MockReply {
    const text = JSON.stringify({ code: code ?? codeOf(status), message, status, ...extraFields })
    const isChallenge = status === 401
    if (headers === undefined)
      return { status, headers: isChallenge ? challenged : plain, body: text, reason }
    return { ...replies.json(status, text, { ...(isChallenge && challenge), ...headers }), reason }
  }

  function codeOf(status: number, operation?: OperationId): string {
    if (status === 400) return profile['error.code.400']
    if (status === 401) return profile['error.code.401']
    if (status === 404 && operation && operations[operation].path.includes('{petId}'))
      return profile['error.code.404']
    return codeOfStatus(status)
  }

  return {
    unauthorized(rejection: KeyRejection): MockReply {
      const reply =
        rejections.get(rejection) ?? Object.freeze(problem(401, rejection.message, rejection))
      rejections.set(rejection, reply)
      return reply
    },
    /** @param operation whose 404 the profile may give a code of its own. */
    rejected: (
      status: ErrorStatus | number,
      message: string,
      reason?: string,
      operation?: OperationId,
    ): MockReply =>
      problem(Number(status), message, { code: codeOf(Number(status), operation), reason }),
    rejectedFor: ({ rejected, message, reason }: Rejection): MockReply =>
      problem(Number(rejected), message, { reason }),
    methodNotAllowed: (
      status: ErrorStatus,
      method: string,
      allow: string,
      reason: string,
    ): MockReply =>
      problem(
        Number(status),
        `Method ${method} is not allowed; allowed: ${allow === '' ? 'none' : allow}.`,
        {
          ...(status === '405' && { headers: { allow } }),
          reason,
        },
      ),
    encodedBody: (encoding: string): MockReply =>
      problem(
        415,
        `The body has the Content-Encoding ${describeValue(encoding)}. Send it as it is, without one.`,
        {
          // RFC 9110 section 12.5.3: says that the problem is the coding, not the media type.
          headers: { 'accept-encoding': 'identity' },
        },
      ),
    /** @param rule the id of the rule, or `prefer`. */
    ruled(
      { status, code, message, headers, body }: RuleReply,
      operation: OperationId,
      rule: string,
    ): MockReply {
      // Only errors have a default body.
      const isEmpty = [204, 205, 304].includes(status) || (status < 400 && body === undefined)
      if (isEmpty) return replies.empty(status, headers)
      if (body === undefined) {
        return problem(status, message ?? messageOfRule(rule), {
          headers,
          code: code ?? codeOf(status, operation),
        })
      }
      const complete = status === 401 ? { ...challenge, ...headers } : headers
      return replies.json(status, textOf(body, complete?.['content-type']), complete)
    },
  }
}

/** A string with another type than JSON, such as HTML, is sent without quotes. */
function textOf(body: JsonValue | object, contentType: string | undefined): string {
  const isJson = contentType === undefined || /^[^;]*[/+]json\s*(;|$)/i.test(contentType)
  return typeof body === 'string' && !isJson ? body : printJson(body)
}

/** Adds headers with the requirement or behavior of a reply, and a link to its text in the control API. */
export function explained(reply: MockReply, replies: Replies): MockReply {
  const { reason, rule } = reply
  const sources = [reason, rule].filter((source) => source !== undefined)
  if (sources.length === 0) return reply
  return replies.withHeaders(reply, {
    'petstore-explain': sources.join(', '),
    ...(reason !== undefined && {
      link: `</_petstore/explain/${reason.split('=')[0]}>; rel="help"`,
    }),
  })
}
