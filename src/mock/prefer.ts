import type { Rule, RuleReply } from './types.ts'

/** What a request prefers, as a rule for itself. */
export interface Preferred extends Pick<Rule, 'reply' | 'delayMs' | 'fault'> {
  /** The ordinary response, whatever rules say. */
  ordinary?: true
  /** For the header `Preference-Applied`. That the response is ordinary shows by itself, and may be an error. */
  applied: string
}

/** The longest delay that a request may choose: seconds. */
const longestDelay = 60
/** The longest Retry-After, in seconds, and that of 429 and 503 without one. */
const longestRetryAfter = 3_600
const usualRetryAfter = 1

/** What a gateway sends when the service behind it fails. */
const gatewayPage: RuleReply = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n',
}

const faults = { reset: 'reset', silence: 'silence', truncate: 'truncated-body' } as const

/**
 * Reads the header `Prefer` (RFC 7240): `code=503`, `delay=2` in seconds, `fault=reset`, `fault=silence`,
 * `fault=truncate`, `fault=slow`, `fault=html` for the page of a gateway, `retry-after=2` in seconds for an error. What
 * it does not know is left alone, as the RFC says.
 *
 * @param success the status of the ordinary response, which `code` may choose, too.
 * @returns undefined when nothing of it concerns the mock; a text when it does and is wrong.
 */
export function readPrefer(header: string | string[], success: number): Preferred | string | undefined {
  const preferred: Preferred = { applied: '' }
  const applied: string[] = []
  let retryAfter: number | undefined
  const preferences = readPreferences(typeof header === 'string' ? header : header.join(','))
  for (const [name, value] of preferences) {
    switch (name) {
      case 'code': {
        const status = /^\d{3}$/.test(value) ? Number(value) : Number.NaN
        if (status === success) preferred.ordinary = true
        else if (status >= 400 && status <= 599) {
          preferred.reply = { ...preferred.reply, status }
          applied.push(`code=${status}`)
        } else {
          return `Prefer: code is ${success}, which is the ordinary response, or a status from 400 to 599, and was ${shown(value)}.`
        }
        break
      }
      case 'delay': {
        const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
        if (!(seconds <= longestDelay)) {
          return `Prefer: delay is a number of seconds from 0 to ${longestDelay}, and was ${shown(value)}.`
        }
        preferred.delayMs = seconds * 1000
        applied.push(`delay=${seconds}`)
        break
      }
      case 'fault': {
        if (value === 'slow') preferred.fault = { slowBodyMs: 2_000 }
        else if (value === 'html') preferred.reply = { ...gatewayPage, ...preferred.reply }
        else if (Object.hasOwn(faults, value)) preferred.fault = faults[value as keyof typeof faults]
        else return `Prefer: fault is one of reset, silence, truncate, slow, html, and was ${shown(value)}.`
        applied.push(`fault=${value}`)
        break
      }
      case 'retry-after': {
        retryAfter = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN
        if (!(retryAfter <= longestRetryAfter)) {
          return `Prefer: retry-after is a number of seconds from 0 to ${longestRetryAfter}, and was ${shown(value)}.`
        }
        break
      }
      default:
    }
  }
  const { reply } = preferred
  if (reply !== undefined) {
    const seconds = retryAfter ?? (reply.status === 429 || reply.status === 503 ? usualRetryAfter : undefined)
    if (seconds !== undefined) {
      preferred.reply = { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } }
    }
    if (retryAfter !== undefined) applied.push(`retry-after=${retryAfter}`)
  } else if (retryAfter !== undefined) return 'Prefer: retry-after belongs to an error: add a code, such as code=503.'
  preferred.applied = applied.join(', ')
  return applied.length === 0 && !preferred.ordinary ? undefined : preferred
}

/** Names, in lower case, and values. "If any preference is specified more than once, only the first" counts. */
function readPreferences(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  // A separator within quotes separates nothing. Open quotes go on to the end, so that nothing is read twice.
  for (const [part] of header.matchAll(/(?:"(?:\\.?|[^"\\])*"?|[^,;"])+/gs)) {
    const equals = part.indexOf('=')
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toLowerCase()
    const value = equals === -1 ? '' : part.slice(equals + 1).trim()
    const bare = /^".*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
    if (!preferences.has(name)) preferences.set(name, bare)
  }
  return preferences
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 60))
}
