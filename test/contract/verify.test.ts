import { describe, expect, test } from 'vitest'
import { checks, type Report, verify } from '../../src/contract/index.ts'
import { clauses } from '../../src/spec/clauses.ts'
import { type Received, sendJson, startServer } from './http-server.ts'
import { key, startStore } from './recorded-mock.ts'

const verdictOf = ({ clauses: results }: Report, id: string): string | undefined =>
  results.find((result) => result.id === id)?.verdict
const idsOf = ({ clauses: results }: Report, verdict: string): string[] =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id)
const posts = (requests: readonly Received[]): Received[] => requests.filter(({ method }) => method === 'POST')

describe('a run that cannot verify anything says why, and exits with 3', () => {
  const rows: [what: string, run: () => Promise<Report>, reason: RegExp][] = [
    [
      'the key is refused',
      async () => verify({ baseUrl: (await startStore()).url, apiKey: 'another-key' }),
      /^the key was rejected \(401\)$/,
    ],
    [
      'nobody is there',
      () => verify({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: key }),
      /^the target cannot be reached: nothing listens there/,
    ],
    [
      'nobody is there, and there is no time for retries',
      () => verify({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: key, retryBudgetMs: 0 }),
      /^the target cannot be reached: nothing listens there/,
    ],
    [
      'a gateway answers for the service',
      async () => {
        const { url } = await startServer((_, response) => sendJson(response, 503, {}))
        return verify({ baseUrl: url, apiKey: key, retryBudgetMs: 0 })
      },
      /^the target cannot be reached: the target answered 503/,
    ],
    [
      'the key may not list pets',
      async () => {
        const { url } = await startServer((_, response) =>
          sendJson(response, 403, { code: 'forbidden', message: '', status: 403 }),
        )
        return verify({ baseUrl: url, apiKey: key })
      },
      /^the key may not call listPets/,
    ],
  ]
  test.each(rows)('%s', async (_, run, reason) => {
    const report = await run()
    expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3, findings: [], counts: { writes: 0 } })
    expect(report.reason).toMatch(reason)
  })
})

describe('writes are precious', () => {
  test('a read-only run sends nothing that could create', async () => {
    const { url, requests } = await startStore()
    const report = await verify({ baseUrl: url, apiKey: key, readOnly: true })
    expect([...new Set(requests.map(({ method }) => method))].toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS'])
    expect(report).toMatchObject({ verdict: 'conforms', counts: { writes: 0 } })
    expect(report.clauses.find(({ id }) => id === 'create.success')).toMatchObject({
      verdict: 'not-verified',
      reason: 'the run is read-only',
    })
  })

  test('the number is told before the first request', async () => {
    const { url, requests } = await startStore()
    const told: { line: string; requests: number }[] = []
    const report = await verify({
      baseUrl: url,
      apiKey: key,
      onProgress: (line) => told.push({ line, requests: requests.length }),
    })
    expect(told[0]).toEqual({ line: expect.stringMatching(/\d+ checks.*\d+ pets/), requests: 0 })
    expect(Number(/(\d+) pets/.exec(told[0]?.line ?? '')?.[1])).toBeGreaterThanOrEqual(report.counts.writes)
  })

  const limits = [0, 1, 7, 19, 25]

  test.each(limits)('no more than %i are created where the contract is kept', async (maxWrites) => {
    const { url, requests } = await startStore()
    const report = await verify({ baseUrl: url, apiKey: key, maxWrites })
    expect(report.findings).toEqual([])
    expect(report.counts.writes).toBeLessThanOrEqual(maxWrites)
    if (maxWrites === 0) expect(posts(requests)).toEqual([])
    else expect(report.counts.writes).toBeGreaterThan(0)
  })

  /** Stores that create a pet for whatever is posted, and tell it, or not, in their own way. */
  const careless: Record<string, Parameters<typeof startStore>[1]> = {
    'that accepts everything': ({ method, index }, response) =>
      method === 'POST' ? sendJson(response, 201, { id: 1_000 + index, name: 'x', categoryId: 1 }) : false,
    'that answers 200 to a creation': ({ method, index }, response) =>
      method === 'POST' ? sendJson(response, 200, { id: 1_000 + index, name: 'x', categoryId: 1 }) : false,
    'that creates and does not answer': ({ method }, response) =>
      method === 'POST' ? response.socket?.resetAndDestroy() : false,
    'that creates behind a gateway without patience': ({ method }, response) =>
      method === 'POST' ? sendJson(response, 504, {}) : false,
    'that breaks off each answer to a creation': ({ method }, response) => {
      if (method !== 'POST') return false
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': 50 })
      return response.write('{"id":', () => response.socket?.end())
    },
  }
  const rows = Object.entries(careless).flatMap(([name, answer]) => [4, 25].map((most) => ({ name, answer, most })))

  test.each(rows)('no more than $most, on a target $name', async ({ answer, most }) => {
    const { url, requests } = await startStore({}, answer)
    await verify({ baseUrl: url, apiKey: key, maxWrites: most, settleMs: 0, retryBudgetMs: 1_500 })
    expect(posts(requests).length).toBeGreaterThan(0)
    expect(posts(requests).length).toBeLessThanOrEqual(most)
  })

  test('another machine gets no request at all without consent', async () => {
    const { requests } = await startStore()
    await expect(verify({ baseUrl: 'http://petstore-kit.invalid/v1', apiKey: key })).rejects.toThrow(/--allow-writes/)
    expect(requests).toEqual([])
  })

  test('each pet is recognised by its name, and has the category that the user names', async () => {
    const { url, requests } = await startStore({ pets: 0 })
    const report = await verify({ baseUrl: url, apiKey: key, runId: 'Qwrtz', categoryId: 9007199254740993n })
    expect(report.counts.notVerified).toBe(report.clauses.filter(({ verdict }) => verdict === 'not-verified').length)
    const ordinary = posts(requests).filter(({ body }) => body.startsWith('{"name":"Petkit Qwrtz '))
    expect(ordinary.length).toBeGreaterThan(5)
    expect(ordinary.filter(({ body }) => body.includes('"categoryId":9007199254740993')).length).toBeGreaterThan(5)
  })
})

describe('a part of the suite', () => {
  test('only what was asked for is verified, with few requests', async () => {
    const { url, requests } = await startStore()
    const report = await verify({ baseUrl: url, apiKey: key, only: ['list.401', 'list.limit.min'] })
    const asked = clauses.map(({ id }) => id).filter((id) => id === 'list.401' || id === 'list.limit.min')
    expect(idsOf(report, 'verified')).toEqual(asked)
    expect(report.clauses.find(({ id }) => id === 'get.401')).toMatchObject({ reason: 'left out by --only or --skip' })
    expect(posts(requests)).toEqual([])
    expect(requests.length).toBeLessThan(50)
  })

  test('a check says nothing good of what others can show violated, and what it saw is reported', async () => {
    const { url } = await startStore({ pets: 130, deviations: ['list.limit-ignored'] })
    const run = (only: string) => verify({ baseUrl: url, apiKey: key, only: [only] })
    expect(idsOf(await run('list-pets.limit'), 'violated')).toContain('list.limit.honoured')
    expect(idsOf(await run('list.limit.honoured'), 'violated')).toEqual(['list.limit.honoured'])
    const alone = await run('list-pets.answers')
    expect(alone).toMatchObject({ verdict: 'conforms', exitCode: 0, selection: { checks: 1, of: checks.length } })
    expect(idsOf(alone, 'verified')).toEqual(['service.base-path'])
    expect(alone.clauses.find(({ id }) => id === 'list.success')).toMatchObject({
      reason: expect.stringMatching(/^partial run, without access\.list-pets, .* and \d+ more checks$/),
    })
  })

  test('a selected check that could not finish is exit 3, with the reason', async () => {
    const { url } = await startStore({ pets: 3 })
    const report = await verify({ baseUrl: url, apiKey: key, only: ['list-pets.default-limit'] })
    expect(report).toMatchObject({
      verdict: 'not-verified',
      exitCode: 3,
      reason: expect.stringMatching(/^list-pets\.default-limit could not finish: the catalogue shows 3 pets/),
    })
  })

  test('what was skipped is not accused', async () => {
    const { url } = await startStore({}, ({ target }, response) =>
      target === '/v1/pets?limit=1' ? sendJson(response, 200, []) : false,
    )
    const run = (skip: string[]) => verify({ baseUrl: url, apiKey: key, skip, settleMs: 0, readOnly: true })
    const all = await run([])
    expect(all.verdict).toBe('violates')
    const violated = idsOf(all, 'violated')
    expect(await run(violated)).toMatchObject({ verdict: 'conforms', findings: [] })
  })

  test('nothing left is a mistake', async () => {
    const { url, requests } = await startStore()
    await expect(verify({ baseUrl: url, apiKey: key, skip: ['*'] })).rejects.toThrow('--only and --skip leave nothing')
    expect(requests).toEqual([])
  })

  test('an observation can be asked for alone', async () => {
    const { url } = await startStore()
    const report = await verify({ baseUrl: url, apiKey: key, only: ['undescribed.http'] })
    expect(report.profile['http.options']).not.toBe('unknown')
    expect(report.profile['list.limit.below-minimum']).toBe('unknown')
  })
})

test.each([
  [false, 'conforms', 0],
  [true, 'not-verified', 3],
] as const)('with strict %s a clause that could not be verified makes it %s', async (strict, verdict, exitCode) => {
  const { url } = await startStore({ pets: 3 })
  const report = await verify({ baseUrl: url, apiKey: key, strict, readOnly: true })
  expect(report).toMatchObject({ verdict, exitCode })
  expect(report.counts.notVerified).toBeGreaterThan(0)
})

describe('the removal of getPet', () => {
  const gone =
    (status: number): Parameters<typeof startStore>[1] =>
    ({ method, target }, response) =>
      method === 'GET' && /^\/v1\/pets\/\d+$/.test(target)
        ? sendJson(response, status, { code: 'gone', message: '', status })
        : false

  test.each([404, 405, 410, 501])('is lawful from its day on, with %i', async (status) => {
    const { url } = await startStore({}, gone(status))
    const report = await verify({ baseUrl: url, apiKey: key, now: '2030-12-05' })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    expect(verdictOf(report, 'get.success')).toBe('not-applicable')
    expect(report.profile['get.after-removal']).toBe(String(status))
  })

  test.each([404, 410])('is a breach on the day before, with %i', async (status) => {
    const { url } = await startStore({}, gone(status))
    const report = await verify({ baseUrl: url, apiKey: key, now: '2030-12-04', settleMs: 0 })
    expect(report.verdict).toBe('violates')
    expect(idsOf(report, 'violated').some((id) => id.startsWith('get.'))).toBe(true)
  })

  test('is seen at a pet of the run where the catalogue is empty', async () => {
    for (const option of ['410', 'works'] as const) {
      const now = '2030-12-05'
      const { url } = await startStore({ pets: 0, now, profile: { 'get.after-removal': option } })
      const report = await verify({ baseUrl: url, apiKey: key, now })
      expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
      expect(verdictOf(report, 'get.success')).toBe(option === 'works' ? 'verified' : 'not-applicable')
      expect(report.profile['get.after-removal']).toBe(option)
    }
  })

  test('leaves a path that is none, where whoever stands before the service may answer', async () => {
    const { url } = await startStore({}, ({ method, target }, response) => {
      if (method !== 'GET' || !/^\/v1\/pets\/\d+$/.test(target)) return false
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
      return true
    })
    const report = await verify({ baseUrl: url, apiKey: key, now: '2030-12-05' })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  })

  test('need not have happened', async () => {
    const { url } = await startStore({ profile: { 'get.after-removal': 'works' } })
    const report = await verify({ baseUrl: url, apiKey: key, now: '2031-01-01' })
    expect(report.verdict).toBe('conforms')
    expect(verdictOf(report, 'get.success')).toBe('verified')
    expect(report.profile['get.after-removal']).toBe('works')
  })
})

describe('a list that never comes, while others do', () => {
  const wide = ({ method, target }: Received): boolean => method === 'GET' && target === '/v1/pets?limit=100'

  test('for want of an answer', async () => {
    const { url } = await startStore({}, wide)
    const report = await verify({ baseUrl: url, apiKey: key, timeoutMs: 200, retryBudgetMs: 1_000 })
    expect(report.verdict).toBe('violates')
    expect(idsOf(report, 'violated')).toContain('list.limit.max')
    expect(report.findings[0]?.message).toMatch(/^GET \/pets\?limit=100 never gets a response, while other requests do/)
  })

  test('in time, and yet comes', async () => {
    const { url } = await startStore({}, (received, response) => {
      if (!wide(received)) return false
      setTimeout(() => sendJson(response, 200, []), 300).unref()
      return true
    })
    const report = await verify({ baseUrl: url, apiKey: key, timeoutMs: 200 })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    const open = report.clauses.find(({ id }) => id === 'list.limit.max')
    expect(open?.reason).toMatch(/GET \/pets\?limit=100 takes longer than 0\.2 s \(--timeout\)/)
  })

  test('because the connection ends', async () => {
    const { url } = await startStore({}, (received, response) => {
      if (!wide(received)) return false
      response.destroy()
      return true
    })
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report.verdict).toBe('violates')
    expect(idsOf(report, 'violated')).toContain('list.limit.max')
  })
})

describe('categories that the target refuses', () => {
  test.each([
    [1_000_000, 'conforms'],
    [2_000_000_000, 'conforms'],
    [2 ** 31 - 1, 'violates'],
    [Number.MAX_SAFE_INTEGER, 'violates'],
  ])('beyond %i: %s', async (largest, verdict) => {
    const { url } = await startStore({}, ({ method, headers, body }, response) => {
      const category = /"categoryId" *: *(-?\d+) *[,}]/.exec(body)?.[1]
      if (method !== 'POST' || headers.authorization !== `Bearer ${key}` || category === undefined) return false
      if (BigInt(category) >= 0n && BigInt(category) <= BigInt(largest)) return false
      return sendJson(response, 400, { code: 'category', message: '', status: 400 })
    })
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report.verdict).toBe(verdict)
    if (verdict === 'violates') expect(idsOf(report, 'violated')).toEqual(['create.exact'])
  })
})

/** Refuses ordinary creations for what they are. */
const refusing =
  (when: (name: string, nth: number) => boolean, status: number): Parameters<typeof startStore>[1] =>
  ({ method, headers, body }, response) => {
    const sent = /^\{"name":"([^"]+)","categoryId":\d{1,18}(,"status":"(available|pending|sold)")?\}$/.exec(body)
    if (method !== 'POST' || headers.authorization !== `Bearer ${key}` || sent === null) return false
    ordinary += 1
    if (!when(sent[1] ?? '', ordinary)) return false
    return sendJson(response, status, { code: 'refused', message: '', status })
  }
let ordinary = 0

describe('names that the target refuses', () => {
  test.each([
    ['more than three words', (name: string) => name.split(' ').length > 3],
    ['two words', (name: string) => name.split(' ').length < 3],
    ['names that begin with its own', (name: string) => name.startsWith('Petkit')],
    ['all but one word', (name: string) => !/^[A-Z][a-z]{1,19}$/.test(name)],
    ['all but one word in lower case', (name: string) => !/^[a-z]{2,20}$/.test(name)],
  ])('%s', async (_, when) => {
    const { url } = await startStore({}, refusing(when, 422))
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    expect(verdictOf(report, 'create.success')).toBe('verified')
  })

  test('all of them', async () => {
    const { url } = await startStore(
      {},
      refusing(() => true, 400),
    )
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(idsOf(report, 'violated')).toEqual(['create.success'])
  })
})

test.each([409, 422])('a quota of pets that ends with %i is no breach', async (status) => {
  for (const most of [1, 3, 6, 11]) {
    ordinary = 0
    const { url } = await startStore(
      {},
      refusing((_, nth) => nth > most, status),
    )
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  }
})

test.each([402, 403, 409])('a quota that is looked at before the body, with %i', async (status) => {
  for (const most of [4, 9]) {
    let created = 0
    const { url } = await startStore({}, ({ method, headers }, response) => {
      if (method !== 'POST' || headers.authorization !== `Bearer ${key}`) return false
      created += 1
      return created > most && sendJson(response, status, { code: 'quota', message: '', status })
    })
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  }
})

describe('a target that has no more room, or wants a payment', () => {
  test.each([
    [402, 0],
    [402, 7],
    [507, 0],
    [507, 7],
  ])('with %i, after %i pets', async (status, most) => {
    let created = 0
    const { url } = await startStore({}, ({ method, headers, body }, response) => {
      const isCreation = method === 'POST' && headers.authorization === `Bearer ${key}`
      if (!isCreation || !/^\{"name":"[^"]+","categoryId":\d+(,"status":"(available|pending|sold)")?\}$/.test(body))
        return false
      created += 1
      if (created <= most) return false
      return sendJson(response, status, { code: 'full', message: '', status })
    })
    const report = await verify({ baseUrl: url, apiKey: key })
    expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
    expect(verdictOf(report, 'create.success')).toBe(most === 0 ? 'not-verified' : 'verified')
  })
})

describe('a run that is stopped', () => {
  test.each([1, 20, 60, 100])('at its request number %i ends at once with a report', async (last) => {
    const stop = new AbortController()
    const { url, requests } = await startStore({}, ({ index }) => {
      if (index + 1 === last) stop.abort()
      return false
    })
    const report = await verify({ baseUrl: url, apiKey: key, signal: stop.signal })
    expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3, reason: 'the run was stopped before its end' })
    expect(requests.length).toBeLessThanOrEqual(last + 4)
    expect(report.counts.verified).toBeLessThan(clauses.length)
    expect(report.durationMs).toBeLessThan(4_000)
  })

  test('while it waits for replicas does not wait any longer', async () => {
    const stop = new AbortController()
    const { url } = await startStore({}, async ({ target, headers: { authorization = '' } }, response) => {
      if (target !== '/v1/pets?limit=99') return false
      const all = await fetch(`${url}/pets?limit=100`, { headers: { authorization } })
      return sendJson(response, 200, ((await all.json()) as object[]).slice(0, -1))
    })
    const report = await verify({
      baseUrl: url,
      apiKey: key,
      readOnly: true,
      settleMs: 60_000,
      signal: stop.signal,
      onProgress: (line) => line.startsWith('waiting') && setImmediate(() => stop.abort()),
    })
    expect(report.reason).toBe('the run was stopped before its end')
    expect(report.durationMs).toBeLessThan(10_000)
    // What it was about to look at again is neither accused nor called verified.
    expect(report.findings).toEqual([])
    expect(verdictOf(report, 'service.catalogue')).toBe('not-verified')
  })

  test('with a breach in hand still tells it', async () => {
    const stop = new AbortController()
    const { url } = await startStore({}, ({ index }, response) => {
      if (index === 30) stop.abort()
      return index < 10 ? sendJson(response, 200, [{ id: 'x' }]) : false
    })
    const report = await verify({ baseUrl: url, apiKey: key, signal: stop.signal })
    expect(report).toMatchObject({ verdict: 'violates', exitCode: 1, reason: 'the run was stopped before its end' })
  })
})

test('a target that dies in the middle is not called good', async () => {
  const { url } = await startStore({}, ({ index }, response) => index >= 30 && response.socket?.resetAndDestroy())
  const report = await verify({ baseUrl: url, apiKey: key, readOnly: true, concurrency: 8 })
  expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3 })
  expect(report.reason).toMatch(/6 requests in a row without an answer/)
})

describe('a run is small and always the same', () => {
  const sent = (requests: readonly Received[]): string[] =>
    requests
      .map(({ method, target, headers, body }) => [method, target, headers.authorization, body].join(' '))
      .toSorted()

  test('two runs against the same store send the same requests', async () => {
    const run = async (): Promise<string[]> => {
      const { url, requests } = await startStore({ pets: 150 })
      const report = await verify({ baseUrl: url, apiKey: key, runId: 'Same' })
      expect(report.verdict).toBe('conforms')
      expect(report.counts.requests).toBe(requests.length)
      expect(report.counts.requests).toBeLessThanOrEqual(160)
      expect(report.counts.writes).toBeLessThanOrEqual(25)
      return sent(requests)
    }
    expect(await run()).toEqual(await run())
  })

  test('a target whose every value is 20,000 levels deep ends no run', async () => {
    const deep = '{"a":'.repeat(20_000) + '1'.concat('}'.repeat(20_000))
    const { url } = await startServer(({ method }, response) =>
      response.writeHead(method === 'POST' ? 400 : 200, { 'content-type': 'application/json' }).end(`[${deep}]`),
    )
    const report = await verify({ baseUrl: url, apiKey: key, settleMs: 0, only: ['list.*', 'pet.*', 'error.*'] })
    expect(report).toMatchObject({ verdict: 'not-verified', reason: expect.stringContaining('1,000 levels deep') })
  })
})

describe('a response that is too much to be judged', () => {
  const deep = `${'['.repeat(1_001)}${']'.repeat(1_001)}`

  test('is no violation, and verifies nothing', async () => {
    const { url } = await startStore({}, ({ method, target }, response) =>
      method === 'GET' && /\/pets\/\d+$/.test(target)
        ? response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`{"id":${target.split('/').at(-1)},"name":"Rex","categoryId":1,"more":${deep}}`)
        : false,
    )
    const report = await verify({ baseUrl: url, apiKey: key, settleMs: 0 })
    expect(report.findings.filter(({ clause }) => clause !== 'get.401')).toEqual([])
    const { verdict, reason } = report.clauses.find(({ id }) => id === 'get.success') ?? {}
    expect(verdict).toBe('not-verified')
    expect(reason).toMatch(/answered 200, but that is too much to be judged: .* more than 1,000 levels deep/)
    expect(report.notes).toContainEqual(expect.stringContaining('too much to be judged'))
  })

  test('is a violation all the same where a list has too many elements', async () => {
    const { url } = await startStore({}, ({ target }, response) =>
      target.endsWith('/pets')
        ? response.writeHead(200, { 'content-type': 'application/json' }).end(`[${'{},'.repeat(300_000)}{}]`)
        : false,
    )
    const { findings } = await verify({ baseUrl: url, apiKey: key, settleMs: 0 })
    expect(findings).toMatchObject([
      { clause: 'list.limit.default', expected: 'at most 20 pets', actual: expect.stringContaining('300001 elements') },
    ])
  })
})
