/** The OpenAPI document of the control API is valid and complete. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { behaviors } from '../../../src/spec/behaviors.ts'
import type { Suite } from '../../../src/mock/control/routes/suite-runs.ts'
import { type Controlled, startControlled } from './control.ts'
import { document, mistakesBy, operations } from './document.ts'

test('the document is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  // This character class is specific to JavaScript.
  expect(JSON.stringify(document)).not.toContain('[^]')
})

test('the served document equals the generated one', async () => {
  const { call } = await startControlled()
  expect((await call('GET', '/openapi.json')).json).toEqual(document)
})

test('each operation has a unique id and a summary', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { operation } of operations) expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
})

test('sandboxes have the same operations as the mock', () => {
  const root = '/_petstore'
  const ofSandbox = operations
    .filter(({ path }) => path.startsWith(`${root}/sandboxes/{sandbox}/`))
    .map(({ method, path }) => `${method} ${path.replace('/sandboxes/{sandbox}', '')}`)
  const names =
    '/health /ready /metrics /openapi.json /interface.json /interface.yaml /save /requirements /sandboxes /sandboxes/{sandbox}'
  const once = new Set(['', ...names.split(' ')])
  const ofMock = operations
    .filter(
      ({ path }) =>
        !path.startsWith(`${root}/sandboxes/{sandbox}/`) && !once.has(path.replace(root, '')),
    )
    .map(({ method, path }) => `${method} ${path}`)
  expect(ofSandbox).toEqual(ofMock)
  expect(ofMock.length).toBeGreaterThan(20)
})

test('all references are valid, and each schema is used', () => {
  const text = JSON.stringify(document)
  const used = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name)
  const defined = Object.keys(document.components.schemas)
  expect(new Set(used)).toEqual(new Set(defined))
})

test('each path parameter has a matching schema and description', () => {
  const text = { type: 'string' }
  const integer = { type: 'integer', format: 'int64' }
  for (const { method, path, operation } of operations) {
    const named = operation.parameters?.filter((one: any) => one.in === 'path') ?? []
    const shown = named.map(({ name, schema, description }: any) => ({ name, schema, description }))
    const expected = [...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, before, name]) => ({
      name,
      schema: expect.objectContaining(
        name === 'number' ? { type: 'integer' } : before === 'pets' ? integer : text,
      ),
      description: expect.stringMatching(
        name === 'id'
          ? {
              pets: /a pet/,
              rules: /a rule/,
              runs: /a run/,
              explain: /requirement or an unspecified/,
            }[before as string]!
          : /^The (name|number) of/,
      ),
    }))
    expect([method, path, shown]).toEqual([method, path, expected])
  }
})

test('the schema of a rule suits client generators: no `anyOf` next to its properties', () => {
  const { Rule, RuleReply } = document.components.schemas
  for (const schema of [Rule, RuleReply]) {
    expect(Object.keys(schema).filter((keyword) => /^(any|one|all)Of$/.test(keyword))).toEqual([])
    expect(Object.keys(schema.properties).length).toBeGreaterThan(4)
  }
  expect(mistakesBy('Rule', { times: 1 })).not.toEqual([])
  expect(mistakesBy('Rule', { times: 1, fault: 'reset' })).toEqual([])
  expect(mistakesBy('RuleReply', { status: 200 })).not.toEqual([])
  expect(mistakesBy('RuleReply', { status: 200, body: [] })).toEqual([])
})

test('the index lists the operations of the document', async () => {
  const { call } = await startControlled()
  const { json } = await call('GET', '')
  expect(json.operations.map(({ method, path }: any) => `${method} ${path}`).toSorted()).toEqual(
    operations.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
  expect(json.openapi).toBe('/_petstore/openapi.json')
})

test('the schema of a profile has each behavior', () => {
  expect(Object.keys(document.components.schemas.Profile.properties)).toEqual(
    behaviors.map(({ id }) => id),
  )
})

/** A suite whose runs end at once. */
const suite: Suite = {
  deployments: async () => [],
  verify: async () => ({
    verdict: 'violates',
    counts: { verified: 0, violated: 1, notVerified: 0, notApplicable: 5, requests: 9, writes: 0 },
  }),
  summarize: () => '1 violated',
  render: () => '',
  compare: () => ({}),
  toBaseline: () => ({}),
}

async function endRun(call: Controlled['call'], base: string): Promise<void> {
  await call('POST', `${base}/runs`, { body: {} })
  await expect.poll(async () => (await call('GET', `${base}/runs/run-1`)).json.state).toBe('ended')
}

describe('examples', () => {
  const bodies = operations.filter(({ operation }) => operation.requestBody !== undefined)
  test.each(bodies)(
    'the example of $method $path conforms to its schema and is accepted',
    async ({ method, path, operation }) => {
      const { schema, example } = operation.requestBody.content['application/json']
      expect(mistakesBy(schema.$ref.split('/').at(-1), example)).toEqual([])
      const { mock, call } = await startControlled({ suite: async () => suite })
      const sandbox = path.includes('{sandbox}') ? mock.sandboxes.get('team-a') : mock
      sandbox.use({ delayMs: 1 })
      if (path.includes('/runs/{id}'))
        await endRun(call, path.includes('{sandbox}') ? '/sandboxes/team-a' : '')
      const target = path
        .replace('/_petstore', '')
        .replace('{sandbox}', 'team-a')
        .replace(
          '{id}',
          /\/(rules|runs)\//.test(path) ? `${/\/(rule|run)s\//.exec(path)?.[1]}-1` : '1',
        )
      expect((await call(method, target, { body: example })).status).toBeLessThan(300)
    },
  )
})
