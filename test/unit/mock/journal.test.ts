import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
// @ts-expect-error: it has no types
import published from 'har-schema'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import {
  createMock,
  defaultKey,
  type DefectId,
  type JournalEntry,
  type JournalFilter,
  type Mock,
} from '../../../src/mock/index.ts'
import { version } from '../../../src/spec/version.ts'
import { sendTo, create } from './ask.ts'

const rex = { name: 'Rex', categoryId: 1, status: 'available' as const }

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 3 })))

test('an entry shows the request and the response', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
  const created = await create(mock, rex)
  vi.useRealTimers()
  expect(mock.journal.list()).toEqual([
    {
      number: 1,
      at: '2026-11-20T12:00:00.000Z',
      durationMs: expect.any(Number),
      operation: 'createPet',
      reason: 'create.success',
      source: { requirement: 'create.success' },
      changes: [{ after: { id: 4, ...rex } }],
      request: {
        method: 'POST',
        target: '/v1/pets',
        headers: { authorization: 'Bearer [redacted]', 'content-type': 'application/json' },
        body: JSON.stringify(rex),
      },
      response: { status: 201, headers: created.headers, body: created.body },
    },
  ])
})

describe('filters', () => {
  beforeEach(async () => {
    mock.use({ when: { operation: 'getPet' }, reply: { status: 503 } })
    await sendTo(mock, 'GET', '/v1/pets?limit=1')
    await create(mock, rex)
    await sendTo(mock, 'GET', '/v1/pets/1')
    await sendTo(mock, 'HEAD', '/v1/pets')
    await sendTo(mock, 'GET', '/nowhere')
    await sendTo(mock, 'GET', '/v1/pets/', { headers: {} })
    await sendTo(mock, 'GET', '/v1/pets', { headers: {} })
    await create(mock, '{}')
    await sendTo(mock, 'get', '/v1/pets', { also: { prefer: 'code=503' } })
  })
  const table: [JournalFilter | undefined, number[]][] = [
    [undefined, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ operation: 'listPets' }, [1, 4, 6, 7, 9]],
    [{ operation: 'createPet' }, [2, 8]],
    [{ operation: 'getPet' }, [3]],
    [{ status: 503 }, [3, 9]],
    [{ status: 200 }, [1, 4]],
    [{ status: 418 }, []],
    [{ method: 'HEAD' }, [4]],
    [{ method: 'get' }, [1, 3, 5, 6, 7, 9]],
    [{ after: 7 }, [8, 9]],
    [{ after: 99 }, []],
    [{ limit: 2 }, [8, 9]],
    [{ limit: 0 }, []],
    [{ operation: 'listPets', limit: 2 }, [7, 9]],
    [{ operation: 'listPets', status: 200, after: 1, limit: 5 }, [4]],
  ]
  test.each(table)('%j', (filter, numbers) => {
    expect(mock.journal.list(filter).map(({ number }) => number)).toEqual(numbers)
    expect(mock.journal.last(filter)?.number).toBe(filter?.limit === 0 ? 9 : numbers.at(-1))
  })

  test.each<[object, string]>([
    [{ operaton: 'listPets' }, 'operaton is unknown; did you mean operation?'],
    [
      { operation: 'listPet' },
      'operation must be one of listPets, createPet, getPet, but was "listPet".',
    ],
    [{ status: '404' }, 'status must be a number, but was "404".'],
  ])('rejects %j', async (filter, message) => {
    expect(() => mock.journal.list(filter)).toThrow(message)
    await expect(mock.journal.waitFor(filter)).rejects.toThrow(message)
  })

  test('entries have the source of the response in parts', () => {
    const unknown = { behavior: 'http.unknown-path', option: '404' }
    expect(mock.journal.list().map(({ source }) => source)).toEqual([
      { requirement: 'list.success' },
      { requirement: 'create.success' },
      { requirement: 'error.body', rule: 'rule-1' },
      expect.anything(),
      unknown,
      { behavior: 'http.trailing-slash', option: '404' },
      { requirement: 'auth.missing-key' },
      { requirement: 'create.required-fields' },
      { requirement: 'error.body', rule: 'prefer' },
    ])
  })
})

/** A long text without any token that redaction would inspect. */
const filler = (length: number): string => '. '.repeat(length / 2)

describe('limits', () => {
  test('keeps at most 32 MiB of bodies, targets and headers', async () => {
    const body = JSON.stringify({ name: filler(1_000_000), categoryId: 'x' })
    for (let index = 1; index <= 40; index += 1) await create(mock, body)
    const kept = mock.journal.list().length
    expect(kept).toBeGreaterThan(28)
    expect(kept).toBeLessThan(34)
    const long = { 'x-long': filler(500_000), 'x-twice': [filler(500_000), 'y'] }
    for (let index = 1; index <= 40; index += 1)
      await sendTo(mock, 'GET', '/v1/pets', { also: { ...long } })
    expect(mock.journal.list().length).toBeLessThan(34)
    expect(mock.journal.last()?.number).toBe(80)
  })

  test('counts what headers without a value take', async () => {
    const also = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`x-${index}`, '']))
    for (let index = 1; index <= 500; index += 1)
      await sendTo(mock, 'GET', '/v1/pets', { also: { ...also } })
    const { first, last } = mock.journal.range
    expect(last - first).toBeLessThan(350)
  })

  test('all sandboxes share the limit: the largest journals lose bodies first, then entries', async () => {
    const name = filler(400_000)
    const journal = (team: string) => mock.sandboxes.get(team).journal
    const send = async (team: string, times: number, body: object) => {
      const { key } = mock.sandboxes.get(team)
      for (let index = 0; index < times; index += 1) await create(mock, body, key)
    }
    await send('small', 3, { name: filler(100_000), categoryId: 1 })
    await send('medium', 8, { name, categoryId: 1 })
    await send('large', 40, { name, categoryId: 1 })
    const dropped = (team: string) =>
      journal(team)
        .list()
        .filter((entry) => entry.bodyDropped === true).length
    expect([dropped('small'), dropped('medium')]).toEqual([0, 0])
    expect(dropped('large')).toBeGreaterThan(20)
    expect(journal('large').last()).not.toHaveProperty('bodyDropped')
    await send('large', 40, { name, categoryId: 'x' })
    expect(journal('small').list()).toHaveLength(3)
    expect(journal('large').list().length).toBeGreaterThan(30)
    expect(journal('large').range.dropped).toBeGreaterThan(10)
    expect([journal('small').range.dropped, journal('medium').range.dropped]).toEqual([0, 0])
  })

  test('neither busy sandboxes nor requests without a key cost another sandbox its entries', async () => {
    const notices: string[] = []
    mock = createMock({ pets: 3, onNotice: (notice) => notices.push(notice) })
    const { key, journal } = mock.sandboxes.get('quiet')
    for (let index = 0; index < 20; index += 1)
      await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${key}` } })
    const { key: noisy } = mock.sandboxes.get('noisy')
    const body = { name: filler(900_000), categoryId: 'x' }
    for (let index = 0; index < 40; index += 1) await create(mock, body, noisy)
    for (let team = 0; team < 40; team += 1)
      await create(mock, body, mock.sandboxes.get(`team-${team}`).key)
    expect(journal.list()).toHaveLength(20)
    expect(journal.last()).not.toHaveProperty('bodyDropped')
    expect(notices.filter((notice) => notice.includes('the sandbox noisy '))).toEqual([
      'The journal of the sandbox noisy is among the largest and loses its oldest entries: all journals together took more than 32 MiB.',
    ])
    expect(notices.length).toBeLessThanOrEqual(20)
    expect(notices.join()).not.toContain('quiet')
  })

  test('a request that is rejected without regard to its body keeps only its beginning', async () => {
    const body = `{"name":"Rex","categoryId":1,"more":"${filler(900_000)}"}`
    for (let index = 0; index < 60; index += 1)
      await sendTo(mock, 'POST', '/v1/pets', { headers: {}, body })
    const entries = mock.journal.list()
    expect(entries).toHaveLength(60)
    expect(entries[0]?.request.body).toMatch(
      /^\{"name":"Rex".{980,1000}\.\.\. \(900039 characters\)$/,
    )
    const [card] = await mock.scorecards()
    expect(card?.issues.map(({ id }) => id)).not.toContain('body.not-json')
  })

  test('deleting a sandbox releases its share', async () => {
    const body = JSON.stringify({ name: filler(900_000), categoryId: 'x' })
    const { key } = mock.sandboxes.get('own')
    await create(mock, body, key)
    for (let round = 0; round < 12; round += 1) {
      const { key } = mock.sandboxes.get('passing')
      for (let index = 0; index < 8; index += 1) await create(mock, body, key)
      mock.sandboxes.delete('passing')
    }
    expect(mock.sandboxes.get('own').journal.list()).toHaveLength(1)
  })

  test.each(['', 'x'])(
    'bodies are cut at 16 KiB on display, but not within a character',
    async (start) => {
      await create(mock, { name: start + '😀'.repeat(10_000), categoryId: 1 })
      const { request, response } = mock.journal.last() as JournalEntry
      for (const { body, bodyCut } of [request, response]) {
        expect(bodyCut).toBe(true)
        expect(body).toHaveLength(16_384 + body.length - body.indexOf('...'))
        expect(body).toMatch(/\.\.\. \(200\d\d characters\)$/)
        expect(body.isWellFormed()).toBe(true)
      }
      await create(mock, { name: start.repeat(16_000), categoryId: 1 })
      expect(mock.journal.last()?.request).not.toHaveProperty('bodyCut')
    },
  )
})

describe('waitFor', () => {
  afterEach(() => void vi.useRealTimers())

  test('resolves at once with the first matching entry since a reset, or with the next one', async () => {
    await create(mock, rex)
    mock.reset()
    await sendTo(mock, 'GET', '/v1/pets')
    await create(mock, { ...rex, name: 'Max' })
    await create(mock, { ...rex, name: 'Tom' })
    vi.useFakeTimers()
    const filter = { operation: 'createPet', status: 201 } as const
    const numberOf = async (more: object): Promise<number> =>
      (await mock.journal.waitFor({ ...filter, ...more })).number
    expect(await numberOf({})).toBe(3)
    expect(await numberOf({ after: 3 })).toBe(4)
    expect(await numberOf({ when: { body: { name: 'Tom' } }, limit: 1 })).toBe(4)
    const next = numberOf({ after: mock.journal.range.last })
    expect(vi.getTimerCount()).toBe(1)
    await create(mock, rex)
    expect(await next).toBe(5)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('waits for a matching entry', async () => {
    const waiting = mock.journal.waitFor({ operation: 'createPet', status: 201 })
    await sendTo(mock, 'GET', '/v1/pets')
    await create(mock, '{}')
    await create(mock, { ...rex, name: 'Max' })
    await create(mock, rex)
    expect(await waiting).toMatchObject({
      number: 3,
      request: { body: expect.stringContaining('Max') },
    })
  })

  test('resolves with the next request that matches a condition', async () => {
    const waiting = mock.journal.waitFor({ when: { body: { name: { contains: 'ax' } } } })
    await create(mock, rex)
    await create(mock, { ...rex, name: 'Max' })
    expect((await waiting).number).toBe(2)
    const { journal } = mock
    expect(journal.list({ when: { body: { categoryId: 1 } }, limit: 1 })).toHaveLength(1)
    expect(journal.summaries({ when: { headers: { 'X-A': { absent: true } } } })).toHaveLength(2)
    const wrong = { when: { body: { name: { regex: '(' } } } }
    expect(() => journal.list(wrong)).toThrow('when/body/name/regex must be a regular expression')
    await expect(journal.waitFor(wrong)).rejects.toThrow('when/body/name/regex')
  })

  test('rejects after the timeout, with the filter and the nearest request in the message', async () => {
    vi.useFakeTimers()
    const failing = [
      mock.journal.waitFor({ status: 503 }, { timeoutMs: 250 }),
      mock.journal.waitFor({ method: 'PUT' }),
    ]
    const empty = Promise.allSettled(failing)
    await vi.advanceTimersByTimeAsync(4_000)
    const messages = [
      'No request came within 250 ms that fits {"status":503}. No other request came.',
      'No request came within 4000 ms that fits {"method":"PUT"}. No other request came.',
    ].map((message) => ({ status: 'rejected', reason: new UsageError(message) }))
    expect(await empty).toEqual(messages)
    await create(mock, rex)
    await sendTo(mock, 'GET', '/v1/pets?limit=3')
    const later = Promise.allSettled([
      mock.journal.waitFor({ operation: 'createPet', status: 400 }),
      mock.journal.waitFor({ method: 'delete', when: { query: { limit: '5' } } }),
      mock.journal.waitFor({ operation: 'createPet', after: 1 }),
    ])
    await vi.advanceTimersByTimeAsync(4_000)
    expect((await later).map((one) => String((one as PromiseRejectedResult).reason))).toEqual([
      expect.stringMatching(
        / The nearest request is 1, POST \/v1\/pets: status is 201, not 400\.$/,
      ),
      expect.stringMatching(
        / is 2, GET \/v1\/pets\?limit=3: query limit is "3", not "5"; method is "GET", not "delete"\.$/,
      ),
      expect.stringMatching(/ is 2, GET \/v1\/pets\?limit=3: it calls listPets, not createPet\.$/),
    ])
    mock.journal.clear()
    expect(vi.getTimerCount()).toBe(0)
    // Infinity waits without a limit.
    const endless = mock.journal.waitFor({}, { timeoutMs: Infinity })
    await vi.advanceTimersByTimeAsync(1_000_000)
    await sendTo(mock, 'GET', '/v1/pets')
    expect((await endless).number).toBe(3)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('subscribe', () => {
  test('calls back for each entry until it is unsubscribed', async () => {
    const seen: number[] = []
    await sendTo(mock, 'GET', '/v1/pets')
    const end = mock.journal.subscribe(({ number }) => seen.push(number))
    await sendTo(mock, 'GET', '/v1/pets')
    await sendTo(mock, 'GET', '/v1/pets')
    end()
    end()
    await sendTo(mock, 'GET', '/v1/pets')
    expect(seen).toEqual([2, 3])
  })

  test('a listener that throws affects neither the response nor other listeners', async () => {
    const thrown: unknown[] = []
    process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error))
    const seen: number[] = []
    mock.journal.subscribe(() => {
      throw new Error('mine')
    })
    mock.journal.subscribe(({ number }) => seen.push(number))
    expect((await create(mock, rex)).status).toBe(201)
    await new Promise((resolve) => setImmediate(resolve))
    process.setUncaughtExceptionCaptureCallback(null)
    expect([seen, thrown]).toEqual([[1], [new Error('mine')]])
  })

  test('a listener may send requests to the mock and unsubscribe itself', async () => {
    const targets: string[] = []
    const end = mock.journal.subscribe(({ request }) => {
      targets.push(request.target)
      end()
      void sendTo(mock, 'GET', '/v1/pets/1')
    })
    await sendTo(mock, 'GET', '/v1/pets')
    await sendTo(mock, 'GET', '/v1/pets')
    expect([targets, mock.journal.list().map(({ number }) => number)]).toEqual([
      ['/v1/pets'],
      [1, 2, 3],
    ])
  })
})

test('clear removes all entries and the scorecard; numbers continue, and listeners stay', async () => {
  const seen: number[] = []
  mock.journal.subscribe(({ number }) => seen.push(number))
  await create(mock, '{}')
  expect(await mock.scorecards()).toMatchObject([{ requests: 1 }])
  mock.journal.clear()
  expect([mock.journal.list(), mock.journal.last()]).toEqual([[], undefined])
  expect((await mock.scorecards()).reduce((sum, { requests }) => sum + requests, 0)).toBe(0)
  await sendTo(mock, 'GET', '/v1/pets')
  expect([mock.journal.last()?.number, seen]).toEqual([2, [1, 2]])
})

test("reset empties the journal and the scorecard unless journal is 'keep'; numbers continue", async () => {
  await create(mock, '{}')
  mock.reset({ journal: 'keep' })
  expect([mock.journal.list().length, (await mock.scorecards())[0]?.requests]).toEqual([1, 1])
  expect(() => mock.reset({ journal: 'kept' as 'keep' })).toThrow(
    'journal must be one of clear, keep, but was "kept".',
  )
  expect(mock.journal.list()).toHaveLength(1)
  mock.reset()
  expect([mock.journal.list().length, (await mock.scorecards())[0]?.requests]).toEqual([0, 0])
  await create(mock, '{}')
  expect(mock.journal.list().map(({ number }) => number)).toEqual([2])
})

test('an incomplete request gets an Error body', async () => {
  for (const request of [
    null,
    {},
    { method: 'GET' },
    { method: 'GET', target: '/v1/pets', headers: { prefer: 5 }, body: '' },
    { method: 'GET', target: '/v1/pets', body: '' },
    { method: 'GET', target: '/v1/pets', headers: null, body: '' },
    { method: 'POST', target: 7, headers: {}, body: '' },
  ]) {
    const { status, body } = await mock.handle(request as never)
    const error = {
      code: 'invalid_request',
      message: expect.stringContaining('A request has'),
      status: 400,
    }
    expect([status, JSON.parse(body)]).toEqual([400, error])
  }
  expect(
    (await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } }))
      .status,
  ).toBe(200)
})

test('a deliberate defect that breaks the bytes of a response is no fault that somebody asked for', async () => {
  const mock = createMock({ defects: ['http.shorter-than-declared'] })
  await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } })
  expect(mock.journal.last()).not.toHaveProperty('fault')
  mock.use({ fault: 'truncated-body', times: 1 })
  await sendTo(mock, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${defaultKey}` } })
  expect(mock.journal.last()).toMatchObject({ fault: 'truncated-body' })
})

test('entries have delays and faults, and a delay is part of the duration', async () => {
  mock.use(
    { delayMs: 300, times: 1 },
    { fault: 'reset', skip: 1, times: 1 },
    { fault: { slowBodyMs: 5 }, skip: 2 },
  )
  for (let sent = 0; sent < 3; sent += 1) await sendTo(mock, 'GET', '/v1/pets')
  const [delayed, reset, slow] = mock.journal.list()
  expect(delayed).toMatchObject({
    delayMs: 300,
    source: { requirement: 'list.success', rule: 'rule-1' },
  })
  expect(delayed!.durationMs).toBeGreaterThan(300)
  expect(reset).toMatchObject({ fault: 'reset' })
  expect(slow).toMatchObject({ fault: 'slow-body' })
})

describe('deliberate defects in the source of a response', () => {
  const defective = (...ids: DefectId[]) => createMock({ pets: 30, defects: ids })
  const nulled: DefectId = 'get.missing-is-200-null'
  test.each<[string, DefectId[], string, unknown]>([
    ['change the request', ['list.limit-ignored'], '/v1/pets?limit=2', ['list.limit-ignored']],
    ['change nothing here', ['list.limit-ignored'], '/v1/pets/1', undefined],
    ['change the response', [nulled], '/v1/pets/999', [nulled]],
    ['two of them', [nulled, 'list.limit-ignored'], '/v1/pets/999', [nulled]],
  ])('%s', async (_what, ids, target, defects) => {
    const broken = defective(...ids)
    await sendTo(broken, 'GET', target)
    expect(broken.journal.last()?.source.defects).toEqual(defects)
  })

  test('change the pets: the entry has the stored pet', async () => {
    const broken = defective('create.not-stored')
    await create(broken, rex)
    const stored = { id: 31, ...rex }
    expect(broken.journal.last()).toMatchObject({
      changes: [{ after: stored }, { before: stored }],
      source: { requirement: 'create.success', defects: ['create.not-stored'] },
    })
    expect(broken.catalog.size).toBe(30)
  })
})

test('keys are redacted in changes', async () => {
  await create(mock, `{"name":"my ${defaultKey}","categoryId":9007199254740993,"status":"sold"}`)
  const after = { id: 4, name: 'my [redacted]', categoryId: 9_007_199_254_740_993n, status: 'sold' }
  expect(mock.journal.last()?.changes).toEqual([{ after }])
  await create(mock, { name: 'x'.repeat(100_000), categoryId: 1, tag: 'y' })
  expect(mock.journal.last()?.changes?.[0]?.after?.name.length).toBeLessThan(3_000)
})

test('a pet with delayed visibility is a change of the request that created it', async () => {
  let now = Date.UTC(2026, 0)
  const late = createMock({
    pets: 1,
    profile: { 'create.visibility': 'delayed' },
    now: () => new Date(now),
  })
  await create(late, rex)
  expect(late.journal.last()?.changes).toEqual([{ after: { id: 2, ...rex } }])
  now += 10_000
  await sendTo(late, 'GET', '/v1/pets')
  expect(late.journal.last()).not.toHaveProperty('changes')
  expect(late.catalog.size).toBe(2)
})

describe('the journal as an HTTP archive', () => {
  // Its draft 6 keywords mean the same in draft 7.
  const $schema = 'http://json-schema.org/draft-07/schema#'
  const schemas = Object.values(published as Record<string, object>).map((schema) => ({
    ...schema,
    $schema,
  }))
  const ajv = new Ajv({ schemas, strict: false, logger: false })
  addFormats.default(ajv)
  const mistakesOf = (har: object): unknown => (ajv.validate('har.json#', har) ? [] : ajv.errors)

  test('conforms to its published schema for any requests and responses', async () => {
    mock.use({ when: { operation: 'getPet' }, fault: 'silence', times: 1 })
    void sendTo(mock, 'GET', '/v1/pets/1')
    const targets = [
      '/v1/pets?status=s%C3%B6ld&limit=&x',
      '/v1/pets/%zz',
      '*',
      'http://petstore.test/v1/pets?a=b#c',
      '',
    ]
    const also = { host: 'mock.test:80', 'x-two': ['1', '2'] }
    for (const target of targets) await sendTo(mock, 'GET', target, { also })
    await create(mock, rex)
    await create(mock, '"\ud800"')
    const har = await mock.journal.toHar()
    expect(mistakesOf(har)).toEqual([])
    expect(har.log.entries).toHaveLength(mock.journal.list().length)
    expect(mistakesOf({ log: { ...har.log, entries: [{}] } })).not.toEqual([])
  })

  test('has the data of the journal, and takes the same filters', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    await create(mock, '{"name":"Zoë","categoryId":9007199254740993}')
    vi.useRealTimers()
    await sendTo(mock, 'GET', '/v1/pets?limit=1&status=sold', { also: { host: 'mock.test:4010' } })
    const { log } = await mock.journal.toHar({ operation: 'createPet' })
    const time = mock.journal.list()[0]?.durationMs
    const body = '{"id":4,"name":"Zoë","categoryId":9007199254740993,"status":"available"}'
    expect(log.creator).toEqual({ name: 'petstore-kit', version })
    expect(log.entries).toMatchObject([
      {
        startedDateTime: '2026-11-20T12:00:00.000Z',
        time,
        request: {
          method: 'POST',
          url: 'http://localhost/v1/pets',
          headers: [
            { name: 'authorization', value: 'Bearer [redacted]' },
            { name: 'content-type', value: 'application/json' },
          ],
          queryString: [],
          bodySize: 45,
          postData: {
            mimeType: 'application/json',
            text: '{"name":"Zoë","categoryId":9007199254740993}',
          },
        },
        response: {
          status: 201,
          headers: expect.arrayContaining([{ name: 'location', value: '/v1/pets/4' }]),
          content: { size: 73, mimeType: 'application/json', text: body },
          redirectURL: '/v1/pets/4',
        },
        timings: { wait: time },
        _number: 1,
        _operation: 'createPet',
        _reason: 'create.success',
      },
    ])
    expect((await mock.journal.toHar({ after: 1 })).log.entries).toMatchObject([
      {
        request: {
          url: 'http://mock.test:4010/v1/pets?limit=1&status=sold',
          queryString: [
            { name: 'limit', value: '1' },
            { name: 'status', value: 'sold' },
          ],
        },
      },
    ])
  })

  test('has no part of a body that is not kept whole', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(17_000), categoryId: 1 })
    await sendTo(mock, 'POST', '/v1/pets', { body })
    await sendTo(mock, 'POST', '/v1/pets', { body, headers: {} })
    expect(mock.journal.last()?.request.bodyCut).toBe(true)
    const { entries } = (await mock.journal.toHar()).log as any
    const comment = 'The body is too long to be kept.'
    for (const { request } of entries) expect(request).not.toHaveProperty('postData')
    expect(entries[0].response.content).toEqual({ size: -1, mimeType: 'application/json', comment })
    expect(entries[1].response.content.text).toMatch(/^\{"code":"unauthorized"/)
  })

  test.each(['reset', 'silence', 'empty-response'] as const)(
    'has no response if the client got none, and no key anywhere: %s',
    async (fault) => {
      mock.use({ fault, times: 1 })
      await sendTo(mock, 'GET', `/v1/pets?api_key=${defaultKey}`)
      const har = await mock.journal.toHar()
      const entry = {
        response: { status: 0, headers: [], bodySize: 0 },
        _fault: fault,
        _rule: 'rule-1',
      }
      expect(har.log.entries).toMatchObject([entry])
      expect(JSON.stringify(har)).not.toContain(defaultKey)
      expect(mistakesOf(har)).toEqual([])
    },
  )
})
