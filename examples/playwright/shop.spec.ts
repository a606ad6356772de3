import { test as base, expect } from '@playwright/test'
import {
  petstore,
  type PetstoreFixtures,
  type PetstoreWorkerFixtures,
} from 'petstore-kit/playwright'

/** Each test has its own sandbox, so that tests can run in parallel. */
const test = base.extend<PetstoreFixtures, PetstoreWorkerFixtures>(petstore)

// What the page calls. The mock responds.
test.use({ petstoreBaseUrl: 'https://api.example.com/v1' })

test.beforeEach(async ({ page, petstore }) => {
  petstore.catalog.import([{ id: 1, name: 'Bella', categoryId: 1, status: 'available' }])
  await page.goto(new URL('shop.html', import.meta.url).href)
  await expect(page.getByRole('status')).toHaveText('1 pets')
})

test('a pet that is added is shown', async ({ page, petstore }) => {
  await page.getByLabel('Name').fill('Zoë')
  await page.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Zoë' })).toBeVisible()
  expect(petstore.journal.last({ operation: 'createPet' })?.response.status).toBe(201)
})

test('an outage is explained', async ({ page, petstore }) => {
  petstore.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
  await page.reload()
  await expect(page.getByRole('status')).toHaveText('The shop is closed (503).')
})

test('a slow service shows that it loads', async ({ page, petstore }) => {
  petstore.use({ when: { operation: 'listPets' }, delayMs: 500, times: 1 })
  await page.reload({ waitUntil: 'commit' })
  await expect(page.getByRole('status')).toHaveText('Loading…')
  await expect(page.getByRole('status')).toHaveText('1 pets')
})
