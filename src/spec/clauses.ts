/**
 * Every testable sentence of the specification. The suite checks each of them, or says here why it cannot be tested
 * from outside. Repetitions of a statement are in `restates`.
 */

export interface Clause {
  /** Never reused. */
  id: string
  /** The section of the specification. */
  section: string
  /** Its exact words. */
  quote: string
  /** Repetitions in the specification. */
  restates?: readonly string[]
  /** The interpretation of the quote. */
  reading: string
  /** Why there is no check. */
  untestable?: string
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

const limitRow = '| limit | integer | minimum 1, maximum 100 | 20 | Maximum number of animals to return. |'
const statusRow =
  '| status | PetStatus | one of available, pending, sold | none (no filter) | Return only animals with this status. |'
const missingOrInvalid = 'When the key is missing or invalid, the service answers 401 with an Error body.'
const error401 = '401: Error body, when the API key is missing or invalid.'
const idRow = '| id | integer | int64 | yes | Unique identifier, assigned by the service on creation. |'
const json = 'Request and response bodies are JSON (`application/json`).'
const errorBody = 'Every error response carries an Error body (`code`, `message`, `status`; all required).'
const removal = 'Deprecation: the operation is marked deprecated and is to be removed on 5 December 2030.'

/** In the order of the specification. */
export const clauses = [
  {
    id: 'service.catalogue',
    section: service,
    quote: 'The service keeps a catalogue of animals offered by a store.',
    reading: 'All responses show one catalog: a list that is complete has every pet that another response shows.',
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
    quote: 'Each base address ends in the version segment `/v1`. All paths below are relative to the base address.',
    restates: ['The version of the interface is carried in the base address as the path segment `/v1`.'],
    reading: 'The operations are below a base URL that ends in /v1.',
  },
  {
    id: 'pet.fields',
    section: resources,
    quote: 'A Pet has all fields of NewPet plus the identifier.',
    reading: 'Each Pet is an object with id, name and categoryId, in every response and at every place of a list.',
  },
  {
    id: 'pet.id',
    section: resources,
    quote: idRow,
    reading: 'id is an integer within int64.',
  },
  {
    id: 'pet.id.unique',
    section: resources,
    quote: idRow,
    reading: 'No two pets have the same id, even if they are created at the same time.',
  },
  {
    id: 'pet.name',
    section: resources,
    quote: "| name | string | - | yes | The animal's name. |",
    reading: 'name is a string.',
  },
  {
    id: 'pet.category-id',
    section: resources,
    quote: '| categoryId | integer | int64 | yes | Identifier of the category the animal belongs to. |',
    reading: 'categoryId is an integer within int64.',
  },
  {
    id: 'pet.status',
    section: resources,
    quote: 'String enumeration with exactly these values: `available`, `pending`, `sold`.',
    restates: ['| status | string (PetStatus) | - | no | Availability status. |'],
    reading: 'status is one of the three values, in lower case, or absent; null is not allowed.',
  },
  {
    id: 'state.reads-change-nothing',
    section: 'States and transitions',
    quote: 'No operation that changes the status of an existing animal is given.',
    reading: 'Reading a pet or the list changes no pet, and no creation changes a pet made earlier.',
  },
  {
    id: 'create.status',
    section: 'States and transitions',
    quote: 'A status can be set at creation through NewPet.status, and it can be used as a list filter.',
    reading: 'Each of the three values is accepted at creation and kept, and the filter finds the pet by it.',
  },
  {
    id: 'http.media-type',
    section: endpoints,
    quote: json,
    reading: 'The Content-Type of a response with a body is application/json, with or without parameters.',
  },
  {
    id: 'http.json-body',
    section: endpoints,
    quote: json,
    reading:
      'A body is one JSON text in valid UTF-8, complete, without a byte order mark, and with nothing before or after it.',
  },
  {
    id: 'http.json-request',
    section: endpoints,
    quote: json,
    reading:
      'A request body may use any spelling that JSON allows: white space, order of fields, \\u escapes; its Content-Type may contain the charset.',
  },
  {
    id: 'auth.required',
    section: authentication,
    quote: 'Every operation requires HTTP bearer authentication.',
    restates: ['All operations require authentication (see Authentication).'],
    reading:
      'Each request needs its own key: no connection, address or cache replaces it. A creation rejected because of its key creates no pet.',
  },
  {
    id: 'auth.bearer',
    section: authentication,
    quote:
      'The client sends the API key as the bearer token in the `Authorization` header, in the form `Authorization: Bearer <API_KEY>`.',
    reading: 'A valid key in this form is always accepted.',
  },
  {
    id: 'auth.missing-key',
    section: authentication,
    quote: missingOrInvalid,
    reading:
      'Without an Authorization header, or with an empty token, the response is 401, regardless of the rest of the request.',
  },
  {
    id: 'auth.invalid-key',
    section: authentication,
    quote: missingOrInvalid,
    reading:
      'Another key or scheme, the key alone, or the key truncated, extended or in another letter case: the response is 401, regardless of the rest of the request.',
  },
  {
    id: 'list.success',
    section: listing,
    quote: '200: body is a Pets array (array of Pet).',
    restates: ['A JSON array of Pet objects.'],
    reading: 'The response is 200 and an array, even if it is empty; not an envelope, null, 204 or 404.',
  },
  {
    id: 'list.parameters-optional',
    section: listing,
    quote: 'Query parameters (both optional):',
    reading: 'listPets responds without parameters, with either of them and with both, in any order.',
  },
  {
    id: 'list.limit.honoured',
    section: listing,
    quote: limitRow,
    reading: 'The list never has more pets than limit, with or without a status filter.',
  },
  {
    id: 'list.limit.min',
    section: limits,
    quote: '| limit parameter minimum | listPets | 1 |',
    reading: 'limit=1 is accepted.',
  },
  {
    id: 'list.limit.max',
    section: limits,
    quote: '| limit parameter maximum | listPets | 100 |',
    reading: 'limit=100 is accepted, and no response has more than 100 pets, regardless of the limit.',
  },
  {
    id: 'list.limit.default',
    section: limits,
    quote: '| limit parameter default | listPets | 20 |',
    reading: 'Without limit, the list has 20 pets if there are enough, and never more.',
  },
  {
    id: 'list.page-full',
    section: listing,
    quote: 'Purpose: returns a paginated list of animals.',
    reading: 'A page is full if the catalog has enough matching pets.',
  },
  {
    id: 'list.status.filter',
    section: listing,
    quote: statusRow,
    reading: 'Each of the three values is accepted, and every pet in the response has that status.',
  },
  {
    id: 'list.status.complete',
    section: service,
    quote: 'List animals, optionally filtered by availability status.',
    reading: 'A filtered list that is not full shows every pet with that status.',
  },
  {
    id: 'list.status.default',
    section: listing,
    quote: statusRow,
    reading: 'Without status, there is no filter: a list that is not full shows pets of every status.',
  },
  {
    id: 'list.401',
    section: listing,
    quote: error401,
    reading: 'listPets without a valid key responds 401 with an Error body.',
  },
  {
    id: 'create.success',
    section: creation,
    quote: '201: body is the created Pet, including its assigned `id`.',
    reading: 'The response is 201 with the name, categoryId and status that were sent, unchanged, and an id.',
  },
  {
    id: 'create.exact',
    section: resources,
    quote: '| categoryId | integer | int64 | yes | Identifier of the category. |',
    reading: 'Every int64 is a possible categoryId and is stored exactly, even above 2^53.',
  },
  {
    id: 'create.status-optional',
    section: resources,
    quote: '| status | string (PetStatus) | - | no | Availability status. |',
    reading: 'A creation without status is accepted.',
  },
  {
    id: 'create.id-assigned',
    section: resources,
    quote: 'The client does not send `id`; the service assigns it.',
    reading: 'The service assigns the id of a new pet; an id sent by the client is never used.',
  },
  {
    id: 'create.stored',
    section: service,
    quote: 'Add an animal.',
    reading: 'From then on, reads show the created pet, and it stays.',
  },
  {
    id: 'create.listed',
    section: service,
    quote: 'List animals, optionally filtered by availability status.',
    reading: 'The created pet is in every list that is not full, also when filtered by its status.',
  },
  {
    id: 'create.required-fields',
    section: creation,
    quote: 'Request body: required, a NewPet object. `name` and `categoryId` are required.',
    reading: 'For a body without name, categoryId or both, the response is exactly 400.',
  },
  {
    id: 'create.body-required',
    section: creation,
    quote: 'Request body: required, a NewPet object. `name` and `categoryId` are required.',
    reading: 'For a missing body, a body that is not JSON, or JSON that is not an object, the response is exactly 400.',
  },
  {
    id: 'create.invalid-values',
    section: creation,
    quote: '400: Error body, when the body is missing required fields or holds invalid values.',
    restates: ['| 400 | Request body lacks required fields or has invalid values. | createPet |'],
    reading:
      'For a name that is not a string, a categoryId that is not an integer within int64, or another status, the response is exactly 400.',
  },
  {
    id: 'create.refused-leaves-nothing',
    section: errors,
    quote: '| 400 | Request body lacks required fields or has invalid values. | createPet |',
    reading: 'A rejected creation creates no pet.',
  },
  {
    id: 'create.401',
    section: creation,
    quote: error401,
    reading: 'createPet without a valid key responds 401 with an Error body, before the body is judged.',
  },
  {
    id: 'get.success',
    section: getting,
    quote: '200: body is a Pet.',
    reading: 'The response for a pet that exists is 200 and one Pet.',
  },
  {
    id: 'get.by-id',
    section: service,
    quote: 'Fetch one animal by its identifier. This operation is deprecated.',
    reading: 'The Pet is the one with that id, with the same fields that the list shows.',
  },
  {
    id: 'get.not-found',
    section: getting,
    quote: '404: Error body, when the animal cannot be found.',
    restates: ['| 404 | The requested animal cannot be found. | getPet |'],
    reading: 'For an integer that no pet has, the response is exactly 404, in the entire range of int64.',
  },
  {
    id: 'get.401',
    section: getting,
    quote: error401,
    reading: 'getPet without a valid key responds 401 with an Error body, whether the pet exists or not.',
  },
  {
    id: 'get.until-removal',
    section: getting,
    quote: removal,
    reading: 'getPet works until 5 December 2030.',
  },
  {
    id: 'error.body',
    section: errors,
    quote: errorBody,
    reading: 'The body of every error response is an Error object.',
  },
  {
    id: 'error.code',
    section: resources,
    quote: '| code | string | yes | Machine-readable error code. |',
    reading: 'code is a string.',
  },
  {
    id: 'error.message',
    section: resources,
    quote: '| message | string | yes | Human-readable description. |',
    reading: 'message is a string; it may be empty.',
  },
  {
    id: 'error.status',
    section: resources,
    quote: '| status | integer | yes | The HTTP status code. |',
    reading: 'status is an integer.',
  },
  {
    id: 'error.status-repeats-http',
    section: errors,
    quote: 'The `status` field repeats the HTTP status code.',
    reading: 'status in the body equals the status of the HTTP response.',
  },
  {
    id: 'service.orders',
    section: service,
    quote: 'A store-orders area with an operation on orders is mentioned to exist. Store orders operations: not shown.',
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
] as const satisfies readonly Clause[]

export type ClauseId = (typeof clauses)[number]['id']
