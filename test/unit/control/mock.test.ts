/** Operations on the whole mock: health, readiness, saving, sandboxes and explanations. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { UsageError } from '../../../src/errors.ts'
import { defects, sandboxKey } from '../../../src/mock/index.ts'
import { behaviors } from '../../../src/spec/behaviors.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { rowToSentence } from '../../../src/report/text.ts'
import service from '../../../src/spec/openapi.json' with { type: 'json' }
import { sendTo, controlInProcess, startControlled } from './control.ts'

test('health and readiness respond before the control API is loaded', async () => {
  let loads = 0
  const prepare = async () => void (loads += 1)
  const { get } = controlInProcess({ prepare, isReady: () => false })
  expect((await get('/health')).status).toBe(200)
  expect((await get('/ready')).status).toBe(503)
  expect(loads).toBe(0)
  await Promise.all([get('/pets'), get('/pets')])
  expect(loads).toBe(1)
})

test('loading is retried after a failure', async () => {
  const outcomes = [Promise.reject(new Error('secret')), Promise.resolve()]
  const { get } = controlInProcess({ prepare: () => outcomes.shift() ?? Promise.resolve() })
  const failed = await get('/pets')
  expect(failed.status).toBe(500)
  expect(JSON.stringify(failed)).not.toContain('secret')
  expect((await get('/pets')).status).toBe(200)
})

test('a failure does not reveal its error', async () => {
  const { get } = controlInProcess({
    readInterface: () => {
      throw new Error('secret')
    },
  })
  const reply = await get('/interface.json')
  expect(reply.status).toBe(500)
  expect(JSON.stringify(reply)).not.toContain('secret')
})

test.each(['ENOENT', 'ERR_INVALID_URL'])(
  'a bundle without the files of the package says so: %s',
  async (code) => {
    const { get } = controlInProcess({
      readInterface: () => Promise.reject(Object.assign(new Error('/a/path'), { code })),
    })
    for (const form of ['json', 'yaml']) {
      const reply = await get(`/interface.${form}`)
      expect(reply).toMatchObject({ status: 501, body: expect.stringContaining('bundle') })
      expect(JSON.stringify(reply)).not.toContain('/a/path')
    }
  },
)

test('/interface.json is the OpenAPI document of the package, for this mock', async () => {
  const { mock, call } = await startControlled({ basePath: '/api/v1' })
  const { servers, ...document } = (await call('GET', '/interface.json')).json
  expect(servers[0]).toMatchObject({ url: mock.url })
  expect({ ...document, servers: service.servers }).toEqual(service)
})

test.each(['3.1', '3.0'])('the document has OpenAPI %s and YAML, too', async (version) => {
  const { mock, call } = await startControlled({ basePath: '/api/v1' })
  const { json } = await call('GET', `/interface.json?openapi=${version}`)
  expect(json.servers[0].url).toBe(mock.url)
  const validator = new Validator()
  expect(await validator.validate(json)).toMatchObject({ valid: true })
  expect(validator.version).toBe(version)
  const { headers, text } = await call('GET', `/interface.yaml?openapi=${version}`)
  expect(headers['content-type']).toBe('application/yaml')
  expect(parse(text)).toEqual(json)
})

test('the document has no other version of OpenAPI', async () => {
  const { call } = await startControlled()
  const { status, json } = await call('GET', '/interface.json?openapi=2.0')
  expect([status, json.message]).toEqual([400, expect.stringContaining('openapi')])
})

test('the state is saved on demand', async () => {
  let saved = 0
  const { call } = await startControlled({ save: async () => `pets-${(saved += 1)}.json` })
  expect((await call('POST', '/save')).json).toEqual({ file: 'pets-1.json' })
  const { status, json } = await (await startControlled()).call('POST', '/save')
  expect([status, json.message]).toEqual([501, expect.stringContaining('--save FILE')])
})

test.each([
  [new UsageError('The disk is full.'), 'The disk is full.'],
  [new Error('secret path'), 'The state could not be saved.'],
])('saving fails with a message: %s', async (error, message) => {
  const { call } = await startControlled({
    save: async () => {
      throw error
    },
  })
  const { status, json } = await call('POST', '/save')
  expect([status, json.message]).toEqual([500, message])
})

test('without the control API, its paths belong to the service', async () => {
  const { mock } = await startControlled({ control: false })
  const { status, headers } = await sendTo(mock.port, 'GET', '/_petstore/health')
  expect(status).toBe(404)
  expect(headers['cache-control']).toBeUndefined()
})

test.each(['Cart: shows a pet', '../x', '__proto__', 'a\n', 'TEAM-A', 'x'.repeat(1000)])(
  'a sandbox created from the text %j has a name valid in paths',
  async (text) => {
    const { call } = await startControlled()
    const { status, json } = await call('POST', '/sandboxes', { body: { name: text } })
    expect({ status, json }).toEqual({
      status: 201,
      json: { name: expect.stringMatching(/^[a-z0-9-]{1,40}$/), key: sandboxKey(text) },
    })
    expect((await call('GET', `/sandboxes/${json.name}`)).json.key).toBe(json.key)
    expect((await call('POST', '/sandboxes', { body: { name: text } })).status).toBe(200)
  },
)

test('sandboxes are created, listed, read and deleted', async () => {
  const { mock, call } = await startControlled()
  expect((await call('GET', '/sandboxes')).json).toEqual({ sandboxes: [], dropped: 0 })
  const made = await call('POST', '/sandboxes', { body: { name: 'team-a' } })
  expect(made.status).toBe(201)
  expect(made.json).toEqual({ name: 'team-a', key: sandboxKey('team-a') })
  expect((await call('POST', '/sandboxes', { body: { name: 'team-a' } })).status).toBe(200)
  await sendTo(mock.port, 'GET', '/v1/pets', {
    headers: { authorization: `Bearer ${made.json.key}` },
  })
  await sendTo(mock.port, 'GET', '/v1/pets?limit=0', {
    headers: { authorization: `Bearer ${made.json.key}` },
  })
  const shown = {
    ...made.json,
    pets: 5,
    requests: 2,
    lastSeen: mock.sandboxes.get('team-a').journal.last()?.at,
  }
  expect((await call('GET', '/sandboxes/team-a')).json).toEqual({ ...shown, score: 50 })
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([shown])
  mock.sandboxes.get('quiet')
  const { sandboxes } = (await call('GET', '/sandboxes?scores=true')).json
  expect(sandboxes[0]).toEqual({ ...shown, score: 50 })
  expect(sandboxes[1]).toMatchObject({ name: 'quiet', score: null })
  expect(sandboxes[1]).not.toHaveProperty('lastSeen')
  expect((await call('DELETE', '/sandboxes/team-a')).status).toBe(204)
  expect((await call('DELETE', '/sandboxes/team-a')).status).toBe(404)
  expect((await call('GET', '/sandboxes/team-a')).status).toBe(404)
})

test.each([
  ['GET', '/pets', undefined],
  ['POST', '/reset', undefined],
  ['PUT', '/pets', []],
  ['GET', '/journal/stream', undefined],
  ['PUT', '/snapshots/x', undefined],
])('a mistyped name creates no sandbox: %s %s', async (method, path, body) => {
  const { mock, call } = await startControlled()
  mock.sandboxes.get('team-a')
  const { status, json } = await call(
    method,
    `/sandboxes/team-aa${path}`,
    body === undefined ? {} : { body },
  )
  expect(status).toBe(404)
  expect(json.message).toContain('"team-aa"')
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['team-a'])
})

test('no sandbox is created if sandboxes are off', async () => {
  const { mock, call } = await startControlled({ sandboxes: false })
  expect((await call('POST', '/sandboxes', { body: { name: 'team-a' } })).status).toBe(409)
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([])
  expect(mock.sandboxes.has('team-a')).toBe(false)
})

test.each([
  ['requirement', requirements],
  ['behavior', behaviors],
])('each %s is explained', async (kind, table) => {
  const { call } = await startControlled()
  for (const entry of table) {
    const sentence = rowToSentence(entry.quote)
    expect((await call('GET', `/explain/${entry.id}`)).json).toMatchObject({
      kind,
      ...entry,
      sentence,
    })
  }
})

test('requirements, unspecified behaviors and deliberate defects are listed with their quotes', async () => {
  const { call } = await startControlled()
  const { requirements } = (await call('GET', '/requirements')).json
  expect(requirements).toMatchObject(requirements)
  expect((await call('GET', '/behaviors')).json.behaviors).toMatchObject(behaviors)
  const listed = (await call('GET', '/defects')).json.defects
  expect(listed.map(({ id }: any) => id)).toEqual(defects.map(({ id }) => id))
  const quotes = new Map(requirements.map(({ id, quote }: any) => [id, quote]))
  for (const { requirement, quote } of listed) expect(quote).toBe(quotes.get(requirement))
})

test('the Link header of an explained response leads to the explanation', async () => {
  const { mock, call } = await startControlled({ explain: true })
  const { headers } = await sendTo(mock.port, 'GET', '/v1/pets?limit=0', {
    headers: { authorization: `Bearer ${mock.key}` },
  })
  const link = /<\/_petstore(\/explain\/[^>]+)>/.exec(headers['link'] ?? '')?.[1] as string
  expect((await call('GET', link)).json).toMatchObject({
    kind: 'behavior',
    id: 'list.limit.below-minimum',
  })
  const taken = await call('GET', `/explain/${headers['petstore-explain']}`)
  expect(taken.json).toMatchObject({ kind: 'behavior', chosen: '400' })
})

test.each(['nothing', 'list.order=upside-down', 'toString', '__proto__', 'rule-1', 'list.order='])(
  '%s has no explanation',
  async (id) => {
    const { call } = await startControlled()
    expect((await call('GET', `/explain/${id}`)).status).toBe(404)
  },
)
