import { limitQuote, limits, statusQuote } from './operations.ts'

/**
 * Every unspecified behavior. The suite observes the option of a deployment and never fails it; the mock uses the
 * default unless its user selects another. One option for each is a profile.
 */

export interface BehaviorOption {
  /** Its name in a profile. */
  value: string
  meaning: string
}

export interface Behavior {
  /** Never reused. */
  id: string
  section: string
  /** Its exact words, or the nearest sentence where it is silent. */
  quote: string
  question: string
  /** The options by name. With `free`, other values are allowed, too. */
  options: readonly BehaviorOption[]
  /** Set when any text (a code) is allowed besides the named options; says what kind of text. */
  free?: string
  /** The default of the mock. */
  default: string
  why: string
  /** Completes "A client is safe with every option if it ...". */
  safe: string
}

const bad400 = { value: '400', meaning: 'rejected with 400 and an Error body' } as const
const not404 = { value: '404', meaning: 'rejected with 404 and an Error body' } as const
const conflict409 = { value: '409', meaning: 'rejected with 409 and an Error body' } as const
const large413 = { value: '413', meaning: 'rejected with 413 and an Error body' } as const
const media415 = { value: '415', meaning: 'rejected with 415 and an Error body' } as const
const unprocessable422 = { value: '422', meaning: 'rejected with 422 and an Error body' } as const
const rejected = [bad400, unprocessable422] as const
const plain404 = { value: '404', meaning: '404' } as const
const noMethod = [
  plain404,
  { value: '405', meaning: '405' },
  { value: '501', meaning: '501' },
] as const
const accept = { value: 'accept', meaning: 'accepted like any other' } as const
const absent = { value: 'absent', meaning: 'not present' } as const
const present = { value: 'present', meaning: 'present' } as const
const clamp = { value: 'clamp', meaning: 'taken as the nearest allowed limit' } as const
const byDefault = {
  value: 'default',
  meaning: `taken as if no limit had been sent: ${limits.default}`,
} as const

const creation = 'Endpoints / Add an animal'
const listing = 'Endpoints / List animals'
const getting = 'Endpoints / Get an animal (deprecated)'

const ignoreExtra = {
  default: 'absent',
  why: 'A client must not rely on what the specification does not have.',
  safe: 'ignores fields that it does not know, and never requires them',
} as const
const optionalHeader = {
  section: 'Versioning',
  quote: 'Compatibility policy and the way deprecations are announced beyond this: not shown.',
  default: 'present',
  safe: 'treats the header as optional',
} as const
const plainName =
  'sends a trimmed, non-empty name of at most 60 characters, and uses the name in the response'

const limitRow = {
  section: listing,
  quote: limitQuote,
  safe: 'sends `limit` as an integer from 1 to 100, or leaves it out',
} as const
const nameLimits = {
  section: 'Resources and their fields',
  quote: 'Length or format limits of name: not shown.',
} as const
const freeNames = {
  ...nameLimits,
  default: 'accept',
  why: 'The specification states no limit, and the mock adds none.',
  safe: plainName,
} as const
const otherStatuses = {
  section: 'Errors',
  quote: 'The set of `code` values and statuses other than those listed: not shown.',
} as const
const codes = {
  ...otherStatuses,
  options: [],
  free: 'a code',
  safe: 'branches on the HTTP status, and shows or logs `code` without comparing it with a fixed text',
} as const

/** In the order of the specification. */
export const behaviors = [
  {
    id: 'create.default-status',
    section: 'States and transitions',
    quote: 'The status a new animal gets when status is omitted at creation: not shown.',
    question: 'Which status does a new pet get when none was sent?',
    options: [
      { value: 'available', meaning: 'status is available' },
      { value: 'pending', meaning: 'status is pending' },
      { value: 'sold', meaning: 'status is sold' },
      { value: 'absent', meaning: 'the pet has no status' },
    ],
    default: 'available',
    why: 'A pet that a store has just added is usually for sale, and a front end can show it immediately.',
    safe: 'sends `status` with each creation',
  },
  {
    id: 'list.order',
    section: listing,
    quote: 'Ordering of results: not shown.',
    question: 'In which order does the list show pets?',
    options: [
      { value: 'oldest-first', meaning: 'in the order of creation' },
      { value: 'newest-first', meaning: 'the newest pet first' },
      {
        value: 'by-name',
        meaning: 'by name, in the order of Unicode code points; equal names from oldest to newest',
      },
      { value: 'shuffled', meaning: 'in a different order for each request' },
    ],
    default: 'newest-first',
    why: 'A front end that adds a pet and reads the list again sees it on the first page, regardless of the number of pets.',
    safe: 'sorts the list itself, and does not expect a new pet at a certain place',
  },
  {
    id: 'list.limit.below-minimum',
    ...limitRow,
    question: 'What happens with a limit below 1?',
    options: [...rejected, clamp, byDefault, { value: 'empty', meaning: 'an empty page' }],
    default: '400',
    why: 'A client that sends it has a defect, and an error shows it immediately.',
  },
  {
    id: 'list.limit.above-maximum',
    ...limitRow,
    question: 'What happens with a limit above 100?',
    options: [...rejected, clamp, byDefault],
    default: '400',
    why: 'A client that sends it expects more than it can get, and an error shows it immediately.',
  },
  {
    id: 'list.limit.not-an-integer',
    ...limitRow,
    question: 'What happens with a limit that is not an integer?',
    options: [...rejected, byDefault],
    default: '400',
    why: 'A client that sends it has a defect, and an error shows it immediately.',
  },
  {
    id: 'list.limit.repeated',
    ...limitRow,
    question: 'What happens with two limits in one request?',
    options: [
      ...rejected,
      { value: 'first', meaning: 'the first one counts' },
      { value: 'last', meaning: 'the last one counts' },
      byDefault,
    ],
    default: '400',
    why: 'The mock cannot know which one is intended.',
    safe: 'sends `limit` once',
  },
  {
    id: 'list.status.unknown',
    section: listing,
    quote: statusQuote,
    question: 'What happens with a status filter that is not one of the three values?',
    options: [
      ...rejected,
      { value: 'empty', meaning: 'an empty page' },
      { value: 'ignore', meaning: 'as if no filter had been sent' },
    ],
    default: '400',
    why: 'A client that sends it has a defect, and an error shows it immediately.',
    safe: 'sends only `available`, `pending` or `sold` as a filter',
  },
  {
    id: 'list.unknown-parameter',
    section: listing,
    quote: 'Page navigation beyond limit (offset, cursor, links): not shown.',
    question: 'What happens with a query parameter that the specification does not name?',
    options: [{ value: 'ignore', meaning: 'ignored' }, ...rejected],
    default: 'ignore',
    why: 'Most servers ignore it, and caches and proxies add some.',
    safe: 'sends no query parameter but `limit` and `status`',
  },
  {
    id: 'create.name.empty',
    ...freeNames,
    question: 'Is an empty name accepted?',
    options: [accept, ...rejected],
  },
  {
    id: 'create.name.blank',
    ...freeNames,
    question: 'Is a name of only spaces accepted?',
    options: [
      accept,
      { value: 'trim', meaning: 'accepted, and stored as an empty name' },
      ...rejected,
    ],
  },
  {
    id: 'create.name.long',
    ...freeNames,
    question: 'Is a name of 1,000 characters accepted?',
    options: [accept, bad400, large413, unprocessable422],
  },
  {
    id: 'create.name.outer-spaces',
    ...nameLimits,
    question: 'What happens to spaces before and after a name?',
    options: [
      { value: 'keep', meaning: 'stored as sent' },
      { value: 'trim', meaning: 'removed' },
      ...rejected,
    ],
    default: 'keep',
    why: 'The created Pet then has exactly the name that was sent.',
    safe: plainName,
  },
  {
    id: 'create.name.duplicate',
    ...nameLimits,
    question: 'May two pets have the same name?',
    options: [accept, bad400, conflict409, unprocessable422],
    default: 'accept',
    why: 'Many cats are called Luna; the specification only says that the id is unique.',
    safe: 'expects that an equal name may be rejected, and identifies pets by `id`',
  },
  {
    id: 'create.unknown-category',
    section: 'Resources and their fields',
    quote: 'Category record: not shown beyond its identifier referenced by categoryId.',
    question: 'What happens with a categoryId that no pet of the catalog has?',
    options: [accept, bad400, not404, conflict409, unprocessable422],
    default: 'accept',
    why: 'No operation shows which categories there are, so a client cannot know.',
    safe: 'uses a `categoryId` that the list shows',
  },
  {
    id: 'create.extra-fields',
    section: 'Resources and their fields',
    quote: '### NewPet (request body for creation)',
    question: 'What happens to fields that NewPet does not have?',
    options: [
      { value: 'ignore', meaning: 'left out of the pet' },
      { value: 'store', meaning: 'stored and shown with the pet' },
      ...rejected,
    ],
    default: 'ignore',
    why: 'A pet then has the fields of the specification and no others.',
    safe: 'sends only `name`, `categoryId` and `status`',
  },
  {
    id: 'create.client-id',
    section: 'Resources and their fields',
    quote: 'The client does not send `id`; the service assigns it.',
    question: 'What happens when a client sends an id?',
    options: [
      { value: 'ignore', meaning: 'the pet is created with an id assigned by the service' },
      ...rejected,
    ],
    default: 'ignore',
    why: 'A client often sends back a pet that it has read; the service assigns the id.',
    safe: 'sends no `id`',
  },
  {
    id: 'create.media-type.other',
    section: 'Endpoints',
    quote: 'Request and response bodies are JSON (`application/json`).',
    question: 'What happens with a JSON body that is declared as text/plain?',
    options: [accept, bad400, media415, unprocessable422],
    default: '415',
    why: 'The request is not as the specification describes it, and 415 names the reason.',
    safe: 'sends `Content-Type: application/json`',
  },
  {
    id: 'create.media-type.absent',
    section: 'Endpoints',
    quote: 'Request and response bodies are JSON (`application/json`).',
    question: 'What happens with a JSON body without a Content-Type?',
    options: [accept, bad400, media415, unprocessable422],
    default: 'accept',
    why: 'The body is JSON and nothing says otherwise.',
    safe: 'sends `Content-Type: application/json`',
  },
  {
    id: 'create.location',
    section: creation,
    quote: '201: body is the created Pet, including its assigned `id`.',
    question: 'Does 201 have a Location header?',
    options: [
      absent,
      { value: 'relative', meaning: 'the path of the new pet' },
      { value: 'absolute', meaning: 'the URL of the new pet' },
    ],
    default: 'relative',
    why: 'RFC 9110 section 15.3.2 recommends it, and clients do not need to build the path.',
    safe: 'takes the `id` from the body, and does not need Location',
  },
  {
    id: 'create.visibility',
    section: creation,
    quote: '201: body is the created Pet, including its assigned `id`.',
    question: 'How soon do reads show a new pet?',
    options: [
      { value: 'immediate', meaning: 'immediately' },
      { value: 'delayed', meaning: 'after a short time, like a replica' },
    ],
    default: 'immediate',
    why: 'Tests do not need to wait.',
    safe: 'uses the Pet of the 201, and retries for a few seconds before it treats a new pet as missing',
  },
  {
    id: 'get.id.not-an-integer',
    section: getting,
    quote: 'Path parameter: `petId`, required, integer (int64), the identifier of the animal.',
    question: 'What happens with a petId that is not an integer?',
    options: [bad400, not404, unprocessable422],
    default: '404',
    why: '404 is the error that the specification documents for getPet, and no animal can be found there.',
    safe: 'requests getPet with integer ids only',
  },
  {
    id: 'get.id.beyond-int64',
    section: getting,
    quote: 'Path parameter: `petId`, required, integer (int64), the identifier of the animal.',
    question: 'What happens with a petId beyond the range of int64?',
    options: [bad400, not404, unprocessable422],
    default: '404',
    why: '404 is the error that the specification documents for getPet, and no animal can have that id.',
    safe: 'requests getPet with ids within int64 only',
  },
  {
    id: 'get.deprecation-header',
    ...optionalHeader,
    question: 'Does getPet send a Deprecation header (RFC 9745)?',
    options: [absent, present],
    why: 'A client that checks it learns of the removal.',
  },
  {
    id: 'get.sunset-header',
    ...optionalHeader,
    question: 'Does getPet send a Sunset header (RFC 8594)?',
    options: [absent, present],
    why: 'A client that checks it learns the date of the removal.',
  },
  {
    id: 'get.after-removal',
    section: getting,
    quote:
      'Deprecation: the operation is marked deprecated and is to be removed on 5 December 2030. The replacement is `GET /pets` with the `status` filter.',
    question: 'What does getPet respond from 5 December 2030 on?',
    options: [
      { value: 'works', meaning: 'as before' },
      { value: '404', meaning: '404 and an Error body, also for a pet that exists' },
      { value: '405', meaning: '405 and an Error body' },
      { value: '410', meaning: '410 and an Error body' },
      { value: '501', meaning: '501 and an Error body' },
    ],
    default: '410',
    why: '410 Gone means that it existed and will not come back.',
    safe: 'stops calling getPet before 5 December 2030, and uses the list',
  },
  {
    id: 'auth.scheme-case',
    section: 'Authentication',
    quote:
      'The client sends the API key as the bearer token in the `Authorization` header, in the form `Authorization: Bearer <API_KEY>`.',
    question: 'Is the scheme accepted in lower case (`bearer`)?',
    options: [accept, { value: '401', meaning: 'rejected with 401 and an Error body' }],
    default: 'accept',
    why: 'RFC 9110 section 11.1 makes the scheme case-insensitive.',
    safe: 'writes the scheme as `Bearer`',
  },
  {
    id: 'auth.www-authenticate',
    section: 'Authentication',
    quote: 'When the key is missing or invalid, the service answers 401 with an Error body.',
    question: 'Does 401 have a WWW-Authenticate header?',
    options: [present, absent],
    default: 'present',
    why: 'RFC 9110 section 11.6.1 requires it for a 401.',
    safe: 'recognizes 401 by its status, and does not need WWW-Authenticate',
  },
  {
    id: 'auth.write-permission',
    section: 'Authentication',
    quote: 'How an API key is obtained, its lifetime and its permissions: not shown.',
    question: 'May the key create pets?',
    options: [
      { value: 'granted', meaning: 'it may' },
      { value: '403', meaning: 'creation is rejected with 403 and an Error body' },
    ],
    default: 'granted',
    why: 'With the mock, clients can try all operations.',
    safe: 'handles 403 for creations, or uses a key that may create on both',
  },
  {
    id: 'pet.extra-fields',
    section: 'Resources and their fields',
    quote: 'A Pet has all fields of NewPet plus the identifier.',
    question: 'Does a Pet have fields other than the four in the specification?',
    ...ignoreExtra,
    options: [absent, present],
  },
  {
    id: 'error.extra-fields',
    section: 'Errors',
    quote:
      'Every error response carries an Error body (`code`, `message`, `status`; all required).',
    question: 'Does an Error have fields other than the three in the specification?',
    ...ignoreExtra,
    options: [absent, present],
  },
  {
    id: 'error.code.400',
    ...codes,
    question: 'Which `code` does an error with status 400 have?',
    default: 'invalid_request',
    why: 'It is short, in lower case, and sufficient for a machine.',
  },
  {
    id: 'error.code.401',
    ...codes,
    question: 'Which `code` does an error with status 401 have?',
    default: 'unauthorized',
    why: 'The reason phrase of the status, as in most interfaces.',
  },
  {
    id: 'error.code.404',
    ...codes,
    question: 'Which `code` does a 404 of getPet have?',
    default: 'pet_not_found',
    why: 'A client can distinguish a missing animal from a wrong path.',
  },
  {
    id: 'http.unknown-path',
    ...otherStatuses,
    question:
      'How does the service respond to an unknown path? The suite notes an error without an Error body: the specification does not say whether it has one.',
    options: [
      { value: '404', meaning: 'rejected with 404' },
      { value: '400', meaning: 'rejected with 400' },
      { value: '401', meaning: 'rejected with 401' },
      { value: '403', meaning: 'rejected with 403' },
    ],
    default: '404',
    why: 'The meaning of 404 in RFC 9110.',
    safe: 'requests only the paths of the specification',
  },
  {
    id: 'http.unknown-method',
    ...otherStatuses,
    question:
      'How does the service respond to another method on a known path? The suite notes an error without an Error body: the specification does not say whether it has one.',
    options: [
      { value: '405', meaning: 'rejected with 405' },
      { value: '400', meaning: 'rejected with 400' },
      { value: '404', meaning: 'rejected with 404' },
      { value: '501', meaning: 'rejected with 501' },
    ],
    default: '405',
    why: 'The meaning of 405 in RFC 9110; Allow lists the methods.',
    safe: 'uses only GET and POST as specified',
  },
  {
    id: 'http.head',
    section: 'Endpoints',
    quote: 'Method and path: `GET /pets`',
    question: 'What does HEAD on the list respond?',
    options: [{ value: '200', meaning: 'the same as GET, without the body' }, ...noMethod],
    default: '200',
    why: 'RFC 9110 section 9.1 requires HEAD wherever GET is supported.',
    safe: 'uses GET instead of HEAD',
  },
  {
    id: 'http.options',
    section: 'Endpoints',
    quote: 'Method and path: `GET /pets`',
    question: 'What does OPTIONS on the list respond, other than to a CORS preflight?',
    options: [
      { value: '204', meaning: '204 and Allow' },
      { value: '200', meaning: '200 and Allow' },
      { value: '401', meaning: '401 and an Error body to a request without a key' },
      ...noMethod,
    ],
    default: '204',
    why: 'The smallest response that lists the methods.',
    safe: 'does not probe with OPTIONS',
  },
  {
    id: 'http.trailing-slash',
    section: 'Endpoints',
    quote: 'Method and path: `GET /pets`',
    question: 'What does `/pets/` respond?',
    options: [
      not404,
      { value: 'same', meaning: 'the same as /pets' },
      { value: 'redirect', meaning: 'a redirect to /pets' },
      ...rejected,
    ],
    default: '404',
    why: 'The specification has no such path, and a client that uses it finds out early.',
    safe: 'requests `/pets` without a slash at the end',
  },
  {
    id: 'http.cors',
    section: 'Endpoints',
    quote:
      'All operations require authentication (see Authentication). Request and response bodies are JSON (`application/json`).',
    question: 'May a page of another origin read the responses?',
    options: [
      { value: 'any-origin', meaning: 'Access-Control-Allow-Origin allows the page to read them' },
      { value: 'none', meaning: 'no Access-Control headers' },
    ],
    default: 'any-origin',
    why: 'Front-end teams call the mock from pages on other ports. Credentials are allowed only for listed origins (--cors-origin).',
    safe: 'calls the service from the origin of the page, or through a proxy of its own',
  },
  {
    id: 'rate-limit.headers',
    section: 'Limits',
    quote: 'Rate limits: not shown.',
    question: 'Do responses have rate limit headers?',
    options: [absent, present],
    default: 'absent',
    why: 'The mock has no rate limit unless one is configured.',
    safe: 'backs off on 429 by Retry-After, and treats rate limit headers as optional',
  },
] as const satisfies readonly Behavior[]

export type BehaviorId = (typeof behaviors)[number]['id']

type Row = (typeof behaviors)[number]
type OptionOf<R extends Row> = R extends { free: string } ? string : R['options'][number]['value']

/** One option for each behavior. A literal type, so that an option without a handler does not compile. */
export type Profile = { [Id in BehaviorId]: OptionOf<Extract<Row, { id: Id }>> }
