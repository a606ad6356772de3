/** No output of a proxy contains a key, in any place of a request or response, and in any encoding. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Sanitizer } from '../../../src/proxy/sanitizer.ts'
import { sample } from '../../support/level.ts'
import { start } from '../cli/command.ts'
import { makeFolder } from '../../support/folder.ts'
import { startUpstream, through } from './proxy.ts'

/** The key that the client sends. */
const key = 'kT9-Secret7Key42'
/** A secret that is not sent as a credential: only an allow-list removes it. */
const other = 'Zx81Hidden55Token'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const escaped = (text: string): string =>
  Array.from(text, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')
const percent = (text: string): string => Array.from(text, (char) => `%${hex(char)}`).join('')

/** Encodings of a text that are valid in a header, a query and a JSON string. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => base64(`key=${text}`).replaceAll('=', ''),
  'in upper case': (text) => text.toUpperCase(),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hexadecimal: hex,
  'percent-encoded': percent,
}

const pet = (name: string): string => `{"id":1,"name":"${name}","categoryId":1,"status":"sold"}`

/** Requests with a text in every possible place. */
const requests = (text: string): string[] => {
  const line = (target: string, headers: string, method = 'GET', body = ''): string =>
    `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  const json = 'Content-Type: application/json\r\n'
  const bearer = `Authorization: Bearer ${key}\r\n`
  const names =
    'Accept Accept-Encoding User-Agent Content-Type Content-Encoding Origin Range Referer'.split(
      ' ',
    )
  const letters = text.replaceAll(/[^a-z]/gi, '').toUpperCase()
  return [
    line('/v1/pets', bearer),
    line('/v1/pets', `Authorization: Bearer ${text}\r\n`),
    line('/v1/pets', `Authorization: ${text}\r\n`),
    line('/v1/pets', `Authorization: Basic ${base64(`user:${text}`)}\r\n`),
    line('/v1/pets', `Authorization: ${text} ${text}\r\nAuthorization: Bearer ${text}\r\n`),
    line('/v1/pets', `X-Api-Key: ${text}\r\n${bearer}`),
    line('/v1/pets', `Cookie: session=${text}\r\n${bearer}`),
    line('/v1/pets', `X-Other: ${text}\r\n${text}: 1\r\n${bearer}`),
    ...names.map((name) => line('/v1/pets', `${name}: ${text}\r\n${bearer}`)),
    line(`/v1/pets?api_key=${text}`, bearer),
    line(`/v1/pets?limit=${text}`, bearer),
    line(`/v1/pets?status=${text}&limit=5&${text}=1&other=${text}`, bearer),
    line(`/v1/pets/${text}`, bearer),
    line(`/v1/${text}/pets`, bearer),
    line(`/${text}`, bearer),
    line('/v1/pets', bearer, letters.slice(0, 10)),
    line('/v1/pets', json + bearer, 'POST', `{"name":"Rex","categoryId":1,"apiKey":"${text}"}`),
    line('/v1/pets', json + bearer, 'POST', `{"name":"Rex","categoryId":1,"${text}":1}`),
    line(
      '/v1/pets',
      json + bearer,
      'POST',
      `{"name":{"x":"${text}","name":"${text}"},"categoryId":["${text}"]}`,
    ),
    line('/v1/pets', json + bearer, 'POST', `["${text}"]`),
    line('/v1/pets', json + bearer, 'POST', `"${text}"`),
    line('/v1/pets', json + bearer, 'POST', `{"name":"${text}`),
    line('/v1/pets', `Content-Type: text/plain\r\n${bearer}`, 'POST', text),
    line(
      '/v1/pets',
      `Content-Type: application/x-www-form-urlencoded\r\n${bearer}`,
      'POST',
      `name=Rex&key=${text}`,
    ),
  ]
}

/** Responses with a text in every possible place. */
const responses = (text: string): string[] => {
  const response = (body: string, headers = '', status = '200 OK'): string =>
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  return [
    response('[]', `Set-Cookie: a=${text}\r\nX-Echo: ${text}\r\n${text}: 1\r\n`),
    response(
      '[]',
      `Location: https://a.example/${text}?key=${text}\r\nLink: <${text}>\r\nServer: ${text}\r\n`,
    ),
    response(
      '[]',
      `WWW-Authenticate: Bearer realm="${text}"\r\nAllow: ${text}\r\nRetry-After: ${text}\r\nSunset: ${text}\r\n`,
    ),
    response(
      '[]',
      `Access-Control-Allow-Origin: ${text}\r\nX-RateLimit-Limit: ${text}\r\nDate: ${text}\r\n`,
    ),
    response('[]', '', `200 ${text}`),
    response(`[{"id":1,"name":"Rex","categoryId":1,"${text}":"${text}","key":"${text}"}]`),
    response(
      `[{"id":1,"name":"Rex","categoryId":1,"owner":{"name":"${text}"},"tags":["${text}"]}]`,
    ),
    response(`{"${text}":["${text}"],"data":[{"name":"${text}"}]}`),
    response(`<html>${text}</html>`),
    response(`"${text}"`),
    response(`[${text}`),
    response(`[{"${text}":1,"${text}":2}]`),
    response(`{"error":"${text}"}`, '', '500 Internal Server Error'),
  ]
}

/** Responses with a text in places that the allow-list keeps: only credentials of clients are removed. */
const shown = (text: string): string[] => {
  const json = `Content-Type: application/json\r\nContent-Length: `
  const response = (body: string, status: string): string =>
    `HTTP/1.1 ${status}\r\n${json}${Buffer.byteLength(body)}\r\n\r\n${body}`
  return [
    response(`[${pet(text)}]`, '200 OK'),
    response(`[${pet(`a ${escaped(text)}`)}]`, '200 OK'),
    response(`[${pet(`${' '.repeat(64_000)}${text}`)}]`, '200 OK'),
    response(
      `{"code":"${text}","message":"The key ${text} is unknown.","status":401}`,
      '401 Unauthorized',
    ),
    response(`{"code":"x","message":"${escaped(text)}","status":"${text}"}`, '404 Not Found'),
  ]
}

/** All output of a proxy for these exchanges. */
async function outputsOf(
  exchanges: readonly (readonly [request: string, response: string])[],
): Promise<string> {
  let next = ''
  const upstream = await startUpstream((socket, text) => {
    if (text.includes('\r\n\r\n')) socket.end(next, 'latin1')
  })
  const folder = makeFolder()
  const file = (name: string): string => join(folder, name)
  const reporters = ['text', 'json', 'junit', 'markdown', 'sarif', 'html', 'github'].map(
    (name) => `${name}=${file(name)}`,
  )
  const cards = ['text', 'json', 'markdown', 'html'].map(
    (name) => `${name}=${file(`card-${name}`)}`,
  )
  const { says, stdout, stderr, interrupt, ended } = start([
    'proxy',
    upstream.url,
    '--port',
    '0',
    '--log',
    'json',
    '--save',
    file('pets'),
    '--save-profile',
    file('profile'),
    ...reporters.flatMap((value) => ['--reporter', value]),
    ...cards.flatMap((value) => ['--scorecard', value]),
  ])
  const url = (await says(/Base URL {2}http\S+/)).replace(/^.* /, '')
  const port = Number(new URL(url).port)
  for (const [request, response] of exchanges) {
    next = response
    await through({ port }, request).closed()
  }
  const control = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/_petstore${path}`)).text()
  const paths = [
    '/journal',
    '/journal.har',
    '/scorecard',
    '/scorecard?reporter=html',
    '/settings',
    '/',
  ]
  const before = await Promise.all(paths.map(control))
  interrupt()
  await ended
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(files.length).toBeGreaterThanOrEqual(12)
  return [stdout(), stderr(), ...before, ...files].join('\n')
}

/** Finds a text in any encoding, ignoring letter case. */
function findIn(output: string, secret: string): string[] {
  const low = output.toLowerCase()
  const forms = [secret, hex(secret), percent(secret), escaped(secret), escaped(escaped(secret))]
  const codes = [0, 1, 2].map((shift) => base64(' '.repeat(shift) + secret).slice(shift + 1, -4))
  return [
    ...forms,
    ...codes,
    ...codes.map((code) => code.replaceAll('+', '-').replaceAll('/', '_')),
  ]
    .filter((form) => low.includes(form.toLowerCase()))
    .map((form) => output.slice(Math.max(0, low.indexOf(form.toLowerCase()) - 150)).slice(0, 300))
}

const plain = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'
const cookies = Array.from({ length: 30 }, (_, index) => `name${index}=Value${index}`).join('; ')
const usual = `GET /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nCookie: ${cookies}\r\nConnection: close\r\n\r\n`

const tried = sample(Object.entries(spellings), { usual: 3, slow: 1, all: 1 })

describe.each(tried)('%s', (_, spell) => {
  test('a key in any place of a request is in no output', async () => {
    const output = await outputsOf(requests(spell(key)).map((request) => [request, plain] as const))
    expect(findIn(output, key)).toEqual([])
  })

  test('a key in any place of a response is in no output', async () => {
    const all = [...responses(spell(key)), ...shown(spell(key))]
    const output = await outputsOf(all.map((response) => [usual, response] as const))
    expect(findIn(output, key)).toEqual([])
  })

  test('a text outside the interface is in no output, even if it is not a credential', async () => {
    const output = await outputsOf([
      ...requests(spell(other)).map((request) => [request, plain] as const),
      ...responses(spell(other)).map((response) => [usual, response] as const),
    ])
    expect(findIn(output, other)).toEqual([])
  })
})

test('a key is redacted after many other keys', () => {
  const sanitizer = new Sanitizer('/v1')
  const learn = (key: string): void =>
    sanitizer.learn({
      method: 'GET',
      target: '/v1/pets',
      headers: { authorization: `Bearer ${key}` },
      body: '',
    })
  learn('victim-key-Q1w2E3r4T5y6')
  for (let at = 0; at < 999; at += 1) {
    learn(`key-of-partner-${(at * 7_919_317_133).toString(36)}`)
    if (at % 100 === 0)
      expect(sanitizer.redact('echo victim-key-Q1w2E3r4T5y6')).toBe('echo [redacted]')
    expect(sanitizer.redact('GET /v1/pets?status=available, 4711 Bella')).not.toContain('redacted')
  }
})

test('a long body is sanitized completely', () => {
  const bytes = Buffer.from(`{"name":"Rex","note":"${'private '.repeat(9_000)}"}`)
  const kept = new Sanitizer('/v1').sent({ bytes, isPart: false }, {})
  expect(kept).toMatchObject({
    text: '{"name":"Rex","note":"[not kept]"}',
    value: { name: 'Rex', note: '[not kept]' },
  })
})

test('keeps only values of the interface in headers that may name people, hosts or sessions', () => {
  const sanitizer = new Sanitizer('/v1')
  const sent = { 'user-agent': 'alice-laptop', origin: 'https://alice.example', range: 'bytes=0-1' }
  expect(new Set(Object.values(sanitizer.requestHeaders(sent)))).toEqual(new Set(['[not kept]']))
  const locations = [
    '/v1/pets/7',
    'https://alice.example/v1/pets/7',
    '/v1/pets/alice/7',
    '/login?user=alice',
  ]
  expect(locations.map((location) => sanitizer.responseHeaders({ location })['location'])).toEqual([
    '/v1/pets/7',
    'http://deployment/v1/pets/7',
    '[not kept]',
    '[not kept]',
  ])
})

test('the search finds a text that is present', async () => {
  const output = await outputsOf([[usual, shown(other)[0] as string]])
  expect(findIn(output, other).length).toBeGreaterThan(0)
  expect(findIn(base64(`xx${other}`), other).length).toBeGreaterThan(0)
})
