// @vitest-environment happy-dom
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, test } from 'vitest'

import { createFetch, createMock, defaultKey } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'

/** Of the page, which the types of Node do not know. */
declare const location: { href: string }

const headers = { authorization: `Bearer ${defaultKey}` }
const rex: RequestInit = {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: '{"name":"Rex","categoryId":1}',
}
const mock = createMock({ pets: 3 })
const server = setupServer(...createHandlers(mock, { baseUrl: '/v1' }))
afterEach(() => {
  server.close()
  mock.reset()
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
])('in a page of happy-dom, with classes of its own: %s', (name, open) => {
  test('a page lists and creates', async () => {
    const fetch = open()
    const listed = await fetch('/v1/pets', { headers })
    expect([listed.status, listed.url]).toEqual([200, new URL('/v1/pets', location.href).href])
    expect(await listed.json()).toHaveLength(3)
    const created = await fetch('/v1/pets', rex)
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ id: 4 })])
  })

  test('names of headers have any case', async () => {
    const fetch = open()
    const sent = { Authorization: `Bearer ${defaultKey}`, 'Content-Type': 'application/json' }
    expect((await fetch('/v1/pets', { ...rex, headers: sent })).status).toBe(201)
  })

  test('faults', async () => {
    const fetch = open()
    mock.use({ fault: 'reset', times: 1 })
    await expect(fetch('/v1/pets', { headers })).rejects.toThrow(/fetch/)
    mock.use({ fault: 'truncated-body', times: 1 })
    const broken = await fetch('/v1/pets', { headers })
    await expect(broken.text()).rejects.toThrow('terminated')
    mock.use({ fault: { slowBodyMs: 30 }, times: 1 })
    expect(await (await fetch('/v1/pets', { headers })).json()).toHaveLength(3)
  })

  test('an abort', async () => {
    const fetch = open()
    mock.use({ fault: 'silence', times: 1 })
    const aborting = new AbortController()
    const arrived = mock.journal.waitFor()
    const silent = fetch('/v1/pets', { headers, signal: aborting.signal }).catch((error: Error) => error.name)
    await arrived
    aborting.abort()
    expect(await silent).toBe('AbortError')
  })

  test('a redirect', async () => {
    const fetch = open()
    mock.configure({ profile: { 'http.trailing-slash': 'redirect' } })
    const moved = await fetch('/v1/pets/?limit=2', { headers })
    expect([moved.status, moved.redirected]).toEqual([200, true])
    if (name === 'petstore-kit/fetch') {
      const { method, headers, body } = rex
      expect(
        (await fetch('/v1/pets/', { method: method ?? '', headers: headers ?? {}, body: body ?? '' })).status,
      ).toBe(201)
    }
  })
})
