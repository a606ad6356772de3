import { expect, type Page, test as base } from '@playwright/test'
import { defaultKey } from 'petstore-kit/mock'
import {
  petstore,
  type PetstoreFixtures,
  type PetstoreWorkerFixtures,
} from 'petstore-kit/playwright'

const test = base.extend<PetstoreFixtures, PetstoreWorkerFixtures>(petstore)

/** Sends requests from a page, with the key that an application has, another one or none. */
const send = ({ urls, authorization }: { urls: string[]; authorization?: string }) =>
  Promise.all(
    urls.map((url) =>
      fetch(url, authorization === undefined ? {} : { headers: { authorization } }).then(
        ({ status }) => status,
        (error: Error) => error.name,
      ),
    ),
  )
const statusesIn = (page: Page, urls: string[], authorization = `Bearer ${defaultKey}`) =>
  page.evaluate(send, { urls, authorization })

for (const name of ['one', 'two']) {
  test(`has its own sandbox: ${name}`, async ({ page, petstore }) => {
    expect(petstore.name).toMatch(/^has-its-own-sandbox-/)
    await petstore.pets.create({ name: 'Rex', categoryId: 1, status: 'sold' })
    expect(petstore.catalog.export()).toHaveLength(101)
    petstore.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
    expect(await statusesIn(page, [`${petstore.url}/pets`])).toEqual([503])
    expect(await statusesIn(page, [`${petstore.url}/pets`])).toEqual([200])
    expect(petstore.journal.list().map(({ response }) => response.status)).toEqual([503, 200])
  })
}

for (const petstoreBaseUrl of ['https://API.example.com:443/v1/', '/v1']) {
  test.describe(petstoreBaseUrl, () => {
    test.use({ baseURL: 'https://api.example.com', petstoreBaseUrl })
    test('is served from the mock', async ({ page, petstore }) => {
      const urls = ['https://api.example.com/v1/pets?limit=1', 'https://api.example.com/v1/pets/0']
      expect(await statusesIn(page, urls)).toEqual([200, 404])
      petstore.use({ fault: 'reset', times: 1 })
      expect(await statusesIn(page, urls.slice(1))).toEqual(['TypeError'])
    })
  })
}

test.describe('routes of the test itself', () => {
  test.use({ petstoreBaseUrl: 'https://api.example.com/v1' })
  test('lead to the mock', async ({ page, petstore }) => {
    const pets = 'https://api.example.com/v1/pets'
    await page.route(`${pets}?limit=1`, (route) => route.fallback())
    await page.route(`${pets}?limit=2`, async (route) => {
      const url = route.request().url().replace('https://api.example.com/v1', petstore.url)
      const headers = { ...route.request().headers(), authorization: `Bearer ${petstore.key}` }
      const response = await route.fetch({ url, headers })
      await route.fulfill({ response, status: 203 })
    })
    expect(await statusesIn(page, [`${pets}?limit=1`, `${pets}?limit=2`])).toEqual([200, 203])
    expect(petstore.journal.list()).toHaveLength(2)
  })
})

test('a missing key and a wrong one get 401, and stay out of the scorecard of the test', async ({
  page,
  petstore,
}) => {
  const urls = [`${petstore.url}/pets`]
  const before = petstore.mock.journal.list().length
  expect(await page.evaluate(send, { urls })).toEqual([401])
  expect(await statusesIn(page, urls, 'Bearer wrong')).toEqual([401])
  expect(await statusesIn(page, urls, `Basic ${defaultKey}`)).toEqual([401])
  expect(petstore.journal.list()).toEqual([])
  expect(petstore.mock.journal.list()).toHaveLength(before + 3)
  expect(await statusesIn(page, urls, `Bearer ${petstore.key}`)).toEqual([200])
})

test.describe('a page with a key of its own', () => {
  test.use({ petstorePageKey: 'key-of-the-page' })
  test('sends it, and no other', async ({ page, petstore }) => {
    const urls = [`${petstore.url}/pets`]
    expect(await statusesIn(page, urls, 'Bearer key-of-the-page')).toEqual([200])
    expect(petstore.journal.list()).toHaveLength(1)
    expect(await page.evaluate(send, { urls })).toEqual([401])
  })
})

test.describe('a page whose own server adds the key', () => {
  test.use({ petstorePageKey: null })
  test('sends none', async ({ page, petstore }) => {
    const urls = [`${petstore.url}/pets`]
    expect(await page.evaluate(send, { urls })).toEqual([200])
    expect(await statusesIn(page, urls, 'Bearer wrong')).toEqual([401])
  })
})

test.describe('another title, and', () => {
  test('every test sees the pets of the mock', ({ petstore }) => {
    expect(petstore.catalog.export()[0]).toMatchObject({ id: 1, name: 'Tuffy the Chartreux' })
  })
})

test.describe('a relative base URL without baseURL', () => {
  test.use({ petstoreBaseUrl: '/v1' })
  test('is rejected', () => {})
})

test('fails when a rule was never used, also when it should fail', ({ petstore }) => {
  test.fail()
  petstore.use({ reply: { status: 503 } })
})

test('fails when a rule was never used', async ({ petstore }) => {
  petstore.use({ reply: { status: 503 } })
})

test('attaches the journal when it fails', async ({ page, petstore }) => {
  // A pet whose category a JavaScript client would round.
  const headers = { authorization: `Bearer ${petstore.key}`, 'content-type': 'application/json' }
  const body = '{"name":"Rex","categoryId":9007199254740993}'
  expect((await fetch(`${petstore.url}/pets`, { method: 'POST', headers, body })).status).toBe(201)
  expect(await page.evaluate(send, { urls: [`${petstore.url}/pets`] })).toEqual([404])
})
