/** Runs the commands in the READMEs of the examples for test runners and GitLab. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { defaultKey } from '../../../src/mock/index.ts'
import { installExample } from './installed-example.ts'
import { run, shell } from './shell.ts'
import { serveMock } from '../../support/serve-mock.ts'

test('vitest: its tests pass', async () => {
  const folder = installExample('vitest')
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const { code, stdout, stderr } = await run(folder, process.execPath, [
    vitest,
    'run',
    '--reporter=json',
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ numTotalTests: 4, numPassedTests: 4 })
})

test('playwright: its tests pass in a real browser', async () => {
  const folder = installExample('playwright')
  const cli = join(folder, 'node_modules/@playwright/test/cli.js')
  const { stdout, stderr } = await run(
    folder,
    process.execPath,
    [cli, 'test', '--reporter=json', '--workers=1'],
    {
      CHROMIUM: await chromium.executablePath(),
      // With a single process, closing a page would end the browser of the next test.
      CHROMIUM_ARGS: JSON.stringify(
        [...chromium.args, '--no-sandbox'].filter((arg) => arg !== '--single-process'),
      ),
    },
  )
  expect(stdout, stderr).toMatch(/^\{/)
  expect(JSON.parse(stdout)).toMatchObject({
    errors: [],
    stats: { expected: 3, unexpected: 0, flaky: 0 },
  })
})

test.each([
  { defects: [] as const, code: 0 },
  { defects: ['list.limit-ignored'] as const, code: 1 },
])('gitlab-ci: the job exits with $code for the defects $defects', async ({ defects, code }) => {
  const folder = installExample('gitlab-ci')
  const pipeline = parse(readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8')) as {
    contract: { script: string[]; artifacts: { paths: string[]; reports: { junit: string } } }
  }
  const { script, artifacts } = pipeline.contract
  const mock = await serveMock({ defects: [...defects] })
  const lines = script.map((line) => line.replace('npx --yes petstore-kit@1.0.0 ', 'petstore '))
  const result = await shell(folder, lines.join('\n'), {
    STAGING: mock.url,
    PETSTORE_API_KEY: defaultKey,
  })
  expect(result.code, result.stderr).toBe(code)
  for (const file of [...artifacts.paths, artifacts.reports.junit])
    expect(existsSync(join(folder, file))).toBe(true)
})
