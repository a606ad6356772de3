import { detach } from '../../errors.ts'
import {
  credentialsOf,
  hideCredential,
  hideInUrls,
  isSecretName,
  publicTexts,
} from '../../report/credentials.ts'
import { createRedactor, type Redact } from '../../report/redact.ts'
import { tryParseJson } from '../../validate.ts'
import { suiteUserAgent } from '../../spec/version.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { ExactPet } from '../../spec/types.ts'
import { interfaceWords } from '../../spec/operations.ts'
import { printPet, type StoredPet } from '../pets/pet.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import { messageOfRule } from '../service/replies.ts'
import { type FindRoute, operationIn, withoutSlash } from '../service/route.ts'
import type { PetChange } from '../pets/store.ts'
import type { Matchable } from '../rules/condition.ts'
import type { JournalSummary, ResponseSource, RuleCondition } from '../schemas/schemas.gen.ts'

export type { JournalSummary, ResponseSource } from '../schemas/schemas.gen.ts'

/** A request and its response in the journal: without keys, and with bodies cut at 16 KiB. */
export interface JournalEntry extends JournalSummary {
  request: {
    method: string
    target: string
    headers: Record<string, string | string[]>
    body: string
    /** Only the beginning of the body was recorded. */
    bodyCut?: true
  }
  response: { status: number; headers: Record<string, string>; body: string; bodyCut?: true }
}

/** The entries that match: all by default; each field narrows it. */
export interface JournalFilter {
  operation?: OperationId | undefined
  /** The status of the response. */
  status?: number | undefined
  /** In any letter case. */
  method?: string | undefined
  /** Only requests that match, as in a rule. They are compared as the journal shows them: without keys, bodies cut. */
  when?: RuleCondition | undefined
  /** Only entries with a higher number. */
  after?: number | undefined
  /** Only entries with a lower number. */
  before?: number | undefined
  /** At most this many: the latest. */
  limit?: number | undefined
}

/**
 * The latest requests: at most 10,000 (option `journal`), and 32 MiB of all sandboxes together. Beyond that, the largest journals lose their
 * oldest response bodies, then their oldest entries; 16 KiB of each journal are safe from other sandboxes.
 */
export interface Journal {
  /** Entries in the order of arrival. */
  list: (filter?: JournalFilter) => JournalEntry[]
  /** As `list`, but faster. */
  summaries: (filter?: JournalFilter) => JournalSummary[]
  /**
   * The numbers of the oldest and the latest entry, and of the last one that was cleared: 0 for none. `dropped` counts the
   * entries that were dropped since then, because all journals together were too large.
   */
  readonly range: {
    readonly first: number
    readonly last: number
    readonly cleared: number
    readonly dropped: number
  }
  /** As `list`, in the form of an HTTP archive (HAR 1.2) for browsers and proxies. */
  toHar: (
    filter?: JournalFilter,
  ) => Promise<{ log: { version: string; creator: object; entries: object[] } }>
  /** The latest entry: `last({ operation: 'createPet' })`. */
  last: (filter?: JournalFilter) => JournalEntry | undefined
  /**
   * Resolves with the first matching entry since the journal was cleared, as a reset does: at once if it is there. For the
   * next one, set `after: mock.journal.range.last`. Rejects after a timeout, 4,000 ms by default, and names the nearest
   * request.
   */
  waitFor: (
    filter?: JournalFilter,
    options?: { timeoutMs?: number | undefined },
  ) => Promise<JournalEntry>
  /** The entries that changed after they were recorded, with the number of the latest change of each, after a change. */
  changes: (after: number) => { number: number; change: number }[]
  /** Calls `listener` for each new entry. Returns a function that unsubscribes it. */
  subscribe: (listener: (entry: JournalEntry) => void) => () => void
  /** Removes all entries; the scorecard starts over. */
  clear: () => void
}

/** A request and its reply as recorded: keys are not redacted. */
export interface RecordedEntry extends Readonly<HttpRequest> {
  /** 1, 2, 3 and so on, in each sandbox. */
  readonly number: number
  /** Milliseconds since 1970, by the system's clock. */
  readonly at: number
  /** The stopwatch of the sandbox in whole milliseconds. */
  readonly elapsed: number
  /** Whether getPet was removed, by the clock of the sandbox. */
  readonly isRemoved: boolean
  /** The number of the latest request before the pets were replaced. */
  readonly era: number
  /** How often the rules of the sandbox had been changed. */
  readonly rules: number
  /** The connection and the address of the client: 0 and empty where an adapter does not know them. */
  readonly connection: number
  readonly address: string
  /**
   * What separates its client from those of other entries: where it was recorded, if not here, since connections have other
   * numbers there; or the hash of an address and a User-Agent that are not kept.
   */
  readonly origin?: string
  bodyFault?: Exclude<MockRequest['bodyFault'], undefined>
  rejection?: Exclude<MockRequest['rejection'], undefined>
  reply: MockReply
  /** Replaces the body of the reply once that was dropped. */
  extract: BodyExtract | undefined
  /** The tally of a scorer that it is in. */
  countedIn?: object | undefined
  /** The client disconnected before a delayed or slow reply was sent. */
  abandoned: boolean
  /** The number of the latest change, of all that entries of the journal had after they were recorded. */
  change?: number
  /** How long such a client waited, or one of a proxy. */
  waitedMs?: number
  bytes: number
  readonly microseconds: number
  changes: readonly PetChange[]
}

/** What a scorecard needs of a response body. */
export interface BodyExtract {
  /** The number of pets, and the id of the first. */
  pets: number
  first: string | undefined
  status: string | undefined
  /** Integers that a double may not hold. */
  large: { id: string[]; categoryId: string[] }
}

const maxBodyLength = 16_384
const maxHeaderLength = 2_048
/** A longer secret is recognized by its beginning. */
const maxSecretLength = 1_024

const redacted = '[redacted]'
/** Redacting shorter keys would make the text unreadable. */
const minKeyLength = 4
export const anySandboxKey = /petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}/gi

/** Words that redaction keeps. Base paths are mostly versions. */
export const publicText = publicTexts([...interfaceWords, 'v1'])

/** Creates redactors for requests and their responses: of the given secrets, and of the credentials in the request. */
export function createHide(
  secrets: readonly string[],
): (request: Pick<HttpRequest, 'target' | 'headers'>) => Redact {
  const own = secrets.filter(({ length }) => length >= minKeyLength)
  let latest: { credentials: string; hide: Redact } | undefined
  return ({ target, headers }) => {
    const foreign = credentialsOf({ target, headers }).filter(
      (credential) => !own.includes(credential),
    )
    const credentials = foreign.join('\n')
    // Clients usually repeat the same credentials.
    if (latest?.credentials !== credentials) {
      latest = {
        credentials,
        hide: createRedactor({ [redacted]: [...own, ...foreign, anySandboxKey] }, publicText),
      }
    }
    return latest.hide
  }
}

/** Formats entries without `secrets`, keys and tokens of this mock, and credentials of the request, wherever they occur. */
export function createFormats(findRoute: FindRoute, secrets: readonly string[]) {
  const hideIn = createHide(secrets)

  function summarize(recorded: RecordedEntry, hide = hideIn(recorded)): JournalSummary {
    const { number, at, method, target, reply, extract, abandoned, changes, rejection } = recorded
    const message = messageOf(reply)
    const client = clientOf(recorded.headers['user-agent'], hide)
    const operation = operationIn(findRoute(target), method)
    return {
      number,
      at: new Date(at).toISOString(),
      durationMs:
        recorded.waitedMs ?? Math.round(recorded.microseconds + 1000 * (reply.delayMs ?? 0)) / 1000,
      ...(operation !== undefined && { operation }),
      request: {
        method: truncate(method, hide),
        target: truncate(hideInUrls(target, redacted), hide),
      },
      response: { status: reply.status },
      ...(reply.delayMs !== undefined && { delayMs: reply.delayMs }),
      ...(reply.fault !== undefined && { fault: reply.fault }),
      ...(reply.reason !== undefined && { reason: reply.reason }),
      ...(reply.rule !== undefined && { rule: hide(reply.rule) }),
      source: sourceOf(reply),
      ...(message !== undefined && { message: truncate(message, hide) }),
      ...(client !== undefined && { client }),
      ...(recorded.headers['user-agent'] === suiteUserAgent && { suite: true }),
      ...(changes.length > 0 && { changes: changes.map((change) => redactChange(change, hide)) }),
      ...(rejection !== undefined && { malformed: true }),
      ...(extract !== undefined && { bodyDropped: true }),
      ...(abandoned && { abandoned: true }),
      ...(reply.judged !== undefined && { judged: reply.judged }),
    }
  }

  return {
    summarize,
    format(recorded: RecordedEntry): JournalEntry {
      const { headers, body, bodyFault, reply } = recorded
      const hide = hideIn(recorded)
      const summary = summarize(recorded, hide)
      return {
        ...summary,
        request: {
          ...summary.request,
          headers: redactHeaders(headers, hide),
          ...bodyOf(body, hide, bodyFault === 'cut'),
        },
        response: {
          ...summary.response,
          headers: redactHeaders(reply.headers, hide) as Record<string, string>,
          ...bodyOf(reply.body, hide),
        },
      }
    },
  }
}

/** The product that a User-Agent begins with, or the browser that it names: they all begin with Mozilla. */
function clientOf(agent: string | string[] | undefined, hide: Redact): string | undefined {
  if (typeof agent !== 'string') return undefined
  // Half a secret would not be recognized.
  const text = hide(agent.slice(0, 2 * maxHeaderLength))
  return (/\b(?:Edg|OPR|Firefox|Chrome)\/\d+/.exec(text) ?? /^[^\s(]{1,40}/.exec(text))?.[0]
}

function bodyOf(text: string, hide: Redact, isCut = false): { body: string; bodyCut?: true } {
  const body = truncate(text, hide)
  return isCut || body.length > maxBodyLength ? { body, bodyCut: true } : { body }
}

/** A secret that is cut off at the end is recognized with more text. Some JSON parsers reject half a character. */
function truncate(text: string, hide: Redact): string {
  const hidden = hide(text.slice(0, maxBodyLength + maxSecretLength))
  const isCut = hidden.length > maxBodyLength || text.length > maxBodyLength + maxSecretLength
  return isCut
    ? `${hidden.slice(0, maxBodyLength).toWellFormed()}... (${text.length} characters)`
    : hidden
}

/** A longer body is not parsed for each row of a table. */
const maxErrorLength = 4_096

/** The message of an Error body, unless it only names the rule. */
function messageOf({ status, body, rule }: MockReply): string | undefined {
  if (status < 400 || !body.startsWith('{') || body.length > maxErrorLength) return undefined
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    const isOfRule = rule !== undefined && message === messageOfRule(rule)
    return typeof message === 'string' && !isOfRule ? message : undefined
  } catch {
    return undefined
  }
}

/** Splits a reason such as `list.order=by-name`. */
function sourceOf({ reason, rule, defects }: MockReply): ResponseSource {
  const [id = '', ...option] = reason?.split('=') ?? []
  return {
    ...(option.length > 0 && { behavior: id, option: option.join('=') }),
    ...(reason !== undefined && option.length === 0 && { requirement: id }),
    ...(rule !== undefined && { rule }),
    ...(defects !== undefined && { defects }),
  }
}

/** What the mock looked at when it recorded an entry. */
export function toCall({ operation, request }: JournalEntry, findRoute: FindRoute): Matchable {
  const { petId } = withoutSlash(findRoute(request.target)) as { petId?: string }
  const [, query = ''] = request.target.split(/\?(.*)/s)
  return { operation, request, query, petId }
}

/** A redacted pet; a large one is cut to the fields of the specification. Undefined when redaction breaks the JSON. */
function redactPet(pet: StoredPet, hide: Redact): ExactPet | undefined {
  const { id, name, categoryId, status } = pet
  const whole = printPet(pet)
  const text =
    whole.length > maxBodyLength
      ? printPet({ id, name: name.slice(0, maxHeaderLength), categoryId, status })
      : whole
  return tryParseJson(hide(text)) as unknown as ExactPet | undefined
}

function redactChange(
  { before, after }: PetChange,
  hide: Redact,
): NonNullable<JournalEntry['changes']>[number] {
  const was = before && redactPet(before, hide)
  const is = after && redactPet(after, hide)
  return { ...(was && { before: was }), ...(is && { after: is }) }
}

/** Keeps the scheme of a credential: `Bearer [redacted]`. */
function redactHeaders(
  headers: MockRequest['headers'],
  hide: Redact,
): JournalEntry['request']['headers'] {
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

/** Needs no parser: quotes within JSON strings are escaped, so `"id":` can only be a field. */
export function extractBody(body: string): BodyExtract {
  const large: BodyExtract['large'] = { id: [], categoryId: [] }
  let pets = 0
  for (const [, field, digits = ''] of body.matchAll(/"(id|categoryId)":\s*(-?\d+)(?=\s*[,}])/g)) {
    if (field === 'id') pets += 1
    if (digits.length >= 16 && digits.length <= 20) large[field as 'id' | 'categoryId'].push(digits)
  }
  return detach({ pets, first: firstIdIn(body), status: statusIn(body), large })
}

/** As `extractBody`, but only the first id. */
export const firstIdIn = (body: string): string | undefined =>
  /"id":\s*(-?\d+)(?=\s*[,}])/.exec(body)?.[1]

export const statusIn = (body: string): string | undefined =>
  /"status":\s*"(available|pending|sold)"/.exec(body)?.[1]
