/** The request that the console sends: what the form says, with the key, to the mock and nobody else. */
import { expect, test } from 'vitest'
import * as drafts from '../../../src/console/screens/requests/draft.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'

const at = { mockUrl: 'http://127.0.0.1:4010', key: defaultKey, id: 'console-1' }
const get = { method: 'GET', target: '/v1/pets?limit=3', headers: '', body: '' }

test('each operation is prefilled with pets that exist, and succeeds', async () => {
  const mock = createMock({ ids: 'large', pets: 5 })
  const [pet] = mock.catalog.export()
  const replies = []
  for (const operation of ['listPets', 'createPet', 'getPet'] as const) {
    const request = drafts.toRequest(drafts.draftOf(operation, '/v1', pet), at)
    const { pathname, search } = new URL(request.url)
    const reply = await mock.handle({
      method: request.method,
      target: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    })
    replies.push(reply.status)
  }
  expect(replies).toEqual([200, 201, 200])
  expect(mock.catalog.export().at(-1)?.categoryId).toBe(pet?.categoryId)
  expect(mock.journal.last()?.request.headers).toMatchObject({ 'x-request-id': 'console-1' })
})

test('headers of the form are sent, and the key beside them', () => {
  const draft = {
    ...get,
    method: 'POST',
    headers: 'X-Trace:  a:b \n\nPrefer: code=503',
    body: '{}',
  }
  const { headers } = drafts.toRequest(draft, at)
  expect([headers.get('x-trace'), headers.get('prefer')]).toEqual(['a:b', 'code=503'])
  expect(headers.get('authorization')).toBe(`Bearer ${defaultKey}`)
  expect(drafts.toRequest(get, { ...at, key: '' }).headers.has('authorization')).toBe(false)
})

test.each([
  ['http://evil.example/', 'The target must begin with a slash.'],
  ['@evil.example/v1/pets', 'The target must begin with a slash.'],
  ['', 'The target must begin with a slash.'],
])('the target %j is rejected: it would be another host', (target, message) => {
  expect(() => drafts.toRequest({ ...get, target }, at)).toThrow(message)
})

test('two slashes at the beginning stay at the mock', () => {
  const { url } = drafts.toRequest({ ...get, target: '//evil.example/' }, at)
  expect(url).toBe('http://127.0.0.1:4010//evil.example/')
})

test('a line without a colon is named, and so is what a browser cannot send', () => {
  expect(() => drafts.toRequest({ ...get, headers: 'Accept' }, at)).toThrow(
    'The header "Accept" has no colon; write Name: value.',
  )
  expect(() => drafts.toRequest({ ...get, body: '{}' }, at)).toThrow(TypeError)
})

test('a recorded request is edited without its key and without headers of the connection', async () => {
  const mock = createMock()
  const body = '{"name":"Rex","categoryId":9007199254740993}'
  const headers = {
    authorization: `Bearer ${defaultKey}`,
    'content-type': 'application/json',
    'content-length': '44',
    host: '127.0.0.1:4010',
    origin: 'http://127.0.0.1:4010',
    'sec-fetch-mode': 'cors',
    'x-request-id': 'console-0',
    'x-trace': '7',
  }
  await mock.handle({ method: 'POST', target: '/v1/pets', headers, body })
  const [entry] = mock.journal.list()
  expect(entry && drafts.draftFrom(entry)).toEqual({
    method: 'POST',
    target: '/v1/pets',
    headers: 'content-type: application/json\nx-trace: 7',
    body,
  })
})
