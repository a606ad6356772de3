import type { Browser, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type RunningMock, startMock } from '../../../src/mock/index.ts'
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

test('the page complies with a strict Content-Security-Policy', async () => {
  expect(await tab.evaluate(() => page.violations)).toEqual([])
  expect(errors).toEqual([])
})
