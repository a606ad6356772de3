/** Bodies that are not JSON, too large, unexpected, or invalid by the schema of their operation. */
import { describe, expect, test } from 'vitest'
import { openSocket, statusesOf } from '../mock/raw-socket.ts'
import { cpuOf } from '../../support/cpu.ts'
import { checkReply, controlInProcess, startControlled } from './control.ts'
import { document, fitsSchema, operations } from './document.ts'
import { jsonProblem } from '../../../src/json-problem.ts'

const mebibyte = 1_048_576

test('only imports accept up to 64 MiB', async () => {
  const { mock, call } = await startControlled()
  const large = `[{"id":1,"categoryId":1,"name":"${'x'.repeat(3 * mebibyte)}"}]`
  expect((await call('PUT', '/pets', { body: large })).json).toEqual({ pets: 1 })
  expect(mock.catalog.export()[0]?.name.length).toBe(3 * mebibyte)
  const { status, json } = await call('PATCH', '/pets/1', {
    body: `{"status":"sold"${' '.repeat(mebibyte)}}`,
  })
  expect(status).toBe(413)
  expect(json.message).toContain('1048576')
  expect(mock.catalog.export()[0]?.status).toBeUndefined()
})

test.each(['x', 'ä', '€', '🐕'])(
  'the limit counts bytes, not characters: %s',
  async (character) => {
    const { call } = await startControlled()
    const fitting = Math.floor((mebibyte - '{"now":""}'.length) / Buffer.byteLength(character))
    const statusOf = async (length: number) =>
      (await call('PUT', '/clock', { body: `{"now":"${character.repeat(length)}"}` })).status
    expect(await statusOf(fitting)).toBe(400)
    expect(await statusOf(fitting + 1)).toBe(413)
  },
)

test('a body with too many values is rejected before it is parsed', async () => {
  const { call } = await startControlled()
  const bodyOf = (count: number) => `[${'{},'.repeat(count - 1)}{}]`
  const tooMany = await call('PUT', '/pets', { body: bodyOf(2_000_001) })
  expect(tooMany.status).toBe(413)
  expect(tooMany.json.message).toBe('The body has more than 4000000 JSON values.')
  const wrong = await call('PUT', '/pets', { body: bodyOf(100_000) })
  expect(wrong.status).toBe(400)
  expect(wrong.json.message.split('\n').length).toBeLessThan(25)
  // The search for similar names must be fast for a word of a megabyte.
  const long = `{"profile":{"${'x'.repeat(1_000_000)}":"400"}}`
  expect((await call('PATCH', '/settings', { body: long })).status).toBe(400)
  const commas = JSON.stringify([
    { id: 1, categoryId: 1, name: `\\"${',[{'.repeat(10)}`.repeat(150_000) },
  ])
  expect((await call('PUT', '/pets', { body: commas })).status).toBe(200)
})

test('a body with too large a Content-Length is not read', async () => {
  const { mock } = await startControlled()
  const socket = openSocket(mock.port)
  const head = ['PUT /_petstore/pets HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json']
  socket.send(`${[...head, 'Content-Length: 99999999'].join('\r\n')}\r\n\r\n[`)
  expect(statusesOf(await socket.until(/\r\n\r\n/))).toEqual([413])
  socket.socket.destroy()
})

test.each(['{', '{"status":"sold"}}', "{'status':'sold'}", 'status=sold', '\u0000'])(
  '%j is not JSON',
  async (body) => {
    const { call } = await startControlled()
    const { status, json } = await call('PATCH', '/pets/1', { body })
    expect(status).toBe(400)
    expect(json.message).toBe(`The body is not JSON: ${jsonProblem(body)}.`)
  },
)

test('invalid UTF-8 is rejected', async () => {
  const { control } = controlInProcess()
  const reply = await control.respond({
    method: 'PATCH',
    target: '/_petstore/pets/1',
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    body: '{"status":"\ufffd"}',
    bodyFault: 'not-utf8',
  })
  expect(reply.status).toBe(400)
})

test('deep nesting is rejected', async () => {
  const { call } = await startControlled()
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect((await call('PUT', '/pets', { body: deep })).status).toBe(400)
  expect((await call('POST', '/rules', { body: deep })).status).toBe(400)
  expect((await call('GET', '/health')).status).toBe(200)
})

test('an operation without a body accepts only an empty object', async () => {
  const { call } = await startControlled()
  expect((await call('POST', '/reset', { body: {} })).status).toBe(204)
  expect(
    (await call('POST', '/reset', { headers: { 'content-type': 'application/json' } })).status,
  ).toBe(204)
  expect((await call('POST', '/reset', { body: { pets: true } })).status).toBe(400)
  expect((await call('DELETE', '/rules', { body: [] })).status).toBe(400)
})

test('an operation with a body requires it', async () => {
  const { call } = await startControlled()
  const { status, json } = await call('PATCH', '/pets/1')
  expect([status, json.message]).toEqual([400, 'A JSON body is required.'])
})

test.each([
  ['application/json; charset=utf-8', 200],
  ['Application/JSON', 200],
  ['application/json;charset=utf-8', 200],
  ['application/jsonp', 415],
  ['application/json-seq', 415],
  ['text/json', 415],
  // Types of HTML forms, which any page can send.
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['text/plain; application/json', 415],
  [undefined, 415],
  ['*/*', 415],
  ['', 415],
])('the type %j: %i', async (type, expected) => {
  const { call } = await startControlled()
  const { status } = await call('PATCH', '/pets/1', {
    body: { status: 'sold' },
    headers: { 'content-type': type },
  })
  expect(status).toBe(expected)
})

test('a wrong body of a megabyte gets a short message in acceptable time', async () => {
  const { call } = await startControlled()
  const defects = Array.from({ length: 50_000 }, (_, index) => `list.no-${index}`)
  for (const body of [{ ['x'.repeat(1_000_000)]: 1 }, { defects }]) {
    const ms = await cpuOf(async () => {
      const { status, text } = await call('PATCH', '/settings', { body })
      expect([status, text.length < 5_000]).toEqual([400, true])
    })
    expect(ms).toBeLessThan(3_000)
  }
})

test.each(['/health?x=1', '/pets?page=5', '/journal?x=1&y=2'])(
  '%s: an unknown parameter is rejected',
  async (path) => {
    const { call } = await startControlled()
    const { status, json } = await call('GET', path)
    expect(status).toBe(400)
    expect(json.message).toContain('is unknown')
  },
)

const integers = operations.flatMap(({ method, path, operation }) =>
  (operation.parameters ?? [])
    .filter((one: any) => one.in === 'query' && one.schema.type === 'integer')
    .map((one: any): [string, string, string] => [
      method,
      path.replace('/_petstore', ''),
      one.name,
    ]),
)
test.each(integers)('%s %s: %s is an integer', async (method, path, name) => {
  const { mock, control } = controlInProcess()
  mock.sandboxes.get('1')
  const example = operations.find(
    (one) => one.path === `/_petstore${path}` && one.method === method,
  )?.operation.requestBody?.content['application/json'].example
  const body = example === undefined ? '' : JSON.stringify(example)
  const headers = { host: '127.0.0.1', 'content-type': 'application/json' }
  const wrong = ['00', '007', '-0', '+1', '1.0', '1e3', '0x1', '٣', '9'.repeat(20), '', ' 1', '1_0']
  for (const value of wrong) {
    const query = `${name}=${encodeURIComponent(value)}`
    const target = `/_petstore${path.replace(/\{\w+\}/g, '1')}?${query}`
    const reply = await control.respond({ method, target, headers, body })
    const text = 'body' in reply ? reply.body : ''
    expect([reply.status, JSON.parse(text).message], value).toEqual([
      400,
      expect.stringContaining(name),
    ])
  }
})

test('the table of integer parameters is not empty', () => {
  expect(integers.length).toBeGreaterThan(10)
})

const pet = '"id": 1, "name": "Rex", "categoryId": 1'
/** JSON texts that are invalid by the published schema. */
const invalid: Record<string, string> = {
  'PATCH /settings': `
    [] | null | "x" | {"seed": 1} | {"explain": null} | {"overrides": "yes"} | {"profile": null} | {"profile": []}
    {"profile": {"list.nothing": "400"}} | {"profile": {"list.order": "random"}} | {"profile": {"error.code.400": 400}}
    {"profile": {"list.limit.below-minimum": "500"}} | {"defects": "list.limit-ignored"} | {"defects": [null]}`,
  'PUT /pets': `
    {} | [null] | [{"name": "Rex", "categoryId": 1}] | [{${pet}, "status": null}] | [{${pet}, "status": "lost"}]
    [{"id": "1", "name": "Rex", "categoryId": 1}] | [{"id": 1.5, "name": "Rex", "categoryId": 1}]
    [{"id": 18446744073709551616, "name": "Rex", "categoryId": 1}]`,
  'POST /pets': `
    null | 7 | {} | {"name": "Rex"} | {"id": "1", "name": "Rex", "categoryId": 1} | [{${pet}}, null] | {"name": "Rex", "categoryId": 1.5}
    {"name": "Rex", "categoryId": 1, "status": "lost"} | {"name": "Rex", "categoryId": 1, "status": null}`,
  'PATCH /pets/1': `
    [] | null | {"id": 2} | {"name": 7} | {"name": null} | {"categoryId": 1.5} | {"categoryId": "1"} | {"categoryId": 18446744073709551616}
    {"status": "lost"} | {"status": ["sold"]} | {"status": "sold", "nickname": "Rex"}`,
  'PATCH /rules/1':
    '[] | {"enabled": 1} | {"position": -1} | {"position": 1000} | {"position": 0.5} | {"times": 2}',
  'POST /settings/vary':
    '[] | {} | {"seed": 0.5} | {"seed": "1"} | {"seed": 9007199254740992} | {"seed": 1, "x": 1}',
  'PUT /settings/profile': '[] | null | 7 | "x"',
  'POST /runs':
    '[] | {"baseUrl": "http://127.0.0.1:1"} | {"deployment": 7} | {"readOnly": 1} | {"only": "x"} | {"skip": [1]}',
  'POST /runs/1/baseline':
    '[] | {} | {"reason": 7} | {"reason": "x", "ticket": 1} | {"reason": "x", "expires": 7} | {"reason": "x", "y": 1}',
  'POST /reset': '[] | null | {"journal": "kept"} | {"journal": null} | {"jurnal": "keep"}',
  'POST /rules': `
    7 | [] | {} | {"times": 1} | [{"delayMs": 1}, null] | {"delayMs": 1, "id": "rule-1"} | {"delayMs": 1, "times": 0}
    {"delayMs": 1, "when": {"operation": "deletePet"}} | {"delayMs": 1, "when": {"method": "GET"}} | {"delayMs": "5"}
    {"reply": {"status": 199}} | {"reply": {"status": 200}} | {"reply": {"status": 503, "headers": {"a b": "1"}}}
    {"delayMs": {"from": 1}} | {"fault": "explode"} | {"rateLimit": {"requests": 1}}`,
  'PUT /clock': `
    [] | {"frozen": 1} | {"now": 7} | {"now": "7"} | {"now": ""} | {"now": "tomorrow"} | {"now": "6 Dec 2030"} | {"now": "2030-13-06"}
    {"now": "2030-12-06 09:30Z"} | {"now": "2030-12-06T24:00Z"} | {"now": "2030-12-06", "zone": "UTC"}
    {"now": "2030-12-06T09:30:00+24:00"} | {"now": " 2030-12-06"}`,
  'POST /clock/advance':
    '{"ms": 1e400} | {"ms": 9007199254740993} | {} | {"ms": "1"} | {"ms": 0.5} | {"ms": null} | {"ms": 9007199254740992} | {"ms": 1, "s": 1}',
  'POST /sandboxes': `
    [] | {} | {"name": 7} | {"name": null} | {"name": ""} | {"name": "${'x'.repeat(1001)}"} | {"name": "a", "key": "x"}`,
}

describe.each(Object.entries(invalid))('%s', (operation, bodies) => {
  const [method = '', path = ''] = operation.split(' ')
  const described = document.paths[`/_petstore${path.replace('/1', '/{id}')}`][method.toLowerCase()]
  const name = described.requestBody.content['application/json'].schema.$ref.split('/').at(-1)

  test.each(bodies.trim().split(/ \| |\n +/))('rejects %s', async (body) => {
    const { mock, control } = controlInProcess()
    const before = JSON.stringify([
      mock.settings,
      mock.rules(),
      mock.sandboxes.list(),
      mock.catalog.export(),
    ])
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const reply = await control.respond({ method, target: `/_petstore${path}`, headers, body })
    const text = 'body' in reply ? reply.body : ''
    expect(reply.status).toBe(400)
    checkReply(method, `/_petstore${path}`, { ...reply, text, json: JSON.parse(text) })
    expect(fitsSchema(name, JSON.parse(body))).toBe(false)
    expect(
      JSON.stringify([mock.settings, mock.rules(), mock.sandboxes.list(), mock.catalog.export()]),
    ).toBe(before)
  })
})

test('each operation with a body has invalid ones', () => {
  const withBody = operations
    .filter(
      ({ path, operation }) => operation.requestBody !== undefined && !path.includes('{sandbox}'),
    )
    .map(({ method, path }) => `${method} ${path.replace('/_petstore', '').replace('{id}', '1')}`)
  expect(Object.keys(invalid).toSorted()).toEqual(withBody.toSorted())
})

const deep = `${'['.repeat(200)}${']'.repeat(200)}`
test.each([
  ['an id that is not unique', 'PUT', '/pets', `[{${pet}}, {${pet}}]`],
  ['a pet that is too deep', 'PUT', '/pets', `[{"id":1,"name":"Rex","categoryId":1,"x":${deep}}]`],
  ['a response that is too deep', 'POST', '/rules', `{"reply":{"status":200,"body":${deep}}}`],
  ['a condition that is too deep', 'POST', '/rules', `{"delayMs":1,"when":{"body":{"x":${deep}}}}`],
  ['an impossible day', 'PUT', '/clock', '{"now":"2030-02-31"}'],
  ['a leap day of another year', 'PUT', '/clock', '{"now":"2031-02-29T10:00:00Z"}'],
  ['a range that ends before it begins', 'POST', '/rules', '{"delayMs":{"from":2,"to":1}}'],
  ['a percentile below the median', 'POST', '/rules', '{"delayMs":{"median":2,"p99":1}}'],
])('%s is rejected beyond the schema', async (_, method, path, body) => {
  const { call } = await startControlled()
  expect((await call(method, path, { body })).status).toBe(400)
})

test('a response is indented by two spaces, and ends with a line break', async () => {
  const { call } = await startControlled()
  const { text } = await call('PUT', '/pets', { body: [{ id: 7, name: 'Rex', categoryId: 3 }] })
  expect(text).toBe('{\n  "pets": 1\n}\n')
})
