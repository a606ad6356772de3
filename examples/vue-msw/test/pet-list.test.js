import { cleanup, fireEvent, render, screen } from '@testing-library/vue'
import { setupServer } from 'msw/node'
import { createHandlers, createMock } from 'petstore-kit/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import PetList from '../src/PetList.vue'

const baseUrl = 'https://api.example.com/v1'
const mock = createMock()
const server = setupServer(...createHandlers(mock, { baseUrl }))
// The same option by its name in MSW 2 and in MSW 3.
beforeAll(() => server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' }))
afterEach(() => {
  cleanup()
  mock.reset()
})
afterAll(() => server.close())

const open = () => render(PetList, { props: { baseUrl, apiKey: 'petstore-test-key' } })
const names = async () => (await screen.findAllByRole('listitem')).map((item) => item.textContent)

test('shows pets that are available', async () => {
  mock.catalog.import([
    { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
    { id: 2, name: 'Max', categoryId: 1, status: 'sold' },
  ])
  open()
  expect(await names()).toEqual(['Bella'])
})

test('offers another attempt after an error', async () => {
  mock.use({ reply: { status: 503 }, times: 1 })
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('problem (503)')
  await fireEvent.click(screen.getByRole('button'))
  expect(await names()).toHaveLength(5)
})

test('says that the service cannot be reached', async () => {
  mock.use({ fault: 'reset', times: 1 })
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached')
})

test('makes no mistake that the service would reject', async () => {
  open()
  await names()
  const [scorecard] = await mock.scorecards()
  expect(scorecard).toMatchObject({ score: 100, issues: [] })
})
