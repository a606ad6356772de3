/** The files of the console: access, security policy, and redirects of browsers. */
import { expect, test } from 'vitest'
import { styleHash } from '../../../src/report/style.gen.ts'
import { respond } from '../../../src/mock/http/console-files.ts'
import { controlInProcess } from './control.ts'

const token = 'a-token-of-24-characters'
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const link = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/** The status, and the location or content type. */
async function get(
  path: string,
  headers: Record<string, string> = {},
  { isOff = false, method = 'GET' } = {},
) {
  const { control } = controlInProcess({ token, ...(!isOff && { respondConsole: respond }) })
  const target = `/_petstore${path}`
  const reply = await control.respond({
    method,
    target,
    headers: { host: '127.0.0.1', ...headers },
    body: '',
  })
  const { location, 'content-type': type } = reply.headers
  return [reply.status, location ?? type]
}
const html = 'text/html; charset=utf-8'

test.each<[string, Record<string, string>, number, string]>([
  ['', browser, 303, '_petstore/console/'],
  ['', { accept: '*/*' }, 401, 'application/json'],
  ['', { accept: 'application/json', authorization: `Bearer ${token}` }, 200, 'application/json'],
  ['/console', {}, 303, 'console/'],
  ['/console/', {}, 200, html],
  ['/console/?x#y', {}, 200, html],
  ['/console/index.html', {}, 200, html],
  ['/console/nothing.js', {}, 404, 'application/json'],
  ['/console/../pets', {}, 404, 'application/json'],
  ['/console/%2e%2e/package.json', {}, 404, 'application/json'],
  ['/consoles', browser, 401, 'application/json'],
  ['/pets', browser, 401, 'application/json'],
  // A link of another site may open it; a page of another site may neither read nor frame it.
  ['/console/', link, 200, html],
  ['/console/', { ...link, 'sec-fetch-dest': 'iframe' }, 403, 'application/json'],
  ['/console/', { origin: 'http://example.com' }, 403, 'application/json'],
  ['/console/', { ...link, origin: 'http://example.com' }, 403, 'application/json'],
  ['/pets', link, 403, 'application/json'],
  ['/console/', { host: 'rebound.example.com' }, 403, 'application/json'],
])('GET /_petstore%s with %j: %i %s', async (path, headers, status, what) => {
  expect(await get(path, headers)).toEqual([status, what])
})

test('without a console, its paths require the token, and browsers get the API', async () => {
  expect(await get('/console/', {}, { isOff: true })).toEqual([401, 'application/json'])
  const known = { ...browser, authorization: `Bearer ${token}` }
  expect(await get('', known, { isOff: true })).toEqual([200, 'application/json'])
  expect(await get('/console/', known, { isOff: true })).toEqual([404, 'application/json'])
})

test('the console path is read-only', async () => {
  expect(await get('/console/', {}, { method: 'POST' })).toEqual([401, 'application/json'])
})

test('the security policy allows only its own files, and nothing inline', async () => {
  const { headers } = await respond('/_petstore/console/')
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy':
      `default-src 'none'; script-src 'self'; style-src 'self' '${styleHash}'; connect-src 'self'; ` +
      "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

test('a failure of the console leaves the control API as it is', async () => {
  let loads = 0
  const { get } = controlInProcess({
    prepare: async () => void (loads += 1),
    respondConsole: () => Promise.reject(new Error('no files')),
  })
  await get('/journal')
  expect((await get('/console/')).status).toBe(500)
  expect((await get('/journal')).status).toBe(200)
  expect(loads).toBe(1)
})
