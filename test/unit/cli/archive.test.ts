/** HTTP archives of other tools: what they leave out accuses nobody. */
import { expect, test } from 'vitest'
import { join } from 'node:path'
import { baseUrlOf, readArchive } from '../../../src/cli/proxy/archive.ts'
import { makeFolder } from '../../support/folder.ts'

const api = 'https://pets.example/v1'

const entry = (url: string, more: { request?: object; response?: object } = {}): object => ({
  startedDateTime: '2026-11-27T12:00:00.000Z',
  request: { method: 'GET', url, headers: [], ...more.request },
  response: { status: 200, headers: [], content: { text: '[]', size: 2 }, ...more.response },
})

const read = async (...entries: readonly object[]) =>
  (await readArchive(join(makeFolder({ 'a.har': { log: { entries } } }), 'a.har'))).exchanges

test.for<[url: string, target: string]>([
  ['http://pets.example:80/v1/pets?limit=2', '/v1/pets?limit=2'],
  ['https://user:word@pets.example/v1/pets', '/v1/pets'],
  ['HTTPS://Pets.Example/v1/%70ets/../pets', '/v1/%70ets/../pets'],
  ['https://pets.example', '/'],
])('the target of %s is what was sent', async ([url, target]) => {
  const [exchange] = await read(entry(url))
  expect(exchange?.passed.request.target).toBe(target)
})

test.for<[content: object | undefined, headers: object[], isPart: boolean]>([
  [{ text: '[]', size: 2 }, [], false],
  [{ text: '', size: 0 }, [], false],
  [undefined, [], true],
  [{ size: 0 }, [], true],
  [{ size: -1 }, [], true],
  [{ text: '', size: 300 }, [], true],
  [{ text: '[{"id":1', size: 300 }, [], true],
  [{ text: '["ä"]', size: 6 }, [], false],
  [{ text: 'W10=', encoding: 'base64', size: 2 }, [], false],
  [{ text: '', size: 0 }, [{ name: 'Content-Length', value: '300' }], true],
])(
  'of the content %j, with the headers %j, a part is unknown: %s',
  async ([content, headers, isPart]) => {
    const [exchange] = await read(entry(`${api}/pets`, { response: { content, headers } }))
    expect(exchange?.passed.response?.body.isPart).toBe(isPart)
  },
)

test('the response to a HEAD is known to be empty, whatever length it announces', async () => {
  const headers = [{ name: 'content-length', value: '300' }]
  const [exchange] = await read(
    entry(`${api}/pets`, {
      request: { method: 'HEAD' },
      response: { content: { text: '', size: 0 }, headers },
    }),
  )
  expect(exchange?.passed.response?.body.isPart).toBe(false)
})

const length = (value: string) => ({ headers: [{ name: 'Content-Length', value }] })

test.for<[request: object, isPart: boolean]>([
  [{ method: 'POST', postData: { text: '{}' } }, false],
  [{ method: 'POST', postData: { text: '' } }, false],
  [{ method: 'POST', ...length('0') }, false],
  // As Chromium and Playwright record a Blob.
  [{ method: 'POST', bodySize: 0, ...length('30') }, true],
  [{ method: 'POST', bodySize: 0 }, true],
  [{ method: 'POST', postData: { text: '' }, ...length('30') }, true],
  [
    {
      method: 'POST',
      postData: { text: '' },
      headers: [{ name: 'transfer-encoding', value: 'chunked' }],
    },
    true,
  ],
  [{ method: 'POST' }, true],
  [{ method: 'POST', bodySize: 60 }, true],
  [{ method: 'POST', postData: { params: [{ name: 'name', value: 'Rex' }] } }, true],
  [{ method: 'GET' }, false],
])('of the body of the request %j, a part is unknown: %s', async ([request, isPart]) => {
  const [exchange] = await read(entry(`${api}/pets`, { request }))
  expect(exchange?.passed.sent.isPart).toBe(isPart)
})

test('the media type of a response without headers is that of its content, or assumed', async () => {
  const typeOf = async (response: object) => {
    const [exchange] = await read(entry(`${api}/pets`, { response }))
    return exchange?.passed.response?.headers['content-type']
  }
  const headers = [{ name: 'Server', value: 'x' }]
  expect(await typeOf({ content: { mimeType: 'text/html' } })).toBe('text/html')
  expect(await typeOf({ content: { mimeType: 'x-unknown' } })).toBe('application/json')
  expect(await typeOf({ headers: undefined, content: undefined })).toBe('application/json')
  expect(await typeOf({ headers, content: { mimeType: 'text/html' } })).toBeUndefined()
})

test('the base URL is that of the interface, not of a page with the same path', async () => {
  const of = async (...urls: readonly string[]) =>
    baseUrlOf(await read(...urls.map((url) => entry(url))), 'a.har')
  expect(await of('http://localhost:5173/pets', `${api}/pets?limit=2`, `${api}/pets/7`)).toBe(api)
  expect(await of(`${api}/pets`, `${api}//pets`, 'https://pets.example//v1/pets/7')).toBe(api)
  expect(await of('wss://pets.example/pets', 'https://pets.example/shop/pets')).toBe(
    'https://pets.example/shop',
  )
  await expect(of('http://a.example/pets', 'http://b.example/pets')).rejects.toThrow(
    'a.har has requests to several deployments; give one with --base-url: http://a.example, http://b.example',
  )
  await expect(of(`${api}/pets`, 'https://staging.pets.example/v1/pets')).rejects.toThrow(/several/)
  await expect(of('https://pets.example/')).rejects.toThrow('no request to /pets')
})
