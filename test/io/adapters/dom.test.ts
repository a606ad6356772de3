// @vitest-environment happy-dom
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, test } from 'vitest'

import { createFetch, createMock, defaultKey } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { type FaultCheck, faultChecks } from './fault-checks.ts'

/** Of the page, which the types of Node do not know. */
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
])('in a page of happy-dom, with classes of its own: %s', (_, open) => {
  test('a page lists and creates', async () => {
    const fetch = open()
    const listed = await fetch('/v1/pets', { headers })
    expect([listed.status, listed.url]).toEqual([200, new URL('/v1/pets', location.href).href])
    expect(await listed.json()).toHaveLength(20)
    const created = await fetch('/v1/pets', rex)
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ id: 101 })])
  })

  test('names of headers have any case', async () => {
    const fetch = open()
    const sent = { Authorization: `Bearer ${defaultKey}`, 'Content-Type': 'application/json' }
    expect((await fetch('/v1/pets', { ...rex, headers: sent })).status).toBe(201)
  })

  // Where the classes are those of happy-dom, a body that breaks off fails with another error.
  const isAlike = ({ name }: FaultCheck): boolean => !name.includes('breaks off')
  test.each(faultChecks.filter(isAlike))('$name', async ({ run }) => {
    await run({ mock, url: new URL('/v1', location.href).href, fetch: open(), close() {} })
  })

  test('a body that breaks off', async () => {
    const fetch = open()
    mock.use({ fault: 'truncated-body', times: 1 })
    await expect((await fetch('/v1/pets', { headers })).text()).rejects.toThrow('terminated')
  })
})
