import { provideHttpClient, withFetch } from '@angular/common/http'
import { TestBed } from '@angular/core/testing'
import { setupServer } from 'msw/node'
import { createHandlers, createMock } from 'petstore-kit/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PetList } from './pet-list'

const mock = createMock()
const server = setupServer(...createHandlers(mock, { baseUrl: 'https://api.example.com/v1' }))
// The same option by its name in MSW 2 and in MSW 3.
const unhandled = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const
beforeAll(() => server.listen(unhandled))
afterEach(() => mock.reset())
afterAll(() => server.close())

async function open() {
  TestBed.configureTestingModule({ providers: [provideHttpClient(withFetch())] })
  const fixture = TestBed.createComponent(PetList)
  await fixture.whenStable()
  return { page: fixture.nativeElement as HTMLElement, fixture }
}
const names = (page: HTMLElement) => [...page.querySelectorAll('li')].map((li) => li.textContent)

test('shows pets that are available', async () => {
  mock.catalog.import([
    { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
    { id: 2, name: 'Max', categoryId: 1, status: 'sold' },
  ])
  const { page } = await open()
  expect(names(page)).toEqual(['Bella'])
})

test('offers another attempt after an error', async () => {
  mock.use({ reply: { status: 503 }, times: 1 })
  const { page, fixture } = await open()
  expect(page.querySelector('[role=alert]')?.textContent).toContain('problem (503)')
  page.querySelector('button')?.click()
  await fixture.whenStable()
  expect(names(page)).toHaveLength(5)
})

test('says that the service cannot be reached', async () => {
  mock.use({ fault: 'reset', times: 1 })
  const { page } = await open()
  expect(page.querySelector('[role=alert]')?.textContent).toContain('cannot be reached')
})

test('makes no mistake that the service would reject', async () => {
  await open()
  const [scorecard] = await mock.scorecards()
  expect(scorecard).toMatchObject({ score: 100, issues: [] })
})
