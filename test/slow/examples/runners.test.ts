/** Runs the commands in the READMEs of the examples for test runners. */
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { expect, test } from 'vitest'
import { installExample } from './installed-example.ts'
import { run } from './shell.ts'

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
