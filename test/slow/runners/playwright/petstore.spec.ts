import { expect, test as base } from '@playwright/test'
import {
  petstore,
  type PetstoreFixtures,
  type PetstoreWorkerFixtures,
} from 'petstore-kit/playwright'

const test = base.extend<PetstoreFixtures, PetstoreWorkerFixtures>(petstore)

/** Sends requests from a page, without a key. */
const statuses = (urls: string[]): Promise<(number | string)[]> =>
  Promise.all(
    urls.map((url) =>
      fetch(url).then(
        ({ status }) => status,
        (error: Error) => error.name,
      ),
    ),
  )

for (const name of ['one', 'two']) {
  test(`has its own sandbox: ${name}`, async ({ page, petstore }) => {
    await petstore.pets.create({ name: 'Rex', categoryId: 1, status: 'sold' })
    expect(petstore.catalog.export()).toHaveLength(101)
    petstore.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
    expect(await page.evaluate(statuses, [`${petstore.url}/pets`])).toEqual([503])
    expect(await page.evaluate(statuses, [`${petstore.url}/pets`])).toEqual([200])
    expect(petstore.journal.list().map(({ response }) => response.status)).toEqual([503, 200])
  })
}

for (const petstoreBaseUrl of ['https://API.example.com:443/v1/', '/v1']) {
  test.describe(petstoreBaseUrl, () => {
    test.use({ baseURL: 'https://api.example.com', petstoreBaseUrl })
    test('is served from the mock', async ({ page, petstore }) => {
      const urls = ['https://api.example.com/v1/pets?limit=1', 'https://api.example.com/v1/pets/0']
      expect(await page.evaluate(statuses, urls)).toEqual([200, 404])
      petstore.use({ fault: 'reset', times: 1 })
      expect(await page.evaluate(statuses, urls.slice(1))).toEqual(['TypeError'])
    })
  })
}

test('fails when a rule was never used', async ({ petstore }) => {
  petstore.use({ reply: { status: 503 } })
})

test('attaches the journal when it fails', async ({ page, petstore }) => {
  // A pet whose category a JavaScript client would round.
  const headers = { authorization: `Bearer ${petstore.key}`, 'content-type': 'application/json' }
  const body = '{"name":"Rex","categoryId":9007199254740993}'
  expect((await fetch(`${petstore.url}/pets`, { method: 'POST', headers, body })).status).toBe(201)
  expect(await page.evaluate(statuses, [`${petstore.url}/pets`])).toEqual([404])
})
