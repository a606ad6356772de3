import { createServer } from 'node:http'
import type { Browser, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { defaultKey, type RunningMock, startMock } from '../../../src/mock/index.ts'
import { listen } from '../../support/listen.ts'
import { addBigPet } from '../adapters/in-process.ts'
import { launchChromium } from './drivers.ts'
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
