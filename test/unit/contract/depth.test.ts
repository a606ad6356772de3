/** The extent of a run: `depth`, `maxRequests` and `maxWrites`. In process and in virtual time. */
import { describe, expect, test } from 'vitest'
import { checkOptions, toText, verdictLine } from '../../../src/contract/index.ts'
import { defects } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { key } from '../../support/store.ts'
import { error, isAuthorized, json, target } from './target.ts'
import { idsOf } from '../../support/verdicts.ts'

const isList = ({ target: path, method }: { target: string; method: string }): boolean =>
  method === 'GET' && path.startsWith('/v1/pets?')

describe('smoke', () => {
  test.each([0, 10, 130])(
    'passes with %i pets, and reports no requirement as verified',
    async (pets) => {
      const report = await target({ pets }).run({ depth: 'smoke' })
      expect(report).toMatchObject({
        depth: 'smoke',
        verdict: 'conforms',
        exitCode: 0,
        findings: [],
      })
      expect(idsOf(report, 'verified')).toEqual([])
      expect(report.counts.requests).toBeLessThanOrEqual(25)
      expect(report.counts.writes).toBe(2)
      const { checks, of } = report.selection ?? { checks: 0, of: 0 }
      expect(checks).toBeGreaterThanOrEqual(15)
      const words = `PASS (smoke)  ${checks} of ${of} checks, no violation`
      expect(verdictLine(report)).toBe(words)
      expect(toText(report).replaceAll(/\s+/g, ' ')).toContain(
        'the depth smoke sends only some requests',
      )
    },
  )

  test('strict and minVerified make the exit code 3', async () => {
    expect(await target({}).run({ depth: 'smoke', strict: true })).toMatchObject({ exitCode: 3 })
    expect(await target({}).run({ depth: 'smoke', minVerified: 1 })).toMatchObject({ exitCode: 3 })
  })

  test('finds most of a sample of the deliberate defects, within its limits', async () => {
    const some = defects.filter((_, place) => place % 12 === 0)
    const reports = await Promise.all(
      some.map(({ id, pets = 130 }) => target({ pets, defects: [id] }).run({ depth: 'smoke' })),
    )
    for (const { counts, exitCode } of reports) {
      expect(counts.requests).toBeLessThanOrEqual(60)
      expect(counts.writes).toBeLessThanOrEqual(3)
      expect([0, 1, 3]).toContain(exitCode)
    }
    const found = reports.filter(({ exitCode }) => exitCode === 1).length
    expect(found).toBeGreaterThan(some.length / 2)
  })

  test('a re-check beyond maxRequests is inconclusive', async () => {
    const report = await target({ pets: 130, defects: ['list.default-10'] }).run({
      depth: 'smoke',
      maxRequests: 26,
    })
    expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3, counts: { requests: 26 } })
    expect(report.reason).toBe('the run has sent 26 requests and may send no more (--max-requests)')
  })

  test('can be combined with a selection that it tries', async () => {
    const { run } = target({ pets: 130, defects: ['list.limit-ignored'] })
    const only = (...ids: string[]) => run({ depth: 'smoke', only: ids })
    expect(await only('list.limit.respected')).toMatchObject({ verdict: 'violates', exitCode: 1 })
    expect(await only('list.success')).toMatchObject({ verdict: 'conforms', exitCode: 0 })
    await expect(only('create.exact')).rejects.toThrow('tries none of the selected requirements')
  })
})

describe('limits', () => {
  const limitsOf = (input: object): unknown => {
    const { maxRequests, maxWrites } = checkOptions({
      baseUrl: 'http://[::1]/v1',
      apiKey: key,
      ...input,
    }).options
    return [maxRequests, maxWrites]
  }

  test.each([
    [{}, [100_000, 25]],
    [{ depth: 'smoke' }, [30, 3]],
    [{ depth: 'thorough' }, [2_000, 200]],
    [{ depth: 'thorough', maxWrites: 7, maxRequests: 300 }, [300, 7]],
  ])('of %j are %j', (input, limits) => expect(limitsOf(input)).toEqual(limits))

  test.each([
    [{ depth: 'deep' }, 'depth must be one of smoke, standard, thorough, not "deep"'],
    [{ maxRequests: 0 }, 'maxRequests must be an integer from 1 to 100000, not 0'],
    [{ seed: -1 }, 'seed must be an integer from 0 to 2147483647, not -1'],
  ])('rejects %j', (input, message) => expect(() => limitsOf(input)).toThrow(message))

  test('a run never sends more than maxRequests, including retries', async () => {
    const { run, requests } = target({}, ({ index }) => (index % 3 === 1 ? error(503) : undefined))
    const report = await run({ maxRequests: 40 })
    expect(report).toMatchObject({ verdict: 'not-verified', counts: { requests: 40 } })
    expect(requests.length).toBe(40)
  })

  test('thorough keeps to its limits, and uses most of them', async () => {
    const { counts, sequences } = await target({}).run({
      depth: 'thorough',
      maxRequests: 420,
      maxWrites: 40,
    })
    expect(counts.requests).toBeLessThanOrEqual(420)
    expect(counts.requests).toBeGreaterThanOrEqual(300)
    expect(counts.writes).toBeLessThanOrEqual(40)
    expect(sequences?.tried).toBeGreaterThan(5)
  })
})

describe('thorough', () => {
  const few = { depth: 'thorough', maxRequests: 900, maxWrites: 90 } as const

  test('a read-only run creates no pet and tries sequences of reads', async () => {
    const { run, requests } = target({})
    const report = await run({ ...few, readOnly: true })
    expect(report).toMatchObject({ verdict: 'conforms', counts: { writes: 0 } })
    expect(report.sequences?.tried).toBeGreaterThan(50)
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('a failure that depends on an earlier request is found, confirmed and shrunk', async () => {
    // A list request fails directly after the creation of a sold pet.
    let poisonedAt = -Infinity
    const { run } = target({}, (request) => {
      if (!isAuthorized(request)) return undefined
      if (request.index > 200 && request.body.includes('"sold"')) poisonedAt = request.index
      const fails = request.index === poisonedAt + 1 && isList(request)
      return fails ? error(500) : undefined
    })
    const report = await run({ depth: 'thorough', seed: 1 })
    expect(report).toMatchObject({ verdict: 'violates', exitCode: 1 })
    const [finding] = report.findings
    expect(
      finding?.exchanges.map(({ request: { method, url } }) => `${method} ${url.split('/v1')[1]}`),
    ).toEqual(['POST /pets', expect.stringMatching(/^GET \/pets\?/)])
    const [failed] = report.sequences?.failed ?? []
    expect(finding?.message).toContain(`has 2 requests (seed 1, sequence ${failed})`)
    const [curl = ''] = finding?.exchanges.map((exchange) => exchange.curl) ?? []
    expect(curl).toContain('--data-raw')
    expect(toText(report)).toContain(curl)
  })

  test('a failure that is not reproduced is a note', async () => {
    let times = 0
    const { run } = target({}, async (request, mock) => {
      if (!isAuthorized(request) || !isList(request) || request.index < 500 || times > 0)
        return undefined
      const reply = await mock.handle(request)
      if (!reply.body.includes('"name":"Petkit')) return undefined
      times += 1
      return { ...reply, body: reply.body.replaceAll('"name":"Petkit', '"name":"Changed') }
    })
    const report = await run(few)
    expect(times).toBe(1)
    expect(report).toMatchObject({ verdict: 'conforms', exitCode: 0, findings: [] })
    expect(
      report.notes.filter((note) => note.startsWith('Seen once, and not reproduced')),
    ).toHaveLength(1)
  })

  test('an allowed difference between the checks and a sequence is a note', async () => {
    const { run } = target({}, (request) =>
      isAuthorized(request) && request.target.endsWith('?limit=0') && request.index > 200
        ? json(422, { code: 'limit', message: '', status: 422 })
        : undefined,
    )
    const report = await run({ depth: 'thorough' })
    expect(report.findings).toEqual([])
    expect(report.notes.join('\n')).toContain(
      'list.limit.below-minimum is not the same each time: 400, and 422',
    )
  })

  test('the sequences end when the target keeps responding 429', async () => {
    const { run, requests } = target({}, ({ index }) => (index > 300 ? error(429) : undefined))
    const report = await run({ depth: 'thorough', retryBudgetMs: 2_000 })
    expect(report.findings).toEqual([])
    expect(requests.length).toBeLessThan(340)
    expect(report.notes.join('\n')).toMatch(
      /The sequences ended after \d+: the target responded 429/,
    )
  })

  test('onlyFailed repeats only the failed sequences of a report', async () => {
    const broken = (request: Parameters<typeof isAuthorized>[0]) =>
      isAuthorized(request) && /limit=(?:1e1|20\.0|NaN|0x10)$/.test(request.target)
        ? json(404, {})
        : undefined
    const report = await target({}, broken).run(few)
    expect(report.sequences?.failed.length).toBeGreaterThan(0)
    const again = await target({}, broken).run({ onlyFailed: report, times: 1 })
    expect(again.recheck?.map(({ outcome }) => outcome)).toContain('still-failing')
    expect(again.sequences?.tried).toBe(report.sequences?.failed.length)
    const fixed = await target({}).run({ onlyFailed: report, times: 1 })
    expect(fixed.recheck?.map(({ outcome }) => outcome)).toEqual(report.findings.map(() => 'fixed'))
  })
})

test('what may come from creations is not verified where the run may create too few pets', async () => {
  const profile = {
    'create.media-type.other': 'accept',
    'create.media-type.absent': 'accept',
  } as const
  const report = await verifyMock({ pets: 40, profile, defects: ['create.sells-category'] })
  expect(report.counts.writes).toBeGreaterThan(22)
  const changed = report.requirements.find(({ id }) => id === 'state.reads-change-nothing')
  expect(JSON.stringify(changed)).toContain('the run may create no more (--max-writes)')
})
