/** Checks of each adapter with failing, slow and aborted connections. Independent of a test runner. */

import assert from 'node:assert/strict'

import { defaultKey, type Mock } from '../../../src/mock/index.ts'
import { authority, certificate, type Kit, opened } from './clients.ts'

export interface Fetcher {
  mock: Mock
  url: string
  fetch: typeof globalThis.fetch
  close: () => void | Promise<void>
}

export interface FetchAdapter {
  name: string
  open: (kit: Kit) => Promise<Fetcher>
}

const url = 'http://petstore.test/v1'

export const mswFetch: FetchAdapter = {
  name: 'petstore-kit/msw, by fetch',
  async open(kit) {
    const { mock, ...handlers } = kit.createHandlers(kit.createMock(), { baseUrl: url })
    const server = kit.setupServer(handlers[0])
    server.listen(opened('error'))
    return { mock, url, fetch: globalThis.fetch, close: () => server.close() }
  },
}

export const fetchAdapters: readonly FetchAdapter[] = [
  {
    name: "server, by Node's fetch",
    async open(kit) {
      const mock = await kit.startMock()
      return { mock, url: mock.url, fetch: globalThis.fetch, close: () => mock.close() }
    },
  },
  overTls('HTTP/1.1', false),
  overTls('HTTP/2', true),
  {
    name: 'petstore-kit/fetch',
    async open(kit) {
      const fetch = kit.createFetch(kit.createMock(), { baseUrl: url })
      return { mock: fetch.mock, url, fetch, close() {} }
    },
  },
  throughDispatcher(
    'undici.fetch',
    (kit) => kit.undici.fetch as unknown as typeof globalThis.fetch,
  ),
  throughDispatcher("Node's fetch", () => globalThis.fetch),
]

function overTls(protocol: string, allowH2: boolean): FetchAdapter {
  return {
    name: `server over TLS, by ${protocol}`,
    async open(kit) {
      const mock = await kit.startMock({ tls: certificate })
      const dispatcher = new kit.undici.Agent({ connect: { ca: authority.cert }, allowH2 })
      const fetch = kit.undici.fetch as unknown as typeof globalThis.fetch
      return {
        mock,
        url: mock.url,
        fetch: (input, init) => fetch(input, { ...init, dispatcher } as object),
        async close() {
          await dispatcher.destroy()
          await mock.close()
        },
      }
    },
  }
}

function throughDispatcher(
  name: string,
  fetchOf: (kit: Kit) => typeof globalThis.fetch,
): FetchAdapter {
  return {
    name: `petstore-kit/undici, by ${name}`,
    async open(kit) {
      const dispatcher = kit.createDispatcher(kit.createMock(), { baseUrl: url })
      const fetch = fetchOf(kit)
      return {
        mock: dispatcher.mock,
        url,
        fetch: (input, init) => fetch(input, { ...init, dispatcher } as object),
        close: () => dispatcher.destroy(),
      }
    },
  }
}

const nameOf = ({ name }: Error): string => name

/** A check of each adapter, which throws an AssertionError. */
export interface FaultCheck {
  name: string
  run: (fetcher: Fetcher) => Promise<void>
}

const headers = { authorization: `Bearer ${defaultKey}` }
const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body,
})
const bytesInPage = async ({ fetch, url }: Fetcher): Promise<string> =>
  (await fetch(`${url}/pets`, { headers })).text()

/** Sends a request, waits until the mock has received it, and aborts it. */
async function giveUp({ fetch, mock, url }: Fetcher): Promise<void> {
  const aborting = new AbortController()
  const arrived = mock.journal.waitFor({ after: mock.journal.range.last })
  const pending = fetch(`${url}/pets`, { headers, signal: aborting.signal })
  await arrived
  aborting.abort()
  await assert.rejects(pending, { name: 'AbortError' })
}

const check = (name: string, run: FaultCheck['run']): FaultCheck => ({ name, run })

export const faultChecks: readonly FaultCheck[] = [
  check('a reset rejects one request and creates nothing', async ({ fetch, mock, url }) => {
    mock.use({ when: { operation: 'createPet' }, fault: 'reset', times: 1, reply: { status: 500 } })
    const send = (): Promise<Response> =>
      fetch(`${url}/pets`, post('{"name":"Rex","categoryId":1}'))
    await assert.rejects(send, TypeError)
    assert.equal((await send()).status, 201)
    assert.equal(mock.catalog.size, 101)
  }),
  check('silence lasts until the request is aborted', async (fetcher) => {
    fetcher.mock.use({ fault: 'silence', times: 1 })
    await giveUp(fetcher)
    assert.equal(JSON.parse(await bytesInPage(fetcher)).length, 20)
  }),
  check('a delayed response arrives after the delay', async (fetcher) => {
    fetcher.mock.use({ delayMs: 60, times: 1 })
    const sentAt = performance.now()
    assert.equal(JSON.parse(await bytesInPage(fetcher)).length, 20)
    assert.ok(performance.now() - sentAt > 55)
  }),
  check('a delayed response can be aborted', async (fetcher) => {
    fetcher.mock.use({ delayMs: 600_000, times: 1 })
    await giveUp(fetcher)
  }),
  check(
    'a request with an aborted signal does not reach the mock',
    async ({ fetch, mock, url }) => {
      const pending = fetch(`${url}/pets`, { headers, signal: AbortSignal.abort() })
      await assert.rejects(pending, { name: 'AbortError' })
      assert.equal(mock.journal.list().length, 0)
    },
  ),
  check('reading a truncated body fails', async ({ fetch, mock, url }) => {
    const whole = await bytesInPage({ fetch, mock, url, close() {} })
    mock.use({ fault: 'truncated-body', times: 1 })
    const response = await fetch(`${url}/pets`, { headers })
    assert.equal(response.status, 200)
    assert.equal(Number(response.headers.get('content-length')), Buffer.byteLength(whole))
    await assert.rejects(response.text(), TypeError)
  }),
  check('an empty response rejects one request', async ({ fetch, mock, url }) => {
    mock.use({ fault: 'empty-response', times: 1 })
    await assert.rejects(fetch(`${url}/pets`, { method: 'POST', body: '{}', headers }), TypeError)
    assert.equal((await fetch(`${url}/pets`, { headers })).status, 200)
  }),
  check('reading a body with a broken chunk fails', async ({ fetch, mock, url }) => {
    mock.use({ fault: 'broken-chunk', times: 1 })
    const response = await fetch(`${url}/pets`, { headers })
    assert.equal(response.status, 200)
    await assert.rejects(response.text(), TypeError)
    assert.equal((await fetch(`${url}/pets`, { headers })).status, 200)
  }),
  check('a slow body arrives completely after its time', async (fetcher) => {
    const whole = await bytesInPage(fetcher)
    fetcher.mock.use({ fault: { slowBodyMs: 100 }, times: 1 })
    const sentAt = performance.now()
    assert.equal(await bytesInPage(fetcher), whole)
    assert.ok(performance.now() - sentAt > 90)
  }),
  check('a slow body arrives in pieces', async (fetcher) => {
    const { fetch, mock, url } = fetcher
    const whole = await bytesInPage(fetcher)
    mock.use({ fault: { slowBodyMs: 60_000 }, times: 1 })
    const aborting = new AbortController()
    const response = await fetch(`${url}/pets`, { headers, signal: aborting.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const { value = new Uint8Array() } = await reader.read()
    assert.ok(value.length > 0)
    assert.ok(whole.startsWith(Buffer.from(value).toString()))
    assert.ok(value.length < Buffer.byteLength(whole))
    aborting.abort()
    await assert.rejects(reader.read(), { name: 'AbortError' })
  }),
  check('a slow body can be aborted', async ({ fetch, mock, url }) => {
    mock.use({ fault: { slowBodyMs: 600_000 }, times: 1 })
    const aborting = new AbortController()
    const response = await fetch(`${url}/pets`, { headers, signal: aborting.signal })
    const body = response.text()
    aborting.abort()
    await assert.rejects(body, { name: 'AbortError' })
  }),
  check('a rule with a count returns errors that often', async ({ fetch, mock, url }) => {
    mock.use({ reply: { status: 503, headers: { 'retry-after': '1' } }, times: 2 })
    const statuses: number[] = []
    for (let sent = 0; sent < 3; sent += 1) {
      const response = await fetch(`${url}/pets/1`, { headers })
      statuses.push(response.status)
      const body = (await response.json()) as { status: number | string }
      if (response.status === 503) assert.equal(body.status, 503)
    }
    assert.deepEqual(statuses, [503, 503, 200])
  }),
  check('a reset restores the pets', async ({ fetch, mock, url }) => {
    const statusOf = async (): Promise<number> =>
      (await fetch(`${url}/pets/101`, { headers })).status
    assert.equal((await fetch(`${url}/pets`, post('{"name":"Rex","categoryId":1}'))).status, 201)
    assert.equal(await statusOf(), 200)
    mock.reset()
    assert.equal(await statusOf(), 404)
  }),
  check(
    'a redirect is followed, rejected or returned, according to the request',
    async ({ fetch, mock, url }) => {
      mock.configure({ profile: { 'http.trailing-slash': 'redirect' } })
      const followed = await fetch(`${url}/pets/?limit=1`, { headers })
      assert.equal(followed.status, 200)
      assert.equal(followed.redirected, true)
      assert.equal(followed.url, `${url}/pets?limit=1`)
      assert.equal(((await followed.json()) as object[]).length, 1)
      await assert.rejects(fetch(`${url}/pets/`, { headers, redirect: 'error' }), TypeError)
      assert.equal((await fetch(`${url}/pets/`, { headers, redirect: 'manual' })).status, 308)
    },
  ),
]

/**
 * Not for MSW, which handles redirects itself and in some versions does not resend a body, and rejects with another error
 * when a request is aborted a few microtasks after its response.
 */
export const resendingChecks: readonly FaultCheck[] = [
  check('a creation is sent again to the target of a redirect', async ({ fetch, mock, url }) => {
    mock.configure({ profile: { 'http.trailing-slash': 'redirect' } })
    const created = await fetch(`${url}/pets/`, post('{"name":"Rex","categoryId":1}'))
    assert.equal(created.status, 201)
    assert.equal(
      await created.text(),
      '{"id":101,"name":"Rex","categoryId":1,"status":"available"}',
    )
  }),
  check('an abort at any moment ends the request', async ({ fetch, mock, url }) => {
    for (const rule of [{}, { fault: 'silence' as const }, { fault: { slowBodyMs: 600_000 } }]) {
      mock.removeRules()
      if (Object.keys(rule).length > 0) mock.use(rule)
      for (let microtasks = 0; microtasks < 40; microtasks += 1) {
        const aborting = new AbortController()
        const sent = fetch(`${url}/pets?limit=1`, { headers, signal: aborting.signal })
        const ended = sent.then(async (response) => response.text()).catch(nameOf)
        for (let waited = 0; waited < microtasks; waited += 1) await Promise.resolve()
        aborting.abort()
        assert.match(await ended, /^(?:AbortError$|\[)/, `after ${microtasks} microtasks`)
      }
    }
  }),
]
