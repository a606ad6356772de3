/** Clients that do right in an unusual way: each has a score of 100. To add one, add a row with what it sends. */
import { expect, test } from 'vitest'
import { createClient, type Client, type Sent } from './client.ts'

type Row = [client: string, act: (client: Client) => Promise<unknown>, notices?: string[]]

const key = 'petstore-test-key'
const rex = '{"name":"Rex","categoryId":1}'
const json = { 'content-type': 'application/json' }

const list =
  (query: string, sent: Sent = {}): Row[1] =>
  ({ send }) =>
    send('GET', `/v1/pets${query}`, sent)
const post =
  (body: string, headers: Sent['headers'] = json): Row[1] =>
  ({ send }) =>
    send('POST', '/v1/pets', { body, headers })
const inTurn =
  (...acts: Row[1][]): Row[1] =>
  async (client) => {
    for (const act of acts) await act(client)
  }
const times = (count: number, act: Row[1]): Row[1] =>
  inTurn(...Array.from({ length: count }, () => act))

const clients: Row[] = [
  // Targets and queries
  ['escapes letters of the path', ({ send }) => send('GET', '/v1/%70ets')],
  ['escapes names and values of the query', list('?%6Cimit=%35&statu%73=s%6Fld')],
  ['sends parameters in another order', list('?status=sold&limit=1')],
  ['sends the smallest and the largest limit', inTurn(list('?limit=1'), list('?limit=100'))],
  ['ends the query with &', list('?limit=5&')],
  [
    'asks for all statuses in turn',
    inTurn(...['available', 'pending', 'sold'].map((status) => list(`?status=${status}`))),
  ],
  [
    'requests the target in absolute form, like through a proxy',
    ({ send }) => send('GET', 'http://petstore.test/v1/pets?limit=3'),
  ],
  // Headers
  ['accepts anything', list('', { headers: { accept: '*/*' } })],
  [
    'accepts JSON among others',
    list('', { headers: { accept: 'text/html;q=0.2, application/json' } }),
  ],
  ['accepts no response but gzip', list('', { headers: { 'accept-encoding': 'gzip, br;q=0.5' } })],
  [
    'sends the headers of tracing and gateways',
    list('', {
      headers: {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'x-request-id': 'e3b0c442-98fc-1c14',
        via: '1.1 proxy',
      },
    }),
  ],
  [
    'revalidates a list',
    list('', { headers: { 'if-none-match': '"v1"', 'cache-control': 'no-cache' } }),
  ],
  ['sends an empty body with a length', list('', { headers: { 'content-length': '0' } })],
  ['names its content type for a list without a body', list('', { headers: json })],
  // Bodies
  ['declares the charset', post(rex, { 'content-type': 'application/json; charset=utf-8' })],
  [
    'declares the charset in capitals and quotes',
    post(rex, { 'content-type': 'Application/JSON;charset="UTF-8"' }),
  ],
  ['puts fields in another order', post('{"status":"sold","categoryId":1,"name":"Rex"}')],
  ['spreads the body over lines', post('\n{\r\n\t"name" : "Rex" ,\n\t"categoryId" : 1\n}\n')],
  ['escapes every letter', post('{"\\u006eame":"\\u0052\\u0065\\u0078","categoryId":1}')],
  ['escapes a slash and an emoji', post('{"name":"Rex \\/ \\ud83d\\ude00","categoryId":1}')],
  [
    'names a pet in any language',
    inTurn(
      ...['Ζωή', '雪', 'نجم', '🐈‍⬛', "O'Malley"].map((name) =>
        post(JSON.stringify({ name, categoryId: 1 })),
      ),
    ),
  ],
  [
    'names a pet with quotes, markup and SQL',
    post(JSON.stringify({ name: `"><script> '; --`, categoryId: 1 })),
  ],
  [
    'sends the largest and the smallest category',
    inTurn(
      post('{"name":"A","categoryId":9223372036854775807}'),
      post('{"name":"B","categoryId":-9223372036854775808}'),
    ),
  ],
  ['adds a pet of category 0', post('{"name":"Rex","categoryId":0}')],
  ['imports equal pets', times(3, post(rex)), ['creation.repeated']],
  // Errors
  [
    'shows an error to people, who try again later',
    async ({ mock, send }) => {
      mock.use({ reply: { status: 503 }, times: 1 })
      await send('GET', '/v1/pets')
      mock.clock.advance(60_000)
      await send('GET', '/v1/pets')
    },
  ],
  [
    'waits until the date in Retry-After',
    async ({ mock, send }) => {
      const date = new Date(mock.clock.now().getTime() + 5_000).toUTCString()
      mock.use({ reply: { status: 503, headers: { 'retry-after': date } }, times: 1 })
      await send('POST', '/v1/pets', { body: rex, headers: json })
      mock.clock.advance(6_000)
      await send('POST', '/v1/pets', { body: rex, headers: json })
    },
  ],
  [
    'tests an error after another with Prefer',
    async ({ send }) => {
      for (const code of [400, 401, 403, 415, 422, 429, 500, 502, 503]) {
        await send('GET', '/v1/pets', { headers: { prefer: `code=${code}` } })
        await send('POST', '/v1/pets', { body: rex, headers: { ...json, prefer: `code=${code}` } })
      }
    },
  ],
  [
    'tests an error after another with rules',
    async ({ mock, create }) => {
      for (const status of [500, 502, 503, 504]) {
        mock.use({ reply: { status }, times: 1 })
        await create(rex)
      }
    },
  ],
  [
    'checks the list before it repeats a creation that failed',
    async ({ mock, send, create }) => {
      mock.use({ reply: { status: 500 }, times: 1 })
      await create(rex)
      await send('GET', '/v1/pets?limit=100')
      mock.clock.advance(60_000)
      await create(rex)
    },
  ],
  [
    'lists from several workers, one of which must wait',
    async ({ mock, send }) => {
      mock.use({ reply: { status: 429, headers: { 'retry-after': '5' } }, times: 1 })
      for (const worker of ['one', 'two', 'three'])
        await send('GET', '/v1/pets', { headers: { 'user-agent': worker } })
    },
  ],
  // Lists
  [
    'polls every five seconds',
    async ({ mock, send }) => {
      for (let count = 0; count < 30; count += 1) {
        await send('GET', '/v1/pets')
        mock.clock.advance(5_000)
      }
    },
  ],
  [
    'shows more, with a growing limit',
    inTurn(list('?limit=20'), list('?limit=40'), list('?limit=60')),
    ['order.growing-limits'],
  ],
  // Keys
  [
    'uses the key of a sandbox',
    async ({ mock, send }) => {
      await send('GET', '/v1/pets', { key: mock.sandboxes.get('team-a').key })
      await send('GET', '/v1/pets', { key })
    },
  ],
]

test.each(clients)('a client that %s has 100', async (_, act, notices = []) => {
  const client = createClient({ now: '2026-11-20T12:00:00Z' })
  await act(client)
  const { mock } = client
  const cards = (await mock.allScorecards()).filter(({ requests }) => requests > 0)
  expect(cards.length).toBeGreaterThan(0)
  expect(cards.map(({ score }) => score)).toEqual(cards.map(() => 100))
  expect(cards.flatMap(({ issues }) => issues.map(({ id }) => id))).toEqual(notices)
  const unasked = mock.journal
    .list()
    .filter(({ request }) => request.headers['prefer'] === undefined)
  expect(unasked.map(({ response }) => response?.status)).not.toContain(400)
})
