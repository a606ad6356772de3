/** The sentence that a backend engineer reads first: the requirement that leads, and its headline. */
export const headlines: Readonly<Record<string, readonly [clause: string, sentence: string]>> = {
  'auth.list-open': ['list.401', 'GET /pets with no Authorization header responded 200 instead of 401'],
  'auth.parameters-first': [
    'list.401',
    'GET /pets?limit=0&status=lost with no Authorization header responded 400 instead of 401',
  ],
  'auth.lookup-first': ['get.401', 'GET /pets/ID with an empty bearer token responded 404 instead of 401'],
  'auth.cut-key': [
    'auth.invalid-key',
    'POST /pets with the key without its last character responded 201 instead of 401',
  ],
  'auth.401-stores': ['auth.required', 'Pet ID (NAME) is there, although its creation was refused with 401'],
  'auth.create-refused': [
    'auth.bearer',
    'POST /pets responded 401, although other requests with the same key were accepted',
  ],
  'auth.lower-case-empty': [
    'error.body',
    'The 401 of GET /pets?limit=1 with the key with the scheme in lower case has an empty body, not an Error object',
  ],
  'list.limit-ignored': ['list.limit.honoured', 'GET /pets?limit=1&status=pending returns 19 pets, at most 1 allowed'],
  'list.default-10': [
    'list.limit.default',
    'Without `limit`, GET /pets?status=available returns 10 pets, the default is 20 (the catalog has N)',
  ],
  'list.limit-before-filter': [
    'list.page-full',
    '`limit` is applied before the status filter: GET /pets?status=available returns N of 20 pets',
  ],
  'filter.pages-of-10': ['list.page-full', 'GET /pets?status=available returns 10 pets, not 20 (the catalog has N)'],
  'list.maximum-exceeded': [
    'list.limit.max',
    'GET /pets?limit=101 returns 101 pets, at most 100 allowed with any limit',
  ],
  'list.limit-minus-one': ['list.limit.min', 'limit=1 gives no pet, although the catalog has some'],
  'list.envelope': ['list.success', 'GET /pets returns an object with `items`, not an array of Pet'],
  'list.double-encoded': ['list.success', 'GET /pets returns a JSON string, not an array of Pet'],
  'list.empty-is-null': ['list.success', 'GET /pets returns null, not an array of Pet'],
  'list.default-available': [
    'list.status.default',
    'Without `status`, GET /pets?limit=100 hides pets: pet ID is missing',
  ],
  'filter.ignored': [
    'list.status.filter',
    'GET /pets?status=available&limit=100 shows a pet with status "sold", not "available"',
  ],
  'pet.name-missing': ['pet.fields', 'Pet 1 of GET /pets: `name` is missing'],
  'pet.snake-case': ['pet.fields', 'Pet 1 of GET /pets: `categoryId` is missing, `category_id` is there'],
  'pet.nested-in-list': ['pet.fields', 'Pet 1 of GET /pets: `id` is missing, it is inside `pet`'],
  'list.null-at-end': ['pet.fields', 'Pet 21 of GET /pets is null, not an object'],
  'pet.id-text': ['pet.id', 'Pet 1 of GET /pets: `id` is "130", must be an integer within int64'],
  'pet.status-upper-case': [
    'pet.status',
    'Pet 1 of GET /pets: `status` is "SOLD", must be "available", "pending", "sold", or no status at all',
  ],
  'list.twin': ['pet.id.unique', 'GET /pets shows id ID twice'],
  'create.status-200': ['create.success', 'POST /pets responded 200 instead of 201'],
  'create.no-body': ['create.success', 'POST /pets returns an empty body, not a Pet'],
  'create.name-escaped': [
    'create.success',
    'Created Pet: `name` is …Bcdfgh Ae  &amp; &lt;b>&quot;Tom&q…, sent as …Bcdfgh Ae  & <b>\\"Tom\\"</b> \'n\' ’s…',
  ],
  'create.category-double': ['create.exact', 'Created Pet: `categoryId` is 9007199254740992, sent as 9007199254740993'],
  'create.sold-refused': ['create.status', 'POST /pets with status "sold" responded 400 instead of 201'],
  'create.status-required': ['create.status-optional', 'POST /pets without status responded 400 instead of 201'],
  'create.charset-refused': [
    'http.json-request',
    'POST /pets with Content-Type: application/json; charset=utf-8 responded 415 instead of 201',
  ],
  'create.same-id': ['pet.id.unique', 'A new pet got the id ID, which another pet has'],
  'create.not-stored': ['create.stored', 'GET /pets/ID responded 404, although createPet returned a pet with that id'],
  'refuse.category-text-accepted': [
    'create.invalid-values',
    'POST /pets with categoryId a string is accepted with 201 instead of 400',
  ],
  'refuse.missing-is-422': ['create.required-fields', 'POST /pets with no name is rejected with 422 instead of 400'],
  'refuse.absent-hangs': [
    'create.body-required',
    'POST /pets with no body never gets a response, while other requests do: no response within 20 s',
  ],
  'get.missing-is-500': ['get.not-found', 'GET /pets/ID responded 500 instead of 404, although no pet has this id'],
  'get.sign-lost': ['get.by-id', 'GET /pets/-1 returns pet 1'],
  'get.removed-early': ['get.until-removal', 'GET /pets/ID responded 410, although listPets shows a pet with that id'],
  'error.status-zero': ['error.status-repeats-http', 'Error body: `status` is 0, HTTP status is 404'],
  'error.page': [
    'http.media-type',
    'GET /pets/ID responded 404 with Content-Type: text/html, must be application/json',
  ],
  'error.empty': ['error.body', 'The 404 of GET /pets/ID has an empty body, not an Error object'],
  'http.jsonp': [
    'http.json-body',
    'GET /pets: it is not valid JSON (WHY): callback([{"id":130,"name":"Bentley the Mandarin Fish","categoryId":5,…',
  ],
  'http.byte-order-mark': [
    'http.json-body',
    'GET /pets: a byte order mark precedes the JSON text: \\ufeff[{"id":130,"name":"Bentley the Mandarin Fish","categoryId":5,"status"…',
  ],
}

/** What another input of the suite, or another Node, changes: ids, names, how many pets there are, what a parser says. */
export const plain = (text: string): string =>
  text
    .replace(/\/pets\/\d{2,}/g, '/pets/ID')
    .replace(/\b(pet|Pet|id) \d{2,}\b(?! of)/g, '$1 ID')
    .replace(/\(Petkit \w+ \w+\)/, '(NAME)')
    .replace(/\(the catalog has \d+\)/, '(the catalog has N)')
    .replace(/ \d+ of 20 pets/, ' N of 20 pets')
    .replace(/(is|as) -(?=\d{16})/g, '$1 ')
    .replace(/valid JSON \([^()]*\)/, 'valid JSON (WHY)')
