import { createFetch, createMock } from 'petstore-kit/fetch'
import { expect, test } from 'vitest'
import { Shop } from './shop.ts'

const url = 'https://api.example.com/v1'
const mock = createMock()

/** A shop with its own sandbox, so that tests can run in parallel. */
function openShop(name: string): { shop: Shop; sandbox: ReturnType<typeof mock.sandboxes.get> } {
  const sandbox = mock.sandboxes.get(name)
  return { shop: new Shop(url, sandbox.key, createFetch(mock, { baseUrl: url })), sandbox }
}

test.concurrent('lists what is for sale', async () => {
  const { shop, sandbox } = openShop('for sale')
  sandbox.catalog.import([
    { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
    { id: 2, name: 'Max', categoryId: 1, status: 'sold' },
  ])
  expect(await shop.forSale()).toEqual(['Bella'])
})

test.concurrent('retries once when the service is busy', async () => {
  const { shop, sandbox } = openShop('busy')
  sandbox.use({ reply: { status: 503 }, times: 1 })
  expect(await shop.forSale()).toHaveLength(5)
  expect(sandbox.journal.list().map(({ response }) => response.status)).toEqual([503, 200])
})

test.concurrent('reports that the service is closed', async () => {
  const { shop, sandbox } = openShop('closed')
  sandbox.use({ reply: { status: 503 } })
  await expect(shop.forSale()).rejects.toThrow('The service is closed (503).')
})

test.concurrent('makes no mistake that the service would reject', async () => {
  const { shop, sandbox } = openShop('scorecard')
  await shop.forSale()
  const [scorecard] = await sandbox.scorecards()
  expect(scorecard).toMatchObject({ issues: [] })
})
