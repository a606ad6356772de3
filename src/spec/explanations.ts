/** What usually breaks each requirement, how to fix it, and how a client stays safe where the specification is silent. */

export interface Explanation {
  /** What usually breaks it. */
  breaks: string
  /** How to fix it. */
  fix: string
}

const schemaOnBothSides =
  'Map the field by name in the serializer of Pet, once for lists, creations and single pets, and test its JSON type.'
const errorHandler =
  'Send every error through one handler of the framework, registered last, and let that handler build the Error body.'

/** By clause id; clauses that cannot be tested have none. */
export const explanations: Readonly<Record<string, Explanation>> = {
  'service.catalogue': {
    breaks:
      'A list served from a stale index or cache, a default filter in the query, or a cursor that skips a row on a page boundary.',
    fix: 'Serve lists and single pets from the same table, and sort by a unique column before limiting.',
  },
  'service.base-path': {
    breaks: 'A gateway that strips /v1, a deployment mounted under another prefix, or a wrong base URL in the run.',
    fix: 'Mount the routes below /v1, or let the gateway pass the prefix on; check the base URL of the run first.',
  },
  'pet.fields': {
    breaks:
      'snake_case or capitalized names, an envelope such as `data`, null elements, or a list that selects other columns.',
    fix: schemaOnBothSides,
  },
  'pet.id': {
    breaks: 'An id as a string (UUID, or an int64 kept safe for JavaScript), or a decimal column.',
    fix: 'Assign 64-bit integers and write them as JSON numbers.',
  },
  'pet.id.unique': {
    breaks:
      'An id from `count + 1`, `max(id) + 1` or a counter in memory of each process; a join that repeats rows; ids rounded through a double.',
    fix: 'Let the database assign ids (identity column or sequence) with a unique constraint, and deduplicate joins.',
  },
  'pet.name': {
    breaks:
      'A nullable column, a localized object instead of a string, or a serializer that turns digits into numbers.',
    fix: schemaOnBothSides,
  },
  'pet.category-id': {
    breaks: 'A bigint column that the driver returns as a string, an embedded category object, or a nullable relation.',
    fix: schemaOnBothSides,
  },
  'pet.status': {
    breaks:
      'Enum names in upper case, a fixed-width column padded with spaces, null for "no status", or a fourth value.',
    fix: 'Map the enum to `available`, `pending` and `sold`, and leave the field out when there is no status.',
  },
  'state.reads-change-nothing': {
    breaks:
      'A read that updates the row, replicas that disagree for longer than the consistency window, or an overwritten id.',
    fix: 'Keep GET free of writes, and route reads after writes to a replica that has caught up.',
  },
  'create.status': {
    breaks: 'A status that is ignored at creation, refused for `sold`, or stored where the filter does not look.',
    fix: 'Store the status that was sent, and filter on that column.',
  },
  'http.media-type': {
    breaks:
      'Error pages of the framework or gateway (text/html), `application/problem+json`, or a missing Content-Type.',
    fix: 'Set `Content-Type: application/json` for every body, errors included.',
  },
  'http.json-body': {
    breaks:
      'Debug output after the body, a byte order mark, Latin-1 bytes, NaN, or a Content-Length computed in characters.',
    fix: 'Serialize with a JSON library, write the bytes as UTF-8, and count Content-Length in bytes.',
  },
  'http.json-request': {
    breaks:
      'Comparing Content-Type as a whole text, or reading the body with a regular expression or a strict field order.',
    fix: 'Compare the media type without its parameters, and parse the body with a JSON library.',
  },
  'auth.required': {
    breaks:
      'Authentication per connection, a shared cache that ignores Authorization, or a handler that stores before it authenticates.',
    fix: 'Authenticate each request first; send `Vary: Authorization` or `Cache-Control: private` where a cache sits in front.',
  },
  'auth.bearer': {
    breaks:
      'One of several backends that lacks the key, an expired key, or a gateway that drops the Authorization header.',
    fix: 'Read keys from one shared store on every instance, and pass the header through.',
  },
  'auth.missing-key': {
    breaks:
      'A framework default of 403 or a redirect to a login page, validation before authentication, or a public route.',
    fix: 'Run authentication before routing and validation, and let it respond 401 with an Error body.',
  },
  'auth.invalid-key': {
    breaks:
      'A prefix or case-insensitive comparison, any non-empty header counting as valid, or 403 for an unknown key.',
    fix: 'Parse `Bearer <key>` strictly, compare the whole key in constant time, and respond 401 to any other.',
  },
  'list.success': {
    breaks:
      'An envelope such as `{ items: [...] }`, 204, 404 or null for an empty list, or a page of one sent as an object.',
    fix: 'Respond 200 with a JSON array, also when it is empty or has one element.',
  },
  'list.parameters-optional': {
    breaks: 'A parameter declared as required, or a router that matches only one order of the query.',
    fix: 'Declare `limit` and `status` as optional and independent of each other.',
  },
  'list.limit.honoured': {
    breaks:
      'A limit that is not read or compared as text, a query that ignores it when there is a filter, or an off-by-one error.',
    fix: 'Parse limit as an integer and pass it to the query, after the filter.',
  },
  'list.limit.min': {
    breaks: 'A validation `limit > 1`, 1 treated as "no limit", or zero-based page arithmetic.',
    fix: 'Accept 1 and return one pet.',
  },
  'list.limit.max': {
    breaks: 'A lower cap in the framework or database layer, a validation `limit < 100`, or no cap at all.',
    fix: 'Accept 100, and never return more, whatever was sent.',
  },
  'list.limit.default': {
    breaks:
      'The page size of the framework (10, 25, 50 or 100) instead of 20, or a default that the last request changed.',
    fix: 'Use 20 where the request has no limit.',
  },
  'list.page-full': {
    breaks:
      'limit applied before the status filter, rows dropped after the query (permissions, duplicates), or a lower cap.',
    fix: 'Filter first, then sort, then limit, in one query.',
  },
  'list.status.filter': {
    breaks:
      'A filter parameter that is not bound, one that works only together with limit, or a status rewritten for display.',
    fix: 'Bind `status` into the WHERE clause and return the stored value.',
  },
  'list.status.complete': {
    breaks: 'An index that lags behind the table, a filter on another spelling of the status, or limit before filter.',
    fix: 'Filter on the stored status itself, and update the index in the same transaction.',
  },
  'list.status.default': {
    breaks: 'A default such as `status = available`, or a filter kept from an earlier request.',
    fix: 'Add no filter where the request has none, and keep no state between requests.',
  },
  'list.401': {
    breaks: 'A public list route, or parameter validation that runs before authentication.',
    fix: 'Run authentication before everything else.',
  },
  'create.success': {
    breaks: '200 or 202 instead of 201, an empty body, the bare id, or a name that is trimmed, escaped or cut.',
    fix: 'Respond 201 with the stored Pet, and escape names where they are displayed, not where they are stored.',
  },
  'create.exact': {
    breaks: 'A 32-bit column, or JSON numbers read into doubles: 9007199254740993 becomes ...992.',
    fix: 'Read and store categoryId as a 64-bit integer from end to end.',
  },
  'create.status-optional': {
    breaks: 'status declared as required in the request schema.',
    fix: 'Make it optional, and pick a default of your own.',
  },
  'create.id-assigned': {
    breaks: 'Binding the request body straight onto the entity, so that a client picks or overwrites an id.',
    fix: 'Bind into a NewPet type without id, and assign the id in the store.',
  },
  'create.stored': {
    breaks:
      'A transaction that is never committed, two backends with stores of their own, an eviction, or a reused id.',
    fix: 'Respond 201 after the commit, and keep pets in one shared store.',
  },
  'create.listed': {
    breaks: 'A cached list without invalidation, or a search index that misses new rows.',
    fix: 'Invalidate or bypass the cache on creation; serve lists from the store.',
  },
  'create.required-fields': {
    breaks: 'Zero values for absent fields (Go, Java), a permissive mapper, or 422 as the default of the framework.',
    fix: 'Check presence before binding, and map validation errors to 400.',
  },
  'create.body-required': {
    breaks: 'A body parser that turns an empty or broken body into `{}`, responds 422 or 500, or waits for bytes.',
    fix: 'Reject an absent, malformed or non-object body with 400 and an Error body.',
  },
  'create.invalid-values': {
    breaks: 'Type coercion (`"5"` to 5, null to "", 1.5 to 1), silent overflow beyond int64, or an unchecked enum.',
    fix: 'Validate JSON types strictly, without coercion, and respond 400.',
  },
  'create.refused-leaves-nothing': {
    breaks: 'Insert first and validate later, or an error after the commit.',
    fix: 'Validate before the insert, or roll back in the same transaction.',
  },
  'create.401': {
    breaks: 'Body parsing and validation that run before authentication, or an open route.',
    fix: 'Authenticate before the body is read.',
  },
  'get.success': {
    breaks: 'An envelope or array around the pet, a redirect, or a replica that fails now and then.',
    fix: 'Respond 200 with one Pet object from every instance.',
  },
  'get.by-id': {
    breaks: 'A lookup by position, by a truncated id or by another column, or two serializers that differ.',
    fix: 'Look the pet up by its id, and use the serializer of the list.',
  },
  'get.not-found': {
    breaks: '200 with null or an empty object, 400 or 500 for large or negative ids, or a lookup through 32 bits.',
    fix: 'Parse petId as int64 and respond 404 with an Error body where no pet has it.',
  },
  'get.401': {
    breaks: 'A forgotten route, or a lookup before authentication, which also shows strangers which ids exist.',
    fix: 'Authenticate before the lookup.',
  },
  'get.until-removal': {
    breaks: 'getPet removed early because it is deprecated, or never built.',
    fix: 'Keep the operation until 5 December 2030.',
  },
  'error.body': {
    breaks: 'Error pages of the framework, empty 401 and 404 responses, problem details, or an `error` envelope.',
    fix: errorHandler,
  },
  'error.code': { breaks: 'A numeric or missing code.', fix: errorHandler },
  'error.message': { breaks: 'null, or a list of validation messages, instead of one string.', fix: errorHandler },
  'error.status': { breaks: 'The status as a string, or null from an enum without a value.', fix: errorHandler },
  'error.status-repeats-http': {
    breaks:
      'A fixed value in the error type (0 or 500), or a handler that changes the HTTP status after the body is built.',
    fix: 'Set `status` where the HTTP status is set, from the same variable.',
  },
}

const readCode = 'branches on the HTTP status, and shows or logs `code` without comparing it with a fixed text'
const ignoreExtra = 'ignores fields that it does not know, and never requires them'
const limitInRange = 'sends `limit` as an integer from 1 to 100, or leaves it out'
const optionalHeader = 'treats the header as optional'
const plainName = 'sends a trimmed, non-empty name of at most 60 characters, and uses the name in the response'

/** By choice id; completes "A client is safe with both if it ...". */
export const safeClient: Readonly<Record<string, string>> = {
  'create.default-status': 'sends `status` with each creation',
  'list.order': 'sorts the list itself, and does not expect a new pet at a certain place',
  'list.limit.below-minimum': limitInRange,
  'list.limit.above-maximum': limitInRange,
  'list.limit.not-an-integer': limitInRange,
  'list.limit.repeated': 'sends `limit` once',
  'list.status.unknown': 'sends only `available`, `pending` or `sold` as a filter',
  'list.unknown-parameter': 'sends no query parameter but `limit` and `status`',
  'create.name.empty': plainName,
  'create.name.blank': plainName,
  'create.name.long': plainName,
  'create.name.outer-spaces': plainName,
  'create.name.duplicate': 'expects that an equal name may be refused, and identifies pets by `id`',
  'create.unknown-category': 'uses a `categoryId` that the list shows',
  'create.extra-members': 'sends only `name`, `categoryId` and `status`',
  'create.client-id': 'sends no `id`',
  'create.media-type.other': 'sends `Content-Type: application/json`',
  'create.media-type.absent': 'sends `Content-Type: application/json`',
  'create.location': 'takes the `id` from the body, and does not need Location',
  'create.visibility': 'uses the Pet of the 201, and retries for a few seconds before it treats a new pet as missing',
  'get.id.not-an-integer': 'requests getPet with integer ids only',
  'get.id.beyond-int64': 'requests getPet with ids within int64 only',
  'get.deprecation-header': optionalHeader,
  'get.sunset-header': optionalHeader,
  'get.after-removal': 'stops calling getPet before 5 December 2030, and uses the list',
  'auth.scheme-case': 'writes the scheme as `Bearer`',
  'auth.www-authenticate': 'recognizes 401 by its status, and does not need WWW-Authenticate',
  'auth.write-permission': 'handles 403 for creations, or uses a key that may create on both',
  'pet.extra-members': ignoreExtra,
  'error.extra-members': ignoreExtra,
  'error.code.400': readCode,
  'error.code.401': readCode,
  'error.code.404': readCode,
  'http.unknown-path': 'requests only the paths of the specification',
  'http.unknown-method': 'uses only GET and POST as specified',
  'http.head': 'uses GET instead of HEAD',
  'http.options': 'does not probe with OPTIONS',
  'http.trailing-slash': 'requests `/pets` without a slash at the end',
  'http.cors': 'calls the service from the origin of the page, or through a proxy of its own',
  'rate-limit.headers': 'backs off on 429 by Retry-After, and treats rate limit headers as optional',
}
