import { describeValue } from '../../validate.ts'
import { plainFaults } from '../schemas/faults.ts'
import type { Rule, RuleReply } from '../schemas/schemas.gen.ts'

/** The preferences of a request, in the form of a rule. */
export interface Preferred extends Pick<Rule, 'reply' | 'fault'> {
  delayMs?: number
  /** The request wants the ordinary response, whatever rules say. */
  ordinary?: true
  /** The header `Preference-Applied`. It does not name `code` with the status of success, which may still be an error. */
  applied: string
}

/** Seconds. */
const maxDelay = 60
/** Seconds; the default is for 429 and 503. */
const maxRetryAfter = 3_600
const defaultRetryAfter = '1'

/** The values of `fault`. `html` is the error page of a gateway. */
const faults: Readonly<Record<string, Pick<Rule, 'reply' | 'fault'>>> = {
  ...Object.fromEntries(plainFaults.map((fault) => [fault, { fault }])),
  'slow-body': { fault: { slowBodyMs: 2_000 } },
  html: {
    reply: {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n',
    },
  },
}

/**
 * Reads the header `Prefer` (RFC 7240): `code=503`, `delay=2` in seconds, `fault=reset`, `fault=silence`,
 * `fault=empty-response` and the other names of faults, `fault=html` for the page of a gateway, `retry-after=2`
 * in seconds for an error. Unknown preferences are ignored, as the RFC says.
 *
 * @param success the status of the ordinary response, which is also a valid `code`.
 * @returns undefined without a known preference, and a message when one is invalid.
 */
export function readPrefer(
  header: string | string[],
  success: number,
): Preferred | string | undefined {
  const preferences = readPreferences(typeof header === 'string' ? header : header.join(','))
  const known = Object.entries(preferencesWith(String(success))).filter(([name]) =>
    preferences.has(name),
  )
  for (const [name, [takes, isValid]] of known) {
    const value = preferences.get(name) ?? ''
    if (!isValid(value)) return `Prefer: ${name} is ${takes}, but was ${describeValue(value)}.`
  }
  if (known.length === 0) return undefined
  const { code, delay, fault, 'retry-after': retryAfter } = Object.fromEntries(preferences)
  const isOrdinary = code === String(success)
  const { reply: page, ...broken } = faults[fault ?? ''] ?? {}
  const reply = {
    ...page,
    ...(code !== undefined && !isOrdinary && { status: Number(code) }),
  } as RuleReply
  if (reply.status === undefined && retryAfter !== undefined) {
    return 'Prefer: retry-after belongs to an error: add a code, such as code=503.'
  }
  const isTemporary = reply.status === 429 || reply.status === 503
  const seconds = retryAfter ?? (isTemporary ? defaultRetryAfter : undefined)
  if (seconds !== undefined) reply.headers = { ...reply.headers, 'retry-after': seconds }
  const applied = known.filter(([name]) => name !== 'code' || !isOrdinary)
  return {
    ...(isOrdinary && { ordinary: true }),
    ...broken,
    ...(reply.status !== undefined && { reply }),
    ...(delay !== undefined && { delayMs: Number(delay) * 1000 }),
    applied: applied.map(([name]) => `${name}=${preferences.get(name)}`).join(', '),
  }
}

type Preference = readonly [takes: string, isValid: (value: string) => boolean]

const preferencesWith = (success: string): Readonly<Record<string, Preference>> => ({
  code: [
    `${success}, which is the ordinary response, or a status from 400 to 599`,
    (value) => value === success || /^[45]\d\d$/.test(value),
  ],
  delay: [
    `a number of seconds from 0 to ${maxDelay}`,
    (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= maxDelay,
  ],
  fault: [`one of ${Object.keys(faults).join(', ')}`, (value) => Object.hasOwn(faults, value)],
  'retry-after': [
    `a number of seconds from 0 to ${maxRetryAfter}`,
    (value) => /^\d{1,4}$/.test(value) && Number(value) <= maxRetryAfter,
  ],
})

/** Values by lower-case name. "If any preference is specified more than once, only the first" counts. */
function readPreferences(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  // Separators in quotes do not count. An open quote extends to the end, which keeps the matching linear.
  for (const [part] of header.matchAll(/(?:"(?:\\.?|[^"\\])*"?|[^,;"])+/gs)) {
    const [first = '', ...rest] = part.split('=')
    const name = first.trim().toLowerCase()
    const value = rest.join('=').trim()
    const bare = /^".*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
    if (!preferences.has(name)) preferences.set(name, bare)
  }
  return preferences
}
