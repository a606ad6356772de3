import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Report, reporters, verify } from '../../../src/contract/index.ts'
import { type Received, sendJson } from '../../support/http-server.ts'
import { encodings, holds, pieceOf, randomKey } from '../../unit/contract/leaks.ts'
import { key, startStore } from '../../support/store.ts'
import { sample } from '../../support/level.ts'

const reports = (report: Report): [name: string, text: string][] =>
  Object.entries(reporters).flatMap(([name, render]) => [
    [name, render(report)],
    [`${name}, in full`, render(report, { color: true, verbose: true })],
  ])

const sentKey = ({ headers }: Received): string =>
  headers.authorization?.replace(/^\w+ +/, '') ?? ''
const pets = [{ id: 1, name: 'Bella', categoryId: 1 }]

type Echo = (
  encoded: string,
  response: Parameters<typeof sendJson>[0],
  request: Received,
) => unknown

/** Places where a target may echo a request. Each response violates the contract, so that the report shows it. */
const places: Record<string, Echo> = {
  'in a body that is not JSON': (encoded, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>You sent ${encoded}.</p>`),
  'in a body that is truncated after 160 characters': (encoded, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`${'x'.repeat(150)}${encoded}`),
  'in a body that is truncated after 2,000 characters': (encoded, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`${'x'.repeat(1_990)}${encoded}`),
  'in invalid JSON': (encoded, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a": ${encoded}}`),
  'in the name of a pet': (encoded, response) =>
    sendJson(response, 200, [{ id: encoded, name: [encoded], categoryId: {}, [encoded]: encoded }]),
  'in a long value': (encoded, response) =>
    sendJson(response, 200, [
      { id: 1, name: { long: `${'x'.repeat(140)}${encoded}` }, categoryId: 1 },
    ]),
  'in headers': (encoded, response) =>
    response
      .writeHead(200, {
        'content-type': `text/plain; you=${encoded}`,
        'x-echo': encoded,
        etag: `"${encoded}"`,
      })
      .end('x'),
  'in the name of a header': (_, response, request) =>
    response.writeHead(200, { [`x-${sentKey(request).replaceAll(/[^\w.-]/g, '')}`]: '1' }).end('x'),
  'in the code of an error': (encoded, response) =>
    sendJson(response, 401, { code: encoded, message: encoded, status: 401 }),
  'in a content coding': (encoded, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoded })
      .end('x'),
  'in an error message of a server that fails': (encoded, response) =>
    sendJson(response, 500, { code: 'x', message: `bad key ${encoded}`, status: 'x' }),
  'in a redirect': (encoded, response) =>
    response.writeHead(302, { location: `/login?key=${encoded}` }).end(),
}

const isHeaderValue = (text: string): boolean => /^[\x20-\x7e]+$/.test(text)

describe.each(sample(Object.entries(places), { usual: 6, slow: 1, all: 1 }))(
  'a random key that the target echoes %s',
  (place, echo) => {
    const echoed = async (apiKey: string, first: number): Promise<void> => {
      const names = Object.keys(encodings)
      const { url, requests } = await startStore({ keys: [apiKey] }, (request, response) => {
        // Some responses are correct, so that the run continues.
        if (request.index % 3 === 1) return false
        const encode = encodings[names[(first + request.index) % names.length] ?? ''] as (
          text: string,
        ) => string
        const encoded = encode(sentKey(request))
        if (/header|redirect|coding/.test(place) && !isHeaderValue(encoded)) return false
        echo(encoded, response, request)
        return true
      })
      const report = await verify({
        baseUrl: url,
        apiKey,
        settleMs: 0,
        headers: { 'x-gate': 'Gate/Token-77' },
      })
      expect(requests.some((request) => sentKey(request) === apiKey)).toBe(true)
      for (const [name, text] of reports(report)) {
        expect(text.toLowerCase(), name).not.toContain(apiKey.toLowerCase().slice(0, -1))
        expect(holds(text, apiKey, pieceOf(apiKey)), name).toBe(false)
        expect(text, name).not.toContain('Gate/Token-77')
      }
    }

    test('is in no report', async () => {
      await fc.assert(fc.asyncProperty(randomKey, fc.nat(99), echoed), {
        numRuns: 1,
        endOnFailure: true,
      })
    })
  },
)

test('a key in parts, which the run changes and the target echoes, is in no report and no saved pet', async () => {
  const { url, requests } = await startStore({}, (request, response) => {
    sendJson(response, 200, [{ id: 1, name: sentKey(request), categoryId: 1 }])
    return true
  })
  let saved = ''
  const onShown = (shown: object): string => (saved = JSON.stringify(shown))
  const report = await verify({ baseUrl: url, apiKey: 'Ab1.Cd2.eF3.gh4.iJ5', settleMs: 0, onShown })
  expect(saved).toContain('"name":"$PETSTORE_API_KEY"')
  const sent = requests.map(sentKey).filter((text) => /^Ab1.?Cd2/i.test(text))
  expect(sent).toContain('Ab1xCd2xeF3xgh4xiJ5')
  for (const [name, text] of [...reports(report), ['the saved pets', saved]]) {
    for (const token of sent) expect(text, name).not.toContain(token)
  }
})

test('a key that is a word of the report does not break the curl line', async () => {
  const { url } = await startStore({ keys: ['pets'] }, ({ target }, response) =>
    target === '/v1/pets?limit=1' ? sendJson(response, 200, pets.concat(pets)) : false,
  )
  const report = await verify({ baseUrl: url, apiKey: 'pets', settleMs: 0 })
  expect(report.findings[0]?.exchanges[0]?.curl).toContain(
    '-H "Authorization: Bearer $PETSTORE_API_KEY"',
  )
})

test.each(['a', 'unknown', 'accept'])('the key %s changes no word of the profile', async (word) => {
  const { url } = await startStore({ keys: [word] })
  const { profile } = await verify({
    baseUrl: url,
    apiKey: word,
    readOnly: true,
    only: ['undescribed.*'],
  })
  expect(profile).toMatchObject({ 'create.name.empty': 'unknown', 'auth.scheme-case': 'accept' })
})

test('a message about the base URL contains no secret', async () => {
  const error = await verify({ baseUrl: `http://user:${key}@127.0.0.1/v1`, apiKey: key }).catch(
    (reason: Error) => reason,
  )
  expect(String(error)).toMatch(/UsageError.*user name or a password/)
  expect(String(error)).not.toContain(key)
})
