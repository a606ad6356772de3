/** What is asked: the five operations that clients of a pet store repeat. */

export const key = 'petstore-test-key'

/** Bodies of creations, in turns: a server that remembers the last one gains nothing. */
export const newPets = Array.from({ length: 16 }, (_, index) =>
  JSON.stringify({ name: `Bella the ${index + 10}th Whippet`, categoryId: (index % 8) + 1, status: 'available' }),
)

/** In this order: the creations come last, so that nothing else is asked of a catalogue that has grown. */
export const operations = [
  { id: 'list20', title: 'list 20', status: 200, method: 'GET', target: '/pets' },
  {
    id: 'list100',
    title: 'list 100 by status',
    status: 200,
    method: 'GET',
    target: '/pets?limit=100&status=available',
  },
  { id: 'get', title: 'get', status: 200, method: 'GET', target: '/pets/7' },
  { id: 'unauthorized', title: '401', status: 401, method: 'GET', target: '/pets', key: 'a-wrong-key' },
  { id: 'create', title: 'create', status: 201, method: 'POST', target: '/pets', body: newPets[0] },
]

/** The headers of an operation's requests. */
export function headersOf({ body, ...operation }) {
  return {
    ...(operation.key !== null && { authorization: `Bearer ${operation.key ?? key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...operation.headers,
  }
}
