import { credentialsOf, hideCredential, hideInUrls, isSecretName } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import type { HttpRequest } from '../spec/http.ts'
import type { MockReply, MockRequest } from './message.ts'
import { type FindRoute, operationOf } from './route.ts'
import type { JournalEntry } from './types.ts'

/** One request and its reply, as they came: keys are in it. */
export interface RecordedEntry {
  /** 1, 2, 3 and so on, in each sandbox. */
  readonly number: number
  /** Milliseconds since 1970, by the system's clock. */
  readonly at: number
  /** Whole milliseconds since some moment. They go on while the clock stands still, and move along when it is moved. */
  readonly elapsed: number
  /** Whether getPet was removed, by the clock of the sandbox. */
  readonly isRemoved: boolean
  /** How often the pets were replaced before. */
  readonly era: number
  readonly method: string
  readonly target: string
  readonly headers: HttpRequest['headers']
  readonly body: string
  readonly bodyFault?: Exclude<MockRequest['bodyFault'], undefined>
  reply: MockReply
  /** What is known of the body of the reply, which has left. */
  glance: Glance | undefined
  /** The client closed the connection before all of a reply that takes time was sent. */
  abandoned: boolean
  /** About what it takes, in bytes. */
  bytes: number
}

/** What a scorecard reads of a response body. */
export interface Glance {
  /** How many pets it shows, and the id of the first. */
  pets: number
  first: string | undefined
  status: string | undefined
  /** Integers that a double may not hold. */
  large: { id: string[]; categoryId: string[] }
}

/** Characters of a body that are shown: 16 KiB. */
const longestBody = 16_384
const longestHeader = 2_048

const redacted = '[redacted]'
/** Redacting shorter keys would redact half of the text. */
const shortestKey = 4
const anySandboxKey = /petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}/gi

/**
 * Formats entries without secrets: neither keys and tokens of this mock, nor what the request presents as a credential,
 * wherever in the entry they stand.
 *
 * @param secrets the keys that lead to this sandbox, and whatever else no entry may show
 */
export function toJournalEntry(
  findRoute: FindRoute,
  secrets: readonly string[],
): (recorded: RecordedEntry) => JournalEntry {
  const own = [...new Set(secrets)].filter(({ length }) => length >= shortestKey)
  let usual: Redact | undefined
  return ({ number, at, method, target, headers, body, reply, glance, abandoned }) => {
    const foreign = credentialsOf({ target, headers }).filter((credential) => !own.includes(credential))
    const hide =
      foreign.length === 0
        ? (usual ??= createRedactor({ [redacted]: [...own, anySandboxKey] }))
        : createRedactor({ [redacted]: [...own, ...foreign, anySandboxKey] })
    const cut = (text: string): string => {
      // Redaction shortens the text, so that more of it is read than is shown.
      const hidden = hide(text.slice(0, 2 * longestBody))
      const isCut = hidden.length > longestBody || text.length > 2 * longestBody
      return isCut ? `${hidden.slice(0, longestBody)}... (${text.length} characters)` : hidden
    }
    const [route, name] = [findRoute(target), method.toUpperCase()]
    return {
      number,
      at: new Date(at).toISOString(),
      operation: operationOf('without' in route ? route.without : route, name === 'HEAD' ? 'GET' : name),
      request: {
        method: cut(method),
        target: cut(hideInUrls(target, redacted)),
        headers: shownHeaders(headers, hide),
        body: cut(body),
      },
      response: {
        status: reply.status,
        headers: shownHeaders(reply.headers, hide) as Record<string, string>,
        body: cut(reply.body),
      },
      ...(reply.reason !== undefined && { reason: reply.reason }),
      ...(reply.rule !== undefined && { rule: hide(reply.rule) }),
      ...(glance !== undefined && { bodyDropped: true }),
      ...(abandoned && { abandoned: true }),
    }
  }
}

/** A scheme stays: `Bearer [redacted]` says more than nothing. */
function shownHeaders(headers: MockRequest['headers'], hide: Redact): JournalEntry['request']['headers'] {
  const shown: [string, string | string[]][] = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const show = (text: string): string =>
      isSecretName(name)
        ? hideCredential(text, redacted)
        : hide(hideInUrls(text.slice(0, 2 * longestHeader), redacted)).slice(0, longestHeader)
    shown.push([hide(name), typeof value === 'string' ? show(value) : value.map(show)])
  }
  return Object.fromEntries(shown)
}

/** A text within JSON cannot hold `"id":` unescaped, so that nothing needs to be parsed. */
export function glanceAt(body: string): Glance {
  const glance: Glance = { pets: 0, first: undefined, status: undefined, large: { id: [], categoryId: [] } }
  for (const [, field, digits = ''] of body.matchAll(/"(id|categoryId)":\s*(-?\d+)(?=\s*[,}])/g)) {
    if (field === 'id') {
      glance.pets += 1
      glance.first ??= digits
    }
    if (digits.length >= 16 && digits.length <= 20) glance.large[field as 'id' | 'categoryId'].push(digits)
  }
  glance.status = /"status":\s*"(available|pending|sold)"/.exec(body)?.[1]
  return glance
}
