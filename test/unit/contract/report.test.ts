import { describe, expect, test } from 'vitest'
import { type Report, verify } from '../../../src/contract/index.ts'
import { redactorOf } from '../../../src/contract/suite/to-report.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import type { DefectId, MockOptions } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { ajv, isReport } from '../../support/schemas.ts'
import { key } from '../../support/store.ts'
import { json, target } from './target.ts'
import { idsOf } from '../../support/verdicts.ts'

const baseUrl = 'http://localhost:1/v1'

const runs: [kind: string, run: () => Promise<Report>][] = [
  ['a target that conforms', () => target().run()],
  ['an empty target', () => target({ pets: 0 }).run()],
  ['a read-only run', () => target().run({ readOnly: true })],
  [
    'a target that violates',
    () =>
      target({}, ({ target: path, method }) =>
        path === '/v1/pets' && method === 'GET'
          ? json(200, { pets: 'x'.repeat(5_000) })
          : undefined,
      ).run(),
  ],
  ['a key that is rejected', () => target().run({ apiKey: 'another-key' })],
  [
    'an unreachable target',
    () => verify({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: key, retryBudgetMs: 0 }),
  ],
  ['a run that was stopped', () => target().run({ signal: AbortSignal.abort() })],
  [
    'a known failure',
    () => {
      const failures = [
        { requirement: 'list.page-full', reason: 'known', expires: '2999-12-31' } as const,
      ]
      const { run } = target({}, ({ target: path }) =>
        path === '/v1/pets?limit=1' ? json(200, []) : undefined,
      )
      return run({ baseline: { schemaVersion: 1, failures } })
    },
  ],
  [
    'a re-check',
    async () => {
      const { run } = target({ defects: ['list.limit-ignored'] })
      return run({ onlyFailed: await run(), times: 2 })
    },
  ],
]

describe.each(runs)('the report on %s', (_, run) => {
  test('conforms to its schema, and its counts are consistent', async () => {
    const report = JSON.parse(JSON.stringify(await run())) as Report
    expect(isReport(report), ajv.errorsText(isReport.errors)).toBe(true)
    const count = (verdict: string): number =>
      report.requirements.filter((requirement) => requirement.verdict === verdict).length
    expect(report.counts).toMatchObject({
      verified: count('verified'),
      violated: count('violated') - (report.counts.known ?? 0),
      notVerified: count('not-verified'),
      notApplicable: count('not-applicable'),
    })
    expect(report.requirements.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id))
    expect(Object.keys(report.profile)).toEqual(behaviors.map(({ id }) => id))
    expect(report.exitCode).toBe({ conforms: 0, violates: 1, 'not-verified': 3 }[report.verdict])
    for (const { verdict, checks, reason } of report.requirements) {
      if (verdict === 'verified' || verdict === 'violated') expect(checks.length).toBeGreaterThan(0)
      else expect(reason).toBeTruthy()
    }
  })
})

test('an observed option has the request as evidence', async () => {
  const report = await target().run()
  const observed = Object.entries(report.profile).filter(([, value]) => value !== 'unknown')
  expect(observed.length).toBeGreaterThan(30)
  expect(observed.map(([id]) => id).filter((id) => !(id in report.evidence))).toEqual([])
  expect(report.evidence['list.limit.below-minimum']).toBe('GET /pets?limit=0 responded 400')
})

test('visibility is delayed if a new pet is missing, not if another pet has its id', async () => {
  const visibility = async (options: MockOptions): Promise<string | undefined> =>
    (await verifyMock(options)).profile['create.visibility']
  expect(await visibility({ defects: ['create.same-id'] })).toBe('immediate')
  expect(await visibility({ profile: { 'create.visibility': 'delayed' } })).toBe('delayed')
})

test('a finding has the request, the response and a pointer to the defect', async () => {
  const sold = json(200, [{ id: 1, name: 7, categoryId: 2, status: 'sold' }])
  const { run } = target({}, ({ target: path }) =>
    path === '/v1/pets?status=sold' ? sold : undefined,
  )
  const { findings } = await run({ only: ['list-pets.status-*'] })
  const finding = findings.find(({ requirement }) => requirement === 'pet.name')
  expect(finding).toMatchObject({
    check: 'every-response',
    pointer: '/0/name',
    expected: 'a string',
    actual: '7',
    exchanges: [
      {
        request: {
          method: 'GET',
          url: `${baseUrl}/pets?status=sold`,
          headers: { authorization: 'Bearer $PETSTORE_API_KEY' },
        },
        response: { status: 200, body: '[{"id":1,"name":7,"categoryId":2,"status":"sold"}]' },
        curl: `curl -sS -i '${baseUrl}/pets?status=sold' -H "Authorization: Bearer $PETSTORE_API_KEY" -H 'accept: application/json'`,
      },
    ],
  })
})

test('a body is cut after 2,000 characters and marked; a long text is not cut within a key', async () => {
  const { findings } = await target({}, () => json(200, { id: 1, name: 'x'.repeat(5_000) })).run()
  const { body, bodyCut } = findings[0]?.exchanges[0]?.response ?? {}
  expect([body?.length, bodyCut]).toEqual([2_000, true])
  const options = { baseUrl, headers: {}, headerVariables: {}, keyVariable: 'PETSTORE_API_KEY' }
  const clean = redactorOf({ keys: { all: ['petstore-test-key'] }, options } as never)
  expect(clean(`${'x '.repeat(49_996)}petstore-test-key`)).toMatch(/x \$PETSTORE_API_KEY$/)
})

test('a run waits only once for pets missing from a page of fixed length', async () => {
  const report = await verifyMock({ pets: 130, defects: ['list.limit-ignored'] })
  expect(idsOf(report, 'violated')).toEqual(
    expect.arrayContaining(['list.limit.respected', 'list.page-full', 'create.listed']),
  )
  expect(report.durationMs).toBeLessThan(10_000)
  // Lists without the pet may come from a cache, so the run must wait.
  const durationOf = async (defect: DefectId): Promise<number> =>
    (await verifyMock({ pets: 130, defects: [defect] })).durationMs
  expect(await durationOf('create.never-listed')).toBeGreaterThan(65_000)
  // A pet that getPet does not find either is lost.
  expect(await durationOf('create.not-stored')).toBeLessThan(40_000)
})
