// @vitest-environment happy-dom
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, test } from 'vitest'

import { createFetch, createMock, defaultKey } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { type FaultCheck, faultChecks } from './fault-checks.ts'

/** A global of the page, which the Node types do not have. */
declare const location: { href: string }

const headers = { authorization: `Bearer ${defaultKey}` }
const rex: RequestInit = {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: '{"name":"Rex","categoryId":1}',
}
const mock = createMock()
const server = setupServer(...createHandlers(mock, { baseUrl: '/v1' }))
afterEach(() => {
  server.close()
  mock.reset()
  mock.journal.clear()
})

describe.each([
  ['petstore-kit/fetch', () => createFetch(mock, { baseUrl: '/v1' })],
  [
    'petstore-kit/msw',
    () => {
      server.listen({ onUnhandledRequest: 'error' })
      return globalThis.fetch
    },
  ],
])('in happy-dom, which has its own classes: %s', (_, open) => {
  test('a page lists and creates', async () => {
    const fetch = open()
    const listed = await fetch('/v1/pets', { headers })
    expect([listed.status, listed.url]).toEqual([200, new URL('/v1/pets', location.href).href])
    expect(await listed.json()).toHaveLength(20)
    const created = await fetch('/v1/pets', rex)
    expect([created.status, await created.json()]).toEqual([
      201,
      expect.objectContaining({ id: 101 }),
    ])
  })

  test('accepts header names in any letter case', async () => {
    const fetch = open()
    const sent = { Authorization: `Bearer ${defaultKey}`, 'Content-Type': 'application/json' }
    expect((await fetch('/v1/pets', { ...rex, headers: sent })).status).toBe(201)
  })

  // With the classes of happy-dom, a body that ends early fails with another error.
  const isAlike = ({ name }: FaultCheck): boolean => !/truncated|broken/.test(name)
  test.each(faultChecks.filter(isAlike))('$name', async ({ run }) => {
    await run({ mock, url: new URL('/v1', location.href).href, fetch: open(), close() {} })
  })

  test.each(['truncated-body', 'broken-chunk'] as const)('%s', async (fault) => {
    const fetch = open()
    mock.use({ fault, times: 1 })
    await expect((await fetch('/v1/pets', { headers })).text()).rejects.toThrow('terminated')
  })
})
