/** The mock of the tests: the same engine as in `npm run dev`, without a service worker. */
import { setupServer } from 'msw/node'
import { createHandlers, createMock } from 'petstore-kit/msw'

export const mock = createMock({
  data: [
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Bella', categoryId: 2, status: 'sold' },
    // A number would round this id to ...992.
    {
      id: 9_007_199_254_740_993n,
      name: 'Max',
      categoryId: 9_223_372_036_854_775_807n,
      status: 'pending',
    },
  ],
})

export const server = setupServer(...createHandlers(mock, { baseUrl: 'https://pets.test/v1' }))
