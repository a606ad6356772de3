import { enumerate } from '../../errors.ts'
import { rowToSentence } from '../../report/text.ts'
import { type BehaviorId, behaviors } from '../../spec/behaviors.ts'
import { type RequirementId, requirements } from '../../spec/requirements.ts'
import { limits, queryParameters } from '../../spec/operations.ts'
import { enumerateOperations } from '../service/route.ts'

/**
 * A `violation` breaks what the specification says about requests. A `warning` relies on luck, or on unspecified behavior:
 * another deployment may respond in a way that the client does not expect. A `notice` does not affect the score.
 */
export type Severity = 'violation' | 'warning' | 'notice'

/** One kind of mistake that a client can make. */
export interface IssueKind {
  id: string
  severity: Severity
  /** Follows "3 requests". */
  title: string
  /** The requirement that the request breaks. */
  requirement?: RequirementId
  /** The behavior that the request relies on. */
  behavior?: BehaviorId
  /** Overrides the quote of the requirement or behavior. */
  quote?: string
  /** How it is recognized, unless that is obvious. */
  recognized?: string
  fix: string
}

/** A requirement or behavior, with its quote from the specification. */
export interface Reference {
  table: 'requirements' | 'behaviors'
  id: string
  quote: string
  /** The quote as a sentence: it may be the row of a table. */
  sentence?: string
}

const header = 'Send the header `Authorization: Bearer <API_KEY>` with every request.'
const either = enumerateOperations('or')
const noBody = 'Request body: none.'
const introduction = 'A client can do three things:'
const parameterNames = enumerate(queryParameters, 'and')
const replaced =
  'Deprecation: the operation is marked deprecated and is to be removed on 5 December 2030. The replacement is `GET /pets` with the `status` filter.'

const shownRounded =
  'Not in the last 50 responses, but a number beyond 2^53 in them, rounded to a double or a float, or cut to 32 bits. A small number counts from the second one that fits.'
const byOneClient =
  'By one client: on one connection, or on new ones with the same User-Agent and address, until the rules or all pets are changed. Requests with a header `Prefer` that the mock follows do not count.'

/** By severity, in the order of the specification. Ids are never reused. */
const table = {
  violation: {
    'credentials.missing': {
      title: 'without an Authorization header',
      requirement: 'auth.required',
      fix: header,
    },
    'credentials.empty-token': {
      title: 'with an empty API key',
      requirement: 'auth.missing-key',
      fix: `${header} Most often, an environment variable is not set.`,
    },
    'credentials.bare-key': {
      title: 'with only the key in the Authorization header',
      requirement: 'auth.bearer',
      fix: 'Put the word `Bearer` and a space before the key.',
    },
    'credentials.other-scheme': {
      title: 'with a scheme other than Bearer',
      requirement: 'auth.bearer',
      fix: `${header} No other scheme is described.`,
    },
    'credentials.other-header': {
      title: 'with the key in another header',
      requirement: 'auth.bearer',
      fix: header,
    },
    'credentials.in-query': {
      title: 'with the key in the query string',
      requirement: 'auth.bearer',
      recognized: 'When the header has a valid key, too: the value of a parameter is the key.',
      fix: `${header} URLs end up in logs and histories, where a key must not be.`,
    },
    'credentials.repeated': {
      title: 'with more than one Authorization header',
      requirement: 'auth.bearer',
      fix: 'Send the header once. Most often, both the client by default and the call set it.',
    },
    'credentials.unknown-key': {
      title: 'with a key that is not valid',
      requirement: 'auth.invalid-key',
      fix: 'Use a complete key of this deployment, in its exact letter case. To test how the client handles a 401, send the header `Prefer: code=401` to the mock with a valid key.',
    },
    'limit.out-of-range': {
      title: 'with a limit outside 1 to 100',
      requirement: 'list.limit.respected',
      fix: 'Request 1 to 100 pets.',
    },
    'limit.not-an-integer': {
      title: 'with a limit that is not an integer',
      requirement: 'list.limit.respected',
      fix: `Send an integer in decimal digits. Omit the parameter when there is no value: ${limits.default} is the default.`,
    },
    'status.unknown': {
      title: 'with an unknown status in the filter',
      requirement: 'list.status.filter',
      fix: 'Send one of `available`, `pending` and `sold`, in lower case. Omit the parameter to get pets of every status.',
    },
    'content-type.other': {
      title: 'whose body is not declared as application/json',
      requirement: 'http.json-request',
      fix: 'Send `Content-Type: application/json`. Many clients send strings as text/plain by default.',
    },
    'body.not-utf8': {
      title: 'whose body is not UTF-8',
      requirement: 'http.json-request',
      fix: 'Encode the body as UTF-8, the only encoding of JSON (RFC 8259, section 8.1).',
    },
    'body.missing': {
      title: 'to createPet without a body',
      requirement: 'create.body-required',
      fix: 'Send a NewPet object, such as {"name":"Rex","categoryId":1}.',
    },
    'body.not-json': {
      title: 'whose body is not JSON',
      requirement: 'create.body-required',
      fix: 'Serialize the body with a JSON library, in UTF-8 and without a byte order mark.',
    },
    'body.not-an-object': {
      title: 'whose body is JSON, but not an object',
      requirement: 'create.body-required',
      fix: 'Send one NewPet object in each request, not an array and not a string that contains JSON.',
    },
    'name.missing': {
      title: 'to createPet without name',
      requirement: 'create.required-fields',
      fix: 'Send `name`, a string, in exactly this spelling.',
    },
    'name.not-a-string': {
      title: 'with a name that is not a string',
      requirement: 'create.invalid-values',
      fix: 'Send name as a string.',
    },
    'category-id.missing': {
      title: 'to createPet without categoryId',
      requirement: 'create.required-fields',
      fix: 'Send `categoryId`, an integer, in exactly this spelling.',
    },
    'category-id.not-an-integer': {
      title: 'with a categoryId that is not an integer',
      requirement: 'create.invalid-values',
      fix: 'Send categoryId as a JSON integer, not as a string and without a fraction.',
    },
    'category-id.beyond-int64': {
      title: 'with a categoryId beyond int64',
      requirement: 'create.exact',
      fix: 'Keep categoryId within -9223372036854775808 to 9223372036854775807, and in a 64-bit integer: a double rounds the largest values beyond this range.',
    },
    'category-id.shown-rounded': {
      title: 'with a categoryId of the mock that was rounded or cut',
      requirement: 'create.exact',
      recognized: shownRounded,
      fix: 'Keep categoryId in a 64-bit integer (in JavaScript, read and write JSON with `parseJson` and `printJson` of petstore-kit/json or with lossless-json): the changed number is another category.',
    },
    'new-status.unknown': {
      title: 'with an unknown status in the new pet',
      requirement: 'pet.status',
      fix: 'Send `available`, `pending` or `sold`, in lower case, or omit status.',
    },
    'new-status.null': {
      title: 'with null as the status of the new pet',
      requirement: 'pet.status',
      fix: 'Omit an unknown status: null is not one of the three values.',
    },
    'fields.nested': {
      title: 'to createPet with the fields inside another one',
      requirement: 'create.required-fields',
      fix: 'Send name, categoryId and status at the top level of the body: {"name":"Rex","categoryId":1}.',
    },
    'id.sent': {
      title: 'to createPet with an id',
      requirement: 'create.id-assigned',
      fix: 'Omit id from the body, and read it from the response.',
    },
    'pet-id.not-an-integer': {
      title: 'with a petId that is not an integer',
      behavior: 'get.id.not-an-integer',
      fix: 'Put the id of a pet into the path, in decimal digits.',
    },
    'pet-id.beyond-int64': {
      title: 'with a petId beyond int64',
      behavior: 'get.id.beyond-int64',
      fix: 'Keep ids in 64-bit integers, or as they are in the text of the response: a double rounds integers beyond 2^53.',
    },
    'pet-id.rounded': {
      title: 'with an id of the mock that was rounded or cut',
      requirement: 'get.by-id',
      recognized: shownRounded,
      fix: 'Keep ids in 64-bit integers (in JavaScript, read JSON with `parseJson` of petstore-kit/json or with lossless-json): the changed number is the id of another pet, or of none.',
    },
    'deprecated.removed': {
      title: 'to getPet after its removal',
      behavior: 'get.after-removal',
      fix: 'Use GET /pets with the status filter: getPet was removed on 5 December 2030.',
    },
    'body.unexpected': {
      title: 'with the method GET and a body',
      requirement: 'list.parameters-optional',
      quote: noBody,
      fix: `Send GET without a body. Use ${parameterNames} in the query to select pets.`,
    },
    'path.base-path': {
      title: 'without the base path',
      requirement: 'service.base-path',
      fix: 'Put the version segment between the host and /pets. It belongs to the base URL: append paths to it, and do not let a path with a leading slash replace it.',
    },
    'path.search': {
      title: 'to a search that is not described',
      behavior: 'http.unknown-path',
      quote: introduction,
      recognized: 'A GET whose petId begins with `find` or `search`, as in other pet stores.',
      fix: `Use \`GET /pets\`, such as \`GET /pets?status=available\`: ${parameterNames} are the only filters.`,
    },
    'target.unescaped': {
      title: 'with a target that is not percent-encoded',
      behavior: 'http.unknown-path',
      quote: introduction,
      recognized:
        'Most HTTP clients refuse to send it, and most servers and gateways to accept it (RFC 3986 section 2).',
      fix: 'Percent-encode values in the path and the query, for example with `encodeURIComponent`: a space is %20, and ü is %C3%BC.',
    },
    'path.undescribed': {
      title: 'to an unknown path',
      behavior: 'http.unknown-path',
      quote: introduction,
      fix: `Use ${either}, below the base URL. Paths are case-sensitive, and every slash matters.`,
    },
    'method.undescribed': {
      title: 'with an unsupported method',
      behavior: 'http.unknown-method',
      quote: introduction,
      fix: `Use ${either}: there is no other operation.`,
    },
  },
  warning: {
    'credentials.scheme-case': {
      title: 'with the scheme Bearer in another letter case',
      behavior: 'auth.scheme-case',
      fix: 'Write `Bearer`, as the specification does: a deployment may reject any other spelling.',
    },
    'limit.repeated': {
      title: 'with more than one limit',
      behavior: 'list.limit.repeated',
      fix: 'Send limit once. The specification does not say which of several counts.',
    },
    'status.repeated': {
      title: 'with more than one status filter',
      behavior: 'list.status.unknown',
      fix: 'Send one request for each status. The specification does not say what several filters mean.',
    },
    'query.unknown-parameter': {
      title: 'with an unknown query parameter',
      behavior: 'list.unknown-parameter',
      fix: `Omit it. Only listPets has parameters, ${parameterNames}; a deployment may ignore or reject any other.`,
    },
    'query.escaped': {
      title: 'whose query has an escaped equals sign',
      behavior: 'list.unknown-parameter',
      fix: 'Escape only the names and values of parameters, not the `=` and `&` between them: `?limit=10`.',
    },
    'content-type.missing': {
      title: 'whose body has no Content-Type',
      behavior: 'create.media-type.absent',
      fix: 'Send `Content-Type: application/json`: a deployment may reject a body without a media type.',
    },
    'content-type.charset': {
      title: 'whose body is declared with a charset other than UTF-8',
      requirement: 'http.json-request',
      fix: 'Omit the charset, and send UTF-8: JSON has no other encoding (RFC 8259, section 8.1).',
    },
    'content-encoding.sent': {
      title: 'whose body has a Content-Encoding',
      requirement: 'http.json-request',
      fix: 'Send the body without compression: a deployment need not decode gzip or any other coding; this mock returns 415.',
    },
    'category-id.as-float': {
      title: 'with a large categoryId that is written as a float',
      requirement: 'create.exact',
      recognized: 'With a fraction or an exponent, beyond 2^53.',
      fix: 'Keep categoryId in a 64-bit integer (a BigInt in JavaScript): a double rounds integers beyond 2^53, so this is probably the wrong category.',
    },
    'fields.extra': {
      title: 'to createPet with fields that NewPet does not have',
      behavior: 'create.extra-fields',
      fix: 'Send only name, categoryId and status: a deployment may ignore other fields, store them, or reject the pet.',
    },
    'fields.repeated': {
      title: 'to createPet with a repeated field',
      requirement: 'http.json-request',
      fix: 'Send each field once: JSON libraries differ in which of several counts (RFC 8259, section 4).',
    },
    'path.trailing-slash': {
      title: 'with a trailing slash in the path',
      behavior: 'http.trailing-slash',
      fix: 'Omit the last slash: a deployment may return 404, or a redirect, which turns a POST into a GET in some clients.',
    },
    'path.orders': {
      title: 'to store orders',
      requirement: 'service.orders',
      fix: 'Do not rely on it: the specification mentions an operation on orders but shows none.',
    },
    'method.head': {
      title: 'with the method HEAD',
      behavior: 'http.head',
      fix: 'Use GET: the specification does not say whether deployments support HEAD.',
    },
    'method.options': {
      title: 'with the method OPTIONS, outside of a CORS preflight',
      behavior: 'http.options',
      fix: 'Do not send OPTIONS: the specification does not say what a deployment returns.',
    },
    'retry.too-early': {
      title: 'sent before Retry-After had passed',
      behavior: 'rate-limit.headers',
      recognized:
        'By the clock of the mock, on one connection. Requests that may already have been sent do not count: the same request within 50 ms, and others of the operation within 1 s. Nor do those whose response the header `Prefer` has requested, or before the rules were changed.',
      fix: 'After a 429 or 503, wait as long as the Retry-After header says before the next request of that operation: a deployment may block a client that does not.',
    },
    'retry.rejected': {
      title: 'sent again unchanged after a rejection',
      requirement: 'error.body',
      recognized: `The same method, target, key and body at least five times in a row, each within 2 s of a response 400, 401, 403, 405, 415 or 422. ${byOneClient}`,
      fix: 'Do not retry it: the same request gets the same response. Report it, or correct the request first.',
    },
    'retry.storm': {
      title: 'sent again immediately, many times, after failures',
      behavior: 'rate-limit.headers',
      recognized: `The same method, target, key and body at least eleven times in a series of requests that failed with 429, 5xx or a connection reset, each within 250 ms of the one before. ${byOneClient}`,
      fix: 'Wait between retries, longer each time, and stop after a few: such retries keep an overloaded deployment down, and it may block the client.',
    },
    'retry.creation': {
      title: 'to createPet sent again after a failure that may have created the pet',
      requirement: 'create.success',
      recognized: `Exactly the same body, within 60 s and with no list in between: after 408 or 5xx without Retry-After, other than 501 and 505; after a connection reset, a response that was cut off, or one of 2xx that does not show the pet; after no response, or when the client closed the connection before it. ${byOneClient}`,
      fix: 'Read the list first: the pet may have been created, and each further creation makes another one. If these are different pets that are equal, such as rows of an import, reset the sandbox between them, or ignore this.',
    },
  },
  notice: {
    'accept.other': {
      title: 'whose Accept header excludes JSON',
      requirement: 'http.media-type',
      recognized: 'An Accept header without `application/json`, `application/*` and `*/*`.',
      fix: 'Send `Accept: application/json`, or none: the service responds with JSON, and a deployment may return 406 otherwise.',
    },
    'order.growing-limits': {
      title: 'paging by raising limit',
      behavior: 'list.order',
      recognized:
        'At least three lists in a row with the same filter, whose limits are once, twice, three times the first, which is at least 5; all but the last were full.',
      fix: 'Showing the whole longer list is fine. Do not treat its end as the next page: the pets before it may be different ones.',
    },
    'new-status.default': {
      title: 'for a list with a status filter right after a creation without a status',
      behavior: 'create.default-status',
      recognized: 'The next request after a creation without status, within 2 s.',
      fix: 'Do not expect the new pet under a certain status: read its status from the response to the creation, or send one.',
    },
    'order.new-pet-in-page': {
      title: 'for a list right after a creation, whose page was full',
      behavior: 'list.order',
      recognized:
        'The next request after a creation, within 2 s, is a list without a filter, or with one that matches the new pet, and its page is full.',
      fix: 'Read the new pet from the response to the creation: whether a full page contains it depends on the order, which is unspecified. Only a page that is not full contains all pets.',
    },
    'name.unusual': {
      title: 'with a name that a deployment may reject or change',
      behavior: 'create.name.empty',
      recognized:
        'An empty or blank name, one with leading or trailing white space, with more than 255 characters, with U+0000, or with half of a surrogate pair.',
      fix: 'Expect a rejection, or a pet whose name was trimmed: the specification does not limit the length or format of names.',
    },
    'name.damaged': {
      title: 'with a name that was probably damaged by a wrong encoding',
      requirement: 'create.exact',
      quote: "| name | string | - | yes | The animal's name. |",
      recognized:
        'A name with U+FFFD; with UTF-8 that was read as Latin-1 or Windows-1252, as in `ZoÃ«`; with a percent-encoding such as `%20`; with an HTML entity such as `&amp;`; or with an escape such as `\\u00eb` as text.',
      fix: 'Encode the text once, as JSON in UTF-8: the service stores the name as it is sent. Ignore this if the name is meant so.',
    },
    // The counterpart of pet-id.rounded is category-id.shown-rounded. This number may be one that was never shown.
    'category-id.rounded': {
      title: 'with a large categoryId that may have been rounded to a double',
      requirement: 'create.exact',
      recognized:
        'Beyond 2^53, with at least two zeros at its end, and written as JavaScript prints such a double.',
      fix: 'Make sure that categoryId is kept in a 64-bit integer (a BigInt in JavaScript): integers beyond 2^53 that were rounded to a double end in zeros.',
    },
    'category-id.spelling': {
      title: 'with a categoryId that is written as a float',
      requirement: 'create.exact',
      recognized: 'With a fraction or an exponent, such as 1.0 or 1e0, within 2^53.',
      fix: 'Write categoryId with digits only: some JSON libraries reject any other notation for an int64.',
    },
    'creation.repeated': {
      title: 'to createPet with the same body as the creation right before',
      behavior: 'create.name.duplicate',
      recognized:
        'Exactly the same body, within 2 s, with no other request in between, and both creations succeeded.',
      fix: 'If you want a single pet, make sure that the form is sent once: each creation makes another pet. Different pets may be equal.',
    },
    'deprecated.used': {
      title: 'to getPet, which is deprecated',
      requirement: 'get.until-removal',
      quote: replaced,
      fix: 'Migrate to GET /pets with the status filter before 5 December 2030, when getPet is to be removed.',
    },
  },
} as const satisfies Record<Severity, Record<string, Omit<IssueKind, 'id' | 'severity'>>>

export type IssueId = { [severity in Severity]: keyof (typeof table)[severity] }[Severity]

/** The worst first. */
export const severities = Object.keys(table) as Severity[]

export const issueKinds = severities.flatMap((severity) =>
  Object.entries<object>(table[severity]).map(([id, issue]) => ({ id, severity, ...issue })),
) as (IssueKind & { id: IssueId })[]

export interface FoundIssue {
  id: IssueId
  /** A sentence, which may quote the request. */
  message: string
}

/** An issue that applies when its condition is truthy. A message that takes long is made only then. */
type Row = readonly [condition: unknown, id: IssueId, message: string | (() => string)]

const isFound = ([condition]: Row): unknown => condition
const toIssue = ([, id, message]: Row): FoundIssue => ({
  id,
  message: typeof message === 'string' ? message : message(),
})

export const allOf = (...rows: readonly Row[]): FoundIssue[] => rows.filter(isFound).map(toIssue)
export function firstOf(...rows: readonly Row[]): FoundIssue[] {
  const row = rows.find(isFound)
  return row === undefined ? [] : [toIssue(row)]
}

export function referenceOf({ requirement, behavior, quote }: IssueKind): Reference {
  const table = requirement === undefined ? 'behaviors' : 'requirements'
  const id = requirement ?? behavior ?? ''
  const parts: readonly { id: string; quote: string }[] =
    requirement === undefined ? behaviors : requirements
  const words = quote ?? parts.find((part) => part.id === id)?.quote ?? ''
  const sentence =
    words === introduction
      ? `${words} list animals, optionally filtered by availability status; add an animal; fetch one animal by its identifier.`
      : rowToSentence(words)
  return { table, id, quote: words, sentence }
}
