import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isHistoryEntry } from '../../../src/contract/report/history.ts'
import { defaultKey } from '../../../src/mock/index.ts'
import { mistakeOf, run } from './command.ts'
import { makeFolder } from '../../support/folder.ts'
import { serveMock } from '../../support/serve-mock.ts'

const env = { PETSTORE_API_KEY: defaultKey }
const quick = [
  '--read-only',
  '--settle',
  '0.2',
  '--only',
  'list.limit.*',
  '--only',
  'list.status.*',
]

/** Creates a folder with a configured deployment, and a function that verifies it with a history. */
async function setUp() {
  const mock = await serveMock({ port: 0, pets: 30 })
  const cwd = makeFolder()
  const deployments = { staging: { baseUrl: mock.url, keyEnv: 'PETSTORE_API_KEY' } }
  writeFileSync(join(cwd, 'petstore.config.json'), JSON.stringify({ deployments }))
  const history = join(cwd, 'history')
  const verify = (...more: string[]) =>
    run(['verify', 'staging', ...quick, '--history', history, ...more], { cwd, env })
  return { mock, cwd, file: join(history, 'staging.ndjson'), verify }
}

test('records each run as a line, prints changes since the last run, and shows the history', async () => {
  const { mock, cwd, file, verify } = await setUp()
  expect((await verify()).stderr).toContain('The first run of ')
  mock.configure({ defects: ['list.default-10'] })
  const broken = await verify()
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringMatching(/Since the last run: \d new \(list\./),
  ])
  mock.configure({ defects: [] })
  expect((await verify()).stderr).toMatch(/Since the last run: \d fixed \(list\./)
  await mock.close()
  const gone = await verify('--retry-budget', '0')
  expect([gone.code, gone.stderr]).toEqual([
    3,
    expect.stringContaining('This run is inconclusive. Last verdict: PASS'),
  ])

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => isHistoryEntry(JSON.parse(line)))).toEqual([true, true, true, true])
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(6_000)
  expect(lines.join()).not.toContain(defaultKey)

  // A truncated run and a line of a merge conflict are skipped, and the next run begins a line.
  appendFileSync(file, '<<<<<<< ours\n{"schemaVersion":1,')
  await verify('--retry-budget', '0')
  const history = ['history', '--history', join(cwd, 'history')]
  const { code, stdout, stderr } = await run(history, { cwd })
  expect([code, stderr]).toEqual([0, expect.stringContaining('skipped 2 lines without a run')])
  expect(stdout).toMatch(/^staging {2}http:\S+\n {2}last 5 runs {2}▇▂▇·· {2}INCONCLUSIVE/)
  expect(stdout).toMatch(/fixed +list\.limit\.default {2}since \d{4}-/)
  const json = await run([...history, 'staging', '--last', '2', '--reporter', 'json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({
    schemaVersion: 1,
    deployments: [{ name: 'staging', runs: [{}, {}] }],
  })
  const made = await run([...history, '--reporter', `html=${join(cwd, 'out')}`], { cwd })
  expect(made.code).toBe(0)
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toContain('INCONCLUSIVE')
})

test('records a URL under its own name, and reports a run that cannot be recorded', async () => {
  const { mock, cwd } = await setUp()
  const history = join(cwd, 'history')
  await run(['verify', mock.url, ...quick], { cwd, env: { ...env, PETSTORE_HISTORY: history } })
  const name = `127.0.0.1-${mock.port}-v1`
  expect((await run(['history', name, '--history', history], { cwd })).stdout).toContain(
    `${name}  ${mock.url}`,
  )
  const settings = { cwd, env }
  expect(await mistakeOf(['history', 'production', '--history', history], settings)).toBe(
    `the history ${history} has no deployment "production"; it has ${name}`,
  )
  for (const where of [[], ['--history', history]]) {
    expect(await mistakeOf(['history', 'history', ...where], settings)).toBe(
      'history is a folder, not a deployment; did you mean --history history?',
    )
  }
  writeFileSync(join(cwd, 'plain'), '')
  const message = await mistakeOf(
    ['verify', mock.url, ...quick, '--history', join(cwd, 'plain')],
    settings,
  )
  expect(message).toContain('cannot be written')
})
