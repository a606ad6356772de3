/** The scorecard of traffic that a proxy has passed or an archive has: its times are those of the traffic. */
import { expect, test } from 'vitest'
import { createJudge } from '../../../src/proxy/judge.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 0)

interface Exchange {
  /** Milliseconds since the start. */
  at: number
  method?: 'POST'
  status: number
  headers?: Record<string, string>
  durationMs?: number
  connection?: number
  address?: string
}

const body = '{"name":"Rex","categoryId":1}'
const type = { 'content-type': 'application/json' }
const responses: Readonly<Record<number, string>> = {
  200: '[]',
  201: '{"id":7,"name":"Rex","categoryId":1,"status":"available"}',
}

async function issuesOf(exchanges: readonly Exchange[]): Promise<Record<string, number>> {
  const judge = createJudge('http://localhost:1/v1')
  for (const { at, method = 'GET', status, headers, durationMs = 1, ...client } of exchanges) {
    const sent = Buffer.from(method === 'POST' ? body : '')
    const text = responses[status] ?? `{"code":"x","message":"y","status":${status}}`
    judge.judge({
      request: {
        method,
        target: '/v1/pets',
        headers: {
          host: 'localhost:1',
          authorization: 'Bearer one-1',
          'user-agent': 'app/1',
          ...(method === 'POST' && type),
        },
        body: '',
        ...client,
      },
      sent: { bytes: sent, isPart: false },
      at: start + at,
      durationMs,
      response: {
        status,
        headers: { ...type, ...headers },
        body: { bytes: Buffer.from(text), isPart: false },
        isCut: false,
      },
      isAbandoned: false,
      release() {},
    })
  }
  const [card] = await judge.mock.scorecards()
  return Object.fromEntries(card!.issues.map(({ id, count }) => [id, count]))
}

const times = (count: number, everyMs: number, one: Omit<Exchange, 'at'>): Exchange[] =>
  Array.from({ length: count }, (_, nth) => ({ ...one, at: nth * everyMs }))
const tooMany = { status: 429, headers: { 'retry-after': '10' } }

test.each<[title: string, exchanges: Exchange[], found: Record<string, number>]>([
  [
    'the same rejected request, at once',
    times(6, 100, { status: 400, connection: 1 }),
    { 'retry.rejected': 2 },
  ],
  ['the same rejected request, each hour', times(6, hour, { status: 400 }), {}],
  [
    'the same rejected request, by as many clients at once',
    Array.from({ length: 6 }, (_, nth) => ({ at: nth, status: 400, address: `10.0.0.${nth}` })),
    {},
  ],
  [
    'a failed creation, again at once',
    times(2, 100, { method: 'POST', status: 500 }),
    { 'retry.creation': 1 },
  ],
  ['a failed creation, again after an hour', times(2, hour, { method: 'POST', status: 500 }), {}],
  ['twelve failures at once', times(12, 100, { status: 500 }), { 'retry.storm': 2 }],
  [
    'twelve failures of a second, each right after the one before',
    times(12, 1_010, { status: 500, durationMs: 1_000 }),
    { 'retry.storm': 2 },
  ],
  [
    'twelve failures at once, whose responses take a second',
    times(12, 1, { status: 500, durationMs: 1_000 }),
    {},
  ],
  [
    'twelve rejections at once, whose responses take a second',
    times(12, 1, { status: 400, durationMs: 1_000 }),
    {},
  ],
  ['twelve failures, each hour', times(12, hour, { status: 500 }), {}],
  [
    'a failure each hour, whose response takes a minute',
    times(12, hour, { status: 500, durationMs: 60_000 }),
    {},
  ],
  [
    'a list before the time',
    [
      { at: 0, ...tooMany, connection: 1 },
      { at: 5_000, status: 200, connection: 1 },
    ],
    { 'retry.too-early': 1 },
  ],
  [
    'a list at the time',
    [
      { at: 0, ...tooMany, connection: 1 },
      { at: 10_001, status: 200, connection: 1 },
    ],
    {},
  ],
  [
    'a list before the time that began when the response ended',
    [
      { at: 0, ...tooMany, durationMs: 5_000, connection: 1 },
      { at: 12_000, status: 200, connection: 1 },
    ],
    { 'retry.too-early': 1 },
  ],
  [
    'a list that was sent before the response ended',
    [
      { at: 0, ...tooMany, durationMs: 5_000, connection: 1 },
      { at: 4_000, status: 200, connection: 1, durationMs: 4_000 },
    ],
    {},
  ],
  [
    'a list at the date that a slow response gives',
    [
      {
        ...tooMany,
        headers: { 'retry-after': new Date(start + 10_000).toUTCString() },
        at: 0,
        durationMs: 5_000,
        connection: 1,
      },
      { at: 10_001, status: 200, connection: 1 },
    ],
    {},
  ],
  [
    'a list of another worker, before the time',
    [
      { at: 0, ...tooMany, connection: 1 },
      { at: 5_000, status: 200, connection: 2 },
    ],
    {},
  ],
  [
    'a list before the time, in an archive without connections',
    [
      { at: 0, ...tooMany },
      { at: 5_000, status: 200 },
    ],
    {},
  ],
])('%s', async (_, exchanges, found) => {
  expect(await issuesOf(exchanges)).toEqual(found)
})

test('getPet is removed by the time of the traffic', async () => {
  // 5 December 2030 is the day of the removal.
  const removal = Date.UTC(2030, 11, 6) - start
  expect(await issuesOf([{ at: removal, status: 200 }])).toEqual({})
})
