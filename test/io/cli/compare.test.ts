import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  defaultKey,
  type MockOptions,
  type RunningMock,
  startMock,
} from '../../../src/mock/index.ts'
import type { Report } from '../../../src/contract/index.ts'
import { run, start } from './command.ts'
import { makeFolder } from '../../support/folder.ts'
import { ajv, isComparison } from '../../support/schemas.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

const mocks: RunningMock[] = []
let [base, alike, other, broken] = ['', '', '', '']
beforeAll(async () => {
  for (const options of [
    {},
    {},
    { profile: { 'list.limit.above-maximum': 'clamp' } as const },
    { defects: ['list.default-10'] as const },
  ]) {
    mocks.push(await startMock({ port: 0, pets: 30, ...options }))
  }
  ;[base = '', alike = '', other = '', broken = ''] = mocks.map(({ url }) => url)
})
afterAll(() => Promise.all(mocks.map((mock) => mock.close())))

const env = { PETSTORE_API_KEY: defaultKey }
const quick = ['--settle', '0.2', '--only', 'list.limit.*', '--only', 'undescribed.*']
const compare = (...args: string[]) => run(['compare', ...args, ...quick], { env })
/** Compares only one requirement. */
const compareOne = (...args: string[]) =>
  run(['compare', ...args, '--settle', '0', '--only', 'list.limit.default'], { env })
/** Reports of runs, which can be compared without a request. */
const reportOf = (options: MockOptions) => verifyMock({ pets: 30, ...options })
const compareReports = (a: Report, b: Report, ...args: string[]) =>
  run(['compare', 'a.json', 'b.json', ...args], {
    env,
    cwd: makeFolder({ 'a.json': a, 'b.json': b }),
  })

test('exits with 0 when there is no difference, and creates nothing', async () => {
  const shown = (): Promise<unknown[]> =>
    Promise.all(
      [base, alike].map(async (url) => {
        const headers = { authorization: `Bearer ${defaultKey}` }
        return (await fetch(`${url}/pets?limit=100`, { headers })).json()
      }),
    )
  const before = await shown()
  const { code, stdout } = await compare(base, alike, '--reporter', 'json')
  expect(code).toBe(0)
  const comparison = JSON.parse(stdout)
  expect(isComparison(comparison), ajv.errorsText(isComparison.errors)).toBe(true)
  expect(comparison).toMatchObject({
    verdict: 'same',
    before: { name: base, counts: { writes: 0 } },
    after: { name: alike, counts: { writes: 0 } },
  })
  expect(await shown()).toEqual(before)
})

test('exits with 1 for another option, and shows the request, both responses and advice for clients', async () => {
  const { code, stdout } = await compare(base, other)
  expect(code).toBe(1)
  for (const part of [
    'list.limit.above-maximum  400 → clamp\n      GET /pets?limit=101\n        A  400 {"code":',
    '        B  200 [{"id":',
    'A client is safe with both if it\n  - sends `limit` as an integer from 1 to 100, or leaves it out\n',
    'DIFFER  1 unspecified behavior\n',
  ])
    expect(stdout).toContain(part)
  const clamps = { profile: { 'list.limit.above-maximum': 'clamp' } } as const
  const [one, two] = [await reportOf({}), await reportOf(clamps)]
  for (const [failOn, expected] of [
    ['any', 1],
    ['regressions', 0],
    ['none', 0],
  ] as const)
    expect((await compareReports(one, two, '--fail-on', failOn)).code, failOn).toBe(expected)
})

test('a violation only by B is a regression, one only by A is not', async () => {
  const worse = await compareOne(base, broken, '--fail-on', 'regressions', '--reporter', 'json')
  expect(worse.code).toBe(1)
  const comparison = JSON.parse(worse.stdout)
  expect(isComparison(comparison), ajv.errorsText(isComparison.errors)).toBe(true)
  expect(comparison.requirements.regressed[0]).toMatchObject({
    id: 'list.limit.default',
    message: expect.stringContaining('Without `limit`, GET /pets'),
    exchange: { curl: expect.stringContaining('$PETSTORE_API_KEY') },
  })
  const [sound, short] = [await reportOf({}), await reportOf({ defects: ['list.default-10'] })]
  expect((await compareReports(short, sound, '--fail-on', 'regressions')).code).toBe(0)
  const { code, stdout } = await compareReports(short, short)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/Violated in both: .*list\.limit\.default/),
  ])
})

test('exits with 3 when a side cannot be reached, regardless of --fail-on', async () => {
  const dead = 'http://127.0.0.1:9/v1'
  const { code, stdout } = await compare(broken, dead, '--fail-on', 'none', '--retry-budget', '0')
  expect(code).toBe(3)
  expect(stdout).toContain(
    `INCONCLUSIVE: ${dead} could not be verified: the target cannot be reached: nothing listens`,
  )
  expect(stdout).toContain('(connection refused); --wait-until-ready 60 waits until it has started')
  expect(stdout).not.toMatch(/one side only|Not comparable/)
})

test('accepts names, reports and a key of one side, and prints no key', async () => {
  const folder = makeFolder()
  const keyed = await serveMock({ port: 0, pets: 30, keys: ['other-secret-key'] })
  const deployments = {
    staging: { baseUrl: base, keyEnv: 'PETSTORE_STAGING_KEY' },
    other: { baseUrl: keyed.url, keyEnv: 'PETSTORE_OTHER_KEY' },
  }
  writeFileSync(join(folder, 'petstore.config.json'), JSON.stringify({ deployments }))
  const report = join(folder, 'report.json')
  await run(['verify', base, '--read-only', '--reporter', `json=${report}`, ...quick], { env })
  const settings = {
    cwd: folder,
    env: { PETSTORE_STAGING_KEY: defaultKey, PETSTORE_OTHER_KEY: 'other-secret-key' },
  }
  const named = await run(['compare', 'staging', 'other', ...quick], settings)
  expect([named.code, named.stdout]).toEqual([0, expect.stringContaining('A  staging  ')])
  expect(named.stderr).toContain('deployment staging')
  const saved = await run(
    [
      'compare',
      report,
      keyed.url,
      '--key-env',
      'PETSTORE_OTHER_KEY',
      '--reporter',
      'json',
      ...quick,
    ],
    settings,
  )
  expect([saved.code, JSON.parse(saved.stdout).before.name]).toEqual([0, report])
  expect((await run(['compare', report, report], settings)).code).toBe(0)
  for (const { stdout, stderr } of [named, saved])
    expect(stdout + stderr).not.toContain('other-secret-key')
})

test('--allow-writes creates pets on both sides, except on one that is configured as readOnly', async () => {
  const folder = makeFolder()
  const deployments = { production: { baseUrl: alike, keyEnv: 'PETSTORE_API_KEY' } }
  writeFileSync(join(folder, 'petstore.config.json'), JSON.stringify({ deployments }))
  const args = [
    'compare',
    base,
    'production',
    '--allow-writes',
    '--reporter',
    'json',
    '--settle',
    '0.2',
    '--only',
    'create-pet.ordinary',
  ]
  const { stdout } = await run(args, { cwd: folder, env })
  const { before, after } = JSON.parse(stdout)
  expect([before.counts.writes > 0, after.counts.writes]).toEqual([true, 0])
})

test('names behavior observed on one side only, and fails with it under --strict', async () => {
  const one = await serveMock({ port: 0, pets: 1 })
  const sides = ['compare', other, one.url, '--fail-on', 'regressions', '--settle', '0.2']
  one.configure({ profile: { 'list.limit.above-maximum': 'clamp' } })
  const lenient = await run(sides, { env })
  expect(lenient.code).toBe(0)
  for (const part of [
    'Not comparable: ',
    'Observed on one side only\n',
    '\n  list.limit.above-maximum: A clamp\n',
    'NO DIFFERENCE  ',
  ])
    expect(lenient.stdout).toContain(part)
  expect((await run([...sides, '--strict'], { env })).code).toBe(3)
})

test('a mock from a recording does not differ from the recorded mock', async () => {
  const folder = makeFolder()
  const [data, profile] = [join(folder, 'pets.json'), join(folder, 'profile.json')]
  const options = {
    'list.limit.above-maximum': 'clamp',
    'list.order': 'by-name',
    'error.code.404': 'gone',
  } as const
  const recorded = await serveMock({ port: 0, pets: 12, profile: options })
  const recording = ['--read-only', '--settle', '0.2', '--save', data, '--keep-names']
  expect(
    (await run(['verify', recorded.url, ...recording, '--save-profile', profile], { env })).code,
  ).toBe(0)
  const copy = start(['mock', '--port', '0', '--data', data, '--profile', profile], { env })
  const url = await copy.says(/http:\S+\/v1/)
  const { code, stdout } = await run(
    ['compare', recorded.url, url, '--strict', '--settle', '0.2'],
    { env },
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\nSAME {2}.+\n$/)])
})
