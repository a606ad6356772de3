import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { defaultKey } from 'petstore-kit/msw'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { mock, server } from '../src/mocks/server.ts'
import { Page } from '../src/page.tsx'
import { createPetStore } from '../src/pet-store.ts'

// The same option by its name in MSW 2 and in MSW 3.
const unhandled = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const
beforeAll(() => server.listen(unhandled))
afterAll(() => server.close())
afterEach(() => {
  cleanup()
  // A rule that no request used is usually a mistake in the test.
  const pending = mock.pendingRules()
  mock.reset()
  expect(pending).toEqual([])
})

const baseUrl = 'https://pets.test/v1'

function open(options: { apiKey?: string; timeoutMs?: number } = {}): void {
  render(<Page store={createPetStore({ baseUrl, apiKey: defaultKey, ...options })} />)
}

/** The names in the list, when it has loaded. */
async function namesShown(): Promise<(string | null | undefined)[]> {
  const list = await screen.findByRole('list', { name: 'Pets' })
  return within(list)
    .getAllByRole('listitem')
    .map((item) => item.querySelector('strong')?.textContent)
}

const show = (status: string) =>
  fireEvent.change(screen.getByLabelText('Show'), { target: { value: status } })

function add(pet: { name: string; category: string; status?: string }): void {
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: pet.name } })
  fireEvent.change(screen.getByLabelText('Category'), { target: { value: pet.category } })
  fireEvent.change(screen.getByLabelText('Status of the new pet'), {
    target: { value: pet.status ?? '' },
  })
  fireEvent.submit(screen.getByRole('form', { name: 'Add a pet' }))
}

describe('the list', () => {
  test('shows all pets, with exact ids above 2^53', async () => {
    open()
    expect(screen.getByRole('status').textContent).toBe('Loading …')
    expect(await namesShown()).toEqual(['Max', 'Bella', 'Rex'])
    const max = screen.getByText('Max').closest('li')
    expect(max?.textContent).toContain('no. 9007199254740993')
    expect(max?.textContent).toContain('category 9223372036854775807, pending')
  })

  test('shows the pets of one status', async () => {
    open()
    await namesShown()
    show('sold')
    expect(await screen.findByText('Loading …')).toBeDefined()
    expect(await namesShown()).toEqual(['Bella'])
    expect(mock.journal.last()?.request.target).toBe('/v1/pets?limit=100&status=sold')
  })

  test('shows that there are none', async () => {
    mock.catalog.import([])
    open()
    expect(await screen.findByText('No pets found.')).toBeDefined()
  })

  test('ignores a late response to an earlier filter', async () => {
    mock.use({
      when: { operation: 'listPets', query: { status: 'sold' } },
      fault: 'silence',
      times: 1,
    })
    open()
    await namesShown()
    const after = mock.journal.range.last
    show('sold')
    await mock.journal.waitFor({ after })
    show('pending')
    expect(await namesShown()).toEqual(['Max'])
  })
})

describe('when the list fails', () => {
  test('the page shows the error and a button to retry', async () => {
    mock.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
    open()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('The pet store has a problem (503).')
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await namesShown()).toHaveLength(3)
  })

  test('a connection reset is shown', async () => {
    mock.use({ fault: 'reset', times: 1 })
    open()
    expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached')
  })

  test('a truncated response is not shown', async () => {
    mock.use({ fault: 'truncated-body', times: 1 })
    open()
    expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached')
  })

  test('a request times out', async () => {
    mock.use({ fault: 'silence', times: 1 })
    open({ timeoutMs: 50 })
    expect((await screen.findByRole('alert')).textContent).toContain('did not respond in time')
  })

  test('a rejected key has its own message', async () => {
    open({ apiKey: 'expired' })
    expect((await screen.findByRole('alert')).textContent).toContain('does not accept the key')
  })
})

describe('the form', () => {
  test('adds a pet, and the list shows it', async () => {
    open()
    await namesShown()
    add({ name: 'Zoë', category: '4', status: 'pending' })
    expect(await screen.findByText('Added Zoë as no. 3.')).toBeDefined()
    expect(await namesShown()).toEqual(['Zoë', 'Max', 'Bella', 'Rex'])
  })

  test('omits an unset status, and sends large integers exactly', async () => {
    open()
    await namesShown()
    add({ name: 'Luna', category: '9007199254740995' })
    await screen.findByText(/^Added Luna/)
    const sent = mock.journal.last({ operation: 'createPet' })
    expect(sent?.request.body).toBe('{"name":"Luna","categoryId":9007199254740995}')
  })

  test('shows why the service rejects a pet, and keeps the input', async () => {
    open()
    await namesShown()
    add({ name: 'Luna', category: '9223372036854775808' })
    expect((await screen.findByRole('alert')).textContent).toMatch(/categoryId/)
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Luna')
    expect(mock.journal.last()?.response.status).toBe(400)
  })

  test('rejects a category that is not a number', async () => {
    open()
    await namesShown()
    add({ name: 'Luna', category: 'cats' })
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The category must be a whole number.',
    )
    expect(mock.journal.list({ operation: 'createPet' })).toEqual([])
  })

  test.each([{ fault: 'reset' as const }, { reply: { status: 502 } }])(
    'does not retry a creation that may have succeeded: %j',
    async (rule) => {
      mock.use({ when: { operation: 'createPet' }, ...rule, times: 1 })
      open()
      await namesShown()
      add({ name: 'Luna', category: '1' })
      expect((await screen.findByRole('alert')).textContent).toContain(
        'Check the list before you add the pet again.',
      )
      expect(mock.journal.list({ operation: 'createPet' })).toHaveLength(1)
    },
  )
})

test('the requests of the page follow the contract', async () => {
  open()
  await namesShown()
  add({ name: 'Zoë', category: '4' })
  await screen.findByText(/^Added Zoë/)
  show('available')
  await namesShown()
  const scorecards = await mock.scorecards()
  expect(scorecards.flatMap(({ issues }) => issues)).toEqual([])
  expect(scorecards.map(({ score }) => score)).toEqual([100])
})
