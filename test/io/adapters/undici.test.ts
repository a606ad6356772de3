import { EventEmitter } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'

import {
  errors,
  fetch as undiciFetch,
  FormData as UndiciFormData,
  getGlobalDispatcher,
  interceptors,
  MockAgent,
  request,
  setGlobalDispatcher,
} from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import {
  createDispatcher,
  createMock,
  defaultKey,
  type MockDispatcher,
} from '../../../src/mock/adapters/undici.ts'
import { serveMock } from '../../support/serve-mock.ts'

const origin = 'https://api.example.com'
const baseUrl = `${origin}/v1`
const headers = { authorization: `Bearer ${defaultKey}` }
const json = { ...headers, 'content-type': 'application/json' }
const rex = '{"name":"Rex","categoryId":1}'

let dispatcher: MockDispatcher
beforeEach(() => {
  dispatcher = createDispatcher({ pets: 30 }, { baseUrl, passthrough: false })
  return () => dispatcher.destroy()
})

const pets = (options: object = {}) =>
  request(`${baseUrl}/pets`, { dispatcher, headers, ...options })

describe('request matching', () => {
  test('passes other requests through to the network', async () => {
    const real = await serveMock({ pets: 2 })
    const both = createDispatcher({ pets: 30 }, { baseUrl })
    const { body } = await request(`${real.url}/pets`, { dispatcher: both, headers })
    expect(await body.json()).toHaveLength(2)
    expect((await request(`${baseUrl}/pets`, { dispatcher: both, headers })).statusCode).toBe(200)
    await both.close()
  })

  test('passes other requests through to the given dispatcher', async () => {
    const agent = new MockAgent()
    agent.disableNetConnect()
    agent.get('https://other.test').intercept({ path: '/v1/pets' }).reply(418)
    const both = createDispatcher({}, { passthrough: agent, baseUrl })
    expect((await request('https://other.test/v1/pets', { dispatcher: both })).statusCode).toBe(418)
    await agent.close()
  })

  test('rejects other requests without a passthrough', async () => {
    const failed = request('https://other.test/v1/pets', { dispatcher })
    await expect(failed).rejects.toThrow(UsageError)
    await expect(failed).rejects.toThrow(
      'The mock serves https://api.example.com/v1; the request was for',
    )
  })

  test('resolves paths without an origin against the base URL, like a Pool', async () => {
    const { statusCode, body } = await dispatcher.request({
      path: '/v1/pets/1',
      method: 'GET',
      headers,
    })
    expect([statusCode, await body.json()]).toEqual([200, expect.objectContaining({ id: 1 })])
  })

  test('works as the global dispatcher, for undici and the fetch of Node', async () => {
    const before = getGlobalDispatcher()
    setGlobalDispatcher(dispatcher)
    expect((await request(`${baseUrl}/pets`, { headers })).statusCode).toBe(200)
    expect((await undiciFetch(`${baseUrl}/pets`, { headers })).status).toBe(200)
    expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200)
    setGlobalDispatcher(before)
  })
})

describe('requests', () => {
  const bytes = new TextEncoder().encode(rex)

  test.each<[string, () => unknown, number]>([
    ['a string', () => rex, 201],
    ['a Buffer', () => Buffer.from(rex), 201],
    ['bytes', () => bytes, 201],
    ['a stream', () => Readable.from([rex.slice(0, 9), rex.slice(9)]), 201],
    ['a stream of bytes', () => new PassThrough().end(rex), 201],
    ['a stream of the web', () => new Blob([rex]).stream(), 201],
    ['an iterable', () => [rex.slice(0, 9), rex.slice(9)], 201],
    [
      'an async iterable',
      async function* () {
        yield rex.slice(0, 9)
        yield Buffer.from(rex.slice(9))
      },
      201,
    ],
    ['a Blob', () => new Blob([rex]), 201],
    ['a form', () => new UndiciFormData(), 400],
    ['nothing', () => undefined, 400],
    ['null', () => null, 400],
  ])('handles a body that is %s', async (_, body, status) => {
    const sent = { method: 'POST', headers: json, body: body() }
    const { statusCode } = await request(`${baseUrl}/pets`, { dispatcher, ...(sent as object) })
    expect(statusCode).toBe(status)
  })

  test('declares the media type of a Blob and of a form, like undici', async () => {
    const typed = createDispatcher({ profile: { 'create.media-type.absent': '415' } }, { baseUrl })
    const bodies = [
      new Blob([rex], { type: 'application/json' }),
      new Blob([rex]),
      new UndiciFormData(),
      rex,
    ]
    const replies = bodies.map((body) =>
      request(`${baseUrl}/pets`, {
        dispatcher: typed,
        method: 'POST',
        headers,
        body: body as string,
      }),
    )
    expect((await Promise.all(replies)).map(({ statusCode }) => statusCode)).toEqual([
      201, 415, 415, 415,
    ])
  })

  test('rejects an invalid body', async () => {
    const sent = pets({ method: 'POST', body: 5 })
    await expect(sent).rejects.toThrow(errors.InvalidArgumentError)
    await expect(pets({ method: 'POST', body: [5] })).rejects.toThrow(TypeError)
  })

  test('rejects when the body stream fails', async () => {
    const body = Readable.from(
      (async function* () {
        yield '{'
        throw new Error('no more')
      })(),
    )
    await expect(pets({ method: 'POST', body })).rejects.toThrow('no more')
  })

  test('rejects an endless body at the limit, and ends its stream', async () => {
    const body = new Readable({ read: () => void body.push(Buffer.alloc(300_000)) })
    const closed = new Promise((resolve) => body.once('close', resolve))
    expect((await pets({ method: 'POST', body })).statusCode).toBe(413)
    await closed
  })

  test('a GET does not wait for its body', async () => {
    const body = new PassThrough()
    expect((await pets({ method: 'GET', body })).statusCode).toBe(200)
  })

  test.each<[string, unknown, number]>([
    ['an object', { Authorization: headers.authorization }, 200],
    ['a list of names and values', ['Authorization', headers.authorization], 200],
    ['pairs', new Map([['Authorization', headers.authorization]]), 200],
    ['the Headers of the web', new Headers(headers), 200],
    ['two of a name', { authorization: [headers.authorization, headers.authorization] }, 401],
    [
      'two of a name in a list',
      ['authorization', headers.authorization, 'Authorization', headers.authorization],
      401,
    ],
    ['a value that is undefined', { authorization: undefined }, 401],
    ['none', null, 401],
  ])('headers as %s', async (_, given, status) => {
    expect((await pets({ headers: given })).statusCode).toBe(status)
  })

  test('appends a query', async () => {
    const { body } = await pets({ query: { limit: 2, status: 'sold' } })
    expect(await body.json()).toHaveLength(2)
    expect(dispatcher.mock.journal.last()?.request.target).toBe('/v1/pets?limit=2&status=sold')
    const twice = dispatcher.request({
      path: '/v1/pets?limit=1',
      method: 'GET',
      query: { limit: 2 },
    })
    await expect(twice).rejects.toThrow(errors.InvalidArgumentError)
  })

  test('rejects an invalid path', async () => {
    await expect(
      dispatcher.request({ path: 5 as unknown as string, method: 'GET' }),
    ).rejects.toThrow('path must be a string')
  })
})

describe('other methods of undici', () => {
  test('stream', async () => {
    const chunks: string[] = []
    const target = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk))
        done()
      },
    })
    await dispatcher.stream(
      { origin, path: '/v1/pets/1', method: 'GET', headers },
      ({ statusCode }) => {
        expect(statusCode).toBe(200)
        return target
      },
    )
    expect(JSON.parse(chunks.join(''))).toMatchObject({ id: 1 })
  })

  test('pipeline', async () => {
    const piped = dispatcher.pipeline(
      { origin, path: '/v1/pets', method: 'POST', headers: json },
      ({ statusCode, body }) => {
        expect(statusCode).toBe(201)
        return body
      },
    )
    piped.end(rex)
    expect(JSON.parse(await text(piped))).toMatchObject({ id: 31, name: 'Rex' })
  })

  test('upgrade and connect are rejected', async () => {
    await expect(dispatcher.upgrade({ path: '/v1/pets', headers })).rejects.toThrow(
      errors.SocketError,
    )
    await expect(dispatcher.connect({ origin, path: '/v1/pets', headers })).rejects.toThrow(
      errors.SocketError,
    )
  })

  test('interceptors retry after resets and follow redirects', async () => {
    const retrying = dispatcher.compose(interceptors.retry({ minTimeout: 1, maxTimeout: 1 }))
    dispatcher.mock.use({ fault: 'reset', times: 2 })
    expect((await pets({ dispatcher: retrying })).statusCode).toBe(200)
    dispatcher.mock.configure({ profile: { 'http.trailing-slash': 'redirect' } })
    const following = dispatcher.compose(interceptors.redirect({ maxRedirections: 1 }))
    expect((await request(`${baseUrl}/pets/`, { dispatcher: following, headers })).statusCode).toBe(
      200,
    )
    expect((await request(`${baseUrl}/pets/`, { dispatcher, headers })).statusCode).toBe(308)
  })
})

describe('faults and aborts', () => {
  test('a reset is a socket error', async () => {
    dispatcher.mock.use({ fault: 'reset', times: 1 })
    await expect(pets()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('uses the timeouts of the request', async () => {
    dispatcher.mock.use({ fault: 'silence', times: 1 })
    await expect(pets({ headersTimeout: 20 })).rejects.toThrow(errors.HeadersTimeoutError)
    dispatcher.mock.use({ delayMs: 600_000, times: 1 })
    await expect(pets({ headersTimeout: 20 })).rejects.toThrow(errors.HeadersTimeoutError)
    dispatcher.mock.use({ fault: { slowBodyMs: 600_000 }, times: 1 })
    const { body } = await pets({ bodyTimeout: 20 })
    await expect(body.text()).rejects.toThrow(errors.BodyTimeoutError)
    dispatcher.mock.use({ delayMs: 40, times: 1 })
    expect((await pets({ headersTimeout: 0 })).statusCode).toBe(200)
  })

  test('rejects when the signal is aborted before or after the request', async () => {
    await expect(pets({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
    expect(dispatcher.mock.journal.list()).toEqual([])
    dispatcher.mock.use({ fault: 'silence' })
    const aborting = new AbortController()
    const arrived = dispatcher.mock.journal.waitFor()
    const silent = pets({ signal: aborting.signal })
    await arrived
    aborting.abort(new Error('after'))
    await expect(silent).rejects.toThrow('after')
    const emitter = new EventEmitter()
    const again = pets({ signal: emitter })
    emitter.emit('abort')
    await expect(again).rejects.toThrow(errors.RequestAbortedError)
  })

  test('rejects when aborted while the body is sent', async () => {
    const aborting = new AbortController()
    const never = new PassThrough()
    const sent = pets({ method: 'POST', body: never, signal: aborting.signal })
    aborting.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    expect(never.destroyed).toBe(true)
  })

  test('close waits for pending requests, and rejects new ones', async () => {
    dispatcher.mock.use({ delayMs: 30, times: 1 })
    const pending = pets()
    const closed = dispatcher.close()
    await expect(pets()).rejects.toThrow(errors.ClientClosedError)
    expect((await pending).statusCode).toBe(200)
    await closed
    await dispatcher.close()
    await new Promise<void>((resolve) => dispatcher.close(resolve))
  })

  test('destroy ends pending requests', async () => {
    dispatcher.mock.use({ fault: 'silence' })
    const gone = pets().catch((error: unknown) => error)
    await new Promise<void>((resolve) => dispatcher.destroy(new Error('that is all'), resolve))
    expect(await gone).toEqual(new Error('that is all'))
    await expect(pets()).rejects.toThrow(errors.ClientDestroyedError)
    await dispatcher.destroy()
    await new Promise<void>((resolve) => dispatcher.destroy(resolve))
  })
})

test('reports all mistakes together', () => {
  const make = () => createDispatcher({ pets: -1 }, { baseUrl: '/v1', passthrough: {} } as object)
  expect(make).toThrow(UsageError)
  expect(make).toThrow(
    /passthrough must be a Dispatcher or false.*\n.*there is no page here.*\npets must be/,
  )
  expect(
    createDispatcher(createMock({ basePath: '' }), { baseUrl: 'https://a.test/' }).mock.settings
      .basePath,
  ).toBe('')
})

async function text(stream: Readable): Promise<string> {
  let read = ''
  for await (const chunk of stream) read += String(chunk)
  return read
}
