/** The console in a real browser with the built mock; elements are found by role and name. */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test as anyTest } from 'vitest'
import type * as Suites from '../../../src/cli/verify/suite.ts'
import type * as Proxies from '../../../src/cli/proxy/proxy-run.ts'
import type * as Kit from '../../../src/mock/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { byLevel } from '../../support/level.ts'
import { listen } from '../../support/listen.ts'
import { driveTab, launchChromium, violations } from './drivers.ts'
import { ConsolePage, tasks } from './tasks.ts'

const built = new URL('../../../dist/mock/index.js', import.meta.url).href

/** What `npm test` leaves to the slow tests: it takes the tasks of users, hostile content, the token and the keyboard. */
const test = byLevel({
  usual: (() => {}) as unknown as typeof anyTest,
  slow: anyTest,
  all: anyTest,
})

let kit: typeof Kit
let mock: Kit.RunningMock
let browser: Browser
let context: BrowserContext
let tab: Tab
const errors: string[] = []
const controlToken = 'a-token-of-24-characters'

beforeAll(async () => {
  kit = (await import(built)) as typeof Kit
  const { createSuite } = (await import(
    new URL('../cli/verify/suite.js', built).href
  )) as typeof Suites
  // The suite reads only the working folder and the environment, and only for deployments.
  const suite = createSuite({ folder: '/', env: {} } as Parameters<typeof createSuite>[0], false)
  mock = await kit.startMock({ pets: 30, suite: async () => suite })
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  tab = await context.newPage()
  tab.setDefaultTimeout(300_000)
  tab.on('pageerror', (error) => errors.push(String(error)))
  tab.on('console', (message) => {
    if (message.type() === 'error' && /policy|-src/i.test(message.text()))
      errors.push(message.text())
  })
})

afterAll(async () => {
  await browser?.close()
  await mock?.close()
  expect(errors).toEqual([])
})

beforeEach(async () => {
  mock.reset()
  mock.journal.clear()
  await tab.setViewportSize({ width: 1440, height: 900 })
  await tab.goto('about:blank')
})

/** Sends a request to the service. */
const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(mock.url + path, {
    ...init,
    headers: { authorization: `Bearer ${kit.defaultKey}`, ...init.headers },
  })

const open = (hash: string): Promise<unknown> => tab.goto(`${mock.consoleUrl}#/${hash}`)

const button = (name: string | RegExp, inside: Tab | Locator = tab) =>
  inside.getByRole('button', { name, exact: typeof name === 'string' })
const says = (text: string | RegExp) => tab.locator('.notices').getByText(text).waitFor()
const detail = () => tab.getByRole('region', { name: /^Request \d+$/ })

/** Clicks a button that opens a confirmation, and accepts or dismisses it. */
async function press(name: string | RegExp, reply: 'accept' | 'dismiss' = 'accept'): Promise<void> {
  const replied = tab.waitForEvent('dialog').then((dialog) => dialog[reply]())
  await Promise.all([replied, button(name).click()])
}

// More detailed tests below cover the other tasks.
anyTest.each(Object.entries(tasks).filter(([name]) => !/limit|baseline/.test(name)))(
  '%s',
  async (_, task) => {
    await task({
      kit,
      mock,
      folder: makeFolder(),
      page: new ConsolePage(driveTab(tab), mock.consoleUrl ?? ''),
    })
  },
)

test('a filter is part of the URL, and a shared link opens the same view', async () => {
  await send('/pets?limit=1')
  await send('/pets/999')
  await open('requests')
  await tab.getByRole('combobox', { name: 'Status' }).selectOption('4xx')
  await tab.getByText('1 of 2 requests').waitFor()
  await tab.getByRole('link', { name: 'GET /v1/pets/999' }).click()
  const shared = tab.url()
  expect(shared).toMatch(/#\/requests\/\d+\?status=4xx$/)
  await tab.goto('about:blank')
  await tab.goto(shared)
  await detail().getByText('get.not-found').waitFor()
  await detail().getByText('If you build the service').click()
  await detail().getByText('Parse petId as int64').waitFor()
  await tab.getByText('1 of 2 requests').waitFor()
})

test('a request from the page shows any response, or says why there is none', async () => {
  const form = tab.getByRole('form', { name: 'Request' })
  const sends = async (): Promise<void> => button('Send', form).click()
  const target = form.getByRole('textbox', { name: 'Target' })
  await open('requests/new')
  await button('createPet').click()
  await form.getByRole('textbox', { name: 'Body' }).fill('{\n "name": Rex}')
  await form.getByText('This is not JSON: ').getByText('at line 2, column 10').waitFor()
  await button('getPet').click()
  await target.fill('/v1/pets/4711?q=[]')
  await sends()
  await form.locator('.status', { hasText: '404' }).waitFor()
  await target.fill('elsewhere.example/v1/pets')
  await sends()
  await form.getByRole('alert').getByText('The target must begin with a slash.').waitFor()
  await target.fill('/v1/pets/1')
  mock.use({ fault: 'truncated-body', times: 1 })
  await sends()
  await form.getByRole('alert').getByText('The body ended too early').waitFor()
  await form.getByText('Headers', { exact: true }).click()
  await form.getByRole('textbox', { name: 'Headers' }).fill('Prefer: fault=silence')
  await sends()
  await button('Cancel').click()
  await form.getByRole('alert').getByText('Canceled: no response yet.').waitFor()
  await form.getByRole('textbox', { name: 'Headers' }).fill('')
  mock.use({ fault: 'reset' })
  await sends()
  await form.getByRole('alert').getByText('There is no response').waitFor()
  await form.getByRole('link', { name: /why this response/ }).click()
  await detail().getByText('reset', { exact: true }).waitFor()
})

test('a request from the page has the key of its sandbox, or the one that the user enters', async () => {
  const secret = 'a-secret-of-the-mock'
  const guarded = await kit.startMock({ pets: 3, keys: [secret], controlToken })
  onTestFinished(() => guarded.close())
  guarded.sandboxes.get('team-a')
  await tab.goto(`${guarded.consoleUrl}#/requests/new?sandbox=team-a`)
  await tab.getByLabel('Token of the control API').fill(controlToken)
  await button('Open the console').click()
  await button('Send').click()
  await tab.getByText('#1: why this response?').waitFor()
  expect(guarded.sandboxes.get('team-a').journal.last()?.response.status).toBe(200)
  await tab.goto(`${guarded.consoleUrl}#/requests/new`)
  await tab.getByText('This mock has its own key').waitFor()
  expect(await tab.content()).not.toContain(secret)
  await tab.getByLabel('API key').fill(secret)
  await button('Send').click()
  await tab.getByText('#1: why this response?').waitFor()
  expect(guarded.journal.last()?.response.status).toBe(200)
  await tab.evaluate('sessionStorage.clear()')
})

test('a request shows what the client received, and whether it aborted', async () => {
  mock.use({ fault: 'truncated-body', skip: 1, times: 1 })
  mock.use({ fault: 'reset', times: 1 })
  const reset = await send('/pets').catch(() => 'reset')
  const cut = await send('/pets')
  expect([reset, cut.status]).toEqual(['reset', 200])
  const leaving = new AbortController()
  const silent = send('/pets', { headers: { prefer: 'fault=silence' }, signal: leaving.signal })
  mock.use({ when: { query: { limit: '7' } }, delayMs: 600_000 })
  const late = send('/pets?limit=7', { signal: leaving.signal })
  await open('requests')
  const row = (name: string) => tab.getByRole('row', { name })
  await row('silence GET /v1/pets').getByText('Prefer header').waitFor()
  await row('200 GET /v1/pets?limit=7')
    .getByText(/^60000\d$/)
    .waitFor()
  leaving.abort(new Error('timeout'))
  for (const one of [silent, late]) await expect(one).rejects.toThrow(/timeout/i)
  await row('reset GET /v1/pets').waitFor()
  await row('200 GET /v1/pets').getByText('truncated-body, rule-1').waitFor()
  await row('aborted GET /v1/pets').getByText('instead of silence, Prefer header').waitFor()
  await row('aborted GET /v1/pets?limit=7').getByText('instead of 200, rule-3').waitFor()
  expect(await tab.getByText(/^60000\d$/).count()).toBe(0)
  await row('reset GET /v1/pets').getByRole('link').click()
  await detail().getByText('reset', { exact: true }).waitFor()
  for (const word of ['aborted', 'truncated-body']) {
    await open('requests')
    await row(word).first().getByRole('link').click()
    await detail().getByText(word).waitFor()
    expect(await detail().getByText(word).count()).toBe(1)
  }
})

test('a sandbox is created from any text, and reset or deleted only after a confirmation', async () => {
  await open('sandboxes')
  await tab.getByRole('textbox', { name: 'Name of a new sandbox' }).fill('Cart: shows a pet')
  await button('Create a sandbox').click()
  await says('Created the sandbox Cart: shows a pet.')
  await tab.getByRole('rowheader', { name: /^cart-shows-a-pet-[0-9a-f]{8}$/ }).waitFor()
  const mine = mock.sandboxes.get('Cart: shows a pet')
  for (const one of [mine, mock]) one.use({ times: 1, reply: { status: 503 } })
  await press(/^Delete cart-shows/, 'dismiss')
  await press(/^Reset cart-shows/, 'dismiss')
  expect(mine.pendingRules()).toHaveLength(1)
  await press(/^Reset cart-shows/, 'accept')
  await says(/Reset cart-shows/)
  expect(mine.pendingRules()).toEqual([])
  await press(/^Delete cart-shows/, 'accept')
  await says(/Deleted cart-shows/)
  await press(/^Reset the sandbox/, 'dismiss')
  expect(mock.pendingRules()).toHaveLength(1)
  await press(/^Reset the sandbox/, 'accept')
  await says('Reset to the initial state.')
  expect(mock.pendingRules()).toEqual([])
})

test('an invitation opens the console of its sandbox, and has no other secret', async () => {
  const secret = 'a-secret-of-the-mock'
  const guarded = await kit.startMock({ pets: 3, keys: [secret], controlToken })
  onTestFinished(() => guarded.close())
  guarded.sandboxes.get('partner')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await tab.goto(`${guarded.consoleUrl}#/sandboxes`)
  await tab.getByLabel('Token of the control API').fill(controlToken)
  await button('Open the console').click()
  await button('Invite to partner').click()
  await says('Copied the invitation of partner.')
  const text = await tab.evaluate<string>('navigator.clipboard.readText()')
  expect(text).not.toContain(secret)
  expect(text).not.toContain(controlToken)
  const key = kit.sandboxKey('partner')
  expect(text).toContain(`API key    ${key}`)
  await tab.evaluate('sessionStorage.clear()')
  await tab.goto('about:blank')
  await tab.goto(/^Scorecard +(\S+)$/m.exec(text)?.[1] ?? '')
  await tab.getByLabel('Token of the control API').fill(key)
  await button('Open the console').click()
  await tab.getByRole('heading', { name: 'Scorecard' }).waitFor()
  expect(await tab.getByRole('combobox', { name: 'Sandbox' }).textContent()).toBe('partner')
  await tab.evaluate('sessionStorage.clear()')
})

test('pets are paged, ordered, exported and deleted', async () => {
  mock.catalog.add(
    Array.from({ length: 40 }, (_, index) => ({ name: `Extra ${index}`, categoryId: 1 })),
  )
  await open('pets')
  const shows = (text: string) => tab.getByRole('status').getByText(text).waitFor()
  mock.sandboxes.get('other')
  await button('Next').click()
  await shows('70 pets, page 2 of 2')
  await button('Previous').click()
  await tab.getByRole('combobox', { name: 'Order' }).selectOption('oldest-first')
  await tab.getByRole('row', { name: /^1 / }).getByRole('button', { name: 'Edit' }).click()
  await button('Delete this pet').click()
  await says('Deleted pet 1.')
  await shows('69 pets, page 1 of 2')
  await button('Undo').click()
  await shows('70 pets, page 1 of 2')
  await button('Next').click()
  await button('Delete Extra 39').click()
  await shows('69 pets, page 2 of 2')
  // Undo applies to the sandbox of the pet.
  await tab.getByRole('combobox', { name: 'Sandbox' }).selectOption('other')
  await shows('30 pets')
  await button('Undo').click()
  await says('Restored pet 70.')
  await tab.getByRole('combobox', { name: 'Sandbox' }).selectOption('main')
  const [file] = await Promise.all([tab.waitForEvent('download'), button('Export').click()])
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toHaveLength(70)
})

test('a long name takes three lines on a phone, and one from right to left begins where others do', async () => {
  mock.catalog.add([{ name: 'long '.repeat(600), categoryId: 1 }])
  mock.catalog.add([{ name: 'כלב', categoryId: 1 }])
  await tab.setViewportSize({ width: 390, height: 900 })
  await open('pets')
  const row = tab.getByRole('row', { name: /long long/ })
  await row.waitFor()
  expect((await row.boundingBox())?.height).toBeLessThan(100)
  const starts = await tab.evaluate<
    number[]
  >(`Array.from(document.querySelectorAll('.name bdi'), (one) => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return range.getBoundingClientRect().left
  })`)
  expect(new Set(starts).size).toBe(1)
})

test('a phone shows all that is switched on, a snapshot in one line, and a menu that leaves the reason in view', async () => {
  mock.use({ rateLimit: { requests: 1_000, windowMs: 1_000 } }, { delayMs: 1 })
  mock.configure({ profile: { 'list.order': 'by-name' }, defects: ['create.same-id'] })
  mock.clock.set('2030-12-05T00:00:00Z', { frozen: true })
  mock.snapshots.save('before')
  await send('/pets?limit=0')
  await tab.setViewportSize({ width: 390, height: 844 })
  await open(`requests/${mock.journal.last()?.number}`)
  const bar = tab.getByRole('complementary', { name: 'What is switched on' })
  await bar.getByText('Defect create.same-id').waitFor()
  for (const part of await bar.locator('.part').all()) {
    const box = await part.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThan(390)
  }
  await button(/^Copy as/).click()
  const bottomOf = async (one: Locator): Promise<number> => {
    const box = await one.boundingBox()
    return (box?.y ?? NaN) + (box?.height ?? NaN)
  }
  const message = await detail().getByText('limit must be an integer').first().boundingBox()
  expect(await bottomOf(tab.locator('#copy-as'))).toBeLessThan(message?.y ?? 0)
  await tab.keyboard.press('Escape')
  await button('Snapshots').click()
  const dialog = tab.getByRole('dialog', { name: 'Snapshots of the pets' })
  const snapshot = dialog.getByRole('listitem')
  await snapshot.waitFor()
  expect((await snapshot.boundingBox())?.height).toBeLessThan(50)
  const [name, save] = [dialog.getByRole('textbox'), button('Save a snapshot', dialog)]
  expect((await name.boundingBox())?.y).toBe((await save.boundingBox())?.y)
})

test('the header takes one line on a phone, also with long names of sandboxes', async () => {
  const name = 'a-team-with-a-name-of-many-letters'
  mock.sandboxes.get(name)
  await tab.setViewportSize({ width: 390, height: 900 })
  await open('requests')
  const menu = tab.getByRole('combobox', { name: 'Sandbox' })
  await menu.locator('option', { hasText: name }).waitFor({ state: 'attached' })
  const [first, last] = [await menu.boundingBox(), await button('Snapshots').boundingBox()]
  expect(last?.y).toBe(first?.y)
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(390)
})

test('all that a list of requests offers is within a phone', async () => {
  await send('/pets?limit=1')
  await tab.setViewportSize({ width: 360, height: 800 })
  await open('requests?status=2xx')
  await button('Show all').waitFor()
  const boxes = await tab.evaluate<{ left: number; right: number }[]>(
    "Array.from(document.querySelectorAll('.list :is(button, select, input, .button)'), (one) => one.getBoundingClientRect().toJSON())",
  )
  expect(boxes.length).toBeGreaterThan(7)
  expect(boxes.filter(({ left, right }) => left < 0 || right > 360)).toEqual([])
})

test('a sheet shows the keys', async () => {
  await open('requests')
  await tab.getByText('Live', { exact: true }).waitFor()
  await tab.keyboard.press('?')
  const sheet = tab.getByRole('dialog', { name: 'Keys' })
  await sheet.getByText('next request or row').waitFor()
  expect(await violations(tab)).toEqual([])
  await tab.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
})

test('a body in JSON has a color for each kind of value', async () => {
  const headers = { 'content-type': 'application/json' }
  await send('/pets', { method: 'POST', headers, body: '{"name":"Rex","categoryId":[1.5,null]}' })
  await open(`requests/${mock.journal.last()?.number}`)
  const body = tab.getByLabel('Body of the request', { exact: true })
  const shown = body.locator('span')
  await shown.first().waitFor()
  expect(await shown.allTextContents()).toEqual(['"name"', '"Rex"', '"categoryId"', '1.5', 'null'])
  const colors = await tab.evaluate<string[]>(
    "Array.from(document.querySelectorAll('.body span'), (one) => getComputedStyle(one).color)",
  )
  expect(new Set(colors).size).toBe(4)
  await button(/^Raw: the body of the request/).click()
  expect(await body.textContent()).toBe('{"name":"Rex","categoryId":[1.5,null]}')
})

test('equal requests in a row are one with their number, and a linked one is shown among its neighbors', async () => {
  const before = mock.journal.range.last
  for (let n = 1; n <= 250; n += 1) await send(`/pets?limit=${(n % 2) + 1}`)
  for (const _ of [1, 2, 3]) await send('/pets/1')
  for (const _ of [1, 2]) {
    const headers = { 'content-type': 'application/json' }
    await send('/pets', { method: 'POST', headers, body: '{"name":"Rex","categoryId":1}' })
  }
  await open('requests')
  const row = (number: number) =>
    tab.locator('tr').filter({ has: tab.locator(`td:first-child:text-is("${before + number}")`) })
  for (const number of [255, 254, 253, 250]) await row(number).waitFor()
  expect(await row(252).count()).toBe(0)
  await row(253).getByRole('button', { name: '+2' }).click()
  await row(252).waitFor()
  // The first 200 rows do not have it.
  await open(`requests/${before + 29}`)
  await expect.poll(async () => (await row(29).boundingBox())?.y).toBeLessThan(900)
  await row(28).waitFor()
  await open(`requests/${before + 251}`)
  await tab.reload()
  await row(251).waitFor()
})

test('requests of several clients have headings, unless the clients take turns', async () => {
  const as = (agent: string) => send('/pets?limit=1', { headers: { 'user-agent': agent } })
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36'
  for (const _ of [1, 2, 3]) await as(chrome)
  await send('/pets/1', { headers: { 'user-agent': chrome } })
  await open('requests')
  await tab.getByRole('button', { name: '+2' }).click()
  await tab.getByText('4 requests').waitFor()
  const heads = tab.getByRole('rowheader')
  expect(await heads.count()).toBe(0)
  for (const limit of [2, 3]) {
    await send(`/pets?limit=${limit}`, { headers: { 'user-agent': 'curl/8.5.0' } })
  }
  await expect.poll(() => heads.allTextContents()).toEqual(['curl/8.5.0', 'Chrome/147'])
  expect(await violations(tab)).toEqual([])
  for (const agent of [chrome, 'curl/8.5.0', chrome]) await as(agent)
  await expect.poll(() => heads.count()).toBe(0)
})

test('a search finds requests by their bodies', async () => {
  const headers = { 'content-type': 'application/json' }
  await send('/pets', { method: 'POST', headers, body: '{"name":"Käthe","categoryId":1}' })
  await send('/pets/1')
  await open('requests')
  await tab.getByRole('searchbox').fill('käthe')
  await tab.getByText('1 of 2 requests').waitFor()
  await tab.getByRole('link', { name: 'POST /v1/pets' }).waitFor()
  // No number before all is searched.
  let go = (): void => undefined
  const held = new Promise<void>((resolve) => (go = resolve))
  await tab.route(/journal\?limit/, (route) => held.then(() => route.continue()))
  await tab.getByRole('searchbox').fill('zebra')
  await tab.getByText('Searching…').waitFor()
  expect(await tab.getByText('No request matches').count()).toBe(0)
  go()
  await tab.getByText('No request matches').waitFor()
  await tab.getByText('0 of 2 requests').waitFor()
  await tab.unroute(/journal\?limit/)
})

test('the list says where it has something to say, and leads to mistakes by kind', async () => {
  // A limit that is not exceeded explains nothing.
  mock.use({ rateLimit: { requests: 1_000, windowMs: 1_000 } })
  await send('/pets?limit=1')
  await open('requests')
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=1' }).waitFor()
  expect(await tab.locator('.why').count()).toBe(0)
  // Mistakes of another sandbox are not in this list.
  await send('/pets?limit=0', { headers: { authorization: `Bearer ${kit.sandboxKey('other')}` } })
  expect(await tab.getByText('mistake').count()).toBe(0)
  await send('/pets?limit=0')
  await tab.getByRole('link', { name: '1 kind of mistake in 1 request' }).click()
  await detail().getByRole('heading', { name: 'What to change', exact: true }).waitFor()
  await open('requests')
  await send('/pets?limit=0')
  await tab.getByText('limit must be an integer').waitFor()
  await tab.setViewportSize({ width: 390, height: 900 })
  await tab.getByText('limit must be an integer').waitFor()
  await tab.getByRole('link', { name: '1 kind of mistake in 2 requests' }).click()
  await tab.getByRole('heading', { name: 'Issues' }).first().waitFor()
  await tab.getByText('of the requests right').first().waitFor()
})

test('a rule that waits in one sandbox names those that have requests', async () => {
  mock.use({ reply: { status: 503 }, times: 1 })
  await send('/pets', { headers: { authorization: `Bearer ${kit.sandboxKey('lists')}` } })
  await open('rules')
  await tab.getByText('are in their sandbox, with its own rules').waitFor()
  await tab.getByRole('link', { name: /^lists \(\d+\)$/ }).waitFor()
  await send('/pets')
  await tab.getByText('used 1 time').waitFor()
  expect(await tab.getByText('with its own rules').count()).toBe(0)
  mock.sandboxes.get('empty')
  await open('requests?sandbox=empty')
  await tab.locator('.empty').getByRole('link', { name: 'main', exact: true }).click()
  await tab.getByText('1 request', { exact: true }).waitFor()
})

test('a response names what a rule did to it, and has no hints where nothing is wrong', async () => {
  const [slow] = mock.use({ delayMs: 1500, times: 1 })
  const [failing] = mock.use({ skip: 1, reply: { status: 503 }, times: 1 })
  await send('/pets')
  await send('/pets')
  const { last } = mock.journal.range
  await open(`requests/${last - 1}`)
  await detail().getByText(`${slow?.id} delayed it by 1.5 s.`).waitFor()
  await detail().getByText('body is a Pets array').waitFor()
  expect(await detail().getByText('If you build the service').count()).toBe(0)
  await open(`requests/${last}`)
  await detail().getByText(`${failing?.id} replaced it.`).waitFor()
  expect(await detail().locator('.quote').count()).toBe(0)
})

test('a mistake is quoted once', async () => {
  await send('/pets?limit=0')
  await open(`requests/${mock.journal.range.last}`)
  await detail().getByText('Fix:').waitFor()
  expect(await detail().locator('.quote').count()).toBe(1)
})

test('a row names the rule that responded once', async () => {
  const [rule] = mock.use({ reply: { status: 503 } })
  await send('/pets')
  await open('requests')
  await expect.poll(() => tab.locator('.why').allTextContents()).toEqual([rule?.id])
})

test('saves a request as HAR, and undoes its changes', async () => {
  const headers = { 'content-type': 'application/json' }
  await send('/pets?limit=3')
  await send('/pets', {
    method: 'POST',
    headers,
    body: '{"name":"Rex","categoryId":9007199254740993}',
  })
  await send('/pets?limit=4')
  const before = mock.catalog.export().slice(0, -1)
  expect(before).toHaveLength(30)
  await open('requests')
  await tab.getByRole('link', { name: 'POST /v1/pets' }).click()
  await detail().getByText('Copy as', { exact: true }).click()
  await button('curl', detail()).click()
  await button('HAR file', detail()).waitFor({ state: 'hidden' })
  await tab.keyboard.press('Enter')
  const saved = tab.waitForEvent('download')
  await button('HAR file', detail()).click()
  const har: unknown = JSON.parse(await readFile(await (await saved).path(), 'utf8'))
  expect(har).toMatchObject({ log: { entries: [{ request: { method: 'POST' } }] } })
  await button('Undo', detail()).click()
  await says('The changes of the request were undone.')
  expect(mock.catalog.export()).toEqual(before)
})

test('adds rules as sentences, and as JSON', async () => {
  await open('rules')
  const form = tab.getByRole('form', { name: 'New rule' })
  const menu = (name: string) => form.getByRole('combobox', { name, exact: true })
  await menu('How often').selectOption('every')
  await button('Add the rule').click()
  await says('The rule applies')
  expect((await send('/pets')).status).toBe(503)
  expect((await send('/pets/1')).status).toBe(200)
  await tab.getByText('Fail every listPets request with 503').waitFor()
  await button('Switch off rule-1').click()
  await tab.getByText('off', { exact: true }).waitFor()
  await press('Remove all', 'dismiss')
  expect(mock.rules()).toHaveLength(1)
  expect((await send('/pets')).status).toBe(200)
  mock.use({ when: { petId: '7' }, delayMs: 1 })
  await tab.getByText('Delay every request (petId "7") by 1 ms').waitFor()
  // Only a request since the rule was added can be near it.
  await send('/pets')
  await tab.getByText('petId is missing, not "7"').waitFor()
  await button('Delay', form).click()
  const delay = form.getByRole('textbox', { name: 'Delay' })
  await delay.fill('2')
  await button('Add the rule').click()
  expect(mock.rules()).toHaveLength(2)
  await delay.fill('20 ms')
  await menu('Operation').selectOption('createPet')
  await button('Add the rule').click()
  await tab.getByText('Delay every createPet request by 20 ms').waitFor()
  await button('Respond in sequence', form).click()
  await menu('Operation').selectOption('getPet')
  await menu('Step 2').selectOption('reset')
  await button('Add the rule').click()
  await tab.getByText('Respond to 3 getPet requests in sequence: 503, reset, as usual').waitFor()
  expect(mock.rules().slice(2)).toMatchObject([
    { when: { operation: 'createPet' }, delayMs: 20 },
    {
      when: { operation: 'getPet' },
      sequence: [{ reply: { status: 503 } }, { fault: 'reset' }, {}],
    },
  ])
  await button('Fail', form).click()
  await menu('Operation').selectOption('listPets')
  await form.getByText('Advanced').click()
  const json = form.getByRole('textbox', { name: 'The rule as JSON' })
  await json.fill('{')
  await tab.getByText('This is not a JSON object yet.').waitFor()
  await json.fill('{"times":1,"reply":{"status":418,"code":"on_fire"}}')
  await tab.getByText('A sentence cannot show all of this rule.').waitFor()
  await button('Add the rule').click()
  await says('The rule applies')
  expect(await (await send('/pets')).json()).toMatchObject({ code: 'on_fire' })
})

test('pets are added, changed, found and deleted, with exact ids', async () => {
  await open('pets')
  await button('Add a pet').click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Käthe')
  await dialog.getByRole('textbox', { name: 'Category id' }).fill('9007199254740993')
  await button('Add', dialog).click()
  await says('Added Käthe.')
  await tab.getByRole('cell', { name: '9007199254740993' }).waitFor()
  const added = { id: 31, name: 'Käthe', categoryId: 9007199254740993n, status: 'available' }
  expect(mock.catalog.export().at(-1)).toEqual(added)
  await button('Edit Käthe').click()
  await dialog.getByRole('combobox', { name: 'Status' }).selectOption('sold')
  await button('Save', dialog).click()
  await says('Changed pet 31.')
  await tab.getByRole('searchbox').fill('käthe')
  await tab.getByText('1 pet', { exact: true }).waitFor()
})

test('a profile with unknown behaviors is rejected, and what the mock cannot show is named', async () => {
  const folder = makeFolder()
  const load = async (name: string, profile: object): Promise<void> => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(profile))
    await tab.getByLabel('Load a profile or report').setInputFiles(file)
  }
  await open('behavior')
  await load('typo.json', { 'list.ordr': 'by-name', 'list.order': 'by-name' })
  await says('typo.json names the unknown behavior "list.ordr"; did you mean list.order?')
  expect(mock.settings.profile).toEqual(kit.defaultProfile)
  await load('wrong.json', { 'list.order': 'by-name', 'create.location': 'elsewhere' })
  await says('wrong.json: create.location has no option "elsewhere"; it has absent, relative')
  expect(mock.settings.profile).toEqual(kit.defaultProfile)
  const observed = { 'list.order': 'by-name', 'create.location': 'elsewhere' }
  await load('other.json', { format: 1, profile: observed })
  await says(
    /according to other.json.\s+It does not support what the file says about create.location/,
  )
  expect(mock.settings.profile['list.order']).toBe('by-name')
})

test('sets an option by a click, and random options by Shuffle', async () => {
  await open('behavior')
  const group = tab.getByRole('group', { name: 'What happens with a limit below 1?' })
  await group.getByRole('radio', { name: /^clamp/ }).click()
  await says('list.limit.below-minimum is now clamp.')
  await tab.getByRole('checkbox', { name: 'Show only changed (1)' }).check()
  expect(await tab.getByRole('group', { name: /\?$/ }).count()).toBe(1)
  await button('Shuffle').click()
  await tab.getByRole('textbox', { name: 'Seed' }).fill('7')
  await button('Shuffle', tab.getByRole('dialog')).click()
  await says('--vary 7')
  expect(mock.settings.profile).toEqual(kit.varyProfile(7))
})

test('a deliberate defect shows on every screen until it is off', async () => {
  await open('defects?search=limit-ignored')
  await tab.getByRole('checkbox', { name: /^list.limit-ignored limit/ }).check()
  const bar = tab.getByRole('complementary', { name: 'What is switched on' })
  await bar.getByText('Defect list.limit-ignored').waitFor()
  expect(await (await send('/pets?limit=1')).json()).toHaveLength(20)
  await tab.getByRole('link', { name: 'Requests' }).click()
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=1' }).click()
  await detail().getByText('Deliberate defects changed it').waitFor()
  await button('Turn all defects off', bar).click()
  await bar.getByText('Defaults').waitFor()
})

test('clock, rules and behavior that are switched on show on every screen, with an off switch', async () => {
  mock.clock.set('2030-12-05T00:00:00Z', { frozen: true })
  mock.use({ delayMs: 1 }, { delayMs: 2 })
  mock.configure({ profile: { 'list.order': 'by-name' } })
  await open('requests')
  const bar = tab.getByRole('complementary', { name: 'What is switched on' })
  const parts = {
    'Clock stopped 2030-12-05': 'Reset the clock',
    '2 rules': 'Remove all rules',
    '1 behavior changed': 'Back to the default behavior',
  }
  for (const [text, off] of Object.entries(parts)) {
    await bar.getByText(text).waitFor()
    await button(off, bar).click()
    await bar.getByText(text).waitFor({ state: 'detached' })
  }
  await bar.getByText('Defaults').waitFor()
  expect([mock.clock.frozen, mock.rules(), mock.settings.profile['list.order']]).toEqual([
    false,
    [],
    'newest-first',
  ])
})

test('the suite finds a limit that is broken on purpose, and the failures become a baseline', async () => {
  const found = tab.getByRole('listitem')
  await open('runs')
  await tab
    .getByRole('textbox', { name: 'Only these requirements or checks' })
    .fill('list.limit.respected')
  await button('Run the suite').click()
  await found.getByText('pass').waitFor()
  // A defect that shortens every list would make the run wait for pets that may be delayed.
  mock.configure({ defects: ['list.minimum-unlimited'] })
  await button('Run the suite').click()
  await found.getByText('fail').waitFor()
  // The report of a run opens when it ends; the comparison is folded below it.
  await tab.getByText('Changed since run-1:').click()
  const regressed = tab.getByRole('region', { name: 'Regressed' })
  await regressed.locator('summary').first().click()
  await found.getByText(/^GET .* pets, at most 1 allowed/).waitFor()
  await tab.getByText('Common causes and fix').click()
  await tab.getByText('Parse limit as an integer').waitFor()
  const report = tab.frameLocator('iframe')
  await report.getByText('list.limit.respected').first().waitFor()
  const links = report.locator('a[href*="#"]')
  for (const link of (await links.all()).slice(0, 5)) {
    // The link to the content is visible while it has the focus.
    await link.focus()
    await link.click()
    await report.getByText('list.limit.respected').first().waitFor()
  }
  await button('Make a baseline').click()
  await tab.getByRole('textbox', { name: 'Reason' }).fill('SHOP-12')
  const saved = tab.waitForEvent('download')
  await button('Save the baseline').click()
  expect((await saved).suggestedFilename()).toBe('baseline.json')
  await press('Delete run-1', 'dismiss')
  await press('Delete run-2')
  await tab.getByRole('link', { name: 'run-2' }).waitFor({ state: 'detached' })
  await tab.getByRole('link', { name: 'run-1' }).waitFor()
})

anyTest('hostile names stay text, and two tabs stay in sync', async () => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '\u202Egnp.exe',
    '{{7*7}}',
    '\u0000\u001b[31m',
    ' ',
  ]
  mock.catalog.import(names.map((name, index) => ({ id: index + 1, name, categoryId: 1 })))
  await open('pets')
  for (const name of names.slice(0, 2)) await tab.getByText(name, { exact: true }).waitFor()
  expect(await tab.locator('main img, main script').count()).toBe(0)
  const other = await context.newPage()
  await other.goto(`${mock.consoleUrl}#/pets`)
  await other.getByRole('button', { name: 'Delete pet 6' }).click()
  await tab.getByText('5 pets', { exact: true }).waitFor()
  await other.close()
})

test('on a phone, a link to a request leaves no heading above it, and a report comes before the form', async () => {
  await tab.setViewportSize({ width: 390, height: 844 })
  await send('/pets?limit=0')
  await open('rules')
  await tab.getByRole('heading', { name: 'New rule' }).waitFor()
  await open(`requests/${mock.journal.last()?.number}`)
  await detail().getByText('Fix:').waitFor()
  const heading = tab.getByRole('heading', { name: 'Requests' })
  await expect.poll(async () => (await heading.boundingBox())?.width).toBe(1)
  await open('runs')
  await tab.getByRole('textbox', { name: 'Only these' }).fill('list.limit.respected')
  await button('Run the suite').click()
  const report = tab.getByTitle(/^HTML report of run-/)
  const verdict = report.contentFrame().getByRole('heading', { name: 'PASS' })
  await verdict.waitFor()
  const runs = await tab.getByRole('list', { name: 'Runs' }).boundingBox()
  const { y = 0 } = (await report.boundingBox()) ?? {}
  expect(y - (runs?.y ?? 0) - (runs?.height ?? 0)).toBeGreaterThan(8)
  const form = tab.getByRole('form', { name: 'New run' })
  expect((await form.boundingBox())?.y).toBeGreaterThan((await report.boundingBox())?.y ?? 9_999)
})

test('whatever clients leave in the journal is shown, and the page goes on', async () => {
  const hostile = [
    '\u2028',
    '\u2029',
    '\u0085',
    '\ufeff',
    '\u202e',
    '\ud800',
    '<b>',
    'x'.repeat(5_000),
  ]
  const headers = {
    authorization: `Bearer ${kit.defaultKey}`,
    'content-type': 'application/json',
    'x-odd': 'a\u0085b',
  }
  for (const text of hostile) {
    await mock.handle({ method: 'GET', target: `/v1/pets?q=${text}`, headers, body: '' })
    const body = `{"name":${JSON.stringify(text)},"categoryId":9007199254740993}`
    await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
  }
  await open('requests')
  await tab.getByText(`${2 * hostile.length} requests`, { exact: true }).waitFor()
  await tab.getByText('Live', { exact: true }).waitFor()
  for (const { number } of mock.journal.list()) {
    await open(`requests/${number}`)
    await tab.getByRole('heading', { name: 'Why this response?' }).waitFor()
    const heading = await tab.locator('h2.target').boundingBox()
    expect(heading?.height).toBeLessThan(90)
  }
  for (const hash of ['pets', 'scorecard', 'sandboxes']) {
    await open(hash)
    await tab.getByText('Loading…').waitFor({ state: 'detached' })
    expect(await tab.getByText('This screen has failed').count()).toBe(0)
  }
})

/** In the page: milliseconds from an input event to the next frame. */
const typed = `(text) => new Promise((resolve) => {
  const field = document.querySelector('input[type=search]')
  const started = performance.now()
  field.value = text
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)))
})`

test('the page stays responsive with ten thousand requests', async () => {
  await open('requests')
  await tab.getByText('No requests yet').waitFor()
  const headers = { authorization: `Bearer ${kit.defaultKey}` }
  const request = { method: 'GET', target: '/v1/pets?limit=1', headers, body: '' }
  const delays: number[] = []
  for (let round = 0; round < 10; round += 1) {
    for (let index = 0; index < 1_000; index += 1) await mock.handle(request)
    delays.push(await tab.evaluate<number>(`(${typed})('${round}')`))
  }
  await tab.getByRole('searchbox').fill('')
  await tab.getByText('10000 requests').waitFor()
  expect(await tab.getByRole('row').count()).toBeLessThan(300)
  // The fastest of the last five: a page that renders thousands of rows is always slow.
  expect(Math.min(...delays.slice(5)), `an input responds: ${delays.join(', ')} ms`).toBeLessThan(
    100,
  )
})

const screens =
  'requests requests/OPEN pets rules time behavior defects?search=limit sandboxes scorecard runs'.split(
    ' ',
  )

/** Elements that overflow horizontally. */
const wider = `Array.from(document.querySelectorAll('html, main, .detail'))
  .filter((part) => part.scrollWidth > part.clientWidth)
  .map((part) => part.localName)`

anyTest.each(byLevel({ usual: ['requests/OPEN'], slow: screens, all: screens }))(
  '%s: axe finds no violations on desktop and phone, and nothing overflows the page',
  async (hash) => {
    await send(`/pets?status=${'long'.repeat(20)}`)
    await send('/pets?limit=0')
    mock.use({ reply: { status: 503 }, times: 1 })
    await send('/pets?limit=0', {
      headers: { authorization: `Bearer ${kit.sandboxKey('m'.repeat(40))}` },
    })
    await open(hash.replace('OPEN', String(mock.journal.last()!.number)))
    await tab.getByText('Live', { exact: true }).waitFor()
    await tab.getByText('Loading…').waitFor({ state: 'detached' })
    for (const width of [1440, 1920, 768, 360]) {
      await tab.setViewportSize({ width, height: 900 })
      expect(await tab.evaluate(wider), String(width)).toEqual([])
      if (width === 1440) expect(await violations(tab)).toEqual([])
    }
    expect(await tab.getByText('`').allInnerTexts(), 'code in backticks').toEqual([])
    // Rules that depend on the size and the colors.
    await tab.emulateMedia({ colorScheme: 'dark' })
    expect(
      await violations(tab, ['color-contrast', 'target-size', 'page-has-heading-one']),
    ).toEqual([])
    await tab.emulateMedia({ colorScheme: 'light' })
  },
)

anyTest('a request can be opened with the keyboard alone', async () => {
  await send('/pets?limit=0')
  await open('requests')
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=0' }).waitFor()
  await tab.keyboard.press('Tab')
  expect(await tab.evaluate('document.activeElement.textContent')).toBe('Skip to content')
  await tab.keyboard.press('Enter')
  expect(await tab.evaluate('document.activeElement.tagName')).toBe('H1')
  const isThere = (): Promise<boolean> =>
    tab.evaluate("document.activeElement.textContent === 'GET /v1/pets?limit=0'")
  for (let index = 0; index < 12 && !(await isThere()); index += 1) await tab.keyboard.press('Tab')
  await tab.keyboard.press('Enter')
  await detail().waitFor()
  // On a phone, the request covers the list.
  await tab.setViewportSize({ width: 390, height: 900 })
  for (let index = 0; index < 30; index += 1) {
    await tab.keyboard.press('Tab')
    expect(await tab.locator('.list:focus').count()).toBe(0)
  }
})

test('the focus stays in the page when the focused element is removed', async () => {
  const focused = (): Promise<string> => tab.evaluate('document.activeElement.localName')
  mock.use({ fault: 'reset' })
  await open('rules')
  await button('Remove rule-1').click()
  await expect.poll(() => tab.evaluate('document.activeElement.textContent')).toBe('Undo')
  await tab.keyboard.press('Enter')
  await button('Remove rule-2').waitFor()
  await expect.poll(focused).toBe('h1')
  await send('/pets?limit=1').catch(() => undefined)
  await open('requests')
  await press('Clear', 'dismiss')
  expect(mock.journal.list()).toHaveLength(1)
  await press('Clear')
  await tab.getByText('Bearer petstore-test-key').waitFor()
  await expect.poll(focused).toBe('h1')
  await open('pets')
  await button('Add a pet').click()
  await expect.poll(focused).toBe('input')
  await tab.keyboard.press('Escape')
  await expect.poll(focused).toBe('button')
})

test('shows a lost connection, and a restarted mock', async () => {
  const first = await kit.startMock({ pets: 3 })
  await tab.goto(`${first.consoleUrl}#/pets`)
  await tab.getByText('3 pets', { exact: true }).waitFor()
  await first.close()
  await tab.getByText('Connection lost. Trying again…').waitFor()
  const again = await kit.startMock({ port: first.port, pets: 4 })
  await tab.getByText('The mock was restarted.').waitFor()
  await tab.getByText('4 pets', { exact: true }).waitFor()
  await again.close()
})

anyTest('requests the token once, and reports a wrong one', async () => {
  const guarded = await kit.startMock({ pets: 3, controlToken })
  await tab.goto(`${guarded.consoleUrl}#/pets`)
  const field = tab.getByLabel('Token of the control API')
  await field.fill('wrong-token-of-24-chars')
  await button('Open the console').click()
  await tab.getByRole('alert').getByText('The mock does not accept this token.').waitFor()
  expect(await tab.getByRole('banner').innerText()).not.toMatch(/Connecting|http:/)
  await field.fill(controlToken)
  await button('Open the console').click()
  await tab.getByText('3 pets', { exact: true }).waitFor()
  await tab.reload()
  await tab.getByText('3 pets', { exact: true }).waitFor()
  expect(tab.url()).not.toContain(controlToken)

  // The key of a sandbox opens only that sandbox.
  await tab.evaluate('sessionStorage.clear()')
  await tab.goto('about:blank')
  await tab.goto(`${guarded.consoleUrl}#/requests`)
  const key = kit.sandboxKey('partner')
  await field.fill(key)
  await button('Open the console').click()
  await fetch(`${guarded.url}/pets?limit=0`, { headers: { authorization: `Bearer ${key}` } })
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=0' }).click()
  await detail().getByText('What happens with a limit below 1?').waitFor()
  expect(await tab.getByRole('combobox', { name: 'Sandbox' }).textContent()).toBe('partner')
  await guarded.close()
})

anyTest('frames a report with a token, too, and blocks hostile HTML in it', async () => {
  const leaks: (string | undefined)[] = []
  const elsewhere = createServer(({ url }, response) => {
    leaks.push(url)
    response.end()
  })
  const leak = `http://127.0.0.1:${await listen(elsewhere)}/leak`
  const hostile = `<!DOCTYPE html><meta http-equiv="refresh" content="0;url=${leak}"><style>h1 { display: none }</style>
    <h1>Contract report</h1><script>top.document.title = 'taken'; fetch('${leak}')</script>
    <img src="${leak}" onerror="top.document.title = 'taken'"><iframe src="${leak}"></iframe><iframe srcdoc="<h1>x"></iframe>
    <form action="${leak}" target="_top"><button>Send</button></form><link rel="stylesheet" href="${leak}">
    <a href="javascript:top.document.title='taken'">script</a> <a target="_top" href="${leak}">out</a>
    <svg onload="top.document.title = 'taken'"></svg><object data="${leak}"></object>`
  const counts = {
    verified: 1,
    violated: 1,
    notVerified: 0,
    notApplicable: 0,
    requests: 2,
    writes: 0,
  }
  const suite = {
    deployments: async () => [],
    verify: async () => ({ verdict: 'violates' as const, counts }),
    summarize: () => hostile,
    render: () => hostile,
    compare: () => ({}),
    toBaseline: () => ({}),
  }
  const guarded = await kit.startMock({ pets: 3, controlToken, suite: async () => suite })
  const before = errors.length
  await tab.evaluate('sessionStorage.clear()').catch(() => undefined)
  await tab.goto(`${guarded.consoleUrl}#/runs`)
  await tab.getByLabel('Token of the control API').fill(controlToken)
  await button('Open the console').click()
  const title = await tab.title()
  await button('Run the suite').click()
  await tab.getByRole('link', { name: 'run-1' }).waitFor()
  const frame = tab.frameLocator('iframe.report')
  // The policy blocks its style element, so the heading is visible.
  await frame.getByRole('heading', { name: 'Contract report' }).waitFor()
  for (const name of ['script', 'out']) await frame.getByRole('link', { name }).click()
  await frame.getByRole('button', { name: 'Send' }).click()
  await tab.getByRole('link', { name: 'Requests' }).click()
  await tab.getByText('No requests yet').waitFor()
  await expect.poll(() => tab.title()).toBe(title.replace('Contract run', 'Requests'))
  expect(leaks).toEqual([])
  // These policy errors are expected.
  expect(errors.splice(before).length).toBeGreaterThan(3)
  await guarded.close()
})

test('a hidden tab closes its connection, and catches up when it is visible again', async () => {
  const show = (isHidden: boolean) =>
    tab.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`)
  await tab.clock.install()
  await open('requests')
  await tab.getByText('No requests yet').waitFor()
  const ended = tab.waitForEvent('requestfailed', (request) => request.url().includes('/events'))
  await show(true)
  await tab.clock.fastForward(31_000)
  await ended
  await send('/pets?limit=9')
  await show(false)
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=9' }).waitFor()
})

test('the console of a proxy shows violations of responses, and no screens of a mock', async () => {
  const { startProxy } = (await import(
    new URL('../cli/proxy/proxy-run.js', built).href
  )) as typeof Proxies
  const broken = await kit.startMock({ defects: ['list.limit-ignored'] })
  const listen = { port: 0, host: '127.0.0.1' }
  const proxy = await startProxy({
    target: new URL(broken.url),
    proxy: undefined,
    timeoutMs: 5_000,
    ...listen,
  })
  onTestFinished(async () => {
    await proxy.close()
    await broken.close()
  })
  await tab.goto(`${proxy.consoleUrl}#/requests`)
  await fetch(`${proxy.url}/pets?limit=3&offset=2`, {
    headers: { authorization: `Bearer ${kit.defaultKey}` },
  })
  await tab.getByRole('link', { name: 'GET /v1/pets?limit=3' }).click()
  await tab.getByText(/returns 20 pets, at most 3 allowed/).waitFor()
  await tab.getByText('limit: integer, minimum 1, maximum 100, default 20.').waitFor()
  await tab.getByText(/unknown parameter "offset"/i).waitFor({ state: 'attached' })
  expect(await tab.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Requests',
    'Scorecard',
  ])
  expect(await tab.getByRole('button', { name: 'Send again' }).count()).toBe(0)
  expect(await violations(tab)).toEqual([])
  await tab.goto(`${proxy.consoleUrl}#/pets`)
  await tab.getByText('A proxy does not have this screen.').waitFor()
})
