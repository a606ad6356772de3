/** Issues that depend on the connection: unread bodies, invalid UTF-8, aborted requests. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import * as undici from 'undici'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, defaultKey, type Mock, sandboxKey } from '../../../src/mock/index.ts'
import { serveMock } from '../../support/serve-mock.ts'
import { openSocket } from '../mock/raw-socket.ts'

const authorization = `Bearer ${defaultKey}`
const json = 'application/json'
const rex = '{"name":"Rex","categoryId":1}'
const kinds = async (mock: Pick<Mock, 'scorecards'>): Promise<string[]> =>
  (await mock.scorecards()).flatMap(({ issues }) => issues.map(({ id }) => id))

const start = (): ReturnType<typeof serveMock> => serveMock({ port: 0, pets: 3 })

/** Sends text, and resolves with everything received until the connection ends. */
function raw({ port }: { port: number }, text: string): Promise<string> {
  const socket = openSocket(port)
  socket.send(text)
  return socket.closed()
}

const head = (method: string, target: string, ...headers: string[]): string =>
  [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    `Authorization: ${authorization}`,
    'Connection: close',
    ...headers,
    '',
    '',
  ].join('\r\n')

describe('GET with a body', () => {
  test.each([
    ['Content-Length', ['Content-Length: 11'], '{"limit":5}', ['body.unexpected']],
    [
      'chunks',
      ['Transfer-Encoding: chunked'],
      'b\r\n{"limit":5}\r\n0\r\n\r\n',
      ['body.unexpected'],
    ],
    ['only the last, empty chunk', ['Transfer-Encoding: chunked'], '0\r\n\r\n', []],
  ])('over HTTP, by %s', async (_, headers, body, issues) => {
    const mock = await start()
    expect(await raw(mock, head('GET', '/v1/pets', ...headers) + body)).toMatch(/^HTTP\/1.1 200 /)
    expect(await kinds(mock)).toEqual(issues)
  })

  test('over HTTP with a body that never arrives still gets a response', async () => {
    const mock = await start()
    const response = await raw(
      mock,
      head('GET', '/v1/pets', `Content-Length: ${2 ** 40}`) + 'x'.repeat(70_000),
    )
    expect(response).toMatch(/^HTTP\/1.1 200 /)
    expect(await kinds(mock)).toEqual(['body.unexpected'])
  })

  test('by undici', async () => {
    const dispatcher = createDispatcher({ pets: 3 })
    const url = 'http://x.test/v1/pets'
    await undici.request(url, {
      dispatcher,
      method: 'GET',
      headers: { authorization },
      body: '{"limit":5}',
    })
    await undici.request(url, { dispatcher, method: 'GET', headers: { authorization } })
    expect((await dispatcher.mock.scorecards())[0]).toMatchObject({
      requests: 2,
      issues: [{ id: 'body.unexpected', count: 1 }],
    })
  })
})

describe('a wrongly encoded body', () => {
  const latin1 = Buffer.from('{"name":"Zo\u00eb","categoryId":1}', 'latin1')

  test('in Latin-1 is reported over HTTP, by fetch and by undici', async () => {
    const mock = await start()
    const headers = { authorization, 'content-type': json }
    const fetched = createFetch({ pets: 3 })
    const dispatcher = createDispatcher({ pets: 3 })
    const sent = { method: 'POST', headers, body: latin1 } as const
    const statuses = [
      (await fetch(`${mock.url}/pets`, sent)).status,
      (await fetched('http://x.test/v1/pets', sent)).status,
      (await undici.request('http://x.test/v1/pets', { dispatcher, ...sent })).statusCode,
    ]
    expect(statuses).toEqual([400, 400, 400])
    for (const one of [mock, fetched.mock, dispatcher.mock]) {
      expect((await one.scorecards())[0]).toMatchObject({
        score: 0,
        issues: [{ id: 'body.not-utf8' }],
      })
    }
  })

  test('in gzip is rejected with 415 and Accept-Encoding', async () => {
    const mock = await start()
    const headers = { authorization, 'content-type': json, 'content-encoding': 'gzip' }
    const reply = await fetch(`${mock.url}/pets`, { method: 'POST', headers, body: gzipSync(rex) })
    expect([reply.status, reply.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(await reply.json()).toMatchObject({
      status: 415,
      message: expect.stringContaining('Content-Encoding "gzip"'),
    })
    expect(await kinds(mock)).toEqual(['content-encoding.sent'])
    expect(mock.catalog.size).toBe(3)
  })
})

describe('a client that aborts a creation and sends it again', () => {
  const slow = { delayMs: 60_000 }
  const headers = { authorization, 'content-type': json }

  /** Sends a creation twice, aborting each, and waits until the mock has noticed. */
  async function abortTwice(
    mock: Mock,
    send: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const controller = new AbortController()
      const entry = mock.journal.waitFor({ operation: 'createPet', after: mock.journal.range.last })
      const sent = send(controller.signal)
      const { number } = await entry
      controller.abort()
      await expect(sent).rejects.toThrow(/abort/i)
      await expect
        .poll(() => mock.journal.list().find((one) => one.number === number)?.abandoned)
        .toBe(true)
    }
  }

  test('over HTTP', async () => {
    const mock = await start()
    mock.use(slow)
    await abortTwice(mock, (signal) =>
      fetch(`${mock.url}/pets`, { method: 'POST', headers, body: rex, signal }),
    )
    expect(await kinds(mock)).toEqual(['retry.creation'])
    expect(mock.journal.last()).toMatchObject({ response: { status: 201 }, abandoned: true })
  })

  test('by fetch', async () => {
    const fetched = createFetch({ rules: [slow] })
    await abortTwice(fetched.mock, (signal) =>
      fetched('http://x.test/v1/pets', { method: 'POST', headers, body: rex, signal }),
    )
    expect(await kinds(fetched.mock)).toEqual(['retry.creation'])
  })

  test('by undici', async () => {
    const dispatcher = createDispatcher({ rules: [slow] })
    await abortTwice(dispatcher.mock, (signal) =>
      undici.request('http://x.test/v1/pets', {
        dispatcher,
        method: 'POST',
        headers,
        body: rex,
        signal,
      }),
    )
    expect(await kinds(dispatcher.mock)).toEqual(['retry.creation'])
  })

  test('not a client that waits', async () => {
    const mock = await start()
    mock.use({ delayMs: 5 }, { fault: { slowBodyMs: 5 } })
    for (let count = 0; count < 2; count += 1) {
      await (await fetch(`${mock.url}/pets`, { method: 'POST', headers, body: rex })).text()
    }
    expect(await kinds(mock)).toEqual(['creation.repeated'])
    expect(mock.journal.last()).not.toHaveProperty('abandoned')
  })
})

describe('the key of a sandbox in a wrong place', () => {
  const key = sandboxKey('team-a')

  test.each([
    ['in another header', { 'x-api-key': key }, '', 'credentials.other-header'],
    ['in the query', {}, `?api_key=${key}`, 'credentials.in-query'],
    ['bare', { authorization: key }, '', 'credentials.bare-key'],
    ['in quotes', { authorization: `Bearer "${key}"` }, '', 'credentials.unknown-key'],
    ['with the scheme Token', { authorization: `Token ${key}` }, '', 'credentials.other-scheme'],
    ['as a user', { authorization: `Basic ${btoa(`${key}:`)}` }, '', 'credentials.other-scheme'],
    [
      'twice in the header',
      { authorization: [`Bearer ${key}`, `Bearer ${key}`] },
      '',
      'credentials.repeated',
    ],
  ])('%s counts for the sandbox', async (_, headers, query, id) => {
    const mock = createMock()
    const reply = await mock.handle({
      method: 'GET',
      target: `/v1/pets${query}`,
      headers,
      body: '',
    })
    expect(reply.status).toBe(401)
    expect(await kinds(mock.sandboxes.get('team-a'))).toEqual([id])
    expect((await mock.scorecards())[0]?.requests).toBe(0)
    expect(JSON.stringify(await mock.allScorecards())).not.toContain(key)
  })

  test.each([
    ['one that was cut', { 'x-api-key': key.slice(0, -1) }],
    ['one that was lengthened', { 'x-api-key': `${key}0` }],
    ['one beside a valid key of the mock', { authorization, 'x-api-key': key }],
  ])('not %s', async (_, headers) => {
    const mock = createMock()
    await mock.handle({ method: 'GET', target: '/v1/pets', headers, body: '' })
    expect((await mock.scorecards())[0]?.requests).toBe(1)
    expect(mock.sandboxes.has('team-a')).toBe(false)
  })
})
