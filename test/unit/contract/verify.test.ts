/** Whole runs of the suite, in process and in virtual time. */
import { describe, expect, test } from 'vitest'
import { checks, type VerifyInput } from '../../../src/contract/index.ts'
import type { MockOptions } from '../../../src/mock/index.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { error, isAuthorized, json, type Override, type Received, target } from './target.ts'
import { idsOf, verdictOf } from '../../support/verdicts.ts'
import { sample } from '../../support/level.ts'

const posts = (requests: readonly Received[]): Received[] =>
  requests.filter(({ method }) => method === 'POST')
const conforms = { verdict: 'conforms', findings: [] }
const isOnePet = ({ method, target: path }: Received): boolean =>
  method === 'GET' && /^\/v1\/pets\/\d+$/.test(path)

describe('a run that verifies nothing has a reason and exit code 3', () => {
  test.each<[what: string, override: Override, more: Partial<VerifyInput>, reason: RegExp]>([
    [
      'the key is rejected',
      () => undefined,
      { apiKey: 'another-key' },
      /^the key was rejected \(401\), with WWW-Authenticate: Bearer/,
    ],
    [
      'a gateway',
      () => json(503, {}),
      { retryBudgetMs: 0 },
      /^the target is not available: the target responded 503/,
    ],
    ['a crash', () => json(500, {}), {}, /Check the base URL and the log of the target$/],
    [
      'the key may not list pets',
      () => error(403),
      {},
      /^the key, or a firewall, does not allow this listPets/,
    ],
    [
      'it was stopped before',
      () => undefined,
      { signal: AbortSignal.abort() },
      /^the run was stopped before its end$/,
    ],
  ])('%s', async (_, override, more, reason) => {
    const report = await target({}, override).run(more)
    expect(report).toMatchObject({
      verdict: 'not-verified',
      exitCode: 3,
      findings: [],
      counts: { writes: 0 },
    })
    expect(report.reason).toMatch(reason)
  })
})

describe('writes are limited', () => {
  test('a read-only run sends no request that could create a pet', async () => {
    const { run, requests } = target()
    const report = await run({ readOnly: true })
    expect([...new Set(requests.map(({ method }) => method))].toSorted()).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
    ])
    expect(report).toMatchObject({ verdict: 'conforms', counts: { writes: 0 } })
    const creation = report.requirements.find(({ id }) => id === 'create.success')
    expect(creation).toMatchObject({ verdict: 'not-verified', reason: 'the run is read-only' })
  })

  test('the maximum number is shown before the first request', async () => {
    const { run, requests } = target()
    const shown: { line: string; requests: number }[] = []
    const report = await run({
      onProgress: (line) => shown.push({ line, requests: requests.length }),
    })
    expect(shown[0]).toEqual({ line: expect.stringMatching(/\d+ checks.*\d+ pets/), requests: 0 })
    expect(Number(/(\d+) pets/.exec(shown[0]?.line ?? '')?.[1])).toBeGreaterThanOrEqual(
      report.counts.writes,
    )
  })

  test('the checks that are done, requests and seconds are shown as they grow', async () => {
    const lines: string[] = []
    await target().run({ onProgress: (line) => lines.push(line) })
    const shown = lines.flatMap((line) => {
      const [, ...numbers] =
        /^(\d+) of (\d+) checks, (\d+) requests?, (\d+) s: \w+$/.exec(line) ?? []
      return numbers.length > 0 ? [numbers.map(Number)] : []
    })
    const [total = 0] = shown.map(([, all]) => all)
    expect(new Set(shown.map(([done]) => done))).toEqual(
      new Set(Array.from({ length: total + 1 }, (_, done) => done)),
    )
    for (const column of [0, 2, 3])
      expect(shown.map((row) => row[column] ?? 0)).toEqual(
        shown.map((row) => row[column] ?? 0).toSorted((a, b) => a - b),
      )
  })

  test.each(sample([0, 1, 7, 19, 25], { usual: 3, slow: 1, all: 1 }))(
    'at most %i pets are created on a conforming target',
    async (maxWrites) => {
      const { run, requests } = target()
      const report = await run({ maxWrites })
      expect(report.findings).toEqual([])
      expect(report.counts.writes).toBeLessThanOrEqual(maxWrites)
      if (maxWrites === 0) expect(posts(requests)).toEqual([])
      else expect(report.counts.writes).toBeGreaterThan(0)
    },
  )

  const pet = (index: number) => ({ id: 1_000 + index, name: 'x', categoryId: 1 })
  /** Targets that create a pet for any POST, with different responses. */
  const careless: Record<string, (request: Received) => ReturnType<typeof json>> = {
    'that accepts everything': ({ index }) => json(201, pet(index)),
    'that responds 200 to a creation': ({ index }) => json(200, pet(index)),
    'that creates and resets the connection': () => ({ ...json(201, {}), wire: { reset: true } }),
    'that creates behind a gateway with a short timeout': () => json(504, {}),
    'that breaks off each response to a creation': () => ({
      ...json(201, {}),
      body: '{"id":',
      wire: { contentLength: 50 },
    }),
  }
  const rows = Object.keys(careless).flatMap((name) => [4, 25].map((most) => ({ name, most })))

  test.each(sample(rows, { usual: 3, slow: 1, all: 1 }))(
    'at most $most pets are created on a target $name',
    async ({ name, most }) => {
      const { run, requests } = target({}, (request) =>
        request.method === 'POST' ? careless[name]?.(request) : undefined,
      )
      await run({ maxWrites: most, settleMs: 0, retryBudgetMs: 1_500 })
      expect(posts(requests).length).toBeGreaterThan(0)
      expect(posts(requests).length).toBeLessThanOrEqual(most)
    },
  )

  test('each pet is recognized by its name, and has the category of the options', async () => {
    const { run, requests } = target({ pets: 0 })
    await run({ runId: 'Qwrtz', categoryId: 9007199254740993n })
    const ordinary = posts(requests).filter(({ body }) => body.startsWith('{"name":"Petkit Qwrtz '))
    expect(ordinary.length).toBeGreaterThan(5)
    expect(
      ordinary.filter(({ body }) => body.includes('"categoryId":9007199254740993')).length,
    ).toBeGreaterThan(5)
  })
})

describe('a selection', () => {
  test('filters the report of a whole run', async () => {
    const whole = target()
    const all = await whole.run()
    const part = target()
    const report = await part.run({ only: ['list.401', 'list.limit.min'] })
    expect(part.requests.length).toBe(whole.requests.length)
    expect(idsOf(report, 'verified').toSorted()).toEqual(['list.401', 'list.limit.min'])
    expect(report.requirements.find(({ id }) => id === 'get.401')).toMatchObject({
      verdict: 'not-applicable',
      reason: 'excluded by --only or --skip',
    })
    expect(report.selection).toEqual({
      checks: checks.length,
      of: checks.length,
      only: ['list.401', 'list.limit.min'],
      skip: [],
    })
    expect(all).not.toHaveProperty('selection')
  })

  test('never turns a violation into verified, and notes those that it leaves out', async () => {
    const { run } = target({ pets: 130, defects: ['list.limit-ignored'] })
    const violated = idsOf(await run(), 'violated')
    for (const only of ['list-pets.limit', 'list.limit.respected', 'list.*', 'access.list-pets']) {
      const report = await run({ only: [only] })
      expect(idsOf(report, 'verified').filter((id) => violated.includes(id))).toEqual([])
      expect(report.exitCode).toBe(idsOf(report, 'violated').length > 0 ? 1 : 0)
    }
    const respected = await run({ only: ['list.limit.respected'] })
    expect(idsOf(respected, 'violated')).toEqual(['list.limit.respected'])
    const other = await run({ only: ['list.401'] })
    expect(other).toMatchObject({ verdict: 'conforms', exitCode: 0, findings: [] })
    expect(other.notes.join('\n')).toContain(
      'list.limit.respected, which is not selected, is violated: ',
    )
  })

  test('of a check has what the check shows violated', async () => {
    const { run } = target({ pets: 130, defects: ['get.name-differs'] })
    expect(await run({ only: ['responses.agree'] })).toMatchObject({ exitCode: 1 })
  })

  test('of which nothing was verified is inconclusive', async () => {
    const report = await target({ pets: 3 }).run({
      readOnly: true,
      only: ['list-pets.default-limit'],
    })
    expect(report).toMatchObject({
      verdict: 'not-verified',
      exitCode: 3,
      reason: 'no selected requirement could be verified',
    })
    expect(report.requirements.find(({ id }) => id === 'list.limit.default')?.reason).toMatch(
      /the catalog shows 3 pets/,
    )
  })

  test('leaves out skipped requirements', async () => {
    const { run } = target({}, ({ target: path }) =>
      path === '/v1/pets?limit=1' ? json(200, []) : undefined,
    )
    const all = await run({ readOnly: true })
    expect(all.verdict).toBe('violates')
    expect(await run({ readOnly: true, skip: idsOf(all, 'violated') })).toMatchObject(conforms)
  })

  test('of nothing is rejected', async () => {
    const { run, requests } = target()
    await expect(run({ skip: ['*'] })).rejects.toThrow('--only and --skip leave no requirement')
    expect(requests).toEqual([])
  })
})

test.each([
  [false, 'conforms', 0],
  [true, 'not-verified', 3],
] as const)(
  'with strict %s, an unverified requirement makes the verdict %s',
  async (strict, verdict, exitCode) => {
    const report = await target({ pets: 3 }).run({ strict, readOnly: true })
    expect(report).toMatchObject({ verdict, exitCode })
    expect(report.counts.notVerified).toBeGreaterThan(0)
  },
)

describe('the removal of getPet', () => {
  const html = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }
  const gone =
    (status: number): Override =>
    (request) =>
      isOnePet(request) ? error(status) : undefined
  const works: MockOptions = { profile: { 'get.after-removal': 'works' } }

  test.each<
    [
      what: string,
      now: string,
      options: MockOptions,
      override: Override | undefined,
      option: string,
    ]
  >([
    [
      'in an empty catalog',
      '2030-12-05',
      { pets: 0, profile: { 'get.after-removal': '410' } },
      undefined,
      '410',
    ],
    [
      'that has not happened, in an empty catalog',
      '2030-12-05',
      { pets: 0, ...works },
      undefined,
      'works',
    ],
    ['that has not happened', '2031-01-01', works, undefined, 'works'],
    [
      'behind a page of HTML',
      '2030-12-05',
      {},
      (request) => (isOnePet(request) ? html : undefined),
      '404',
    ],
  ])('conforms from its day on, %s', async (_, now, options, override, option) => {
    const report = await target({ now, ...options }, override).run({ now })
    expect(report).toMatchObject(conforms)
    expect(verdictOf(report, 'get.success')).toBe(
      option === 'works' ? 'verified' : 'not-applicable',
    )
    expect(report.profile['get.after-removal']).toBe(option)
  })

  test.each([404, 410])('violates on the day before, with %i', async (status) => {
    const report = await target({}, gone(status)).run({ now: '2030-12-04' })
    expect(report.verdict).toBe('violates')
    expect(idsOf(report, 'violated').some((id) => id.startsWith('get.'))).toBe(true)
  })
})

// test/proof/broken/silence.test.ts covers responses that never arrive.
test('a list later than the timeout is no violation', async () => {
  const isWide = ({ method, target: path }: Received): boolean =>
    method === 'GET' && path === '/v1/pets?limit=100'
  const { run, clock } = target({}, async (request) => {
    if (!isWide(request)) return undefined
    await clock.sleep(300)
    return json(200, [])
  })
  const report = await run({ timeoutMs: 200 })
  expect(report).toMatchObject(conforms)
  const open = report.requirements.find(({ id }) => id === 'list.limit.max')
  expect(open?.reason).toMatch(/GET \/pets\?limit=100 takes longer than 0\.2 s \(--timeout\)/)
})

test.each(
  sample(
    [
      [1_000_000, 'conforms'],
      [2_000_000_000, 'conforms'],
      [2 ** 31 - 1, 'violates'],
      [Number.MAX_SAFE_INTEGER, 'violates'],
      [2n ** 63n - 1n, 'conforms'],
    ],
    { usual: 3, slow: 1, all: 1 },
  ),
)('a target that rejects categories below 0 and above %i %s', async (largest, verdict) => {
  const report = await target({}, (request) => {
    const category = /"categoryId" *: *(-?\d+) *[,}]/.exec(request.body)?.[1]
    if (request.method !== 'POST' || !isAuthorized(request) || category === undefined)
      return undefined
    return BigInt(category) >= 0n && BigInt(category) <= BigInt(largest) ? undefined : error(400)
  }).run()
  expect(report.verdict).toBe(verdict)
  if (verdict === 'violates') expect(idsOf(report, 'violated')).toEqual(['create.exact'])
  else expect(verdictOf(report, 'create.exact')).toBe('not-verified')
})

const unparsed: Override = (request) =>
  request.body === '{"name":' && !isAuthorized(request) ? error(400) : undefined
const emptyPet: Override = async (request, mock) => {
  const reply = /pets\/-?\d/.test(request.target) ? await mock.handle(request) : undefined
  return reply?.status === 404 ? json(200, { id: 0, name: '', categoryId: 0 }) : undefined
}
const toSlash: Override = ({ target: path }) => {
  if (path.includes('/pets/')) return json(200, [])
  return { status: 307, headers: { location: path.replace('/pets', '/pets/') }, body: '' }
}
test.each([
  [unparsed, 'responded 400 instead of 401: the key must be checked before the body.'],
  [emptyPet, 'GET /pets/9223372036854775807 returns pet 0.'],
  [toSlash, 'GET /pets responded 307 (a redirect to /v1/pets/) instead of 200.'],
])(
  '%o, a common default of frameworks, is reported by its cause: %s',
  async (override, message) => {
    const { findings } = await target({}, override).run()
    expect(findings[0]?.message).toContain(message)
    expect(findings.map(({ requirement }) => requirement)).not.toContain('list.status.default')
  },
)

/** Rejects ordinary creations for their name, or from the n-th on. */
function rejecting(when: (name: string, nth: number) => boolean, status: number): Override {
  let ordinary = 0
  return (request) => {
    const sent =
      /^\{"name":"([^"]+)","categoryId":\d{1,18}(,"status":"(available|pending|sold)")?\}$/.exec(
        request.body,
      )
    if (request.method !== 'POST' || !isAuthorized(request) || sent === null) return undefined
    ordinary += 1
    return when(sent[1] ?? '', ordinary) ? error(status) : undefined
  }
}

describe('names that the target rejects', () => {
  test.each(
    sample(
      [
        ['more than three words', (name: string) => name.split(' ').length > 3],
        ['two words', (name: string) => name.split(' ').length < 3],
        ['names of the suite', (name: string) => name.startsWith('Petkit')],
        ['all but one word', (name: string) => !/^[A-Z][a-z]{1,19}$/.test(name)],
        ['all but one word in lower case', (name: string) => !/^[a-z]{2,20}$/.test(name)],
      ],
      { usual: 3, slow: 1, all: 1 },
    ),
  )('%s', async (_, when) => {
    const report = await target({}, rejecting(when, 422)).run()
    expect(report).toMatchObject(conforms)
    expect(verdictOf(report, 'create.success')).toBe('verified')
  })

  test('all of them', async () => {
    const override = rejecting(() => true, 400)
    const report = await target({}, override).run()
    expect(idsOf(report, 'violated')).toEqual(['create.success'])
  })
})

test.each([
  [409, 'the largest category', 8, '"categoryId":9223372036854775807'],
  [423, 'an id in the body', 2, '{"id":'],
])(
  '%i to %s, the first %i times, is attributed to other clients',
  async (status, _, most, part) => {
    let rejected = 0
    const isBusy = ({ method, body }: Received): boolean =>
      method === 'POST' && body.includes(part) && rejected < most
    const override: Override = (request) =>
      isBusy(request) ? ((rejected += 1), error(status)) : undefined
    const report = await target({}, override).run()
    expect(rejected).toBe(most)
    expect(report).toMatchObject(conforms)
    expect(verdictOf(report, 'create.exact')).toBe('verified')
    expect(report.profile['create.client-id']).toBe('ignore')
  },
)

describe('a quota of pets', () => {
  const cases = [409, 422].flatMap((status) => [1, 6].map((most) => [status, most] as const))
  test.each(sample(cases, { usual: 2, slow: 1, all: 1 }))(
    'that ends with %i after %i is no violation',
    async (status, most) => {
      const override = rejecting((_, nth) => nth > most, status)
      expect(await target({}, override).run()).toMatchObject(conforms)
    },
  )

  const early = [402, 403, 409].flatMap((status) => [4, 9].map((most) => [status, most] as const))
  test.each(sample(early, { usual: 3, slow: 1, all: 1 }))(
    'that is checked before the body, with %i after %i',
    async (status, most) => {
      let created = 0
      const { run } = target({}, (request) => {
        if (request.method !== 'POST' || !isAuthorized(request)) return undefined
        created += 1
        return created > most ? error(status) : undefined
      })
      expect(await run()).toMatchObject(conforms)
    },
  )

  test.each(
    sample(
      [
        [402, 0],
        [402, 7],
        [507, 0],
        [507, 7],
      ],
      { usual: 2, slow: 1, all: 1 },
    ),
  )('that requires payment or has no capacity, with %i after %i pets', async (status, most) => {
    const override = rejecting((_, nth) => nth > most, status)
    const report = await target({}, override).run()
    expect(report).toMatchObject(conforms)
    expect(verdictOf(report, 'create.success')).toBe(most === 0 ? 'not-verified' : 'verified')
  })
})

describe('a run that is stopped', () => {
  const reason = 'the run was stopped before its end'

  test.each([1, 20, 60, 100])('at request %i ends at once with a report', async (last) => {
    const stop = new AbortController()
    const { run, requests } = target({}, ({ index }) => void (index + 1 === last && stop.abort()))
    const report = await run({ signal: stop.signal })
    expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3, reason })
    expect(requests.length).toBeLessThanOrEqual(last + 4)
    expect(report.counts.verified).toBeLessThan(requirements.length)
    expect(report.durationMs).toBeLessThan(4_000)
  })

  test('while it waits for replicas stops waiting', async () => {
    const stop = new AbortController()
    const { run } = target({ defects: ['create.never-listed'] })
    const onProgress = (line: string): void =>
      void (line.startsWith('waiting') && setImmediate(() => stop.abort()))
    const report = await run({ settleMs: 600_000, signal: stop.signal, onProgress })
    // The pending re-check is neither a finding nor verified.
    expect(report).toMatchObject({ reason, findings: [] })
    expect(verdictOf(report, 'create.listed')).toBe('not-verified')
  })

  test('after a violation still reports it', async () => {
    const stop = new AbortController()
    const { run } = target({}, ({ index }) => {
      if (index === 30) stop.abort()
      return index < 10 ? json(200, [{ id: 'x' }]) : undefined
    })
    expect(await run({ signal: stop.signal })).toMatchObject({
      verdict: 'violates',
      exitCode: 1,
      reason,
    })
  })
})

test.each([
  [30, 'the target left 6 requests in a row without a response, and the run ended there'],
  [150, expect.stringMatching(/^no response since (\w+ \/pets\S*(, |$)){4}$/)],
])('a target that dies after %d requests does not pass', async (living, reason) => {
  const reset = { ...json(200, []), wire: { reset: true } } as const
  const { run } = target({}, ({ index }) => (index >= living ? reset : undefined))
  const report = await run({ readOnly: living === 30, concurrency: 8 })
  expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3, reason })
})

test('a run is small, and two runs against the same target send the same requests', async () => {
  const sent = async (): Promise<string[]> => {
    const { run, requests } = target({ pets: 150 })
    const report = await run({ runId: 'Same' })
    expect(report).toMatchObject({ verdict: 'conforms', counts: { requests: requests.length } })
    expect(report.counts.requests).toBeLessThanOrEqual(187)
    expect(report.counts.writes).toBeLessThanOrEqual(25)
    return requests
      .map((request) =>
        [request.method, request.target, request.headers['authorization'], request.body].join(' '),
      )
      .toSorted()
  }
  expect(await sent()).toEqual(await sent())
})

describe('a response that is too large to be judged', () => {
  const body = (text: string) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  const deep = `${'['.repeat(1_001)}${']'.repeat(1_001)}`

  test('is no violation, and verifies nothing', async () => {
    const { run } = target({}, (request) =>
      isOnePet(request)
        ? body(
            `{"id":${request.target.split('/').at(-1)},"name":"Rex","categoryId":1,"more":${deep}}`,
          )
        : undefined,
    )
    const report = await run()
    expect(report.findings.filter(({ requirement }) => requirement !== 'get.401')).toEqual([])
    const { verdict, reason } = report.requirements.find(({ id }) => id === 'get.success') ?? {}
    expect(verdict).toBe('not-verified')
    expect(reason).toMatch(
      /responded 200, but that could not be judged: .* more than 1,000 levels deep/,
    )
    expect(report.notes).toContainEqual(expect.stringContaining('could not be judged'))
  })

  test('to every request does not crash the run', async () => {
    const value = '{"a":'.repeat(20_000) + '1'.concat('}'.repeat(20_000))
    const { run } = target({}, ({ method }) => ({
      ...body(`[${value}]`),
      status: method === 'POST' ? 400 : 200,
    }))
    const report = await run({ only: ['list.*', 'pet.*', 'error.*'] })
    expect(report).toMatchObject({
      verdict: 'not-verified',
      reason: expect.stringContaining('1,000 levels deep'),
    })
  })

  test('is still a violation if a list has too many elements', async () => {
    const many = body(`[${'{},'.repeat(300_000)}{}]`)
    const { findings } = await target({}, (request) =>
      request.target.endsWith('/pets') ? many : undefined,
    ).run()
    expect(findings).toMatchObject([
      {
        requirement: 'list.limit.default',
        expected: 'at most 20 pets',
        actual: expect.stringContaining('300001 elements'),
      },
    ])
  })
})
