import { type ChoiceId, choices } from '../../spec/choices.ts'
import { type ClauseId, clauses } from '../../spec/clauses.ts'

/**
 * How bad it is. A `violation` breaks what the specification says of requests. A `warning` relies on luck, or on what the
 * specification does not show: another deployment may respond in a way that the client does not expect. A `notice` is
 * worth a look, and costs nothing.
 */
export type Severity = 'violation' | 'warning' | 'notice'

/** One kind of mistake that a client can make. */
export interface IssueRule {
  id: string
  severity: Severity
  /** In a few words, which follow "3 requests". */
  title: string
  /** The clause that the request breaks, or the choice that it relies on. */
  clause?: ClauseId
  choice?: ChoiceId
  /** The words of the specification, where those of the clause or choice are not the ones that matter. */
  quote?: string
  /** How it is recognized, where that is not plain. */
  recognized?: string
  fix: string
}

/** A clause, or a choice that a deployment may make, with the words of the specification. */
export interface Reference {
  table: 'clauses' | 'choices'
  id: string
  quote: string
}

const header = 'Send the header `Authorization: Bearer <API_KEY>` with every request.'
const threeThings = 'A client can do three things:'
const noBody = 'Request body: none.'
const replaced =
  'Deprecation: the operation is marked deprecated and is to be removed on 5 December 2030. The replacement is `GET /pets` with the `status` filter.'

/** By subject, in the order of the specification. Ids are never reused. */
const table = {
  'credentials.missing': {
    severity: 'violation',
    title: 'without an Authorization header',
    clause: 'auth.required',
    fix: header,
  },
  'credentials.empty-token': {
    severity: 'violation',
    title: 'with an empty API key',
    clause: 'auth.missing-key',
    fix: `${header} An empty key is most often a variable of the environment that is not set.`,
  },
  'credentials.bare-key': {
    severity: 'violation',
    title: 'with an Authorization header that holds the bare key',
    clause: 'auth.bearer',
    fix: 'Put the word `Bearer` and a space before the key.',
  },
  'credentials.other-scheme': {
    severity: 'violation',
    title: 'with another scheme than Bearer',
    clause: 'auth.bearer',
    fix: `${header} No other scheme is described.`,
  },
  'credentials.other-header': {
    severity: 'violation',
    title: 'with the key in another header',
    clause: 'auth.bearer',
    fix: header,
  },
  'credentials.in-query': {
    severity: 'violation',
    title: 'with the key in the query string',
    clause: 'auth.bearer',
    recognized: 'Beside a header with a valid key: where the value of a parameter is the key.',
    fix: `${header} An address ends up in logs and histories, where a key must not be.`,
  },
  'credentials.repeated': {
    severity: 'violation',
    title: 'with more than one Authorization header',
    clause: 'auth.bearer',
    fix: 'Send the header once. It is most often set by a default of the client and by the call, too.',
  },
  'credentials.unknown-key': {
    severity: 'violation',
    title: 'with a key that is not valid',
    clause: 'auth.invalid-key',
    fix: 'Use a key of this deployment, whole and in its own letter case. To try how the client takes a 401, ask the mock for one with the header `Prefer: code=401`, and keep the key.',
  },
  'credentials.scheme-case': {
    severity: 'warning',
    title: 'with the scheme in other letter case than Bearer',
    choice: 'auth.scheme-case',
    fix: 'Write `Bearer`, as the specification does: a deployment may refuse any other spelling.',
  },
  'accept.other': {
    severity: 'notice',
    title: 'whose Accept header leaves JSON out',
    clause: 'http.media-type',
    recognized: 'An Accept header without `application/json`, `application/*` and `*/*`.',
    fix: 'Send `Accept: application/json`, or none: the service responds in JSON, and a deployment may answer 406 to others.',
  },
  'limit.out-of-range': {
    severity: 'violation',
    title: 'with a limit outside 1 to 100',
    clause: 'list.limit.honoured',
    fix: 'Ask for 1 to 100 pets. There is no way to get more in one answer.',
  },
  'limit.not-an-integer': {
    severity: 'violation',
    title: 'with a limit that is no integer',
    clause: 'list.limit.honoured',
    fix: 'Send an integer in decimal digits. Leave the parameter out where there is no value: 20 is the default.',
  },
  'limit.repeated': {
    severity: 'warning',
    title: 'with more than one limit',
    choice: 'list.limit.repeated',
    fix: 'Send limit once. Which of two counts is not shown.',
  },
  'status.unknown': {
    severity: 'violation',
    title: 'with a status filter outside the three values',
    clause: 'list.status.filter',
    fix: 'Send `available`, `pending` or `sold`, in lower case, one of them in each request. Leave the parameter out to get pets of every status.',
  },
  'status.repeated': {
    severity: 'warning',
    title: 'with more than one status filter',
    choice: 'list.status.unknown',
    fix: 'Send one request for each status. What two filters mean is not shown.',
  },
  'query.unknown-parameter': {
    severity: 'warning',
    title: 'with a query parameter that is not described',
    choice: 'list.unknown-parameter',
    fix: 'Leave it out. Only listPets has parameters, limit and status; a deployment may ignore any other, or refuse it.',
  },
  'order.growing-limits': {
    severity: 'warning',
    title: 'turning pages by a growing limit',
    choice: 'list.order',
    recognized:
      'Three lists or more in a row with the same filter: their limits are once, twice, three times the first, which is 5 or more, and all but the last were full.',
    fix: 'Do not take the part behind the former page for the next page: nothing says that the pets before it are the same ones again. Ask once, for as many as are needed.',
  },
  'order.new-pet-in-page': {
    severity: 'notice',
    title: 'reading a full page right after a creation',
    choice: 'list.order',
    recognized:
      'The request right after a creation, within 2 s, is a list without a filter, or with the one that the new pet fits, and its page is full.',
    fix: 'Take the new pet from the answer of the creation: whether a page that is full shows it depends on the order, which is not shown. To be sure that a list shows it, filter until the page is not full.',
  },
  'content-type.other': {
    severity: 'violation',
    title: 'whose body is not declared as application/json',
    clause: 'http.json-request',
    fix: 'Send `Content-Type: application/json`. Many clients declare a text as text/plain unless they are told.',
  },
  'content-type.missing': {
    severity: 'warning',
    title: 'whose body has no Content-Type',
    choice: 'create.media-type.absent',
    fix: 'Send `Content-Type: application/json`: a deployment may refuse a body that does not say what it is.',
  },
  'content-type.charset': {
    severity: 'warning',
    title: 'whose body is declared in another charset than UTF-8',
    clause: 'http.json-request',
    fix: 'Leave the charset out, and send UTF-8: JSON has no other encoding (RFC 8259, section 8.1).',
  },
  'content-encoding.sent': {
    severity: 'warning',
    title: 'whose body has a Content-Encoding',
    clause: 'http.json-request',
    fix: 'Send the body as it is: nothing says that a deployment decodes gzip or any other coding; this mock answers 415.',
  },
  'body.not-utf8': {
    severity: 'violation',
    title: 'whose body is not UTF-8',
    clause: 'http.json-request',
    fix: 'Encode the body as UTF-8, the only encoding of JSON (RFC 8259, section 8.1).',
  },
  'body.missing': {
    severity: 'violation',
    title: 'of createPet without a body',
    clause: 'create.body-required',
    fix: 'Send a NewPet object, such as {"name":"Rex","categoryId":1}.',
  },
  'body.not-json': {
    severity: 'violation',
    title: 'whose body is not JSON',
    clause: 'create.body-required',
    fix: 'Let a JSON library write the body, in UTF-8 and without a byte order mark.',
  },
  'body.not-an-object': {
    severity: 'violation',
    title: 'whose body is JSON, but no object',
    clause: 'create.body-required',
    fix: 'Send one NewPet object in each request, neither an array nor a string that holds JSON.',
  },
  'name.missing': {
    severity: 'violation',
    title: 'of createPet without name',
    clause: 'create.required-fields',
    fix: 'Send name, a string.',
  },
  'name.not-a-string': {
    severity: 'violation',
    title: 'with a name that is no string',
    clause: 'create.invalid-values',
    fix: 'Send name as a string.',
  },
  'name.unusual': {
    severity: 'notice',
    title: 'with a name that a deployment may refuse or change',
    choice: 'create.name.empty',
    recognized:
      'An empty name, one of white space alone or with white space at an end, one of more than 255 characters, or one with U+0000 or a half of a surrogate pair.',
    fix: 'Expect a refusal, or a pet whose name was trimmed: what length or format a name may have is not shown.',
  },
  'category-id.missing': {
    severity: 'violation',
    title: 'of createPet without categoryId',
    clause: 'create.required-fields',
    fix: 'Send categoryId, an integer.',
  },
  'category-id.not-an-integer': {
    severity: 'violation',
    title: 'with a categoryId that is no integer',
    clause: 'create.invalid-values',
    fix: 'Send categoryId as a JSON integer, not as a string and without a fraction.',
  },
  'category-id.beyond-int64': {
    severity: 'violation',
    title: 'with a categoryId beyond int64',
    clause: 'create.exact',
    fix: 'Keep categoryId within -9223372036854775808 to 9223372036854775807, and in an integer of 64 bits: a double rounds the largest of them to a number beyond.',
  },
  'category-id.as-float': {
    severity: 'warning',
    title: 'with a large categoryId that is written as a float',
    clause: 'create.exact',
    recognized: 'With a fraction or an exponent, beyond 2^53.',
    fix: 'Keep categoryId in an integer of 64 bits (a BigInt in JavaScript): a double rounds integers beyond 2^53, so that this is probably another category than was meant.',
  },
  'category-id.rounded': {
    severity: 'notice',
    title: 'with a large categoryId that a double may have rounded',
    clause: 'create.exact',
    recognized:
      'Beyond 2^53, with two zeros or more at its end, and written as JavaScript writes a double of that size.',
    fix: 'Make sure that categoryId is kept in an integer of 64 bits (a BigInt in JavaScript): it ends in zeros, as integers beyond 2^53 do that went through a double.',
  },
  'category-id.shown-rounded': {
    severity: 'violation',
    title: 'with the double of a categoryId that the mock had shown',
    clause: 'create.exact',
    recognized:
      'Beyond 2^53: it is not among the last 50 responses, and a number that is there becomes it in a double.',
    fix: 'Keep categoryId in an integer of 64 bits (in JavaScript, read and write JSON with `parseJson` and `printJson` of petstore-kit/json or with lossless-json): this is another category than the one that was shown.',
  },
  'category-id.spelling': {
    severity: 'notice',
    title: 'with a categoryId that is written as a float',
    clause: 'create.exact',
    recognized: 'With a fraction or an exponent, such as 1.0 or 1e0, within 2^53.',
    fix: 'Write categoryId in digits alone: it is the same integer, and some JSON libraries refuse another spelling for an int64.',
  },
  'new-status.unknown': {
    severity: 'violation',
    title: 'with a status for the new pet outside the three values',
    clause: 'pet.status',
    fix: 'Send `available`, `pending` or `sold`, in lower case, or leave status out.',
  },
  'new-status.null': {
    severity: 'violation',
    title: 'with null as the status for the new pet',
    clause: 'pet.status',
    fix: 'Leave status out where there is none: null is not one of the three values.',
  },
  'id.sent': {
    severity: 'violation',
    title: 'of createPet with an id',
    clause: 'create.id-assigned',
    fix: 'Leave id out of the body, and take it from the answer.',
  },
  'members.extra': {
    severity: 'warning',
    title: 'of createPet with members that NewPet does not have',
    choice: 'create.extra-members',
    fix: 'Send name, categoryId and status alone: a deployment may ignore further members, keep them, or refuse the pet.',
  },
  'members.repeated': {
    severity: 'warning',
    title: 'of createPet with a field that comes more than once',
    clause: 'http.json-request',
    fix: 'Send each field once: which of several counts differs between JSON libraries (RFC 8259, section 4).',
  },
  'creation.repeated': {
    severity: 'notice',
    title: 'of createPet with the body of the creation right before it',
    choice: 'create.name.duplicate',
    recognized:
      'The same body to the last character, within 2 s, with no other request in between, and both creations succeeded.',
    fix: 'If one pet was meant, make sure that a form is sent once: each creation makes a pet of its own, and no operation removes it.',
  },
  'pet-id.not-an-integer': {
    severity: 'violation',
    title: 'of getPet with a petId that is no integer',
    choice: 'get.id.not-an-integer',
    fix: 'Put the id of a pet into the path, in decimal digits.',
  },
  'pet-id.beyond-int64': {
    severity: 'violation',
    title: 'of getPet with a petId beyond int64',
    choice: 'get.id.beyond-int64',
    fix: 'Keep ids in integers of 64 bits, or as they stand in the text of the answer: a double rounds integers beyond 2^53.',
  },
  'pet-id.rounded': {
    severity: 'violation',
    title: 'of getPet with the double of an id that the mock had shown',
    clause: 'get.by-id',
    recognized:
      'Beyond 2^53: it is not among the last 50 responses, and a number that is there becomes it in a double.',
    fix: 'Keep ids in integers of 64 bits (in JavaScript, read JSON with `parseJson` of petstore-kit/json or with lossless-json): this is the id of another pet, or of none.',
  },
  'deprecated.used': {
    severity: 'notice',
    title: 'of getPet, which is deprecated',
    clause: 'get.until-removal',
    quote: replaced,
    fix: 'Move to GET /pets with the status filter before 5 December 2030, when getPet is to be removed.',
  },
  'deprecated.removed': {
    severity: 'violation',
    title: 'of getPet after its removal',
    choice: 'get.after-removal',
    fix: 'Use GET /pets with the status filter: getPet was removed on 5 December 2030.',
  },
  'body.unexpected': {
    severity: 'violation',
    title: 'of GET with a body',
    clause: 'list.parameters-optional',
    quote: noBody,
    fix: 'Send GET without a body. What a list shall hold is said by limit and status in the query.',
  },
  'path.base-path': {
    severity: 'violation',
    title: 'without the base path',
    clause: 'service.base-path',
    fix: 'Put the version segment between the host and /pets. It belongs to the base address: join paths to it, and do not let a path that begins with a slash replace it.',
  },
  'path.trailing-slash': {
    severity: 'warning',
    title: 'with a slash too many at the end of the path',
    choice: 'http.trailing-slash',
    fix: 'Leave the last slash out: a deployment may answer 404, or redirect, which makes a GET of a POST in some clients.',
  },
  'path.orders': {
    severity: 'warning',
    title: 'to store orders',
    clause: 'service.orders',
    fix: 'Do not rely on it: an operation on orders is mentioned, and none is shown.',
  },
  'target.unescaped': {
    severity: 'violation',
    title: 'with a target that is not percent-encoded',
    choice: 'http.unknown-path',
    quote: threeThings,
    recognized: 'Most HTTP clients refuse to send it, and most servers and gateways to take it (RFC 3986 section 2).',
    fix: 'Percent-encode what goes into the path and the query: a space is %20, and ü is %C3%BC. Functions such as `encodeURIComponent` do it.',
  },
  'path.undescribed': {
    severity: 'violation',
    title: 'to a path that is not described',
    choice: 'http.unknown-path',
    quote: threeThings,
    fix: 'Use GET /pets, POST /pets or GET /pets/{petId}, below the base address. Paths are case-sensitive, and each slash counts.',
  },
  'method.undescribed': {
    severity: 'violation',
    title: 'with a method that is not described',
    choice: 'http.unknown-method',
    quote: threeThings,
    fix: 'Use GET /pets, POST /pets or GET /pets/{petId}. No operation changes or removes a pet.',
  },
  'method.head': {
    severity: 'warning',
    title: 'with the method HEAD',
    choice: 'http.head',
    fix: 'Use GET: whether a deployment answers HEAD is not shown.',
  },
  'method.options': {
    severity: 'warning',
    title: 'with the method OPTIONS that is no CORS preflight',
    choice: 'http.options',
    fix: 'Leave it to browsers: what a deployment answers is not shown.',
  },
  'retry.too-early': {
    severity: 'warning',
    title: 'sooner than Retry-After allowed',
    choice: 'rate-limit.headers',
    recognized:
      'By the clock of the mock. What may have been under way is left out: the same request within 50 ms, and others of the operation within 1 s.',
    fix: 'Wait for as long as the Retry-After header of a 429 or 503 says before the next request of that operation: a deployment may shut out a client that does not.',
  },
  'retry.refused': {
    severity: 'warning',
    title: 'again after the same request was refused',
    clause: 'error.body',
    quote: 'When the key is missing or invalid, the service answers 401 with an Error body.',
    recognized:
      'The same method, target, key and body for the fifth time or more in a row, each within 2 s of an answer 400, 401, 403, 405, 415 or 422.',
    fix: 'Do not retry it: the same request gets the same refusal. Tell whoever uses the client, or correct the request first.',
  },
  'retry.storm': {
    severity: 'warning',
    title: 'again at once after the same request failed',
    choice: 'rate-limit.headers',
    recognized:
      'The same method, target, key and body for the eleventh time or more in a row, each within 250 ms of an answer 429 or 5xx without Retry-After, or of a connection that was reset.',
    fix: 'Wait between retries, longer each time, and give up after a few: a deployment that fails under load stays down under such retries, and may shut the client out.',
  },
  'retry.creation': {
    severity: 'warning',
    title: 'of createPet again, right after a failure that does not tell whether the pet was made',
    choice: 'create.name.duplicate',
    recognized:
      'The same body to the last character, within 2 s of an answer 500, 502, 504, or 503 without Retry-After, or of a connection that was reset, or within 60 s of a request that got no answer or whose client closed the connection before the answer was sent, and no list in between.',
    fix: 'Read the list first, to see whether the pet is there: after 500, 502, 503, 504 or a lost connection it may have been made, and a second creation makes a second pet.',
  },
} as const satisfies Record<string, Omit<IssueRule, 'id'>>

/** The id of a kind of mistake. */
export type IssueId = keyof typeof table

/** All kinds of mistakes. */
export const issueRules = Object.entries(table).map(([id, rule]) => ({ id, ...rule })) as (IssueRule & {
  id: IssueId
})[]

/** One mistake in one request. */
export interface Issue {
  id: IssueId
  /** What was wrong, in a sentence. It may quote the request. */
  message: string
}

/** The sentence of the specification that a kind of mistake is about. */
export function referenceOf({ clause, choice, quote }: IssueRule): Reference {
  const table = clause === undefined ? 'choices' : 'clauses'
  const id = clause ?? choice ?? ''
  const rows: readonly { id: string; quote: string }[] = clause === undefined ? choices : clauses
  return { table, id, quote: quote ?? rows.find((row) => row.id === id)?.quote ?? '' }
}
