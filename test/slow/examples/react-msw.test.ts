/** The React page in examples/: its tests, types and build, and `npm run dev` in a browser. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { chromium as playwright } from 'playwright-core'
import { createServer } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { installExample } from './installed-example.ts'
import { run } from './shell.ts'

const folder = installExample('react-msw')

test('its own tests pass', async () => {
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const { code, stdout, stderr } = await run(folder, process.execPath, [
    vitest,
    'run',
    '--reporter=json',
  ])
  expect(stderr).toBe('')
  const { numTotalTests, numPassedTests } = JSON.parse(stdout) as {
    numTotalTests: number
    numPassedTests: number
  }
  expect(numPassedTests).toBe(numTotalTests)
  expect(numTotalTests).toBeGreaterThan(10)
  expect(code).toBe(0)
})

test('it has no type errors', async () => {
  const { stdout, code } = await run(folder, process.execPath, [
    join(folder, 'node_modules/typescript/bin/tsc'),
  ])
  expect(stdout).toBe('')
  expect(code).toBe(0)
})

test('its production build contains neither the mock nor MSW', async () => {
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const { code, stderr } = await run(
    folder,
    process.execPath,
    [vite, 'build', '--logLevel', 'error'],
    {
      VITE_PETSTORE_URL: 'https://pets.example.com/v1',
    },
  )
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const assets = join(folder, 'dist/assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  expect(scripts).toHaveLength(1)
  const built = readFileSync(join(assets, scripts[0] ?? ''), 'utf8')
  expect(built).toContain('https://pets.example.com/v1')
  expect(built).not.toMatch(/Tuffy|Whippet|petstore-test-key|mockServiceWorker/)
})

test('`npm run dev` shows a page that works without a network', async () => {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect([scripts['predev'], scripts['dev']]).toEqual(['msw init public --no-save', 'vite'])
  const msw = join(import.meta.dirname, '../../../node_modules/msw/cli/index.js')
  expect(await run(folder, process.execPath, [msw, 'init', 'public', '--no-save'])).toMatchObject({
    code: 0,
  })

  const server = await createServer({
    root: folder,
    logLevel: 'silent',
    server: { host: '127.0.0.1', port: 0 },
  })
  onTestFinished(() => server.close())
  await server.listen()
  const address = server.httpServer?.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args,
  })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const mistakes: string[] = []
  page.on('pageerror', ({ message }) => mistakes.push(message))
  await page.goto(`http://127.0.0.1:${port}/`)
  await expect.poll(() => page.getByRole('listitem').count()).toBe(30)

  await page.getByLabel('Show').selectOption('sold')
  await page.getByRole('status').waitFor({ state: 'detached' })
  for (const pet of await page.getByRole('listitem').allTextContents())
    expect(pet).toMatch(/, sold$/)

  await page.getByLabel('Name').fill('Zoë')
  await page.getByLabel('Category').fill('9007199254740993')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Added Zoë as no. 31.').waitFor()

  // The list that the creation reloads must not use up the rule.
  await page.evaluate(
    'petStore.use({ when: { query: { status: "available" } }, reply: { status: 503 }, times: 1 })',
  )
  await page.getByLabel('Show').selectOption('available')
  await page.getByText('The pet store has a problem (503).').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('category 9007199254740993, available').waitFor()
  expect(mistakes).toEqual([])
})
