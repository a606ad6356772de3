/** A front-end team: the mock with its console open all day, MSW, Vitest and Playwright in parallel, the suite beside them. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import packedChromium from '@sparticuz/chromium'
import type { Browser, Page } from 'playwright-core'
import { chromiumArgs, launchChromium } from '../io/browser/drivers.ts'
import { type Background, linesOf, Project, startMock } from './project.ts'

const team = new Project()
const key = 'petstore-test-key'
let mock: Background & { url: string; control: string; console: string }
let browser: Browser
/** The console: opened once, never reloaded. */
let desk: Page
const pageErrors: string[] = []

const get = (path: string, more: Record<string, string> = {}): Promise<Response> =>
  fetch(mock.url + path, { headers: { authorization: `Bearer ${key}`, ...more } })
const control = (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(mock.control + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const names = async (path: string): Promise<string[]> =>
  ((await (await get(path)).json()) as { name: string }[]).map(({ name }) => name)

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** Sends a request that nothing else sends, and waits for its row on the open console. */
async function consoleShowsNext(word: string): Promise<void> {
  await get(`/pets?limit=1&${word}=1`)
  await desk.getByText(`${word}=1`).first().waitFor({ timeout: 20_000 })
}

test('the mock starts; the line of its greeting works as printed', async () => {
  mock = await startMock(team, '--pets 30')
  const [line = ''] = linesOf(mock.stdout(), /curl /)
  const { stdout } = await team.run(line.replace(/^Try it +/, ''))
  expect(JSON.parse(stdout)).toHaveLength(3)
})

test('the console shows the first request', async () => {
  desk = await browser.newPage()
  desk.on('pageerror', (error) => pageErrors.push(error.message))
  await desk.goto(mock.console)
  await desk.getByText('limit=3').first().waitFor()
  await consoleShowsNext('morning')
})

const vitestFiles = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((number) => [
    `unit/file-${number}.test.js`,
    `import { expect, test } from 'vitest'
import { sandboxKey } from 'petstore-kit/mock'
const key = sandboxKey('worker-' + process.env.VITEST_POOL_ID)
test('the newest pets', async () => {
  const headers = { authorization: 'Bearer ' + key }
  const response = await fetch(process.env.MOCK_URL + '/pets?limit=3', { headers })
  expect(await response.json()).toMatchSnapshot()
})
`,
  ]),
)

test('Vitest with six files in parallel sees the same pets on any worker', async () => {
  team.write({
    ...vitestFiles,
    'unit/msw.test.js': `import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { setupServer } from 'msw/node'
import { createHandlers, createMock } from 'petstore-kit/msw'
const mock = createMock({ pets: 30 })
const server = setupServer(...createHandlers(mock, { baseUrl: 'https://api.example.com/v1' }))
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }))
afterEach(() => mock.reset())
afterAll(() => server.close())
const list = (key) => fetch('https://api.example.com/v1/pets', { headers: { authorization: 'Bearer ' + key } })
test('lists', async () => expect(await (await list('petstore-test-key')).json()).toHaveLength(20))
test('is as strict', async () => expect((await list('wrong')).status).toBe(401))
test('fails on demand', async () => {
  mock.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
  expect((await list('petstore-test-key')).status).toBe(503)
  expect((await list('petstore-test-key')).status).toBe(200)
})
`,
  })
  const env = { MOCK_URL: mock.url }
  // Without --update, Vitest writes no snapshot where it finds a CI service.
  const first = await team.run('vitest run unit --update --maxWorkers 3', env)
  expect(first.code, first.stdout + first.stderr).toBe(0)
  for (const workers of [1, 4]) {
    const again = await team.run(`vitest run unit --maxWorkers ${workers}`, {
      ...env,
      CI: '1',
    })
    expect(again.code, again.stdout + again.stderr).toBe(0)
  }
})

const spec = `import { expect, test as base } from '@playwright/test'
import { petstore } from 'petstore-kit/playwright'
const test = base.extend(petstore)
test.use({ petstoreBaseUrl: 'https://api.example.com/v1' })
const list = (headers) => fetch('https://api.example.com/v1/pets?limit=1', { headers }).then(async (one) => [one.status, await one.text()])
test('prints the first pet', async ({ page }) => {
  const [status, text] = await page.evaluate(list, { authorization: 'Bearer ${key}' })
  console.log('FIRST ' + text)
  expect(status).toBe(200)
})
test('a page without a key gets 401', async ({ page }) => {
  expect((await page.evaluate(list, {}))[0]).toBe(401)
  expect((await page.evaluate(list, { authorization: 'Bearer wrong' }))[0]).toBe(401)
})
test('has a bug that every attempt shows', async ({ page }, { retry }) => {
  const [, text] = await page.evaluate(list, { authorization: 'Bearer ${key}' })
  console.log('BUG ' + text)
  expect(JSON.parse(text)[0].categoryId).toBe(-1)
})
`

test('Playwright: a retry and another project see the same pets, and a page without a key gets 401', async () => {
  team.write({
    'e2e/shop.spec.js': spec,
    'playwright.config.js': `import { defineConfig } from '@playwright/test'
const launchOptions = { executablePath: process.env.CHROMIUM, args: JSON.parse(process.env.CHROMIUM_ARGS) }
export default defineConfig({
  testDir: 'e2e', workers: 2, retries: 1, fullyParallel: true, reporter: 'json', use: { launchOptions },
  projects: [{ name: 'desktop' }, { name: 'phone', use: { viewport: { width: 380, height: 800 } } }],
})
`,
  })
  const { stdout, stderr } = await team.run('playwright test', {
    CHROMIUM: await packedChromium.executablePath(),
    CHROMIUM_ARGS: JSON.stringify(chromiumArgs.filter((arg) => arg !== '--single-process')),
  })
  const { stats } = JSON.parse(stdout) as { stats: Record<string, number> }
  expect(stats, stderr).toMatchObject({ expected: 4, unexpected: 2, flaky: 0 })
  for (const word of ['FIRST', 'BUG']) {
    const seen = stdout.match(new RegExp(`${word} \\[[^\\]]*\\]`, 'g')) ?? []
    expect([seen.length, new Set(seen).size], word).toEqual([word === 'BUG' ? 4 : 2, 1])
  }
})

test('verify passes against the mock, and the console goes on', async () => {
  const { code, stdout } = await team.run(
    `npx petstore-kit verify ${mock.url} --key ${key} --reporter text`,
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^PASS/m)])
  await consoleShowsNext('verified')
})

test('a hostile client harms neither the mock nor the console', async () => {
  const { hostname, port } = new URL(mock.url)
  const raw = async (bytes: string): Promise<void> => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(bytes)
    socket.once('connect', () => setTimeout(() => socket.resetAndDestroy(), 50))
    await closed
  }
  await raw('GET /v1/pets?q=\u2028 HTTP/1.1\r\nHost: x\r\n\r\n')
  for (let count = 0; count < 5; count += 1)
    await raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
  await raw('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
  await raw('\u0000\u0001\u0002\r\n\r\n')
  await get('/pets?limit=1', { 'X-Trace': '$(touch pwned) [redacted]' })
  await consoleShowsNext('attacked')
})

describe('an afternoon of work', () => {
  test('pets are imported, a snapshot is taken and restored after a reset', async () => {
    const pets = [
      { id: 1, name: 'Line\u2028separator', categoryId: 1, status: 'available' },
      { id: 2, name: '"Quotes" <b>&amp;</b>', categoryId: 2, status: 'sold' },
    ]
    expect((await control('PUT', '/pets', pets)).ok).toBe(true)
    expect(await names('/pets?status=sold')).toEqual([pets[1]?.name])
    expect((await control('PUT', '/snapshots/monday')).ok).toBe(true)
    expect((await control('POST', '/reset')).ok).toBe(true)
    expect(await names('/pets?limit=100')).toHaveLength(30)
    expect((await control('POST', '/snapshots/monday/restore')).ok).toBe(true)
    expect(await names('/pets?limit=100')).toHaveLength(2)
    await consoleShowsNext('imported')
  })

  test('getPet is removed in December 2030, and the console says what is switched on', async () => {
    expect((await get('/pets/1')).status).toBe(200)
    expect((await control('PUT', '/clock', { now: '2030-12-06T00:00:00Z' })).ok).toBe(true)
    expect((await get('/pets/1')).status).toBe(410)
    await desk.getByText('2030').first().waitFor()
    expect((await control('DELETE', '/clock')).ok).toBe(true)
    expect((await get('/pets/1')).status).toBe(200)
  })

  test('a rule fails two requests, which the console counts', async () => {
    const rule = { when: { operation: 'listPets' }, reply: { status: 503 }, times: 2 }
    expect((await control('POST', '/rules', rule)).status).toBe(201)
    const statuses = [
      (await get('/pets')).status,
      (await get('/pets')).status,
      (await get('/pets')).status,
    ]
    expect(statuses).toEqual([503, 503, 200])
    await consoleShowsNext('evening')
  })
})

test('the console met no error all day, and the mock stops at once', async () => {
  expect(pageErrors).toEqual([])
  expect(await mock.stop()).toBe(0)
})
