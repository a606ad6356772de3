/** "String enumeration with exactly these values", in the order of the specification. */
export const petStatuses = ['available', 'pending', 'sold'] as const

/** "Query parameters (both optional)": the schema of each. */
const query = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  status: { type: 'string', enum: petStatuses },
} as const

export type QueryParameter = keyof typeof query

export const queryParameters = Object.keys(query) as QueryParameter[]

/** "limit parameter minimum, maximum, default": numbers of animals. */
export const limits = query.limit

/** The rows of the query parameters, with the numbers of the routing table: a test finds them in the specification. */
export const limitQuote = `| limit | integer | minimum ${limits.minimum}, maximum ${limits.maximum} | ${limits.default} | Maximum number of animals to return. |`
export const statusQuote =
  '| status | PetStatus | one of available, pending, sold | none (no filter) | Return only animals with this status. |'

/**
 * The routing table of "Endpoints". Paths are relative to the base URL. `success` is the requirement of a success,
 * `unauthorized` that of a 401; `errors` are the statuses that "Errors" names.
 */
export const operations = {
  listPets: {
    method: 'GET',
    path: '/pets',
    query,
    body: undefined,
    success: 'list.success',
    unauthorized: 'list.401',
    successStatus: 200,
    returns: 'Pets',
    errors: [401],
    deprecated: false,
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    query: {},
    body: 'NewPet',
    success: 'create.success',
    unauthorized: 'create.401',
    successStatus: 201,
    returns: 'Pet',
    errors: [400, 401],
    deprecated: false,
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    query: {},
    body: undefined,
    success: 'get.success',
    unauthorized: 'get.401',
    successStatus: 200,
    returns: 'Pet',
    errors: [401, 404],
    deprecated: true,
    removalDate: '2030-12-05',
  },
} as const

export type OperationId = keyof typeof operations

export const operationIds = Object.keys(operations) as OperationId[]

export const int64 = { minimum: -9223372036854775808n, maximum: 9223372036854775807n } as const

/** Words of the interface. They occur in every request and response, so none of them gives a secret away. */
export const interfaceWords: readonly string[] = [
  'pets',
  'petId',
  ...queryParameters,
  ...petStatuses,
  'Bearer',
  'Basic',
  'Digest',
  'Negotiate',
  'Token',
  'ApiKey',
  'Authorization',
  'id',
  'name',
  'categoryId',
  'code',
  'message',
  'application',
  'json',
  'charset',
  'utf',
  'http',
  'https',
]
