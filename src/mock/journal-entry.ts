import { credentialsOf, hideCredential, hideInUrls, isSecretName } from '../report/credentials.ts'
import { createRedactor, type Redact } from '../report/redact.ts'
import { parseJson } from '../json.ts'
import type { HttpRequest } from '../spec/http.ts'
import type { OperationId } from '../spec/operations.ts'
import type { ExactPet } from '../spec/types.ts'
import { printPet, type StoredPet } from './catalog.ts'
import type { JudgedResponse, MockReply, MockRequest } from './message.ts'
import { type FindRoute, operationOf } from './route.ts'
import type { PetChange } from './store.ts'
import type { RequestIssue } from './scorecard/types.ts'

/** A request and its response, as the journal shows them: without keys, and bodies cut at 16 KiB. */
export interface JournalEntry {
  /** 1, 2, 3 and so on. */
  number: number
  /** When it came, in UTC: `2026-11-20T12:00:00.000Z`. Always the system's clock. */
  at: string
  /** Milliseconds from the arrival of the whole request to its response: what deciding it took, and `delayMs`. */
  durationMs: number
  /** How long a rule or the request delayed the response: milliseconds. */
  delayMs?: number
  /** What the client sees in place of the whole response. */
  fault?: 'reset' | 'silence' | 'truncated-body' | 'slow-body'
  /** Undefined for what is no operation. */
  operation: OperationId | undefined
  request: { method: string; target: string; headers: Record<string, string | string[]>; body: string }
  response: { status: number; headers: Record<string, string>; body: string }
  /** The requirement, or the unspecified behavior with its option, that made the response: `list.order=by-name`. */
  reason?: string
  /** The id of the rule that made the response, or `prefer`. */
  rule?: string
  /** The same in parts. */
  source: ResponseSource
  /** What the request did to the pets of the sandbox, in order. */
  changes?: { before?: ExactPet; after?: ExactPet }[]
  /** The client closed the connection before all of the response was sent, most often for a timeout of its own. */
  abandoned?: true
  /** The body of the response is no longer kept, since there were others. */
  bodyDropped?: true
  /** How the response of a deployment was judged, in the journal of `petstore proxy`. */
  judged?: JudgedResponse
}

/** An entry without headers and bodies. */
export interface JournalSummary extends Omit<JournalEntry, 'request' | 'response'> {
  request: Pick<JournalEntry['request'], 'method' | 'target'>
  response: Pick<JournalEntry['response'], 'status'>
}

export interface Inspected {
  issues: RequestIssue[]
}

/** What made a response. */
export interface ResponseSource {
  /** The id of the requirement that it keeps. */
  requirement?: string
  /** The id of the unspecified behavior that it shows, and the active option. */
  behavior?: string
  option?: string
  /** The id of the rule that responded, delayed or limited, or `prefer`. */
  rule?: string
  /** The ids of the deliberate defects that changed the request, the pets or the response. */
  defects?: readonly string[]
}

export interface JournalFilter {
  operation?: OperationId
  status?: number
  method?: string
  /** Only entries after this number, and only those before this one. */
  after?: number
  before?: number
  /** At most so many: the latest. */
  limit?: number
}

/** The latest requests: at most 10,000, and 32 MiB of all sandboxes together. Response bodies leave first. */
export interface Journal {
  /** In the order in which they came. */
  list: (filter?: JournalFilter) => JournalEntry[]
  /** As `list`, at less cost. */
  summaries: (filter?: JournalFilter) => JournalSummary[]
  /** The numbers of the oldest entry that is kept and of the latest one, and of the latest that was cleared: 0 for none. */
  readonly range: { readonly first: number; readonly last: number; readonly cleared: number }
  /** As `list`, as an HTTP archive (HAR 1.2), which browsers and proxies import. */
  toHar: (filter?: JournalFilter) => Promise<{ log: { version: string; creator: object; entries: object[] } }>
  /** The latest, such as `last({ operation: 'createPet' })`. */
  last: (filter?: JournalFilter) => JournalEntry | undefined
  /** The first entry that fits and comes from now on. Rejects when none comes in time: 5,000 ms by default. */
  waitFor: (filter?: JournalFilter, options?: { timeoutMs?: number }) => Promise<JournalEntry>
  /** Calls back for each entry from now on, and returns what ends that. */
  subscribe: (listener: (entry: JournalEntry) => void) => () => void
  /** Forgets all entries: the scorecard begins anew. */
  clear: () => void
}

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
  extract: BodyExtract | undefined
  /** The client closed the connection before all of a reply that takes time was sent. */
  abandoned: boolean
  /** About what it takes, in bytes. */
  bytes: number
  /** How long it took to decide the reply, in whole microseconds. */
  readonly microseconds: number
  /** What it did to the pets. */
  changes: readonly PetChange[]
}

/** What a scorecard reads of a response body. */
export interface BodyExtract {
  /** How many pets it shows, and the id of the first. */
  pets: number
  first: string | undefined
  status: string | undefined
  /** Integers that a double may not hold. */
  large: { id: string[]; categoryId: string[] }
}

/** Characters of a body that are shown: 16 KiB. */
const maxBodyLength = 16_384
const maxHeaderLength = 2_048

const redacted = '[redacted]'
/** Redacting shorter keys would redact half of the text. */
const minKeyLength = 4
const anySandboxKey = /petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}/gi

/** Makes what redacts the texts of a request and its response: the keys that lead here, and what it presents as one. */
export function createHide(secrets: readonly string[]): (request: Pick<HttpRequest, 'target' | 'headers'>) => Redact {
  const own = [...new Set(secrets)].filter(({ length }) => length >= minKeyLength)
  let latest: { credentials: string; hide: Redact } | undefined
  return ({ target, headers }) => {
    const foreign = credentialsOf({ target, headers }).filter((credential) => !own.includes(credential))
    const credentials = foreign.join('\n')
    // Most requests of a client present what the one before presented.
    if (latest?.credentials !== credentials) {
      latest = { credentials, hide: createRedactor({ [redacted]: [...own, ...foreign, anySandboxKey] }) }
    }
    return latest.hide
  }
}

/** How entries are shown. */
interface Formats {
  format: (recorded: RecordedEntry) => JournalEntry
  summarize: (recorded: RecordedEntry) => JournalSummary
}

/**
 * Formats entries without secrets: neither keys and tokens of this mock, nor what the request presents as a credential,
 * wherever in the entry they stand.
 *
 * @param secrets the keys that lead to this sandbox, and whatever else no entry may show
 */
export function createFormats(findRoute: FindRoute, secrets: readonly string[]): Formats {
  const hideIn = createHide(secrets)

  function summarize(recorded: RecordedEntry, hide = hideIn(recorded)): JournalSummary {
    const { number, at, method, target, reply, extract, abandoned, changes } = recorded
    const [route, name] = [findRoute(target), method.toUpperCase()]
    return {
      number,
      at: new Date(at).toISOString(),
      durationMs: Math.round(recorded.microseconds + 1000 * (reply.delayMs ?? 0)) / 1000,
      operation: operationOf('without' in route ? route.without : route, name === 'HEAD' ? 'GET' : name),
      request: { method: cut(method, hide), target: cut(hideInUrls(target, redacted), hide) },
      response: { status: reply.status },
      ...(reply.delayMs !== undefined && { delayMs: reply.delayMs }),
      ...(reply.wire !== undefined && faultOf(reply.wire)),
      ...(reply.reason !== undefined && { reason: reply.reason }),
      ...(reply.rule !== undefined && { rule: hide(reply.rule) }),
      source: sourceOf(reply),
      ...(changes.length > 0 && { changes: changes.map((change) => shownChange(change, hide)) }),
      ...(extract !== undefined && { bodyDropped: true }),
      ...(abandoned && { abandoned: true }),
      ...(reply.judged !== undefined && { judged: reply.judged }),
    }
  }

  return {
    summarize,
    format(recorded) {
      const { headers, body, reply } = recorded
      const hide = hideIn(recorded)
      const summary = summarize(recorded, hide)
      return {
        ...summary,
        request: { ...summary.request, headers: shownHeaders(headers, hide), body: cut(body, hide) },
        response: {
          ...summary.response,
          headers: shownHeaders(reply.headers, hide) as Record<string, string>,
          body: cut(reply.body, hide),
        },
      }
    },
  }
}

/** Redaction shortens a text, so that more of it is read than is shown. */
function cut(text: string, hide: Redact): string {
  const hidden = hide(text.slice(0, 2 * maxBodyLength))
  const isCut = hidden.length > maxBodyLength || text.length > 2 * maxBodyLength
  return isCut ? `${hidden.slice(0, maxBodyLength)}... (${text.length} characters)` : hidden
}

/** The parts of a reason, which is a text: `list.order=by-name`. */
function sourceOf({ reason, rule, defects }: MockReply): ResponseSource {
  const [id = '', ...option] = reason?.split('=') ?? []
  return {
    ...(option.length > 0 && { behavior: id, option: option.join('=') }),
    ...(reason !== undefined && option.length === 0 && { requirement: id }),
    ...(rule !== undefined && { rule }),
    ...(defects !== undefined && { defects }),
  }
}

function faultOf(wire: NonNullable<MockReply['wire']>): Pick<JournalEntry, 'fault'> {
  if (wire.reset) return { fault: 'reset' }
  if (wire.silent) return { fault: 'silence' }
  if (wire.bodyMs !== undefined) return { fault: 'slow-body' }
  return (wire.contentLength ?? 0) > (wire.bytes?.length ?? Infinity) ? { fault: 'truncated-body' } : {}
}

/** A pet without secrets; of a large one the fields of the specification, its name cut. Undefined when an integer is a secret. */
function shownPet(pet: StoredPet, hide: Redact): ExactPet | undefined {
  const { id, name, categoryId, status } = pet
  const whole = printPet(pet)
  const text =
    whole.length > maxBodyLength ? printPet({ id, name: name.slice(0, maxHeaderLength), categoryId, status }) : whole
  try {
    return parseJson(hide(text)) as unknown as ExactPet
  } catch {
    return undefined
  }
}

function shownChange({ before, after }: PetChange, hide: Redact): NonNullable<JournalEntry['changes']>[number] {
  const [was, is] = [before && shownPet(before, hide), after && shownPet(after, hide)]
  return { ...(was && { before: was }), ...(is && { after: is }) }
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
        : hide(hideInUrls(text.slice(0, 2 * maxHeaderLength), redacted)).slice(0, maxHeaderLength)
    shown.push([hide(name), typeof value === 'string' ? show(value) : value.map(show)])
  }
  return Object.fromEntries(shown)
}

/** A text within JSON cannot hold `"id":` unescaped, so that nothing needs to be parsed. */
export function extractBody(body: string): BodyExtract {
  const extract: BodyExtract = { pets: 0, first: undefined, status: undefined, large: { id: [], categoryId: [] } }
  for (const [, field, digits = ''] of body.matchAll(/"(id|categoryId)":\s*(-?\d+)(?=\s*[,}])/g)) {
    if (field === 'id') {
      extract.pets += 1
      extract.first ??= digits
    }
    if (digits.length >= 16 && digits.length <= 20) extract.large[field as 'id' | 'categoryId'].push(digits)
  }
  extract.status = /"status":\s*"(available|pending|sold)"/.exec(body)?.[1]
  return extract
}
