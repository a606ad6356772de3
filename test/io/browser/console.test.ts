/** The console as a person uses it: by roles and names, in a real browser, against the built mock. */
import packedChromium from '@sparticuz/chromium'
import axe from 'axe-core'
import { type Browser, chromium, type Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type * as Kit from '../../../src/mock/index.ts'

const built = new URL('../../../dist/mock/index.js', import.meta.url).href

let kit: typeof Kit
let mock: Kit.RunningMock
let browser: Browser
let tab: Tab
const errors: string[] = []

beforeAll(async () => {
  kit = (await import(built)) as typeof Kit
  mock = await kit.startMock({ pets: 30 })
  browser = await chromium.launch({
    executablePath: await packedChromium.executablePath(),
    args: [...packedChromium.args, '--no-sandbox'],
  })
  tab = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  tab.setDefaultTimeout(5_000)
  tab.on('pageerror', (error) => errors.push(String(error)))
  tab.on('console', (message) => {
    if (message.type() === 'error' && /policy|-src/i.test(message.text())) errors.push(message.text())
  })
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await mock?.close()
  expect(errors).toEqual([])
})

beforeEach(async () => {
  mock.reset()
  mock.journal.clear()
  await tab.goto('about:blank')
})

/** Sends a request to the service, as a client does. */
const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(mock.url + path, { ...init, headers: { authorization: `Bearer ${kit.defaultKey}`, ...init.headers } })

const open = (hash: string): Promise<unknown> => tab.goto(`${mock.consoleUrl}#/${hash}`)

/** What axe finds on a screen as it stands. */
async function violations(): Promise<string[]> {
  await tab.evaluate(axe.source)
  return tab.evaluate<string[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}

test('why a request got 400, and another option for the next one', async () => {
  await open('requests')
  await tab.getByText('No requests yet').waitFor()
  await send('/pets?limit=0')
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=0' }).click()
  const detail = tab.getByRole('region', { name: /^Request \d+$/ })
  await detail.getByText('What happens with a limit below 1?').waitFor()
  await detail.getByRole('button', { name: 'Switch to clamp' }).click()
  await tab.getByText('It applies to the next request.').waitFor()
  expect(await violations()).toEqual([])
  expect((await send('/pets?limit=0')).status).toBe(200)
})
