import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { type Answer, sendJson, startServer } from '../../support/http-server.ts'
import { sample } from '../../support/level.ts'
import { idsOf } from '../../support/verdicts.ts'
import { serveMock } from '../../support/serve-mock.ts'

const key = 'an-API-key-of-the-tests'
const html =
  '<!doctype html><html><head><title>Shop</title></head><body><a href="/pets">Pets</a></body></html>'
const pets = '[{"id":1,"name":"Rex","categoryId":1}]'

const always =
  (
    status: number,
    type: string,
    body: string | Buffer = '',
    headers: Record<string, string> = {},
  ): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { ...(type !== '' && { 'content-type': type }), ...headers })
      .end(body)
const json = (status: number, body: unknown): Answer =>
  always(status, 'application/json', JSON.stringify(body))
const redirect = (status: number, location: string): Answer =>
  always(status, 'text/html', '', { location })

/** Responses that are not from the Pet Store Service. */
const elsewhere: Record<string, Answer> = {
  'a web page for each path': always(200, 'text/html; charset=utf-8', html),
  'a web site that does not have the path': always(404, 'text/html', html),
  'a page under maintenance': always(500, 'text/html', html),
  'a login page by 302': redirect(302, '/login?next=%2Fv1%2Fpets'),
  'a login page by 303': redirect(303, 'https://login.example/authorize?client_id=1'),
  'a redirect to itself': ({ target, headers: { host } }, response) =>
    response.writeHead(301, { location: `http://${host}${target}` }).end(),
  'another host by https': redirect(301, 'https://api.example.com/v1/pets'),
  GraphQL: json(400, {
    errors: [{ message: 'Must provide query string.', extensions: { code: 'BAD_REQUEST' } }],
  }),
  'a gateway of AWS': json(403, { message: 'Missing Authentication Token' }),
  'a bucket': always(
    403,
    'application/xml',
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
  ),
  'an empty object': json(200, {}),
  null: json(200, null),
  'plain text': always(200, 'text/plain', 'Hello, world!'),
  'nothing with 200': always(200, ''),
  'the Error body of another service': json(404, {
    code: 'not_found',
    message: 'No such path.',
    status: 404,
  }),
  'another method only': always(405, 'text/plain', 'Method Not Allowed'),
}

/** Responses similar to those of the service, so that their violations count. */
const broken: Record<string, Answer> = {
  'always []': json(200, []),
  'a list in data': json(200, { data: [] }),
  'a list in a list': json(200, { data: { items: [{ id: 1, name: 'Rex', categoryId: 1 }] } }),
  'one Pet': json(200, { id: 1, name: 'Rex', categoryId: 1 }),
  'a list under text/html': always(200, 'text/html', '[]'),
  'a byte order mark': always(200, 'application/json', `\uFEFF${pets}`),
  'UTF-16': always(200, 'application/json', Buffer.from(`\uFEFF${pets}`, 'utf16le')),
  'UTF-16 without a mark': always(200, 'application/json', Buffer.from('[]', 'utf16le')),
  'gzip without a label': always(200, 'application/json', gzipSync(pets)),
  'a label of gzip without it': always(200, 'application/json', pets, {
    'content-encoding': 'gzip',
  }),
  NaN: always(200, 'application/json', '[{"id":NaN,"name":"Rex","categoryId":1}]'),
  'text behind the JSON': always(200, 'application/json', `${pets}\n// done`),
  'text before the JSON': always(200, 'application/json', `)]}',\n[]`),
  'a warning of PHP before the JSON': always(
    200,
    'text/html',
    `<br />\n<b>Warning</b>: x<br />\n${pets}`,
  ),
  'JSON in a string': json(200, pets),
  'a callback': always(200, 'application/javascript', 'show([])'),
  'lines of JSON': always(
    200,
    'application/json',
    '{"id":1,"name":"Rex","categoryId":1}\n{"id":2,"name":"x"}',
  ),
  'a list cut short': always(200, 'application/json', '[{"id":1,"na'),
  'always 500 with an Error': json(500, { code: 'x', message: 'x', status: 500 }),
  'an Error without status': json(500, { code: 'x', message: 'x' }),
  'a wrapped Error': json(500, { error: { code: 'x', message: 'x' } }),
}

async function run(respond: Answer) {
  const { port, requests } = await startServer(respond)
  const origin = `http://127.0.0.1:${port}`
  const options = { apiKey: key, settleMs: 0, timeoutMs: 2_000, retryBudgetMs: 500 }
  return { report: await verify({ baseUrl: `${origin}/v1`, ...options }), origin, requests }
}

describe('reports a wrong address, not a violation, for', () => {
  test.each(sample(Object.entries(elsewhere), { usual: 4, slow: 1, all: 1 }))(
    '%s',
    async (_, respond) => {
      const { report, origin, requests } = await run(respond)
      expect(report).toMatchObject({
        verdict: 'not-verified',
        exitCode: 3,
        findings: [],
        counts: { violated: 0 },
      })
      expect(report.reason).toContain(`GET ${origin}/v1/pets responded `)
      expect(report.reason).toMatch(/Check the base URL/)
      expect(report.reason).not.toMatch(new RegExp(`\\n|mean ${origin}/v1\\?`))
      expect(idsOf(report, 'verified')).toEqual([])
      expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
      expect(requests.length).toBeLessThanOrEqual(15)
    },
  )
})

describe('reports a violation for', () => {
  test.each(sample(Object.entries(broken), { usual: 4, slow: 1, all: 1 }))(
    '%s',
    async (_, respond) => {
      const { report } = await run(respond)
      expect(report).toMatchObject({ verdict: 'violates', exitCode: 1 })
    },
  )

  const reject = (response: ServerResponse): void =>
    sendJson(response, 401, { code: 'x', message: 'x', status: 401 })
  const some = sample(Object.entries(elsewhere), { usual: 8, slow: 4, all: 1 })
  test.each(some)(
    'a service that requires the key, and then responds with %s',
    async (_, respond) => {
      const { report } = await run((request, response) =>
        request.headers.authorization === undefined ? reject(response) : respond(request, response),
      )
      expect(report).toMatchObject({ verdict: 'violates', exitCode: 1 })
    },
  )
})

describe('suggests an address that responds like the service', () => {
  const rows = [
    ['/v1', '/api/v1'],
    ['/v1', ''],
    ['/api/v1/pets', '/api/v1'],
    ['/v1/pets/', '/v1'],
    ['/v1/v1', '/v1'],
    ['/v2', '/v1'],
    ['/v10', '/v1'],
    ['', '/v1'],
    ['/', '/v1'],
    ['/api', '/api/v1'],
    ['/pets', '/v1'],
  ]
  test.each(sample(rows, { usual: 3, slow: 1, all: 1 }))('for %s: %s', async (given, actual) => {
    const mock = await serveMock({ port: 0, basePath: actual, keys: [key] })
    const origin = new URL(mock.url).origin
    const report = await verify({ baseUrl: origin + given, apiKey: key })
    expect(report).toMatchObject({
      verdict: 'not-verified',
      exitCode: 3,
      findings: [],
      counts: { writes: 0 },
    })
    expect(report.reason).toContain(`; ${origin}${actual} responds like the Pet Store Service`)
    expect(report.suggestedBaseUrl).toBe(origin + actual)
    // The first request is sent twice more: its response may be one of chance.
    expect(report.counts.requests).toBeLessThanOrEqual(13)
  })

  test('even if it rejects the key', async () => {
    const mock = await serveMock({ port: 0, keys: ['another-key'] })
    const { origin } = new URL(mock.url)
    const report = await verify({ baseUrl: origin, apiKey: key })
    expect(report.reason).toContain(`${origin}/v1 responds like the Pet Store Service`)
  })

  test('if a redirect on the same host leads to it', async () => {
    const { report, origin } = await run(({ target }, response) =>
      target.startsWith('/shop/v1/pets')
        ? response.writeHead(200, { 'content-type': 'application/json' }).end(pets)
        : response.writeHead(308, { location: '/shop/v1/pets' }).end(),
    )
    expect(report.reason).toContain(`${origin}/shop/v1 responds like the Pet Store Service`)
  })

  test('without requests to other hosts, and with few requests for many candidates', async () => {
    const other = await startServer(json(200, []))
    const many = Array.from({ length: 50 }, (_, n) => `/s${n}/v1`).join(' ')
    const { report, requests } = await run(
      always(
        404,
        'text/plain',
        `Did you mean http://127.0.0.1:${other.port}/v1, //127.0.0.1:${other.port}/v1, ${many}?`,
        { location: `http://127.0.0.1:${other.port}/v1/pets` },
      ),
    )
    expect(report).toMatchObject({ exitCode: 3, findings: [] })
    expect(report.reason).toContain(
      `Check the base URL; did you mean http://127.0.0.1:${other.port}/v1?`,
    )
    expect(other.requests).toEqual([])
    expect(requests.length).toBeLessThanOrEqual(13)
  })
})

test('an error of a gateway is not reported as a wrong address', async () => {
  const { report } = await run(always(502, 'text/html', html))
  expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3 })
  expect(report.reason).toContain('the target is not available: the target responded 502')
})

test('a rejected key is not reported as a wrong address', async () => {
  const { report } = await run(json(401, { code: 'x', message: 'x', status: 401 }))
  expect(report).toMatchObject({
    verdict: 'not-verified',
    reason: expect.stringContaining('the key was rejected'),
  })
})
