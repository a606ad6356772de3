/** The journal, both log formats and scorecards in each format contain no credential. */
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { toJsonLine, toTextLine } from '../../../src/cli/mock/request-log.ts'
import { startMock } from '../../../src/index.ts'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import { createMock, type JournalEntry, type Mock } from '../../../src/mock/index.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'
import { encodings, holds, pieceOf, randomKey } from '../contract/leaks.ts'
import { cpuOf } from '../../support/cpu.ts'
import { runs } from '../../support/level.ts'

interface Sent {
  method?: string
  target?: string
  headers?: Record<string, string | string[]>
  body?: string
}

/** Sends a request, and returns all outputs of the mock about it, by place. */
async function shown(
  mock: Mock,
  log: LoggedRequest[],
  { body = '', target, headers = {}, method }: Sent,
) {
  const seen: JournalEntry[] = []
  const end = mock.journal.subscribe((entry) => seen.push(entry))
  await mock.handle({
    method: method ?? (body === '' ? 'GET' : 'POST'),
    target: target ?? '/v1/pets',
    headers,
    body,
  })
  end()
  const entry = mock.journal.last() as JournalEntry
  expect(seen).toEqual([entry])
  const logged = log.at(-1) as LoggedRequest
  const scorecards = await mock.scorecards()
  const cards = Object.entries(scorecardReporters).map(([name, render]) => [
    `scorecard ${name}`,
    render(scorecards),
  ])
  return {
    journal: JSON.stringify(entry),
    'journal, read': textsIn(entry).join('\n'),
    'archive, read': textsIn(await mock.journal.toHar()).join('\n'),
    'log json': toJsonLine(logged, true),
    'log text': toTextLine({ color: false, rulesOf: () => [] })(logged),
    ...(Object.fromEntries(cards) as Record<string, string>),
  }
}

/** All texts of a value, with the names of its fields. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, field]) => [name, ...textsIn(field)])
    : [String(value)]

function createLogged(
  keys: string[],
  options: Parameters<typeof createMock>[0] = {},
): [Mock, LoggedRequest[]] {
  const log: LoggedRequest[] = []
  return [createMock({ keys, pets: 3, ...options, onRequest: (request) => log.push(request) }), log]
}

/** Ways to present a key. */
const credentials: Record<
  string,
  (key: string) => { headers?: Record<string, string>; query?: string }
> = {
  'in Authorization': (key) => ({ headers: { authorization: `Bearer ${key}` } }),
  'in Authorization, bare': (key) => ({ headers: { authorization: key } }),
  'as a password': (key) => ({ headers: { authorization: `Basic ${btoa(`pets:${key}`)}` } }),
  'in X-API-Key': (key) => ({ headers: { 'x-api-key': key } }),
  'in the query': (key) => ({ query: `&api_key=${encodeURIComponent(key)}` }),
  'in the query, unescaped': (key) => ({
    query: `&api_key=${key.replaceAll(/[#&]/g, encodeURIComponent)}`,
  }),
}

test('a random key is redacted in any encoding at any place', async () => {
  const places: Record<string, (text: string) => Sent> = {
    target: (text) => ({ target: `/v1/pets?limit=${text.replaceAll(/[#\s]/g, '')}` }),
    path: (text) => ({ target: `/v1/pets/${text.replaceAll(/[#\s]/g, '')}` }),
    header: (text) => ({ headers: { 'x-note': text } }),
    referer: (text) => ({ headers: { referer: `http://shop.example/?q=${text}&limit=1` } }),
    'name of a header': (text) => ({ headers: { [`x-${text.toLowerCase()}`]: '1' } }),
    'body that is not JSON': (text) => ({ body: `{"name":${text}` }),
    'name of a pet': (text) => ({ body: JSON.stringify({ name: text, categoryId: 1 }) }),
    'wrong value': (text) => ({
      body: JSON.stringify({ name: 'Bella', categoryId: text, [text]: text }),
    }),
    method: (text) => ({ method: text }),
  }
  await fc.assert(
    fc.asyncProperty(
      randomKey,
      fc.constantFrom(...Object.keys(encodings)),
      fc.constantFrom(...Object.keys(places)),
      fc.constantFrom('own', 'foreign'),
      fc.constantFrom(...Object.keys(credentials)),
      fc.string({ maxLength: 12 }),
      async (key, spelling, place, whose, credential, before) => {
        const [mock, log] = createLogged(whose === 'own' ? [key] : ['a-key-of-this-mock'])
        const sent = places[place]?.(`${before} ${encodings[spelling]?.(key)} after`) ?? {}
        const { headers, query = '' } = credentials[credential]?.(key) ?? {}
        const target = (sent.target ?? '/v1/pets?limit=5') + query
        const whole = { ...sent, target, headers: { ...headers, ...sent.headers } }
        for (const [where, text] of Object.entries(await shown(mock, log, whole))) {
          expect(holds(text, key, pieceOf(key)), `${where}: ${text}`).toBe(false)
        }
      },
    ),
    {
      numRuns: runs(60),
      examples: [
        ['!!!!!!!!!!!!!!!&!!!!!!!!', 'verbatim', 'target', 'own', 'in Authorization', ''],
        ['!!!!!!!!\\n', 'without its first quarter', 'method', 'own', 'in Authorization', ''],
      ],
    },
  )
})

const foreign = 'sk_live_9aXcD3fGh7Jk'

test.each<[string, Sent]>([
  ['x-auth-token', { headers: { 'x-auth-token': foreign } }],
  ['api-key', { headers: { 'api-key': foreign } }],
  ['x-api-key, twice', { headers: { 'x-api-key': [foreign, `${foreign}-2`] } }],
  ['x-amz-security-token', { headers: { 'x-amz-security-token': foreign } }],
  ['ocp-apim-subscription-key', { headers: { 'ocp-apim-subscription-key': foreign } }],
  ['x-gitlab-private-token', { headers: { 'x-gitlab-private-token': foreign } }],
  ['authorisation', { headers: { authorisation: `Bearer ${foreign}` } }],
  [
    'proxy-authorization',
    { headers: { 'proxy-authorization': `Basic ${btoa(`user:${foreign}`)}` } },
  ],
  ['cookie', { headers: { cookie: `theme=dark; session=${foreign}` } }],
  ['authorization, with a tab', { headers: { authorization: `Bearer\t${foreign}` } }],
  ['authorization, in quotes', { headers: { authorization: `Bearer "${foreign}"` } }],
  ['authorization, twice the scheme', { headers: { authorization: `Bearer Bearer ${foreign}` } }],
  ['authorization, bare', { headers: { authorization: foreign } }],
  [
    'authorization, Digest',
    { headers: { authorization: `Digest username="pets", response="${foreign}"` } },
  ],
  ['?api_key=', { target: `/v1/pets?limit=5&api_key=${foreign}` }],
  ['?access_token=', { target: `/v1/pets?access_token=${foreign}#x` }],
  ['?token=', { target: `/v1/pets?token=${encodeURIComponent(foreign)}` }],
  ['?key=', { target: `/v1/pets?key=${foreign}&key=x` }],
  ['?api%5Fkey=', { target: `/v1/pets?api%5Fkey=${foreign}` }],
  ['?key=, after a quote', { target: `/v1/pets?key=it's"<${foreign}` }],
  ['a parameter of a parameter', { target: `/v1/pets?next=/pets?limit=5?token=${foreign}` }],
  ['a parameter after a path like one', { target: `/v1/pets/a&b=c?token=${foreign}` }],
  ['a user name in the target', { target: `http://pets:${foreign}@shop.example/v1/pets` }],
  [
    'a parameter in another header',
    { headers: { referer: `http://shop.example/?a=1&access_token=${foreign}` } },
  ],
])('a foreign key is redacted in %s', async (_, sent) => {
  const [mock, log] = createLogged(['a-key-of-this-mock'])
  const usual = { authorization: 'Bearer a-key-of-this-mock', ...sent.headers }
  for (const [where, text] of Object.entries(await shown(mock, log, { ...sent, headers: usual }))) {
    expect(text, where).not.toContain(foreign.slice(1, -1))
  }
})

test('a credential is redacted also where it is repeated', async () => {
  const headers = {
    authorization: `Bearer "${foreign}"`,
    'x-trace': `a ${foreign} b`,
    'x-hex': Buffer.from(foreign).toString('hex'),
  }
  const [mock, log] = createLogged(['a-key-of-this-mock'])
  const body = JSON.stringify({
    name: 'Bella',
    categoryId: foreign,
    [`x${foreign}`]: btoa(foreign),
  })
  const target = `/v1/pets?q=${foreign}`
  for (const sent of [
    { target, headers },
    { target, headers: { 'x-api-key': foreign } },
    { body, headers },
  ]) {
    for (const [where, text] of Object.entries(await shown(mock, log, sent))) {
      expect(holds(text, foreign, pieceOf(foreign)), where).toBe(false)
    }
  }
})

/** Credentials, of which as many as are looked for elsewhere are redacted there. */
const twelve = Array.from('abcdefghijkl', (letter, at) => `${letter.repeat(7)}${at}`)
const parameters = `/v1/pets?${twelve.map((value) => `key=${value}`).join('&')}`
const others = Object.fromEntries(twelve.map((value, at) => [`x-token-${at}`, value]))
const cookieOf = (part: string) => ({ cookie: `theme=dark; part=${part}; language=english` })

test.each<[place: string, Sent, repeated: string, isRedacted: boolean]>([
  ['of four characters', { headers: { authorization: 'Bearer k3y9' } }, 'k3y9', true],
  ['of three characters', { headers: { authorization: 'Bearer k3y' } }, 'k3y', false],
  ['of words', { headers: { authorization: 'Bearer correct-horse' } }, 'correct-horse', true],
  ['of eight characters in a cookie', { headers: cookieOf('a1b2c3d4') }, 'a1b2c3d4', true],
  ['of seven characters in a cookie', { headers: cookieOf('a1b2c3d') }, 'a1b2c3d', false],
  [
    'in the first of two cookies',
    { headers: { cookie: `session=${foreign}; theme=dark` } },
    foreign,
    true,
  ],
  ['before a word', { headers: { authorization: `${foreign} Bearer` } }, foreign, true],
  [
    'that is a password',
    { headers: { authorization: `Basic ${btoa('pets:p4ssword')}` } },
    'p4ssword',
    true,
  ],
  [
    'that is a password of words',
    { headers: { authorization: `Basic ${btoa('pets:correct-horse')}` } },
    'correct-horse',
    true,
  ],
  [
    'that is a user without a password',
    { headers: { authorization: `Basic ${btoa('correct-horse:')}` } },
    'correct-horse',
    true,
  ],
  ['of a form', { target: '/v1/pets?token=k3y+of+mine' }, 'k3y of mine', true],
  ['with spaces', { headers: { 'x-token': 'my.k3y of mine' } }, 'my.k3y+of+mine', true],
  ['after others', { headers: { ...others, authorization: foreign } }, foreign, true],
  ['beside others', { target: parameters, headers: { authorization: foreign } }, foreign, true],
  ['that is the tenth', { target: parameters }, twelve[9] ?? '', true],
  ['that is the eleventh', { target: parameters }, twelve[10] ?? '', false],
])('a credential %s, repeated in another header', async (_, sent, repeated, isRedacted) => {
  const [mock, log] = createLogged(['a-key-of-this-mock'])
  const headers = { ...sent.headers, 'x-note': `before ${repeated} after` }
  await shown(mock, log, { ...sent, headers })
  expect(mock.journal.last()?.request.headers['x-note']).toBe(
    `before ${isRedacted ? '[redacted]' : repeated} after`,
  )
})

test('a key is redacted also at the end of a truncated body, header or target', async () => {
  const key = `key-${'x1'.repeat(60)}`
  const [mock, log] = createLogged([key])
  const authorization = `Bearer ${key}`
  const name = `${'x'.repeat(16_384 - '{"name":"'.length - 60)}${key}${'y'.repeat(500)}`
  for (const sent of [
    { body: JSON.stringify({ name, categoryId: 1 }), headers: { authorization } },
    { headers: { authorization, 'x-long': `${'x'.repeat(2_048 - 10)}${key}` } },
    { target: `/${'x'.repeat(190)}${key}`, headers: { authorization } },
  ]) {
    for (const [where, text] of Object.entries(await shown(mock, log, sent))) {
      expect(text, where).not.toContain(`x${key.slice(0, 9)}`)
    }
  }
})

test('a key of the mock is redacted in the journals of sandboxes', async () => {
  const { sandboxes, handle } = createMock({ keys: ['a-key-of-this-mock'] })
  const { key, journal } = sandboxes.get('team-a')
  const headers = { authorization: `Bearer ${key}` }
  await handle({ method: 'GET', target: '/v1/pets?api_key=a-key-of-this-mock', headers, body: '' })
  expect(JSON.stringify(journal.last())).not.toMatch(/key-of-this/)
})

test('other values are unchanged', async () => {
  const [mock, log] = createLogged(['petstore-test-key'])
  const headers = {
    authorization: 'Bearer undefined',
    'idempotency-key': 'order-10000001',
    'user-agent': 'petstore-client/1.0 (petstore)',
    'www-authenticate': 'none',
    author: 'Undefined Person',
    accept: 'application/json;q=0.9',
    'x-request-id': '4d8f0d1c-0d0b-4c3e-9a51-3b9cbbd7f3a1',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ name: 'Key token undefined', categoryId: 1, status: 'petstore' })
  await shown(mock, log, {
    headers,
    body,
    target: '/v1/pets?page_token=abc12345&limit=5&q=50%25%20off',
  })
  const { request } = mock.journal.last() as JournalEntry
  expect(request).toEqual({
    method: 'POST',
    target: '/v1/pets?page_token=abc12345&limit=5&q=50%25%20off',
    headers: { ...headers, authorization: 'Bearer [redacted]' },
    body,
  })
})

test.each<[string, Sent, string]>([
  ['a scheme without a key', { headers: { authorization: 'Bearer ' } }, 'Bearer'],
  ['a scheme without a space', { headers: { authorization: 'Basic' } }, 'Basic'],
  [
    'a cookie of another page on this host',
    { target: '/v1/pets?limit=2&status=available', headers: { cookie: 'filter=available' } },
    'status=available',
  ],
  [
    'a parameter as a key',
    { target: '/v1/pets?limit=1', headers: { authorization: 'Bearer limit' } },
    'limit=1',
  ],
  [
    'a request as a key',
    { target: '/v1/pets?limit=1', headers: { 'x-token': '/v1/pets?limit=1' } },
    'limit=1',
  ],
  [
    'a value of the interface',
    { target: '/v1/pets?status=sold', headers: { 'x-key': 'status=sold' } },
    'status=sold',
  ],
  ['a short word', { target: '/v1/pets/apples', headers: { authorization: 'apples' } }, 'apples'],
])('%s takes nothing out of what is shown', async (_, sent, word) => {
  const [mock, log] = createLogged(['a-key-of-this-mock'])
  const outputs = await shown(mock, log, sent)
  const entry = mock.journal.last() as JournalEntry
  expect(entry.request.target).toBe(sent.target ?? '/v1/pets')
  expect(entry.response.body).not.toContain('redacted')
  expect(outputs['log text']).not.toContain('redacted')
  expect(outputs['journal, read']).toContain(word)
})

test('any credential leaves the target and the response body as they are, unless they repeat it', async () => {
  const part = fc.constantFrom(
    'limit',
    'status',
    'available',
    'pets',
    'v1',
    'pending',
    'Bearer',
    '=',
    '&',
    '?',
    '/',
    ' ',
  )
  const header = fc.oneof(
    fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ maxLength: 7, unit: fc.constantFrom(...'aelmitv') }),
  )
  await fc.assert(
    fc.asyncProperty(
      header,
      fc.constantFrom('authorization', 'cookie', 'x-api-key'),
      fc.constantFrom(
        '/v1/pets?limit=5&status=available',
        '/v1/pets/17',
        '/v1/pets?status=pending',
      ),
      async (value, name, target) => {
        const mock = createMock({ pets: 3 })
        const reply = await mock.handle({
          method: 'GET',
          target,
          headers: { [name]: value },
          body: '',
        })
        const { request, response } = mock.journal.last() as JournalEntry
        expect(request.target).toBe(target)
        expect(response.body).toBe(reply.body)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a request with many credentials and a large body is formatted in acceptable time', async () => {
  const headers = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`x-token-${at}`, `tok-Aa1_${at}`.repeat(1 + (at % 20))]),
  )
  const [mock, log] = createLogged(['a-key-of-this-mock'])
  for (const unit of ['deadbeef', 'YTFhQ3pX', '97, 98, ', 'tok-Aa1_']) {
    const body = unit.repeat(4_096)
    const taken = await cpuOf(() => shown(mock, log, { headers, body }))
    expect(taken, unit).toBeLessThan(400)
  }
})

const token = 'control-token-77-abcdef'
const running = startMock({ controlToken: token, keys: ['a-key-of-this-mock'] })
afterAll(async () => (await running).close())

test('the control token is redacted in the journal, its stream and the scorecards', async () => {
  const mock = await running
  const authorization = `Bearer ${token}`
  const stream = await fetch(`${mock.controlUrl}/journal/stream`, { headers: { authorization } })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  await fetch(`${mock.url}/pets?t=${token}`, {
    headers: { authorization: 'Bearer a-key-of-this-mock', 'x-note': btoa(token) },
  })
  await fetch(`${mock.url}/pets`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-key-of-this-mock', 'content-type': 'application/json' },
    body: JSON.stringify({ name: token, categoryId: token }),
  })
  let streamed = ''
  while (!streamed.includes('POST')) streamed += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  const read = async (path: string): Promise<string> =>
    (await fetch(`${mock.controlUrl}${path}`, { headers: { authorization } })).text()
  const all = [
    streamed,
    await read('/journal'),
    await read('/scorecard'),
    JSON.stringify(await mock.allScorecards()),
  ]
  for (const text of all) {
    expect(text).toContain('pets')
    expect(holds(text, token, pieceOf(token))).toBe(false)
  }
  expect(streamed).toContain('[redacted]')
})
