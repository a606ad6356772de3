import { limitQuote, limits as listLimits, statusQuote } from './operations.ts'

/**
 * Every testable sentence of the specification. The suite checks each of them, or says here why it cannot be tested
 * from outside. Repetitions of a statement are in `restates`.
 */

export interface Requirement {
  /** Never reused. */
  id: string
  section: string
  /** Its exact words. */
  quote: string
  /** Repetitions in the specification. */
  restates?: readonly string[]
  /** The interpretation of the quote. */
  reading: string
  /** Why there is no check. */
  untestable?: string
  /** What usually breaks it, where it can be tested. */
  breaks?: string
  fix?: string
}

const service = 'What the service does'
const resources = 'Resources and their fields'
const endpoints = 'Endpoints'
const listing = 'Endpoints / List animals'
const creation = 'Endpoints / Add an animal'
const getting = 'Endpoints / Get an animal (deprecated)'
const authentication = 'Authentication'
const errors = 'Errors'
const limits = 'Limits'
const versioning = 'Versioning'

const { minimum, maximum, default: usual } = listLimits
const missingOrInvalid =
  'When the key is missing or invalid, the service answers 401 with an Error body.'
const error401 = '401: Error body, when the API key is missing or invalid.'
const idRow =
  '| id | integer | int64 | yes | Unique identifier, assigned by the service on creation. |'
const json = 'Request and response bodies are JSON (`application/json`).'
const errorBody =
  'Every error response carries an Error body (`code`, `message`, `status`; all required).'
const removal =
  'Deprecation: the operation is marked deprecated and is to be removed on 5 December 2030.'

const schemaOnBothSides =
  'Map the field by name in the serializer of Pet, once for lists, creations and single pets, and test its JSON type.'
const errorHandler =
  'Send every error through one handler of the framework, registered last, and let that handler build the Error body.'

/** In the order of the specification. */
export const requirements = [
  {
    id: 'service.catalog',
    section: service,
    quote: 'The service keeps a catalogue of animals offered by a store.',
    reading:
      'All responses show one catalog: a list that is complete has every pet that another response shows.',
    breaks:
      'A list served from a stale index or cache, a default filter in the query, or a cursor that skips a row on a page boundary.',
    fix: 'Serve lists and single pets from the same table, and sort by a unique column before limiting.',
  },
  {
    id: 'service.two-deployments',
    section: service,
    quote:
      'There are two deployments with the same interface: production at {base_url} and staging at {staging_base_url}.',
    reading: 'Both deployments keep the same contract.',
    untestable: 'A run sees one deployment. Verify both and compare the two reports.',
  },
  {
    id: 'service.base-path',
    section: service,
    quote:
      'Each base address ends in the version segment `/v1`. All paths below are relative to the base address.',
    restates: [
      'The version of the interface is carried in the base address as the path segment `/v1`.',
    ],
    reading: 'The operations are below a base URL that ends in /v1.',
    breaks:
      'A gateway that strips /v1, a deployment mounted under another prefix, or a wrong base URL in the run.',
    fix: 'Mount the routes below /v1, or let the gateway pass the prefix on; check the base URL of the run first.',
  },
  {
    id: 'pet.fields',
    section: resources,
    quote: 'A Pet has all fields of NewPet plus the identifier.',
    reading:
      'Each Pet is an object with id, name and categoryId, in every response and at every place of a list.',
    breaks:
      'snake_case or capitalized names, an envelope such as `data`, null elements, or a list that selects other columns.',
    fix: schemaOnBothSides,
  },
  {
    id: 'pet.id',
    section: resources,
    quote: idRow,
    reading: 'id is an integer within int64.',
    breaks: 'An id as a string (UUID, or an int64 kept safe for JavaScript), or a decimal column.',
    fix: 'Assign 64-bit integers and write them as JSON numbers.',
  },
  {
    id: 'pet.id.unique',
    section: resources,
    quote: idRow,
    reading: 'No two pets have the same id, even if they are created at the same time.',
    breaks:
      'An id from `count + 1`, `max(id) + 1` or a counter in memory of each process; a join that repeats rows; ids rounded through a double.',
    fix: 'Let the database assign ids (identity column or sequence) with a unique constraint, and deduplicate joins.',
  },
  {
    id: 'pet.name',
    section: resources,
    quote: "| name | string | - | yes | The animal's name. |",
    reading: 'name is a string.',
    breaks:
      'A nullable column, a localized object instead of a string, or a serializer that turns digits into numbers.',
    fix: schemaOnBothSides,
  },
  {
    id: 'pet.category-id',
    section: resources,
    quote:
      '| categoryId | integer | int64 | yes | Identifier of the category the animal belongs to. |',
    reading: 'categoryId is an integer within int64.',
    breaks:
      'A bigint column that the driver returns as a string, an embedded category object, or a nullable relation.',
    fix: schemaOnBothSides,
  },
  {
    id: 'pet.status',
    section: resources,
    quote: 'String enumeration with exactly these values: `available`, `pending`, `sold`.',
    restates: ['| status | string (PetStatus) | - | no | Availability status. |'],
    reading: 'status is one of the three values, in lower case, or absent; null is not allowed.',
    breaks:
      'Enum names in upper case, a fixed-width column padded with spaces, null for "no status", or a fourth value.',
    fix: 'Map the enum to `available`, `pending` and `sold`, and leave the field out when there is no status.',
  },
  {
    id: 'state.reads-change-nothing',
    section: 'States and transitions',
    quote: 'No operation that changes the status of an existing animal is given.',
    reading:
      'Reading a pet or the list changes no pet, and no creation changes a pet made earlier.',
    breaks:
      'A read that updates the row, replicas that disagree for longer than the consistency window, or an overwritten id.',
    fix: 'Keep GET free of writes, and route reads after writes to a replica that has caught up.',
  },
  {
    id: 'create.status',
    section: 'States and transitions',
    quote:
      'A status can be set at creation through NewPet.status, and it can be used as a list filter.',
    reading:
      'Each of the three values is accepted at creation and kept, and the filter finds the pet by it.',
    breaks:
      'A status that is ignored at creation, rejected for `sold`, or stored where the filter does not look.',
    fix: 'Store the status that was sent, and filter on that column.',
  },
  {
    id: 'http.media-type',
    section: endpoints,
    quote: json,
    reading:
      'The Content-Type of a response with a body is application/json, with or without parameters.',
    breaks:
      'Error pages of the framework or gateway (text/html), `application/problem+json`, or a missing Content-Type.',
    fix: 'Set `Content-Type: application/json` for every body, errors included.',
  },
  {
    id: 'http.json-body',
    section: endpoints,
    quote: json,
    reading:
      'A body is one JSON text in valid UTF-8, complete, without a byte order mark, and with nothing before or after it.',
    breaks:
      'Debug output after the body, a byte order mark, Latin-1 bytes, NaN, or a Content-Length computed in characters.',
    fix: 'Serialize with a JSON library, write the bytes as UTF-8, and count Content-Length in bytes.',
  },
  {
    id: 'http.json-request',
    section: endpoints,
    quote: json,
    reading:
      'A request body may use any spelling that JSON allows: white space, order of fields, \\u escapes; its Content-Type may contain the charset.',
    breaks:
      'Comparing Content-Type as a whole text, or reading the body with a regular expression or a strict field order.',
    fix: 'Compare the media type without its parameters, and parse the body with a JSON library.',
  },
  {
    id: 'auth.required',
    section: authentication,
    quote: 'Every operation requires HTTP bearer authentication.',
    restates: ['All operations require authentication (see Authentication).'],
    reading:
      'Each request needs its own key: no connection, address or cache replaces it. A creation rejected because of its key creates no pet.',
    breaks:
      'Authentication per connection, a shared cache that ignores Authorization, or a handler that stores before it authenticates.',
    fix: 'Authenticate each request first; send `Vary: Authorization` or `Cache-Control: private` where a cache sits in front.',
  },
  {
    id: 'auth.bearer',
    section: authentication,
    quote:
      'The client sends the API key as the bearer token in the `Authorization` header, in the form `Authorization: Bearer <API_KEY>`.',
    reading: 'A valid key in this form is always accepted.',
    breaks:
      'One of several backends that lacks the key, an expired key, or a gateway that drops the Authorization header.',
    fix: 'Read keys from one shared store on every instance, and pass the header through.',
  },
  {
    id: 'auth.missing-key',
    section: authentication,
    quote: missingOrInvalid,
    reading:
      'Without an Authorization header, or with an empty token, the response is 401, regardless of the rest of the request.',
    breaks:
      'A framework default of 403 or a redirect to a login page, validation before authentication, or a public route.',
    fix: 'Run authentication before routing and validation, and let it respond 401 with an Error body.',
  },
  {
    id: 'auth.invalid-key',
    section: authentication,
    quote: missingOrInvalid,
    reading:
      'Another key or scheme, the key alone, or the key truncated, extended or in another letter case: the response is 401, regardless of the rest of the request.',
    breaks:
      'A prefix or case-insensitive comparison, any non-empty header counting as valid, or 403 for an unknown key.',
    fix: 'Parse `Bearer <key>` strictly, compare the whole key in constant time, and respond 401 to any other.',
  },
  {
    id: 'list.success',
    section: listing,
    quote: '200: body is a Pets array (array of Pet).',
    restates: ['A JSON array of Pet objects.'],
    reading:
      'The response is 200 and an array, even if it is empty; not an envelope, null, 204 or 404.',
    breaks:
      'An envelope such as `{ items: [...] }`, 204, 404 or null for an empty list, or a page of one sent as an object.',
    fix: 'Respond 200 with a JSON array, also when it is empty or has one element.',
  },
  {
    id: 'list.parameters-optional',
    section: listing,
    quote: 'Query parameters (both optional):',
    reading:
      'listPets responds without parameters, with either of them and with both, in any order.',
    breaks:
      'A parameter declared as required, or a router that matches only one order of the query.',
    fix: 'Declare `limit` and `status` as optional and independent of each other.',
  },
  {
    id: 'list.limit.respected',
    section: listing,
    quote: limitQuote,
    reading: 'The list never has more pets than limit, with or without a status filter.',
    breaks:
      'A limit that is not read or compared as text, a query that ignores it when there is a filter, or an off-by-one error.',
    fix: 'Parse limit as an integer and pass it to the query, after the filter.',
  },
  {
    id: 'list.limit.min',
    section: limits,
    quote: `| limit parameter minimum | listPets | ${minimum} |`,
    reading: 'limit=1 is accepted.',
    breaks: 'A validation `limit > 1`, 1 treated as "no limit", or zero-based page arithmetic.',
    fix: 'Accept 1 and return one pet.',
  },
  {
    id: 'list.limit.max',
    section: limits,
    quote: `| limit parameter maximum | listPets | ${maximum} |`,
    reading:
      'limit=100 is accepted, and no response has more than 100 pets, regardless of the limit.',
    breaks:
      'A lower cap in the framework or database layer, a validation `limit < 100`, or no cap at all.',
    fix: 'Accept 100, and never return more, whatever was sent.',
  },
  {
    id: 'list.limit.default',
    section: limits,
    quote: `| limit parameter default | listPets | ${usual} |`,
    reading: `Without limit, the list has ${usual} pets if there are enough, and never more.`,
    breaks: `The page size of the framework (10, 25, 50 or 100) instead of ${usual}, or a default that the last request changed.`,
    fix: `Use ${usual} where the request has no limit.`,
  },
  {
    id: 'list.page-full',
    section: listing,
    quote: 'Purpose: returns a paginated list of animals.',
    reading: 'A page is full if the catalog has enough matching pets.',
    breaks:
      'limit applied before the status filter, rows dropped after the query (permissions, duplicates), or a lower cap.',
    fix: 'Filter first, then sort, then limit, in one query.',
  },
  {
    id: 'list.status.filter',
    section: listing,
    quote: statusQuote,
    reading: 'Each of the three values is accepted, and every pet in the response has that status.',
    breaks:
      'A filter parameter that is not bound, one that works only together with limit, or a status rewritten for display.',
    fix: 'Bind `status` into the WHERE clause and return the stored value.',
  },
  {
    id: 'list.status.complete',
    section: service,
    quote: 'List animals, optionally filtered by availability status.',
    reading: 'A filtered list that is not full shows every pet with that status.',
    breaks:
      'An index that lags behind the table, a filter on another spelling of the status, or limit before filter.',
    fix: 'Filter on the stored status itself, and update the index in the same transaction.',
  },
  {
    id: 'list.status.default',
    section: listing,
    quote: statusQuote,
    reading:
      'Without status, there is no filter: a list that is not full shows pets of every status.',
    breaks: 'A default such as `status = available`, or a filter kept from an earlier request.',
    fix: 'Add no filter where the request has none, and keep no state between requests.',
  },
  {
    id: 'list.401',
    section: listing,
    quote: error401,
    reading: 'listPets without a valid key responds 401 with an Error body.',
    breaks: 'A public list route, or parameter validation that runs before authentication.',
    fix: 'Run authentication before everything else.',
  },
  {
    id: 'create.success',
    section: creation,
    quote: '201: body is the created Pet, including its assigned `id`.',
    reading:
      'The response is 201 with the name, categoryId and status that were sent, unchanged, and an id.',
    breaks:
      '200 or 202 instead of 201, an empty body, the bare id, or a name that is escaped, cut or in other letters.',
    fix: 'Respond 201 with the stored Pet, and escape names where they are displayed, not where they are stored.',
  },
  {
    id: 'create.exact',
    section: resources,
    quote: '| categoryId | integer | int64 | yes | Identifier of the category. |',
    reading: 'Every int64 is a possible categoryId and is stored exactly, even above 2^53.',
    breaks: 'A 32-bit column, or JSON numbers read into doubles: 9007199254740993 becomes ...992.',
    fix: 'Read and store categoryId as a 64-bit integer from end to end.',
  },
  {
    id: 'create.status-optional',
    section: resources,
    quote: '| status | string (PetStatus) | - | no | Availability status. |',
    reading: 'A creation without status is accepted.',
    breaks: 'status declared as required in the request schema.',
    fix: 'Make it optional, and pick a default of your own.',
  },
  {
    id: 'create.id-assigned',
    section: resources,
    quote: 'The client does not send `id`; the service assigns it.',
    reading: 'The service assigns the id of a new pet; an id sent by the client is never used.',
    breaks:
      'Binding the request body straight onto the entity, so that a client picks or overwrites an id.',
    fix: 'Bind into a NewPet type without id, and assign the id in the store.',
  },
  {
    id: 'create.stored',
    section: service,
    quote: 'Add an animal.',
    reading: 'From then on, reads show the created pet, and it stays.',
    breaks:
      'A transaction that is never committed, two backends with stores of their own, an eviction, or a reused id. A reset of the database during the run, as by a deployment, looks the same.',
    fix: 'Respond 201 after the commit, and keep pets in one shared store. Verify after a deployment or a reset has ended.',
  },
  {
    id: 'create.listed',
    section: service,
    quote: 'List animals, optionally filtered by availability status.',
    reading: 'The created pet is in every list that is not full, also when filtered by its status.',
    breaks: 'A cached list without invalidation, or a search index that misses new rows.',
    fix: 'Invalidate or bypass the cache on creation; serve lists from the store.',
  },
  {
    id: 'create.required-fields',
    section: creation,
    quote: 'Request body: required, a NewPet object. `name` and `categoryId` are required.',
    reading: 'For a body without name, categoryId or both, the response is exactly 400.',
    breaks:
      'Zero values for absent fields (Go, Java), a permissive mapper, or 422 as the default of the framework.',
    fix: 'Check presence before binding, and map validation errors to 400.',
  },
  {
    id: 'create.body-required',
    section: creation,
    quote: 'Request body: required, a NewPet object. `name` and `categoryId` are required.',
    reading:
      'For a missing body, a body that is not JSON, or JSON that is not an object, the response is exactly 400.',
    breaks:
      'A body parser that turns an empty or broken body into `{}`, responds 422 or 500, or waits for bytes.',
    fix: 'Reject an absent, malformed or non-object body with 400 and an Error body.',
  },
  {
    id: 'create.invalid-values',
    section: creation,
    quote: '400: Error body, when the body is missing required fields or holds invalid values.',
    restates: ['| 400 | Request body lacks required fields or has invalid values. | createPet |'],
    reading:
      'For a name that is not a string, a categoryId that is not an integer within int64, or another status, the response is exactly 400.',
    breaks:
      'Type coercion (`"5"` to 5, null to "", 1.5 to 1), silent overflow beyond int64, or an unchecked enum.',
    fix: 'Validate JSON types strictly, without coercion, and respond 400.',
  },
  {
    id: 'create.rejected-leaves-nothing',
    section: errors,
    quote: '| 400 | Request body lacks required fields or has invalid values. | createPet |',
    reading: 'A rejected creation creates no pet.',
    breaks: 'Insert first and validate later, or an error after the commit.',
    fix: 'Validate before the insert, or roll back in the same transaction.',
  },
  {
    id: 'create.401',
    section: creation,
    quote: error401,
    reading:
      'createPet without a valid key responds 401 with an Error body, before the body is judged.',
    breaks: 'Body parsing and validation that run before authentication, or an open route.',
    fix: 'Authenticate before the body is read.',
  },
  {
    id: 'get.success',
    section: getting,
    quote: '200: body is a Pet.',
    reading: 'The response for a pet that exists is 200 and one Pet.',
    breaks:
      'An envelope or array around the pet, a redirect, or a replica that fails now and then.',
    fix: 'Respond 200 with one Pet object from every instance.',
  },
  {
    id: 'get.by-id',
    section: service,
    quote: 'Fetch one animal by its identifier. This operation is deprecated.',
    reading: 'The Pet is the one with that id, with the same fields that the list shows.',
    breaks:
      'A lookup by position, by a truncated id or by another column, or two serializers that differ.',
    fix: 'Look the pet up by its id, and use the serializer of the list.',
  },
  {
    id: 'get.not-found',
    section: getting,
    quote: '404: Error body, when the animal cannot be found.',
    restates: ['| 404 | The requested animal cannot be found. | getPet |'],
    reading:
      'For an integer that no pet has, the response is exactly 404, in the entire range of int64.',
    breaks:
      '200 with null or an empty object, 400 or 500 for large or negative ids, or a lookup through 32 bits.',
    fix: 'Parse petId as int64 and respond 404 with an Error body where no pet has it.',
  },
  {
    id: 'get.401',
    section: getting,
    quote: error401,
    reading:
      'getPet without a valid key responds 401 with an Error body, whether the pet exists or not.',
    breaks:
      'A forgotten route, or a lookup before authentication, which also shows strangers which ids exist.',
    fix: 'Authenticate before the lookup.',
  },
  {
    id: 'get.until-removal',
    section: getting,
    quote: removal,
    reading: 'getPet works until 5 December 2030.',
    breaks: 'getPet removed early because it is deprecated, or never built.',
    fix: 'Keep the operation until 5 December 2030.',
  },
  {
    id: 'error.body',
    section: errors,
    quote: errorBody,
    reading: 'The body of every error response is an Error object.',
    breaks:
      'Error pages of the framework, empty 401 and 404 responses, problem details, or an `error` envelope.',
    fix: errorHandler,
  },
  {
    id: 'error.code',
    section: resources,
    quote: '| code | string | yes | Machine-readable error code. |',
    reading: 'code is a string.',
    breaks: 'A numeric or missing code.',
    fix: errorHandler,
  },
  {
    id: 'error.message',
    section: resources,
    quote: '| message | string | yes | Human-readable description. |',
    reading: 'message is a string; it may be empty.',
    breaks: 'null, or a list of validation messages, instead of one string.',
    fix: errorHandler,
  },
  {
    id: 'error.status',
    section: resources,
    quote: '| status | integer | yes | The HTTP status code. |',
    reading: 'status is an integer.',
    breaks: 'The status as a string, or null from an enum without a value.',
    fix: errorHandler,
  },
  {
    id: 'error.status-repeats-http',
    section: errors,
    quote: 'The `status` field repeats the HTTP status code.',
    reading: 'status in the body equals the status of the HTTP response.',
    breaks:
      'A fixed value in the error type (0 or 500), or a handler that changes the HTTP status after the body is built.',
    fix: 'Set `status` where the HTTP status is set, from the same variable.',
  },
  {
    id: 'service.orders',
    section: service,
    quote:
      'A store-orders area with an operation on orders is mentioned to exist. Store orders operations: not shown.',
    reading: 'There are operations on orders.',
    untestable: 'No path or method of a store order is shown, so there is nothing to call.',
  },
  {
    id: 'version.description',
    section: versioning,
    quote: 'The description of the interface is at version 1.0.0.',
    reading: 'The description names its version.',
    untestable: 'No operation shows the description of the interface.',
  },
  {
    id: 'version.deprecation-announced',
    section: versioning,
    quote:
      'Deprecation is announced on the operation itself: `GET /pets/{petId}` is deprecated and has the removal date 5 December 2030.',
    reading: 'The description marks the operation as deprecated.',
    untestable: 'It is about the description of the interface, which no operation shows.',
  },
  {
    id: 'version.stability',
    section: versioning,
    quote:
      'Some operations can carry a stability marker of `experimental` or `beta`. Which operations carry one is not stated for the operations above.',
    reading: 'The description may mark operations.',
    untestable: 'It is about the description of the interface, and names no marked operation.',
  },
] as const satisfies readonly Requirement[]

export type RequirementId = (typeof requirements)[number]['id']
