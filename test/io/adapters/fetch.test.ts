import { describe, expect, expectTypeOf, test, vi } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { createFetch, createMock, defaultKey } from '../../../src/mock/adapters/fetch.ts'

const baseUrl = 'https://api.example.com/v1'
const headers = { authorization: `Bearer ${defaultKey}` }
const json = { ...headers, 'content-type': 'application/json' }
const rex = '{"name":"Rex","categoryId":1}'

describe('request matching', () => {
  const outer = vi.fn<typeof globalThis.fetch>(async () => new Response('outside'))
  const fetch = createFetch({ pets: 3 }, { baseUrl, passthrough: outer })
  const isMocked = async (input: string | URL | Request): Promise<boolean> => {
    const response = await fetch(input, { headers })
    return (await response.text()) !== 'outside'
  }

  test.each([
    [`${baseUrl}/pets`, true],
    [baseUrl, true],
    [`${baseUrl}?a`, true],
    [`${baseUrl}/pets#top`, true],
    ['HTTPS://API.example.com:443/v1/pets', true],
    ['https://api.example.com/a/../v1/pets', true],
    ['https://api.example.com/v10/pets', false],
    ['https://api.example.com/V1/pets', false],
    ['https://api.example.com/', false],
    ['https://api.example.com.evil.test/v1/pets', false],
    ['https://other.test/https://api.example.com/v1/pets', false],
    ['http://api.example.com/v1/pets', false],
    ['https://api.example.com:444/v1/pets', false],
    ['data:text/plain,outside', false],
  ])('%s: %s', async (url, mocked) => {
    expect(await isMocked(url)).toBe(mocked)
    expect(await isMocked(new URL(url))).toBe(mocked)
    expect(await isMocked(new Request(url))).toBe(mocked)
  })

  test('passes other requests through unchanged', async () => {
    const [input, init] = [new Request('https://other.test/x'), { headers }]
    await fetch(input, init)
    expect(outer.mock.lastCall).toEqual([input, init])
    expect(outer.mock.lastCall?.[0]).toBe(input)
  })

  test('handles the base path of any origin by default', async () => {
    const fetch = createFetch({ basePath: '/store/v2' }, { passthrough: outer })
    expect((await fetch('http://a.test:81/store/v2/pets', { headers })).status).toBe(200)
    expect(await (await fetch('http://a.test/v1/pets')).text()).toBe('outside')
  })

  test('takes a URL object as its base URL', async () => {
    const fetch = createFetch({}, { baseUrl: new URL(`${baseUrl}/`) })
    expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200)
    expect(() => createFetch({}, { baseUrl: new URL('https://a.test/v1?key=1') })).toThrow(
      'baseUrl must have neither query nor fragment nor user',
    )
  })

  test('resolves a path without a page', async () => {
    expect((await fetch('/v1/pets', { headers })).url).toBe(`${baseUrl}/pets`)
    expect((await createFetch()('/v1/pets', { headers })).url).toBe('http://localhost/v1/pets')
  })

  test('resolves a path in a page', async () => {
    vi.stubGlobal('location', { href: 'http://page.test/shop/' })
    const fetch = createFetch({}, { baseUrl: '/v1' })
    expect((await fetch('/v1/pets', { headers })).url).toBe('http://page.test/v1/pets')
    expect((await fetch('../v1/pets', { headers })).status).toBe(200)
    vi.unstubAllGlobals()
  })

  test('can replace the global fetch', async () => {
    vi.stubGlobal('fetch', outer)
    vi.stubGlobal('fetch', createFetch({}, { baseUrl }))
    expect((await globalThis.fetch(`${baseUrl}/pets`, { headers })).status).toBe(200)
    expect(await (await globalThis.fetch('https://other.test/')).text()).toBe('outside')
    vi.unstubAllGlobals()
  })

  test('rejects other requests without a passthrough', async () => {
    const fetch = createFetch({}, { baseUrl, passthrough: false })
    const rejected = fetch('https://other.test/v1/pets')
    await expect(rejected).rejects.toThrow(UsageError)
    await expect(rejected).rejects.toThrow(
      'The mock serves https://api.example.com/v1; the request was for https://other.test/v1/pets',
    )
  })
})

describe('requests and responses', () => {
  const { mock, ...rest } = { mock: createMock({ pets: 3 }), baseUrl, passthrough: false as const }
  const fetch = createFetch(mock, rest)
  const bytes = new TextEncoder().encode(rex)

  test.each<[string, () => BodyOf]>([
    ['a string', () => rex],
    ['bytes', () => bytes],
    ['an ArrayBuffer', () => bytes.buffer],
    ['a Blob', () => new Blob([rex])],
    ['a stream', () => new Blob([rex]).stream()],
    [
      'an async iterable',
      () =>
        (async function* () {
          yield bytes
        })(),
    ],
  ])('accepts a body that is %s', async (_, body) => {
    const init = { method: 'POST', headers: json, body: body(), duplex: 'half' as const }
    expect((await fetch(`${baseUrl}/pets`, init)).status).toBe(201)
    const request = new Request(`${baseUrl}/pets`, { ...init, body: body() })
    expect((await fetch(request)).status).toBe(201)
    expect(request.bodyUsed).toBe(true)
  })

  test('init overrides the request', async () => {
    const request = new Request(`${baseUrl}/pets`, { method: 'POST', headers: json, body: rex })
    expect((await fetch(request, { method: 'POST', body: '{}' })).status).toBe(400)
  })

  test('rejects a form', async () => {
    const form = new FormData()
    form.set('name', 'Rex')
    expect((await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: form })).status).toBe(
      415,
    )
  })

  test('rejects when the body stream fails', async () => {
    const failing = new ReadableStream({
      pull() {
        throw new Error('no more')
      },
    })
    const sent = fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: json,
      body: failing,
      duplex: 'half',
    })
    const error = await sent.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ message: 'fetch failed', cause: { message: 'no more' } })
  })

  test('rejects an endless body at the limit, and cancels its stream', async () => {
    const cancel = vi.fn<() => void>()
    const endless = new ReadableStream({
      pull: (to) => to.enqueue(new Uint8Array(300_000)),
      cancel,
    })
    const sent = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: json,
      body: endless,
      duplex: 'half',
    })
    expect(sent.status).toBe(413)
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('the journal keeps the target as sent', async () => {
    await fetch(`${baseUrl}/pets/%31?x=a+b&y=%C3%A9#part`, { headers })
    expect(mock.journal.last()?.request.target).toBe('/v1/pets/%31?x=a+b&y=%C3%A9')
  })

  test('sets the properties of a response', async () => {
    const response = await fetch(`${baseUrl}/pets?limit=1#part`, { headers })
    const { url, redirected, ok, status, statusText } = response
    expect({ url, redirected, ok, status, statusText }).toEqual({
      url: `${baseUrl}/pets?limit=1`,
      redirected: false,
      ok: true,
      status: 200,
      statusText: 'OK',
    })
    expect(response.clone().url).toBe(url)
    expect(response.headers.get('content-length')).toBe(
      String((await response.clone().arrayBuffer()).byteLength),
    )
    expect(response).toBeInstanceOf(Response)
    const empty = await fetch(`${baseUrl}/pets`, { method: 'OPTIONS', headers })
    expect([empty.status, empty.body]).toEqual([204, null])
    expect((await fetch(`${baseUrl}/pets`, { method: 'HEAD', headers })).body).toBeNull()
  })
})

describe('redirects', () => {
  const outer = async (input: unknown): Promise<Response> => {
    const { url, method, headers } = input as Request
    return new Response(`${method} ${url} ${headers.get('authorization')}`)
  }
  const fetch = createFetch({ pets: 3 }, { baseUrl, passthrough: outer })
  const redirectTo = (location: string, status: number, times = 1) =>
    fetch.mock.use({ reply: { status, headers: { location } }, times })
  const post = () => fetch(`${baseUrl}/pets`, { method: 'POST', headers: json, body: rex })

  test.each([301, 302, 303])('%i turns a creation into a GET', async (status) => {
    redirectTo('/v1/pets/2', status)
    expect(await (await post()).json()).toMatchObject({ id: 2 })
  })

  test.each([307, 308])('%i sends a creation again to the new location', async (status) => {
    redirectTo('/v1/pets', status)
    const response = await post()
    expect([response.status, response.redirected]).toEqual([201, true])
  })

  test('leaves the base URL, and drops the key for another origin', async () => {
    redirectTo('https://other.test/x', 302)
    expect(await (await fetch(`${baseUrl}/pets`, { headers })).text()).toBe(
      'GET https://other.test/x null',
    )
    redirectTo('/beside', 302)
    const expected = `GET https://api.example.com/beside Bearer ${defaultKey}`
    expect(await (await fetch(`${baseUrl}/pets`, { headers })).text()).toBe(expected)
  })

  test('rejects loops and invalid locations', async () => {
    redirectTo('/v1/pets', 302, 21)
    await expect(fetch(`${baseUrl}/pets`, { headers })).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: 'redirect count exceeded' },
    })
    for (const location of ['http://[', 'file:///etc/passwd']) {
      redirectTo(location, 302)
      await expect(fetch(`${baseUrl}/pets`, { headers })).rejects.toThrow(TypeError)
    }
    fetch.mock.use({ reply: { status: 302 }, times: 1 })
    expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(302)
  })
})

test('rejects when aborted while the body is sent', async () => {
  const fetch = createFetch({}, { baseUrl })
  const aborting = new AbortController()
  const never = new ReadableStream({
    pull() {
      aborting.abort(new Error('enough'))
      return new Promise<void>(() => {})
    },
  })
  const init = {
    method: 'POST',
    headers: json,
    body: never,
    duplex: 'half' as const,
    signal: aborting.signal,
  }
  await expect(fetch(`${baseUrl}/pets`, init)).rejects.toThrow('enough')
})

test('reports all mistakes together', () => {
  const wrong = { baseUrl: 'api.example.com', passthrough: 5, baseURL: 'x' }
  const make = () => createFetch({ pets: -1 }, wrong as object)
  const messages = [
    'passthrough must be a function or false, but was 5.',
    'Unknown option "baseURL"; did you mean baseUrl?',
    'baseUrl must be a URL, but was "api.example.com". Give https://api.example.com/v1, */v1 for any origin, or, in a browser, /v1.',
    'pets must be an integer from 0 to 100000, but was -1.',
  ]
  expect(make).toThrow(new UsageError(messages.join('\n')))
  expect(make).toThrow(
    expect.objectContaining({ issues: messages.map((message) => ({ path: '', message })) }),
  )
  expect(() => createFetch(createMock(), { baseUrl: 'https://a.test/v2' })).toThrow(
    'The path of baseUrl is "/v2", and that of the mock is "/v1": give the mock the option basePath.',
  )
  expect(() => createFetch({}, { baseUrl: 'https://me@a.test/v1?x' })).toThrow(
    'neither query nor fragment nor user',
  )
  expect(() => createFetch({}, { baseUrl: '*v1' })).toThrow(UsageError)
})

test('has the type of fetch', () => {
  expectTypeOf(createFetch()).toExtend<typeof globalThis.fetch>()
})

type BodyOf = NonNullable<RequestInit['body']>
