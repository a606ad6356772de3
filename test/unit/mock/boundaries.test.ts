/** The exact ends of bounds and windows, and the wording that depends on them. */
import { describe, expect, test } from 'vitest'
import { createMock, defaultKey, type MockOptions, sandboxKey } from '../../../src/mock/index.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { createReadListQuery } from '../../../src/mock/service/parameters.ts'
import { defaultProfile, readSettings } from '../../../src/mock/sandbox/settings.ts'
import { extractBody } from '../../../src/mock/journal/entry.ts'
import { buildPet, buildPets } from '../../../src/mock/pets/fixtures.ts'
import { fail } from '../../../src/errors.ts'
import { isDelay } from '../../../src/mock/rules/rule.ts'
import { create, sendTo, statuses } from './ask.ts'

/** A mock whose clock stands at `time.at`. */
function mockAt(options: MockOptions = {}) {
  const time = { at: Date.parse('2026-11-20') }
  return { time, mock: createMock({ now: () => new Date(time.at), ...options }) }
}

test('a name that begins another is sorted before it, in any order of creation', async () => {
  for (const names of [
    ['Rexy', 'Rex', 'Re', 'Rey'],
    ['Re', 'Rex', 'Rexy', 'Rey'],
  ]) {
    const mock = createMock({ pets: 0, profile: { 'list.order': 'by-name' } })
    for (const name of names) await create(mock, { name, categoryId: 1 })
    for (const limit of [1, 2, 4]) {
      const { json } = await sendTo(mock, 'GET', `/v1/pets?limit=${limit}`)
      expect(json.map(({ name }: { name: string }) => name)).toEqual(
        ['Re', 'Rex', 'Rexy', 'Rey'].slice(0, limit),
      )
    }
  }
})

test.each<[what: string, id: string | string[], isRepeated: boolean]>([
  ['of 200 characters', 'x'.repeat(200), true],
  ['of 201 characters', 'x'.repeat(201), false],
  ['with a space', 'x y', false],
  ['given twice', ['x', 'y'], false],
])('whether a request id %s is repeated in the reply', async (_, id, isRepeated) => {
  const { headers } = await sendTo(createMock(), 'GET', '/v1/pets', {
    headers: { 'x-request-id': id },
  })
  expect(headers['x-request-id']).toBe(isRepeated ? id : undefined)
})

test('a name of 255 characters is ordinary, one of 256 is long', async () => {
  const mock = createMock({ profile: { 'create.name.long': '422' } })
  const statusOf = async (length: number) =>
    (await create(mock, { name: 'x'.repeat(length), categoryId: 1 })).status
  expect([await statusOf(255), await statusOf(256)]).toEqual([201, 422])
})

describe('the parser of queries', () => {
  test('keeps 200 queries, and then begins anew', () => {
    const read = createReadListQuery(defaultProfile)
    const first = read('limit=1')
    for (let n = 1; n < 200; n += 1) read(`limit=1&n=${n}`)
    expect(read('limit=1')).toBe(first)
    read('limit=1&n=200')
    expect(read('limit=1')).not.toBe(first)
    expect(read('limit=1')).toEqual(first)
  })

  test('keeps queries of 100 characters, and no longer ones', () => {
    const read = createReadListQuery(defaultProfile)
    const [kept, long] = [100, 101].map((length) => 'limit=1&n='.padEnd(length, '0'))
    expect(read(kept!)).toBe(read(kept!))
    expect(read(long!)).not.toBe(read(long!))
    expect(read(long!)).toEqual(read(kept!))
  })
})

test('a sandbox that has grown counts in full when another one is entered', () => {
  const notices: string[] = []
  const { mock } = createInnerMock(readSettings({ pets: 0 }, []), {
    loaded: { defects: [] },
    // All sandboxes may take 1 MiB together.
    heapBytes: 2 ** 22,
    onNotice: (notice) => notices.push(notice),
  })
  const name = 'x'.repeat(2 ** 16)
  const grow = (sandbox: string, count: number) => {
    const { catalog } = mock.sandboxes.get(sandbox)
    for (let added = 0; added < count; added += 1) catalog.add([{ name, categoryId: 1 }])
  }
  // One sandbox takes at most an eighth: 128 KiB, a little more with its last pet.
  for (let n = 1; n <= 7; n += 1) grow(`team-${n}`, 2)
  expect(notices).toEqual([])
  grow('team-8', 2)
  expect(notices).toEqual([expect.stringMatching(/^The sandbox team-1 was dropped/)])
  expect(mock.sandboxes.list().map((one) => one.name)).toEqual(
    [2, 3, 4, 5, 6, 7, 8].map((n) => `team-${n}`),
  )
})

test('a flood of new sandboxes is a few notices', () => {
  const notices: string[] = []
  const { mock } = createInnerMock(readSettings({ pets: 0 }, []), {
    loaded: { defects: [] },
    heapBytes: 2 ** 22,
    onNotice: (notice) => notices.push(notice),
  })
  for (let n = 0; mock.sandboxes.dropped < 1000; n += 1) mock.sandboxes.get(`team-${n}`)
  expect(notices).toHaveLength(25)
  expect(
    notices.slice(0, 19).filter((notice) => notice.endsWith('took more than 1 MiB.')),
  ).toHaveLength(19)
  const soFar = notices.slice(19).map((notice) => /So far, (\d+) were/.exec(notice)?.[1])
  expect(soFar).toEqual(['20', '40', '80', '160', '320', '640'])
})

describe('at the exact millisecond', () => {
  const reject = { reply: { status: 503 } } as const

  test('the window of a rule begins and ends', async () => {
    const { time, mock } = mockAt({ rules: [{ ...reject, during: { afterMs: 100, forMs: 50 } }] })
    const start = time.at
    const seen: [ms: number, status: number | undefined, isActive: boolean | undefined][] = []
    for (const ms of [99, 100, 149, 150]) {
      time.at = start + ms
      const [status] = await statuses(mock, 1)
      seen.push([ms, status, mock.rules()[0]?.active])
    }
    expect(seen).toEqual([
      [99, 200, true],
      [100, 503, true],
      [149, 503, true],
      [150, 200, false],
    ])
  })

  test('the window of a rate limit ends, and its headers count to that moment', async () => {
    const { time, mock } = mockAt({ rules: [{ rateLimit: { requests: 1, windowMs: 2_000 } }] })
    const start = time.at
    const seen: unknown[] = []
    for (const ms of [0, 1, 999, 1_000, 1_999, 2_000, 2_001]) {
      time.at = start + ms
      const { status, headers } = await sendTo(mock, 'GET', '/v1/pets')
      seen.push([ms, status, headers['retry-after'], headers['ratelimit']])
    }
    expect(seen).toEqual([
      [0, 200, undefined, '"default";r=0;t=2'],
      [1, 429, '2', '"default";r=0;t=2'],
      [999, 429, '2', '"default";r=0;t=2'],
      [1_000, 429, '1', '"default";r=0;t=1'],
      [1_999, 429, '1', '"default";r=0;t=1'],
      [2_000, 200, undefined, '"default";r=0;t=2'],
      [2_001, 429, '2', '"default";r=0;t=2'],
    ])
  })
})

describe('each message of a 401', () => {
  const form = 'Send `Authorization: Bearer <API_KEY>`.'
  const otherScheme = `The Authorization header does not have the Bearer scheme. ${form}`
  const none = `The Authorization header has no API key. ${form}`
  const unknown = 'The API key is not valid.'
  const placeholder =
    'The API key is not valid: it is a placeholder, or the word for a variable without a value.'
  const likeSandbox = /^The API key is not valid: it is like that of a sandbox, but was cut/

  test.each<[authorization: string | string[] | undefined, message: string | RegExp]>([
    [undefined, `The Authorization header is missing. ${form}`],
    [[`Bearer ${defaultKey}`, 'Bearer x'], /^There is more than one Authorization header\. Send/],
    ['', otherScheme],
    [defaultKey, otherScheme],
    [`Basic ${defaultKey}`, otherScheme],
    ['Bearer', none],
    ['Bearer ', none],
    ['bearer', none],
    [`Bearer ${defaultKey}x`, unknown],
    [`Bearer ${defaultKey.slice(1)}`, unknown],
    [`Bearer ${defaultKey.toUpperCase()}`, unknown],
    [`Bearer ${sandboxKey('team-a').slice(0, -1)}`, likeSandbox],
    ['Bearer undefined', placeholder],
    ['Bearer $PETSTORE_API_KEY', placeholder],
    ['Bearer ${VAR}', placeholder],
    ['Bearer {{token}}', placeholder],
    ['Bearer <API_KEY>', placeholder],
  ])('for %o', async (authorization, message) => {
    const headers = authorization === undefined ? {} : { authorization }
    const { status, json } = await sendTo(createMock(), 'GET', '/v1/pets', { headers })
    expect(status).toBe(401)
    expect(json.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })

  test.each([
    [`bearer ${defaultKey}`, /^The scheme must be written Bearer, in these letters/],
    ['bearer other', /^The Authorization header does not have the Bearer scheme/],
    [`Basic ${defaultKey}`, /^The Authorization header does not have the Bearer scheme/],
    ['Bearer other', /^The API key is not valid\.$/],
  ])('for %o where other letter case is rejected', async (authorization, message) => {
    const mock = createMock({ profile: { 'auth.scheme-case': '401' } })
    const { json } = await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization } })
    expect(json.message).toMatch(message)
  })
})

test('a media type has any parameters and letter case, and is not the beginning of another', async () => {
  const mock = createMock({
    profile: { 'create.media-type.other': '415', 'create.media-type.absent': '400' },
  })
  const statusOf = async (type: string) =>
    (
      await sendTo(mock, 'POST', '/v1/pets', {
        body: '{"name":"Rex","categoryId":1}',
        also: { 'content-type': type },
      })
    ).status
  const types = [
    'Application/JSON',
    'application/json; a=b',
    'application/json ;',
    'application/jsonp',
    '',
  ]
  expect(await Promise.all(types.map(statusOf))).toEqual([201, 201, 201, 415, 400])
})

test.each([
  ['//pets', /two consecutive slashes: .* The path is \/v1\/pets\.$/],
  ['/./pets', /The path has a dot segment\. The path is \/v1\/pets\.$/],
  ['//pets/7', /The path is \/v1\/pets\/7\.$/],
  ['//pets/7/toys', /^(?!.*slashes)/],
  ['//toys', /^(?!.*slashes)/],
])('the hint for the path /v1%s', async (path, message) => {
  const { status, json } = await sendTo(createMock(), 'GET', `/v1${path}`)
  expect(status).toBe(404)
  expect(json.message).toMatch(message)
})

test('a fixture with one mistake throws, one without does not', () => {
  expect(() => buildPet({}, { n: 0 })).toThrow('n must be an integer from 1, but was 0.')
  expect(() => buildPet({}, { seed: 0.5 })).toThrow('seed must be an integer, but was 0.5.')
  expect(buildPet({}, { n: 1, seed: 1 }).id).toBe(1)
  expect(() => buildPets(-1)).toThrow('-1')
  expect(buildPets(0)).toEqual([])
})

test.each([
  ['[]', 0],
  ['{"id":7}', 1],
  ['[{"id":7},{"id":8},{"id": -9}]', 3],
])('the extract of %s counts %d pets', (body, pets) => {
  expect(extractBody(body).pets).toBe(pets)
})

test.each([
  [0, true],
  [600_000, true],
  [600_001, false],
  [{ from: 1, to: 1 }, true],
  [{ from: 2, to: 1 }, false],
  [{ median: 5, p99: 5 }, true],
  [{ median: 6, p99: 5 }, false],
  ['1', false],
])('whether %j is a delay: %s', (value, expected) => {
  expect(isDelay(value)).toBe(expected)
})

test('a request of no connection is recorded with 0, and never counts as sent over one', () => {
  const inner = createInnerMock(readSettings({}, []), { loaded: { defects: [] } })
  const request = { method: 'GET', target: '/v1/pets', headers: {}, body: '' }
  inner.respond(request)
  inner.respond({ ...request, connection: 1 })
  const entries = inner.all().flatMap(({ journal }) => [...journal.recorded().entries])
  expect(entries.map(({ connection }) => connection)).toEqual([0, 1])
})

test('after an entry has left, the body of the next one is the first to be dropped', () => {
  const inner = createInnerMock(readSettings({ journal: 100 }, []), { loaded: { defects: [] } })
  const headers = { authorization: `Bearer ${defaultKey}` }
  for (let sent = 0; sent < 101; sent += 1)
    inner.respond({ method: 'GET', target: '/v1/pets', headers, body: '' })
  const { journal } = inner.findOrCreate(null)
  expect(journal.shrink(journal.bytes() - 1)).toBe(false)
  const [first, second] = journal.recorded().entries
  expect(first).toMatchObject({ number: 2, reply: { body: '' } })
  expect(second?.reply.body).not.toBe('')
})

test('an entry with bytes of its own takes as much more as they are', () => {
  const inner = createInnerMock(readSettings({}, []), { loaded: { defects: [] } })
  const { journal } = inner.findOrCreate(null)
  const work = { at: 0, microseconds: 0, changes: [] }
  const request = { method: 'GET', target: '/', headers: {}, body: '' }
  const taken = [undefined, new Uint8Array(0), new Uint8Array(7)].map((bytes) => {
    const before = journal.bytes()
    const wire = bytes && { bytes }
    journal.record(request, { status: 200, headers: {}, body: 'x', ...(wire && { wire }) }, work)
    return journal.bytes() - before
  })
  expect(taken.map((bytes) => bytes - taken[0]!)).toEqual([0, 0, 7])
})

test('the caches of 200 sandboxes are kept, and of one more those of the least recently used', () => {
  const inner = createInnerMock(readSettings({ pets: 0 }, []), { loaded: { defects: [] } })
  const first = inner.findOrCreate('first').machine
  const { context } = first
  for (let n = 2; n <= 200; n += 1) inner.findOrCreate(`team-${n}`)
  expect(first.context).toBe(context)
  inner.findOrCreate('team-201')
  expect(first.context).not.toBe(context)
})

test('what all scorecards remember counts, whichever sandbox is in use', async () => {
  const { mock, usage } = createInnerMock(readSettings({ pets: 0 }, []), {
    loaded: { defects: [] },
  })
  for (let n = 0; n < 50; n += 1)
    await sendTo(mock, 'GET', `/v1/pets?x=${n}`, { key: sandboxKey('idle') })
  mock.sandboxes.get('other')
  const before = usage().bytes
  await mock.allScorecards()
  expect(usage().bytes).toBeGreaterThan(before)
})

test('pets that are not visible yet take capacity', async () => {
  const { mock, all } = createInnerMock(
    readSettings(
      { pets: 0, now: () => new Date('2026-11-20'), profile: { 'create.visibility': 'delayed' } },
      [],
    ),
    { loaded: { defects: [] }, sandboxCapacity: 50_000 },
  )
  const created = async (): Promise<number> => {
    for (let count = 0; count < 20; count += 1) {
      const { status } = await create(mock, { name: 'x'.repeat(10_000), categoryId: 1 })
      if (status === 507) return count
    }
    return Infinity
  }
  expect(await created()).toBeLessThan(8)
  // The same pets take as much once they are visible.
  const bytes = () => all()[0]?.machine.bytes
  const before = bytes()
  mock.catalog.export()
  expect(bytes()).toBe(before)
})

test.each([
  ['fails', () => fail('no time'), 'no time'],
  ['returns no Date', () => new Date(NaN), 'now returns no Date'],
])('a clock that %s later is a 500, and the mock goes on', async (_, later, message) => {
  let now: () => Date = () => new Date('2026-11-20')
  const mock = createMock({ now: () => now() })
  now = later
  const { json } = await sendTo(mock, 'GET', '/v1/pets')
  expect(json).toMatchObject({ status: 500, message: expect.stringContaining(message) })
  now = () => new Date('2026-11-21')
  expect((await sendTo(mock, 'GET', '/v1/pets')).status).toBe(200)
})

test('the journal keeps the body of a request whose rejection may depend on it', async () => {
  const mock = createMock({ profile: { 'create.unknown-category': '404' } })
  const long = { name: 'x'.repeat(2_000), categoryId: 9_999_999 }
  await create(mock, long)
  mock.use({ times: 1, reply: { status: 403 } })
  await create(mock, long)
  await create(mock, long, 'wrong')
  expect(mock.journal.list().map(({ request: { bodyCut } }) => bodyCut)).toEqual([
    undefined,
    undefined,
    true,
  ])
  expect(mock.repeat(1)).toMatchObject({ response: { status: 404 } })
})
