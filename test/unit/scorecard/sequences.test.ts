/** Issues of several requests: waiting, repeated creations, and relying on the order of lists. */
import { expect, test } from 'vitest'
import type { MockReply } from '../../../src/mock/index.ts'
import type { RecordedEntry } from '../../../src/mock/journal/entry.ts'
import { createRoutes } from '../../../src/mock/service/route.ts'
import { Scorer } from '../../../src/mock/scorecard/scorecard.ts'

const key = 'petstore-test-key'

/** Requests with responses, waits in milliseconds, and replacements of all pets. */
type Scene = readonly (Partial<RecordedEntry> | number | 'replace')[]
type Reply = Partial<MockReply>

/** The scorecard of a journal; time passes only between requests. */
function scorecardOf(scene: Scene): { found: Record<string, number>; score: number | null } {
  let elapsed = 1_000
  let era = 0
  const entries: RecordedEntry[] = []
  for (const step of scene) {
    if (step === 'replace') era += 1
    else if (typeof step === 'number') elapsed += step
    else {
      const { body = '' } = step
      entries.push({
        number: entries.length + 1,
        at: Date.UTC(2026, 0) + elapsed,
        elapsed,
        isRemoved: false,
        era,
        method: 'GET',
        target: '/v1/pets',
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== '' && { 'content-type': 'application/json' }),
        },
        body,
        reply: { status: 200, headers: {}, body: '' },
        extract: undefined,
        abandoned: false,
        bytes: 0,
        microseconds: 0,
        changes: [],
        rules: 0,
        connection: 0,
        address: '',
        ...step,
      })
    }
  }
  const contract = {
    basePath: '/v1',
    keys: [key],
    secrets: [key],
    findRoute: createRoutes('/v1'),
    sandbox: undefined,
  }
  const scorer = new Scorer(contract)
  for (const entry of entries) scorer.add(entry)
  const [card] = scorer.scorecards({ kept: entries.length, received: entries.length })
  const issues = card!.issues.filter(({ id }) => id !== 'deprecated.used')
  return {
    found: Object.fromEntries(issues.map(({ id, count }) => [id, count])),
    score: card!.score,
  }
}

const pet = (id: number): string => `{"id":${id},"name":"Rex","categoryId":1,"status":"available"}`
const pets = (length: number): Reply => ({
  body: `[${Array.from({ length }, (_, index) => pet(index + 1)).join(',')}]`,
})
const replyOf = (reply: Reply): MockReply => ({ status: 200, headers: {}, body: '', ...reply })
const list = (
  query = '',
  reply: Reply = pets(Number(/limit=(\d+)/.exec(query)?.[1] ?? 20)),
): Partial<RecordedEntry> => ({
  target: query === '' ? '/v1/pets' : `/v1/pets?${query}`,
  reply: replyOf(reply),
})
const from = (agent: string, step: Partial<RecordedEntry>): Partial<RecordedEntry> => ({
  ...step,
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'user-agent': agent,
  },
})
const get = (id: number, reply: Reply = { body: pet(id) }): Partial<RecordedEntry> => ({
  target: `/v1/pets/${id}`,
  reply: replyOf(reply),
})
const rex = '{"name":"Rex","categoryId":1}'
const max = '{"name":"Max","categoryId":1}'
const post = (reply: Reply, body = rex, abandoned = false): Partial<RecordedEntry> => ({
  method: 'POST',
  body,
  reply: replyOf(reply),
  abandoned,
})
const created = (id: number): Reply => ({ status: 201, body: pet(id) })
const slow = (id: number): Reply => ({ ...created(id), delayMs: 1_000 })
const tooMany = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
const repeat = (times: number, ...steps: Scene): Scene =>
  Array.from({ length: times }, () => steps).flat()
const limits = (...all: number[]): Scene => all.map((limit) => list(`limit=${limit}`))

const scenes: [title: string, scene: Scene, found: Record<string, number>, score?: number][] = [
  // Retry-After
  [
    'the same request before the time',
    [list('', tooMany('5')), 1_000, list('', tooMany('5'))],
    { 'retry.too-early': 1 },
    75,
  ],
  [
    'a creation before the time of a date',
    [
      post({
        status: 503,
        headers: { 'retry-after': new Date(Date.UTC(2026, 0) + 62_000).toUTCString() },
      }),
      30_000,
      post(created(101)),
    ],
    { 'retry.too-early': 1 },
  ],
  ['again and again', repeat(10, list('', tooMany('1')), 60), { 'retry.too-early': 9 }],
  ['in time', [list('', tooMany('5')), 5_000, list()], {}],
  ['a little early', [list('', tooMany('5')), 4_950, list()], {}],
  ['under way', [list('', tooMany('5')), 10, list()], {}],
  ['another one that waited for a connection', [list('', tooMany('5')), 800, list('limit=5')], {}],
  ['another operation', [list('', tooMany('5')), 2_000, get(1)], {}],
  [
    'another worker',
    [
      { ...list('', tooMany('5')), connection: 1 },
      100,
      { ...list('', tooMany('5')), connection: 2 },
      2_000,
      { ...list('limit=5'), connection: 3 },
    ],
    {},
  ],
  [
    'the same connection among others',
    [
      { ...list('', tooMany('5')), connection: 1 },
      { ...list('', tooMany('5')), connection: 2 },
      1_000,
      { ...list('', tooMany('4')), connection: 1 },
    ],
    { 'retry.too-early': 1 },
  ],
  [
    'the same connection number in another mock',
    [list('', tooMany('5')), 1_000, { ...list(), origin: 'other' }],
    {},
  ],
  [
    'a wait that Prefer has requested',
    [
      list('', { ...tooMany('5'), rule: 'prefer' }),
      1_000,
      list('', { ...tooMany('5'), rule: 'prefer' }),
    ],
    {},
  ],
  [
    'a wait under other rules',
    [{ ...list('', tooMany('5')), rules: 1 }, 1_000, { ...list(), rules: 2 }],
    {},
  ],
  ['no Retry-After', [list('', { status: 429 }), 100, list()], {}],

  // Creations whose outcome is unknown
  ['after 500', [post({ status: 500 }), 300, post(created(101))], { 'retry.creation': 1 }],
  ['after 502', [post({ status: 502 }), 1_500, post(created(101))], { 'retry.creation': 1 }],
  [
    'after a pet that was not read',
    [post({ status: 201, isUnread: true }), post(created(101))],
    {},
  ],
  [
    'different creations whose bodies were not read',
    [
      { ...post({ status: 500 }, ''), bodyFault: 'too-large' },
      { ...post(created(101), ''), bodyFault: 'too-large' },
      { ...post(created(102), ''), bodyFault: 'too-large' },
    ],
    {},
  ],
  [
    'after 503 without a time',
    [post({ status: 503 }), post(created(101))],
    { 'retry.creation': 1 },
  ],
  [
    'after a late 504',
    [post({ status: 504, delayMs: 20_000 }), 20_500, post(created(101))],
    { 'retry.creation': 1 },
  ],
  [
    'after a lost connection',
    [post({ wire: { reset: true } }), 100, post(created(101))],
    { 'retry.creation': 1 },
  ],
  [
    'after silence',
    [post({ wire: { silent: true } }), 30_000, post(created(101))],
    { 'retry.creation': 1 },
  ],
  [
    'aborted twice',
    [post(slow(1), rex, true), 300, post(slow(2), rex, true), 300, post(slow(3))],
    { 'retry.creation': 2 },
    66,
  ],
  ['after a list request', [post({ status: 500 }), list(), post(created(101))], {}],
  ['after a pause', [post({ status: 500 }), 20_000, post(created(101))], { 'retry.creation': 1 }],
  ['some time later', [post({ status: 500 }), 61_000, post(created(101))], {}],
  ['after 408', [post({ status: 408 }), 2_500, post(created(101))], { 'retry.creation': 1 }],
  ['after 507', [post({ status: 507 }), 2_500, post(created(101))], { 'retry.creation': 1 }],
  ['after 520', [post({ status: 520 }), 2_500, post(created(101))], { 'retry.creation': 1 }],
  ['after 501, which has done nothing', [post({ status: 501 }), post(created(101))], {}],
  [
    'after a page of HTML',
    [post({ status: 200, body: '<p>Welcome</p>' }), 100, post(created(101))],
    { 'retry.creation': 1 },
  ],
  [
    'after a created pet that was cut',
    [post({ status: 201, body: '{"id":101,"na' }), 100, post(created(102))],
    { 'retry.creation': 1 },
  ],
  [
    'after half of a response',
    [
      post({ ...created(101), wire: { bytes: new Uint8Array(5), contentLength: 10 } }),
      100,
      post(created(102)),
    ],
    { 'retry.creation': 1 },
  ],
  [
    'after an error that Prefer has requested',
    [post({ status: 500, rule: 'prefer' }), 100, post({ status: 502, rule: 'prefer' })],
    {},
  ],
  [
    'after other rules',
    [{ ...post({ status: 500 }), rules: 1 }, 100, { ...post({ status: 502 }), rules: 2 }],
    {},
  ],
  [
    'by another worker, whose connection was open already',
    [
      { ...list(), connection: 2 },
      { ...post({ status: 500 }), connection: 1 },
      100,
      { ...post(created(101)), connection: 2 },
    ],
    {},
  ],
  [
    'on a new connection',
    [
      { ...post({ wire: { reset: true } }), connection: 1 },
      100,
      { ...post(created(101)), connection: 2 },
    ],
    { 'retry.creation': 1 },
  ],
  [
    'by another program',
    [from('a', post({ status: 500 })), 100, from('b', post(created(101)))],
    {},
  ],
  ['of another pet', [post({ status: 500 }), 100, post(created(101), max)], {}],
  ['after a rejection', [post({ status: 400 }), 100, post(created(101))], {}],
  ['after 429 and its time', [post(tooMany('1')), 1_000, post(created(101))], {}],
  [
    'after 503 and its time',
    [post({ status: 503, headers: { 'retry-after': '1' } }), 1_000, post(created(101))],
    {},
  ],
  ['a slow creation that was waited for', [post(slow(101)), 3_000, post(slow(102))], {}],

  // The same creation twice
  ['one pet, recorded twice', [post(created(101)), 5, post(created(101))], {}],
  [
    'right after it succeeded',
    [post(created(101)), 150, post(created(102))],
    { 'creation.repeated': 1 },
    100,
  ],
  ['after another request', [post(created(101)), get(1), post(created(102))], {}],
  ['later', [post(created(101)), 3_000, post(created(102))], {}],
  ['of two pets', [post(created(101)), post(created(102), max)], {}],
  ['when the pets were replaced', [post(created(101)), 'replace', post(created(101))], {}],

  // The order of lists
  [
    'a full page right after a creation',
    [post(created(101)), list('limit=3')],
    { 'order.new-pet-in-page': 1 },
    100,
  ],
  ['a page that is not full', [post(created(101)), list('limit=5', pets(3))], {}],
  [
    'a page with another filter',
    [
      post(created(101), '{"name":"Rex","categoryId":1,"status":"available"}'),
      list('limit=3&status=sold'),
    ],
    {},
  ],
  [
    'a filter right after a creation without a status',
    [post(created(101)), list('limit=100&status=available', pets(3))],
    { 'new-status.default': 1 },
    100,
  ],
  ['a page after a fetch', [post(created(101)), get(101), list('limit=3')], {}],
  ['a page later', [post(created(101)), 5_000, list('limit=3')], {}],
  ['a page of other pets', [post(created(101)), 'replace', list('limit=3')], {}],
  ['20, 40, 60', limits(20, 40, 60), { 'order.growing-limits': 1 }, 100],
  ['the default first', [list(), ...limits(40, 60)], { 'order.growing-limits': 1 }],
  ['each further page counts', limits(10, 20, 30, 40), { 'order.growing-limits': 2 }],
  ['the same page twice in between', limits(20, 40, 40, 60), { 'order.growing-limits': 1 }],
  [
    'with a filter',
    [20, 40, 60].map((limit) => list(`limit=${limit}&status=sold`)),
    { 'order.growing-limits': 1 },
  ],
  ['two pages', limits(20, 40), {}],
  ['sizes that a person may choose', limits(10, 25, 50, 100), {}],
  ['limits that shrink', limits(60, 40, 20), {}],
  ['the smallest limits one by one', limits(1, 2, 3, 4), {}],
  [
    'another filter in between',
    [list('limit=20'), list('limit=40&status=sold'), list('limit=60')],
    {},
  ],
  ['the same page again and again', limits(20, 20, 20), {}],
  [
    'if there are no more pets',
    [20, 40, 60].map((limit) => list(`limit=${limit}`, pets(Math.min(30, limit)))),
    {},
  ],

  // The same request again and again
  ['a rejected key', repeat(20, list('', { status: 401 }), 100), { 'retry.rejected': 16 }],
  [
    'a rejected body',
    repeat(5, post({ status: 400 }, '{"name":"Rex"}')),
    { 'category-id.missing': 5, 'retry.rejected': 1 },
  ],
  [
    'four rejections, then another request',
    [...repeat(4, list('', { status: 401 })), list('limit=5')],
    {},
  ],
  ['rejections with pauses', repeat(9, list('', { status: 401 }), 2_001), {}],
  [
    'rejections of different requests',
    limits(1, 3, 2, 9, 4, 7).map((step) => ({
      ...(step as object),
      reply: replyOf({ status: 401 }),
    })),
    {},
  ],
  ['a pet that may be there later', repeat(9, get(900, { status: 404 })), {}],
  ['a storm', repeat(60, list('', { status: 503 }), 5), { 'retry.storm': 50 }, 58],
  [
    'a storm with pauses of 250 ms',
    repeat(12, list('', { status: 503 }), 250),
    { 'retry.storm': 2 },
  ],
  ['longer pauses', repeat(12, list('', { status: 503 }), 251), {}],
  [
    'a storm of changing requests',
    Array.from({ length: 600 }, (_, n) => [
      list(`limit=${1 + (n % 50)}`, { status: 503 }),
      1,
    ]).flat(),
    { 'retry.storm': 100 },
  ],
  [
    'a storm of several workers',
    Array.from({ length: 9_900 }, (_, n) => [
      { ...list('', { status: 503 }), connection: 1 + (n % 4) },
      1,
    ]).flat(),
    { 'retry.storm': 9_890 },
  ],
  [
    'a storm of changing requests of several workers',
    Array.from({ length: 9_900 }, (_, n) => [
      { ...list(`limit=${1 + (n % 90)}`, { status: 503 }), connection: 1 + (n % 4) },
      1,
    ]).flat(),
    { 'retry.storm': 9_000 },
  ],
  [
    'an import of many rows during an outage',
    Array.from({ length: 300 }, (_, n) => [
      post({ status: 503, headers: { 'retry-after': '0' } }, `{"name":"n${n}","categoryId":1}`),
      1,
    ]).flat(),
    {},
  ],
  [
    'a storm on a new connection each time',
    Array.from({ length: 20 }, (_, n) => [
      { ...list('', tooMany('5')), connection: n + 1 },
      20,
    ]).flat(),
    { 'retry.storm': 10 },
  ],
  [
    'statuses that Prefer has requested',
    [400, 401, 403, 405, 415, 422].map((status) => list('', { status, rule: 'prefer' })),
    {},
  ],
  [
    'statuses of changing rules',
    [400, 401, 403, 405, 415, 422].map((status, rules) => ({ ...list('', { status }), rules })),
    {},
  ],
  [
    'rejections of several workers',
    [1, 2, 3, 4, 5, 6]
      .toReversed()
      .map((connection) => ({ ...list('', { status: 401 }), connection })),
    {},
  ],
  ['ten retries', [...repeat(10, list('', { status: 500 })), list('limit=6')], {}],
  [
    'pauses that grow',
    Array.from({ length: 20 }, (_, count) => [
      list('', { status: 502 }),
      50 * 2 ** Math.min(count, 8),
    ]).flat(),
    {},
  ],

  // A violation outweighs a warning of the same request.
  [
    'early and invalid',
    [
      list('limit=0', tooMany('5')),
      1_000,
      list('limit=0', tooMany('5')),
      list('limit=0', { status: 400 }),
    ],
    { 'limit.out-of-range': 3, 'retry.too-early': 2 },
    0,
  ],
]

test.each(scenes)('%s', (_, scene, found, score) => {
  const card = scorecardOf(scene)
  expect(card.found).toEqual(found)
  if (score !== undefined) expect(card.score).toBe(score)
})

test('a new connection continues the one that sent the latest request, not the one that was opened last', () => {
  const wrong = { target: '/v1/pets?limit=0', reply: { status: 400, headers: {}, body: '' } }
  const scene = [1, 2].map((connection) => ({ connection }))
  const rejected = [1, 1, 1, 1, 1, 3].map((connection) => ({ ...wrong, connection }))
  expect(scorecardOf([...scene, ...rejected]).found['retry.rejected']).toBe(2)
})
