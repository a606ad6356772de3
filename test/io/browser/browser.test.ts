import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { defaultKey, type RunningMock, startMock } from '../../../src/mock/index.ts'
import { listen } from '../../support/listen.ts'
import { addBigPet } from '../adapters/in-process.ts'
import { launchChromium, violations } from './drivers.ts'
import { faultsIn, type PageServer, servePage } from './page-server.ts'
import type { Page } from './page.ts'

declare const page: Page

const elsewhere = 'http://petstore.test'
let browser: Browser
let server: PageServer
let mock: RunningMock
let tab: Tab
const errors: string[] = []

beforeAll(async () => {
  mock = await startMock({ pets: 3 })
  server = await servePage([elsewhere, new URL(mock.url).origin])
  browser = await launchChromium()
  tab = await browser.newPage()
  tab.on('pageerror', (error) => errors.push(String(error)))
  await tab.goto(server.url)
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  await mock?.close()
})

test('the common cases pass with the server, through CORS', async () => {
  addBigPet(mock)
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
  expect(
    await tab.evaluate(([url, methods]) => page.runCases(url, methods), [
      mock.url,
      methods,
    ] as const),
  ).toEqual([])
})

test.each([
  ['its own origin', '/v1'],
  ['another origin', `${elsewhere}/v1`],
])('the common cases pass with the worker of MSW, at %s', async (_, url) => {
  expect(await tab.evaluate((url) => page.runThroughWorker(url), url)).toEqual([])
})

test('errors, delays, faults and a reset work through the worker', async () => {
  expect(await tab.evaluate((url) => page.runFaults(url), '/v1')).toEqual(faultsIn('Chromium'))
})

test('only pages of listed origins may send credentials', async () => {
  const [listed, other] = [await servePlainPage(), await servePlainPage()]
  const strict = await startMock({ pets: 3, corsOrigins: [listed] })
  onTestFinished(() => strict.close())
  const plain = await browser.newPage()
  /** What a page gets from a mock, and whether its cookie arrived. */
  const seenBy = async (origin: string, of: RunningMock, credentials: 'include' | 'omit') => {
    await plain.goto(origin)
    const got = await plain.evaluate(
      async ([url, key, credentials]) => {
        ;(globalThis as unknown as { document: { cookie: string } }).document.cookie =
          'session=4711'
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const body = '{"name":"Rex","categoryId":1}'
        try {
          const init = { method: 'POST', credentials, headers, body } as const
          const response = await fetch(`${url}/pets`, init)
          return [response.status, response.headers.get('location') !== null]
        } catch (error) {
          return (error as Error).name
        }
      },
      [of.url, defaultKey, credentials] as const,
    )
    return [got, of.journal.last({ method: 'POST' })?.request.headers['cookie'] !== undefined]
  }
  expect(await seenBy(listed, mock, 'include')).toEqual(['TypeError', false])
  expect(await seenBy(listed, strict, 'include')).toEqual([[201, true], true])
  expect(await seenBy(listed, strict, 'omit')).toEqual([[201, true], false])
  const before = strict.journal.list().length
  expect(await seenBy(other, strict, 'include')).toEqual(['TypeError', false])
  expect(await seenBy(other, strict, 'omit')).toEqual(['TypeError', false])
  // The browser sent a preflight, and no request after it.
  expect(strict.journal.list({ method: 'POST' })).toHaveLength(2)
  expect(strict.journal.list().length).toBeGreaterThan(before)
})

async function servePlainPage(): Promise<string> {
  const page = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Page</title>')
  })
  return `http://127.0.0.1:${await listen(page)}`
}

test('the page complies with a strict Content-Security-Policy', async () => {
  expect(await tab.evaluate(() => page.violations)).toEqual([])
  expect(errors).toEqual([])
})

test('the home of the site runs the mock in the page', async () => {
  const theme = join(import.meta.dirname, '../../../site/.vitepress/theme/')
  const home = await servePage(
    [],
    `import ${JSON.stringify(`${theme}style.css`)}
import { tryMock } from ${JSON.stringify(`${theme}try.mjs`)}
document.body.style.background = 'var(--sheet)'
tryMock()`,
    '<h1>Home</h1><div class="try"></div>',
  )
  onTestFinished(() => home.close())
  const page = await browser.newPage()
  const requested: string[] = []
  let bytes = 0
  page.on('response', (response) => {
    requested.push(new URL(response.url()).pathname)
    void response.body().then((body) => (bytes += gzipSync(body).length))
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(home.url)
  await page.getByRole('button', { name: 'List pets' }).waitFor()
  expect(requested).toEqual(['/', '/page.css', '/page.js'])
  const result = page.getByRole('status')
  const shows = async (button: string, ...texts: string[]): Promise<void> => {
    await page.getByRole('button', { name: button }).click()
    for (const text of texts) await result.getByText(text).waitFor()
  }
  const listed = ['GET /v1/pets?limit=2', 'Response 200', '"id": 30', 'body is a Pets array']
  await shows('List pets', ...listed)
  // docs/project/size.md says so.
  await expect.poll(() => bytes).toBeGreaterThan(45_000)
  expect(bytes).toBeLessThan(60_000)
  await shows(
    'Create one with a mistake',
    '{"name":"Rex"}',
    'Response 400',
    'categoryId is required.',
    'name and categoryId are required.',
    'Fix: Send categoryId',
  )
  await shows(
    'Fail the next request',
    'Response 503',
    'mock.use({ reply: { status: 503 }, times: 1 })',
  )
  await shows('List pets', ...listed)
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 })
    for (const dark of [false, true]) {
      await page.evaluate(`document.documentElement.className = ${dark ? "'dark'" : "''"}`)
      expect(await violations(page)).toEqual([])
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
  expect(new Set(requested.map((path) => path.split('.').at(-1)))).toEqual(
    new Set(['/', 'css', 'js']),
  )
})
