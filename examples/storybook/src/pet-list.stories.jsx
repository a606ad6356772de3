import { createHandlers, createMock } from 'petstore-kit/msw'
import { expect, userEvent } from 'storybook/test'
import { PetList } from './pet-list.jsx'

const baseUrl = 'https://api.example.com/v1'

export default { component: PetList, args: { baseUrl, apiKey: 'petstore-test-key' } }

/** A story with a mock of its own, which starts again each time the story is shown. */
const withMock = (options, rule) => ({
  beforeEach({ msw }) {
    const mock = createMock(options)
    if (rule !== undefined) mock.use(rule)
    msw.use(...createHandlers(mock, { baseUrl }))
  },
})

export const Full = {
  ...withMock({ pets: 30 }),
  play: async ({ canvas }) => expect(await canvas.findAllByRole('listitem')).toHaveLength(5),
}

export const Empty = {
  ...withMock({ pets: 0 }),
  play: async ({ canvas }) => expect(await canvas.findByText('No pets found.')).toBeVisible(),
}

export const Loading = {
  ...withMock({}, { fault: 'silence' }),
  play: ({ canvas }) => expect(canvas.getByRole('status')).toBeVisible(),
}

export const Unavailable = {
  ...withMock({}, { reply: { status: 503 }, times: 1 }),
  play: async ({ canvas }) => expect(await canvas.findByText(/problem \(503\)/)).toBeVisible(),
}

export const TriesAgain = {
  ...Unavailable,
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: 'Try again' }))
    await expect(await canvas.findAllByRole('listitem')).toHaveLength(5)
  },
}
