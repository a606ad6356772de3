/** HTTP archives of other tools: what they leave out accuses nobody. */
import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { baseUrlOf, readArchive } from '../../../src/cli/proxy/archive.ts'
import { createJudge } from '../../../src/proxy/judge.ts'
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

test.for<[headers: unknown, recorded: boolean]>([
  [[{ name: 'Accept', value: '*/*' }], true],
  [[], false],
  ['', false],
  [undefined, false],
  [[{ name: 'Accept', value: '*/*' }, { value: 'Bearer abc' }], false],
  [[{ name: 'Accept', value: '*/*' }, 'Authorization: Bearer abc'], false],
])(
  'beside a request with a key, the headers %j show whether one had none: %s',
  async ([headers, recorded]) => {
    const sent = [{ name: 'Authorization', value: 'Bearer abc' }]
    const [, exchange] = await read(
      entry(`${api}/pets`, { request: { headers: sent } }),
      entry(`${api}/pets`, { request: { headers } }),
    )
    expect(exchange?.passed.request.headers['authorization'] === undefined).toBe(recorded)
  },
)

test('a header may have the name of what every object has', async () => {
  const names = ['__proto__', 'constructor', 'hasOwnProperty', 'constructor']
  const headers = names.map((name) => ({ name, value: 'x' }))
  const [exchange] = await read(entry(`${api}/pets`, { request: { headers } }))
  expect(Object.entries(exchange?.passed.request.headers ?? {})).toEqual(
    expect.arrayContaining([
      ['__proto__', 'x'],
      ['constructor', 'x, x'],
      ['hasownproperty', 'x'],
    ]),
  )
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

test.for<[response: object, isPart: boolean]>([
  [{ bodySize: 412 }, true],
  [{ _transferSize: 700 }, true],
  [{ _transferSize: 700, headersSize: -1, bodySize: -1 }, true],
  [{ _transferSize: 700, headersSize: 288 }, true],
  [{ _transferSize: 700, headersSize: 700, bodySize: 0 }, false],
  [{ _transferSize: 700, headers: [{ name: 'Content-Length', value: '0' }] }, false],
  [{ _transferSize: 700, status: 204 }, false],
])('of an empty text beside %j, the body is unknown: %s', async ([response, isPart]) => {
  const content = { size: 0, text: '' }
  const [exchange] = await read(entry(`${api}/pets`, { response: { content, ...response } }))
  expect(exchange?.passed.response?.body.isPart).toBe(isPart)
})

test.each([0.5, 200.5, -1, 'ok', Infinity])('the status %j is no response', async (status) => {
  const [exchange] = await read(entry(`${api}/pets`, { response: { status } }))
  expect(exchange?.passed.response).toBeUndefined()
})

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
  [{ method: 'POST', postData: { text: '{}', mimeType: 'application/json' } }, false],
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

test.each<[value: string, status: number]>([
  ...[
    '[REDACTED]',
    'REDACTED',
    '<redacted>',
    '*****',
    'Bearer ***',
    'Bearer [REDACTED]',
    'Bearer <redacted>',
    'Bearer REDACTED',
    'Bearer ab12***',
    'Bearer ab12...9f',
    'Bearer ••••',
    'Bearer xxxxxxxx',
    '(removed)',
    '{{ hidden }}',
    '__MASKED__',
    '%filtered%',
    '***redacted***',
    '',
    ' ',
    'Bearer',
    'Bearer ',
  ].flatMap((value): [string, number][] => [
    [value, 200],
    [value, 401],
    [value, 500],
  ]),
  // A success contradicts what these say.
  ['abc-123', 200],
  ['Basic YWJj', 201],
])('the credentials %j with the response %i are not recorded', async (value, status) => {
  const one = entry(`${api}/pets`, {
    request: { headers: [{ name: 'Authorization', value }] },
    response: { status, content: { text: '{}', mimeType: 'application/json' } },
  })
  const [exchange] = await read(one)
  expect(exchange?.passed.request.headers['authorization']).toBe('Bearer [redacted]')
  const judge = createJudge(api)
  judge.judge(exchange?.passed as never)
  const [card] = await judge.mock.scorecards()
  expect([card?.subject, card?.issues]).toEqual(['main (default key)', []])
  expect(judge.report().findings.map(({ requirement }) => requirement)).not.toContain('list.401')
})

test.each<[value: string, status: number, issue: string]>([
  ['abc-123', 401, 'credentials.bare-key'],
  ['Basic YWJj', 401, 'credentials.other-scheme'],
  ['Bearer undefined', 401, 'credentials.unknown-key'],
  ['Bearer abc-123', 401, 'credentials.unknown-key'],
])('the credentials %j with the response %i have the issue %s', async (value, status, issue) => {
  const headers = [{ name: 'Authorization', value }]
  const [exchange] = await read(
    entry(`${api}/pets`, { request: { headers }, response: { status } }),
  )
  const judge = createJudge(api)
  judge.judge(exchange?.passed as never)
  const [card] = await judge.mock.scorecards()
  expect(card?.issues.map(({ id }) => id)).toEqual([issue])
})

test('the archives of the kit are exact: a header that is empty there was empty', async () => {
  const headers = [{ name: 'authorization', value: '' }]
  const entries = [entry(`${api}/pets`, { request: { headers } })]
  const folder = makeFolder({ 'a.har': { log: { creator: { name: 'petstore-kit' }, entries } } })
  const { exchanges } = await readArchive(join(folder, 'a.har'))
  expect(exchanges[0]?.passed.request.headers['authorization']).toBe('')
})

const pet = '{"id":7,"name":"Zoë","categoryId":1}'
const typed = [{ name: 'Content-Type', value: 'application/json' }]

/** Where a recorder was wrong, and whether the body is still known. */
test.each<[what: string, response: object, isKnown: boolean]>([
  ['base64 of plain text', { content: { text: `[${pet}]`, encoding: 'base64' } }, true],
  ['base64 in lines', { content: { text: toLines(`[${pet}]`), encoding: 'base64' } }, true],
  [
    'base64 that is not said',
    { content: { text: btoa('[{"id":7,"name":"Z","categoryId":1}]'), size: 36 } },
    true,
  ],
  ['a size in characters', { content: { text: `[${pet}]`, size: 38 } }, true],
  ['a size that is too large', { content: { text: `[${pet}]`, size: 380 } }, false],
  ['the size of the compressed bytes', { content: { text: `[${pet}]`, size: 5 } }, true],
  [
    'compressed bytes',
    {
      headers: [...typed, { name: 'Content-Encoding', value: 'gzip' }],
      content: { text: gzipSync(`[${pet}]`).toString('base64'), encoding: 'base64' },
    },
    true,
  ],
  [
    'compressed bytes as a text',
    {
      headers: [...typed, { name: 'Content-Encoding', value: 'gzip' }],
      content: { text: gzipSync(`[${pet}]`).toString() },
    },
    false,
  ],
  [
    'no headers, and a wrong media type',
    { headers: [], content: { text: `[${pet}]`, mimeType: 'text/plain' } },
    true,
  ],
  [
    'a masked Content-Type',
    {
      headers: [
        { name: 'Content-Type', value: '[REDACTED]' },
        { name: 'Server', value: 'x' },
      ],
      content: { text: `[${pet}]`, mimeType: 'x-unknown' },
    },
    true,
  ],
  [
    'only some headers',
    {
      headers: [{ name: 'Server', value: 'x' }],
      content: { text: `[${pet}]`, mimeType: 'application/json' },
    },
    true,
  ],
])('%s is not held against the service', async (_, response, isKnown) => {
  const request = { headers: [{ name: 'Authorization', value: 'Bearer abc-123' }] }
  const [exchange] = await read(
    entry(`${api}/pets`, { request, response: { headers: typed, ...response } }),
  )
  const judge = createJudge(api)
  judge.judge(exchange?.passed as never)
  expect(judge.report().findings).toEqual([])
  expect(judge.hasJudged()).toBe(isKnown)
})

function toLines(text: string): string {
  return Buffer.from(text).toString('base64').replaceAll(/.{16}/g, '$&\r\n')
}

test.each<[what: string, request: object, status: number]>([
  ['no headers', { headers: [], postData: { text: pet, mimeType: 'application/json' } }, 201],
  ['no headers and no media type', { headers: [], postData: { text: pet } }, 201],
  [
    'a masked Content-Type',
    {
      headers: [
        { name: 'Content-Type', value: '***' },
        { name: 'X', value: 'y' },
      ],
      postData: { text: pet },
    },
    201,
  ],
  [
    'only some headers',
    { headers: [{ name: 'X', value: 'y' }], postData: { text: pet, mimeType: 'application/json' } },
    201,
  ],
  [
    'a part of the body',
    { headers: typed, bodySize: 300, postData: { text: pet.slice(0, 9) } },
    201,
  ],
  [
    'a part of the body, with its length',
    {
      headers: [...typed, { name: 'Content-Length', value: '300' }],
      postData: { text: pet.slice(0, 9) },
    },
    400,
  ],
  ['base64', { headers: typed, postData: { text: toBase64(pet), encoding: 'base64' } }, 201],
  ['base64 that is not said', { headers: typed, postData: { text: toBase64(pet) } }, 201],
  ['plain text as base64', { headers: typed, postData: { text: pet, encoding: 'base64' } }, 201],
])('%s of a creation are held against nobody', async (_, request, status) => {
  const sent = JSON.parse(JSON.stringify(request).replaceAll('\\"id\\":7,', ''))
  const content = { text: status === 201 ? pet : '{"code":"x","message":"y","status":400}' }
  const creation = entry(`${api}/pets`, {
    request: { method: 'POST', ...sent },
    response: { status, headers: typed, content },
  })
  const [exchange] = await read(creation)
  const judge = createJudge(api)
  judge.judge(exchange?.passed as never)
  expect(judge.report().findings).toEqual([])
  const [card] = await judge.mock.scorecards()
  expect(card?.issues.filter(({ id }) => id !== 'id.sent')).toEqual([])
})

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}

test('the query may stand apart from the URL, and a fragment is not sent', async () => {
  const queryString = [{ name: 'limit', value: '2' }]
  const [exchange] = await read(entry(`${api}/pets#top`, { request: { queryString } }))
  expect(exchange?.passed.request.target).toBe('/v1/pets?limit=2')
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
