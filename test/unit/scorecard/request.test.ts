import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { issueKinds, type IssueKind } from '../../../src/mock/scorecard/issues.ts'
import { sandboxKey } from '../../../src/mock/service/sandbox-key.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { createClient, type Sent } from './client.ts'

const json = { 'content-type': 'application/json' }
const key = 'petstore-test-key'
const bare = (authorization: string | string[] | undefined, more: Sent['headers'] = {}): Sent => ({
  key: undefined,
  headers: { authorization, ...more },
})
const created = (body: string, headers: Sent['headers'] = json): Sent => ({ body, headers })

/** A request, its expected issues except `deprecated.used`, and a part of their messages. */
type Case = [
  method: string,
  target: string,
  sent: Sent,
  kinds: string[],
  words?: string | undefined,
]
const post = (body: string, kinds: string[], words?: string, headers?: Sent['headers']): Case => [
  'POST',
  '/v1/pets',
  created(body, headers),
  kinds,
  words,
]
const cases: Case[] = [
  // Credentials
  ['GET', '/v1/pets', { key: undefined }, ['credentials.missing']],
  ['GET', '/v1/pets', bare(''), ['credentials.empty-token']],
  ['GET', '/v1/pets', bare('Bearer'), ['credentials.empty-token']],
  ['GET', '/v1/pets', bare('Bearer  '), ['credentials.empty-token']],
  ['GET', '/v1/pets', bare(key), ['credentials.bare-key']],
  [
    'GET',
    '/v1/pets',
    bare(`Basic ${btoa(`${key}:`)}`),
    ['credentials.other-scheme'],
    'The scheme was Basic.',
  ],
  ['GET', '/v1/pets', bare(`Token ${key}`), ['credentials.other-scheme']],
  [
    'GET',
    '/v1/pets',
    bare(`Key-${key} x`),
    ['credentials.other-scheme'],
    'The scheme was not Bearer.',
  ],
  [
    'GET',
    '/v1/pets',
    bare(undefined, { 'x-api-key': key }),
    ['credentials.other-header'],
    'x-api-key',
  ],
  ['GET', `/v1/pets?api_key=${key}`, { key: undefined }, ['credentials.in-query']],
  ['GET', `/v1/pets?mine=${key}&limit=5`, { key: undefined }, ['credentials.in-query']],
  ['GET', `/v1/pets?access_token=other`, { key: undefined }, ['credentials.in-query']],
  ['GET', '/v1/pets', bare([`Bearer ${key}`, `Bearer ${key}`]), ['credentials.repeated']],
  ['GET', '/v1/pets', bare(`Bearer\t${key}`), ['credentials.bare-key']],
  ['GET', '/v1/pets', bare(`Bearer ${key}\u00a0`), ['credentials.unknown-key']],
  ['GET', '/v1/pets', { key: 'another' }, ['credentials.unknown-key']],
  ['GET', '/v1/pets', { key: key.toUpperCase() }, ['credentials.unknown-key'], 'letter case'],
  ['GET', '/v1/pets', { key: 'petstore-tset-key' }, ['credentials.unknown-key'], 'nearly a valid'],
  ['GET', '/v1/pets', { key: key.slice(0, -1) }, ['credentials.unknown-key'], 'nearly a valid'],
  [
    'GET',
    '/v1/pets',
    { key: sandboxKey('team-a').toUpperCase() },
    ['credentials.unknown-key'],
    'letter case',
  ],
  [
    'GET',
    '/v1/pets',
    { key: sandboxKey('team-a').slice(0, -1) },
    ['credentials.unknown-key'],
    'like the key of a sandbox',
  ],
  [
    'GET',
    '/v1/pets',
    bare(`Bearer ${key}, Bearer ${key}`),
    ['credentials.repeated'],
    'separated by commas',
  ],
  [
    'GET',
    '/v1/pets',
    { key: 'undefined' },
    ['credentials.unknown-key'],
    'the word undefined: a variable was not set',
  ],
  ...[
    '$API_KEY',
    '${API_KEY}',
    '${config.key}',
    '{{token}}',
    '{{ token }}',
    '${{ secrets.KEY }}',
    '%API_KEY%',
    '<API_KEY>',
    '<your key>',
    '{token}',
    `{${key}}`,
  ].map((placeholder): Case => [
    'GET',
    '/v1/pets',
    { key: placeholder },
    ['credentials.unknown-key'],
    'A placeholder, such as the name of a variable, was sent',
  ]),
  ['GET', '/v1/pets', { key: 'Bearer' }, ['credentials.unknown-key'], 'Bearer appeared twice'],
  [
    'GET',
    '/v1/pets',
    { key: `Bearer ${key}` },
    ['credentials.unknown-key'],
    'Bearer appeared twice',
  ],
  ['GET', '/v1/pets', { key: `<${key}>` }, ['credentials.unknown-key'], 'in quotes or brackets'],
  ['GET', '/v1/pets', { key: `"${key}"` }, ['credentials.unknown-key'], 'in quotes'],
  ['GET', '/v1/pets', bare(`bearer ${key}`), ['credentials.scheme-case'], 'bearer'],
  ['GET', '/v1/pets', bare(`BEARER ${key}`), ['credentials.scheme-case']],
  ['GET', '/v1/pets', bare(`Bearer ${key}`), []],

  // The parameters of listPets
  ['GET', '/v1/pets', {}, []],
  ['GET', '/v1/pets?', {}, []],
  ['GET', '/v1/pets?limit=1', {}, []],
  ['GET', '/v1/pets?limit=100&status=sold', {}, []],
  ['GET', '/v1/pets?status=available&limit=5', {}, []],
  ['GET', '/v1/pets?%6Cimit=5&status=%73old', {}, []],
  ['GET', '/v1/pets?limit=0', {}, ['limit.out-of-range'], 'limit was 0.'],
  ['GET', '/v1/pets?limit=-1', {}, ['limit.out-of-range']],
  ['GET', '/v1/pets?limit=101', {}, ['limit.out-of-range']],
  ['GET', `/v1/pets?limit=${'9'.repeat(30)}`, {}, ['limit.out-of-range']],
  ['GET', '/v1/pets?limit=ten', {}, ['limit.not-an-integer'], 'limit was "ten".'],
  ['GET', '/v1/pets?limit=', {}, ['limit.not-an-integer'], 'limit had no value.'],
  ['GET', '/v1/pets?limit=5.0', {}, ['limit.not-an-integer']],
  ['GET', '/v1/pets?limit=1e1', {}, ['limit.not-an-integer']],
  ['GET', '/v1/pets?limit=%zz', {}, ['limit.not-an-integer']],
  ['GET', '/v1/pets?limit=5&limit=6', {}, ['limit.repeated']],
  ['GET', '/v1/pets?limit=5&limit=500', {}, ['limit.out-of-range', 'limit.repeated']],
  ['GET', '/v1/pets?status=Sold', {}, ['status.unknown'], 'The value is sold.'],
  ['GET', '/v1/pets?status=', {}, ['status.unknown'], 'status had no value.'],
  ['GET', '/v1/pets?status=sold,pending', {}, ['status.unknown'], 'one value in each request'],
  ['GET', '/v1/pets?status=sold&status=pending', {}, ['status.repeated']],
  ['GET', '/v1/pets?offset=20', {}, ['query.unknown-parameter'], 'no further pages'],
  ['GET', '/v1/pets?limit%3D10', {}, ['query.escaped'], '"limit=10"'],
  ['GET', '/v1/pets?status%3dsold', {}, ['query.escaped'], '"status=sold"'],
  ['GET', '/v1/pets?Limit=5', {}, ['query.unknown-parameter'], 'Unknown parameter "Limit"'],
  ['GET', `/v1/pets?api_key=${key}`, {}, ['credentials.in-query'], 'also in the query string'],
  [
    'GET',
    `/v1/pets?mine=${key}&page=2`,
    {},
    ['credentials.in-query', 'query.unknown-parameter'],
    '"page"',
  ],
  ['POST', `/v1/pets?k=${key}`, created('{"name":"Rex","categoryId":1}'), ['credentials.in-query']],
  ['GET', '/v1/pets?api_key=other', {}, ['query.unknown-parameter']],
  [
    'GET',
    '/v1/pets?status[]=sold',
    {},
    ['query.unknown-parameter'],
    'The name is status, without brackets',
  ],
  [
    'GET',
    '/v1/pets',
    { headers: { accept: 'application/xml' } },
    ['accept.other'],
    'application/xml',
  ],
  ['GET', '/v1/pets', { headers: { accept: 'application/json;q=0, text/html' } }, ['accept.other']],
  ['GET', '/v1/pets/1', { headers: { accept: 'text/html' } }, ['accept.other']],
  ['GET', '/v1/pets', { headers: { accept: 'text/html, application/json;q=0.5' } }, []],
  ['GET', '/v1/pets', { headers: { accept: 'text/*,application/*;q=0.1' } }, []],
  ['GET', '/v1/pets', { headers: { accept: 'text/html,*/*;q=0.8' } }, []],
  ['GET', '/v1/pets', { headers: { accept: '' } }, []],
  ['GET', '/v1/pets/1?limit=5', {}, ['query.unknown-parameter']],

  // createPet
  post('{"name":"Rex","categoryId":1}', []),
  post(' {"status":"sold","categoryId":7,"name":"R\\u0065x"} ', []),
  post('{"name":"Rex","categoryId":7.0e0}', ['category-id.spelling'], 'written as 7.0e0.'),
  post('{"name":"Rex","categoryId": 1.0}', ['category-id.spelling']),
  post('{"name":"\\"categoryId\\":1.0","categoryId":1}', []),
  post('{"name":"Rex","name":"Max","categoryId":1}', ['fields.repeated'], 'field "name"'),
  post('{"name":"Rex","categoryId":1,"n\\u0061me":"Max"}', ['fields.repeated']),
  post('{"name":"a\\" : {b","categoryId":1}', []),
  post('{"name":"Rex","categoryId":1,"a":{"name":1,"b":[{"name":2}]}}', ['fields.extra']),
  post('{"name":"R\\ud83dx","categoryId":1}', ['name.unusual'], 'surrogate'),
  post('{"name":"R\\u0000x","categoryId":1}', ['name.unusual'], 'U+0000'),
  post('{"name":"Rex","categoryId":1}', ['content-type.charset'], '"iso-8859-1"', {
    'content-type': 'application/json; charset=iso-8859-1',
  }),
  post('\u001f\u008b\u0008 not JSON', ['content-encoding.sent'], 'Content-Encoding was "gzip".', {
    ...json,
    'content-encoding': 'gzip',
  }),
  post('{"name":"Rex","categoryId":1}', [], undefined, { ...json, 'content-encoding': 'identity' }),
  post('{"name":"Rex","categoryId":9223372036854775807}', []),
  post('{"name":"Rex","categoryId":-9007199254740993}', []),
  post('{"name":"Rex","categoryId":1}', [], undefined, {
    'content-type': 'Application/JSON; charset=utf-8',
  }),
  ['POST', '/v1/pets', {}, ['body.missing']],
  ['POST', '/v1/pets', { headers: { 'transfer-encoding': 'chunked' } }, ['body.missing']],
  ['POST', '/v1/pets', { headers: { 'content-length': '9999999' } }, []],
  post('{name:"Rex"}', ['body.not-json']),
  post('[object Object]', ['body.not-json'], 'An object was sent'),
  post('name=Rex&categoryId=1', ['body.not-json', 'content-type.other'], 'form', {
    'content-type': 'application/x-www-form-urlencoded',
  }),
  post('\uFEFF{"name":"Rex","categoryId":1}', ['body.not-json'], 'byte order mark'),
  post('<pet><name>Rex</name></pet>', ['body.not-json'], 'The body was XML, HTML or multipart.'),
  post(
    '--b\r\ncontent-disposition: form-data',
    ['body.not-json'],
    'The body was XML, HTML or multipart.',
  ),
  post('[{"name":"Rex","categoryId":1}]', ['body.not-an-object'], 'an array'),
  post('"{}"', ['body.not-an-object'], 'the string "{}"'),
  post('null', ['body.not-an-object']),
  post('{}', ['category-id.missing', 'name.missing']),
  post('{"categoryId":1}', ['name.missing']),
  post('{"name":"Rex","category_id":1}', ['category-id.missing'], 'the name is categoryId'),
  post('{"name":"Rex","category":{"id":1}}', ['category-id.missing'], 'the name is categoryId'),
  post('{"Name":"Rex","categoryId":1}', ['name.missing'], 'but "Name": the name is name'),
  post('{"name":"Rex","categoryId":1,"Status":"sold"}', ['fields.extra'], 'The name is status.'),
  post('{"name":"Rex","categoryId":1,"category":1}', ['fields.extra'], 'Unknown field "category".'),
  post('{"pet":{"name":"Rex","categoryId":1}}', ['fields.nested'], 'inside "pet"'),
  post('{"data":{"name":"Rex"},"x":1}', ['fields.nested'], 'inside "data"'),
  post('{"name":null,"categoryId":1}', ['name.not-a-string'], 'name was null.'),
  post('{"name":"Rex","categoryId":"1"}', ['category-id.not-an-integer'], 'the string "1"'),
  post('{"name":"Rex","categoryId":1.5}', ['category-id.not-an-integer']),
  post('{"name":"Rex","categoryId":7.00000000000000000001}', ['category-id.not-an-integer']),
  post('{"name":"Rex","categoryId":null}', ['category-id.not-an-integer']),
  post('{"name":"Rex","categoryId":9223372036854775808}', ['category-id.beyond-int64']),
  post(
    '{"name":"Rex","categoryId":9223372036854776000}',
    ['category-id.beyond-int64'],
    'was 9223372036854776000.',
  ),
  post('{"name":"Rex","categoryId":1e999}', ['category-id.beyond-int64']),
  post('{"name":"Rex","categoryId":9.2e18}', ['category-id.as-float'], 'written as 9.2e18.'),
  post('{"name":"Rex","categoryId":9007199254740994.0}', ['category-id.as-float']),
  post('{"name":"Rex","categoryId":1234567890123456800}', ['category-id.rounded']),
  post('{"name":"Rex","categoryId":1000}', []),
  post(
    '{"name":"Rex","categoryId":1,"status":"lost"}',
    ['new-status.unknown'],
    'the string "lost"',
  ),
  post('{"name":"Rex","categoryId":1,"status":null}', ['new-status.null']),
  post('{"name":"Rex","categoryId":1,"id":5}', ['id.sent'], 'id was 5.'),
  post(
    '{"name":"Rex","categoryId":1,"color":"red","size":1}',
    ['fields.extra'],
    'Unknown field "color", and 1 more.',
  ),
  post('{"name":"Rex","categoryId":1,"__proto__":1}', ['fields.extra']),
  post('{"name":"Rex","categoryId":1}', ['content-type.other'], 'text/plain', {
    'content-type': 'text/plain;charset=UTF-8',
  }),
  post('{"name":"Rex","categoryId":1}', ['content-type.other'], undefined, {
    'content-type': 'application/vnd.api+json',
  }),
  post('{"name":"Rex","categoryId":1}', ['content-type.missing'], undefined, {}),
  post('{"name":"","categoryId":1}', ['name.unusual'], 'name was empty.'),
  post('{"name":"ZoÃ«","categoryId":1}', ['name.damaged'], 'name contained "Ã«".'),
  post('{"name":"caf\u00c3\u00a9","categoryId":1}', ['name.damaged']),
  post('{"name":"Itâ€™s","categoryId":1}', ['name.damaged']),
  post('{"name":"Zo\ufffd","categoryId":1}', ['name.damaged']),
  post('{"name":"Mr%20Rex","categoryId":1}', ['name.damaged'], 'name contained "%20".'),
  post('{"name":"Tom &amp; Jerry","categoryId":1}', ['name.damaged']),
  post('{"name":"Zo\\\\u00eb","categoryId":1}', ['name.damaged']),
  ...[
    'Zoë',
    'Ångström',
    'Tom & Jerry',
    '100% Rex',
    'R&D;',
    'ÇA VA',
    'Â',
    'Pará',
    'Ü–Ö',
    '漢字',
    'C:\\\\u',
    'Ñandú',
    'À«b»',
  ].map((name) => post(`{"name":"${name}","categoryId":1}`, [])),
  post('{"name":"  ","categoryId":1}', ['name.unusual'], 'name was blank.'),
  post('{"name":" Rex","categoryId":1}', ['name.unusual']),
  post(`{"name":"${'x'.repeat(256)}","categoryId":1}`, ['name.unusual'], '256 characters'),
  ['POST', '/v1/pets?dry=1', created('{"name":"Rex","categoryId":1}'), ['query.unknown-parameter']],

  // getPet
  ['GET', '/v1/pets/1', {}, []],
  ['GET', '/v1/pets/99999', {}, []],
  ['GET', '/v1/pets/-9223372036854775808', {}, []],
  ['GET', '/v1/pets/9223372036854775808', {}, ['pet-id.beyond-int64']],
  ['GET', '/v1/pets/undefined', {}, ['pet-id.not-an-integer'], 'A variable was not set.'],
  ['GET', '/v1/pets/{petId}', {}, ['pet-id.not-an-integer']],
  ['GET', '/v1/pets/findByStatus?status=available', {}, ['path.search'], 'findByStatus'],
  ['GET', '/v1/pets/findByTags?tags=a', {}, ['path.search']],
  ['GET', '/v1/pets/finder', {}, ['pet-id.not-an-integer']],
  ['GET', '/v1/pets/1.5', {}, ['pet-id.not-an-integer'], 'petId was "1.5".'],
  ['GET', '/v1/pets', { body: '{}' }, ['body.unexpected'], '2 characters'],
  ['GET', '/v1/pets/1', { body: '{}' }, ['body.unexpected']],
  ['GET', '/v1/pets', { headers: { 'content-length': '11' } }, ['body.unexpected'], '11 bytes'],
  ['GET', '/v1/pets', { headers: { 'content-length': '0' } }, []],

  // Paths and methods
  ['GET', '/pets', {}, ['path.base-path'], 'without /v1'],
  ['POST', '/pets/', {}, ['path.base-path']],
  ['GET', '/v1/pets/', {}, ['path.trailing-slash']],
  ['GET', '/v1/pets/1/', {}, ['path.trailing-slash']],
  ['GET', '/v1/orders', {}, ['path.orders']],
  ['GET', '/v1/store/order/1', {}, ['path.orders']],
  ['GET', '/v2/pets', {}, ['path.undescribed']],
  ['GET', '/v1/Pets', {}, ['path.undescribed'], 'case-sensitive'],
  [
    'GET',
    '/v1//pets',
    {},
    ['path.undescribed'],
    'two consecutive slashes: probably the base URL ends in a slash',
  ],
  ['GET', '//v1/pets?limit=5', {}, ['path.undescribed'], 'two consecutive slashes'],
  ['GET', '/v1//pets/7', {}, ['path.undescribed'], 'The path is /v1/pets/7.'],
  ['GET', '/v1/./pets', {}, ['path.undescribed'], 'a dot segment. The path is /v1/pets.'],
  ['GET', '//pets', {}, ['path.undescribed'], 'The base path is /v1.'],
  ['GET', '/v1/pets/1/photos', {}, ['path.undescribed']],
  ['GET', '/v1/pets/%zz', {}, ['path.undescribed']],
  ['GET', '/v1/pets?name=a b', {}, ['target.unescaped'], 'must be %20'],
  ['GET', '/v1/pets/ü', {}, ['target.unescaped'], 'percent-encoded, as UTF-8'],
  ['GET', 'http://mock.test/v1/pets', {}, []],
  ['DELETE', '/v1/pets/1', {}, ['method.undescribed'], 'The method was DELETE.'],
  ['PUT', '/v1/pets/1', created('{}'), ['method.undescribed']],
  [
    'POST',
    '/v1/pets/1',
    { headers: { 'x-http-method-override': 'DELETE' } },
    ['method.undescribed'],
    'The header x-http-method-override was DELETE.',
  ],
  ['GET', '/v1/pets/1', { headers: { 'x-http-method': 'DELETE' } }, ['method.undescribed']],
  ['GET', '/v1/pets', { headers: { 'x-http-method-override': 'get' } }, []],
  ['PATCH', '/v1/pets', {}, ['method.undescribed']],
  ['POST', '/v1/pets/1', {}, ['method.undescribed']],
  ['HEAD', '/v1/pets', {}, ['method.head']],
  ['OPTIONS', '/v1/pets', {}, ['method.options']],
  [
    'OPTIONS',
    '/v1/pets',
    { headers: { 'user-agent': 'Mozilla/5.0 HappyDOM/21.0.4' } },
    ['method.options'],
  ],
  [
    'OPTIONS',
    '/v1/pets',
    { key: undefined, headers: { 'user-agent': 'Mozilla/5.0 HappyDOM/21.0.4' } },
    [],
  ],
  [
    'OPTIONS',
    '/v1/pets',
    { key: undefined, headers: { 'user-agent': 'Mozilla/5.0 (linux) jsdom/26.1.0' } },
    [],
  ],

  // Automatic requests
  [
    'OPTIONS',
    '/v1/pets',
    {
      key: undefined,
      headers: { origin: 'http://page.test', 'access-control-request-method': 'POST' },
    },
    [],
  ],
  ['GET', '/favicon.ico', { key: undefined }, []],
  ['GET', '/', { key: undefined }, []],
  ['HEAD', '/v1', { key: undefined }, []],
  ['GET', '/.well-known/appspecific/com.chrome.devtools.json', { key: undefined }, []],
]

describe('a request', () => {
  test.each(
    cases.map(([method, target, sent, kinds, words], index) => ({
      method,
      target,
      sent,
      kinds,
      words,
      index,
    })),
  )(
    '$index: $method $target $sent has the issues $kinds',
    async ({ method, target, sent, kinds, words }) => {
      const client = createClient()
      await client.send(method, target, sent)
      const { issues } = await client.card()
      const found = issues.filter(({ id }) => id !== 'deprecated.used')
      expect(found.map(({ id }) => id as string).toSorted()).toEqual(kinds.toSorted())
      for (const { count } of issues) expect(count).toBe(1)
      if (words !== undefined)
        expect(found.map(({ message }) => message).join('\n')).toContain(words)
    },
  )

  test('has the same issues with any conforming deployment, and with a rule', async () => {
    const plain = createClient()
    const other = createClient({
      profile: { 'list.limit.above-maximum': 'clamp', 'auth.scheme-case': '401' },
    })
    other.mock.use({ when: { operation: 'createPet' }, reply: { status: 400 } })
    for (const client of [plain, other]) {
      for (const [method, target, sent] of cases) await client.send(method, target, sent)
    }
    const cards = [await plain.card(), await other.card()]
    const counts = cards.map(({ issues }) => issues.map(({ id, count }) => `${id} ${count}`))
    // Issues about several requests depend on the responses.
    const own = counts.map(
      (all) => new Set(all.filter((found) => !/^(order|retry|creation)\./.test(found))),
    )
    expect(own[0]).toEqual(own[1])
  })
})

test('getPet is a notice until its removal, and a violation afterwards', async () => {
  const client = createClient()
  await client.send('GET', '/v1/pets/1')
  expect(await client.card()).toMatchObject({
    score: 100,
    issues: [{ id: 'deprecated.used', severity: 'notice' }],
  })
  client.mock.clock.set('2030-12-05')
  await client.send('GET', '/v1/pets/1')
  expect(await client.card()).toMatchObject({
    score: 50,
    issues: [
      { id: 'deprecated.removed', severity: 'violation', count: 1 },
      { id: 'deprecated.used', count: 1 },
    ],
  })
})

describe('the table of issues', () => {
  const specification = readFileSync(
    new URL('../../../docs/reference/specification.md', import.meta.url),
    'utf8',
  )
  const inTests = ['sequences', 'rounding', 'adapters']
    .map((name) => readFileSync(new URL(`${name}.test.ts`, import.meta.url), 'utf8'))
    .join('')

  test.each(issueKinds.map((kind: IssueKind) => [kind.id, kind] as const))(
    '%s',
    (id, { requirement, behavior, quote, title, fix }) => {
      expect([requirement, behavior].filter((reference) => reference !== undefined)).toHaveLength(1)
      expect([...requirements, ...behaviors].map((entry) => entry.id as string)).toContain(
        requirement ?? behavior,
      )
      if (quote !== undefined) expect(specification).toContain(quote)
      expect(title).toMatch(/^[a-z][^.]*$/)
      expect(fix).toMatch(/^[A-Z].*[.]$/)
      const isTried =
        cases.some(([, , , kinds]) => kinds.includes(id)) || inTests.includes(`'${id}'`)
      expect(isTried || id.startsWith('deprecated.'), 'a test must find this issue').toBe(true)
    },
  )
})
