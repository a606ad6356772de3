import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { operations, petStatuses } from '../../../src/spec/operations.ts'
import { resources } from '../../../src/spec/schemas.gen.ts'
import { lines } from './specification.ts'

const text = readFileSync(new URL('../../../src/spec/openapi.json', import.meta.url), 'utf8')
const document = JSON.parse(text)
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))

/** Follows the `$ref` of a node. */
function resolve(node: any): any {
  if (typeof node?.$ref !== 'string') return node
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce((at: any, name: string) => at[name], document)
  return resolve(found)
}

/** Replaces every `$ref` of a schema by its target. */
function inline(schema: any): any {
  const resolved = resolve(schema)
  if (Array.isArray(resolved)) return resolved.map(inline)
  if (typeof resolved !== 'object' || resolved === null) return resolved
  return Object.fromEntries(Object.entries(resolved).map(([name, value]) => [name, inline(value)]))
}

/** A schema without title and description. */
function constraints(schema: any): any {
  if (Array.isArray(schema)) return schema.map(constraints)
  if (typeof schema !== 'object' || schema === null) return schema
  const { description: _, title: __, $schema: ___, ...rest } = schema
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, constraints(value)]))
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const documented = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  methods
    .filter((method) => method in item)
    .map((method) => ({ path, method, operation: item[method] })),
)
const byId = (id: string) =>
  documented.find(({ operation }) => operation.operationId === id)?.operation
const schemas = document.components.schemas

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result).toEqual({ valid: true })
})

test('the document has the version stated in the specification', () => {
  const { text: stated } = lines.find((line) =>
    line.text.startsWith('The description of the interface'),
  ) as {
    text: string
  }
  expect(stated).toContain(`version ${document.info.version}.`)
})

const resourceOf = (message: any): string | undefined =>
  message?.content?.['application/json'].schema.$ref.split('/').at(-1)

test('describes exactly the operations of the routing table', () => {
  const found = documented.map(({ path, method, operation }) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    query: Object.fromEntries(
      (operation.parameters ?? [])
        .filter((one: any) => one.in === 'query')
        .map(({ name, schema }: any) => [name, constraints(inline(schema))]),
    ),
    body: resourceOf(operation.requestBody),
    successStatus: Number(Object.keys(operation.responses)[0]),
    returns: resourceOf(Object.values(operation.responses)[0]),
    errors: Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status >= 400),
    deprecated: operation.deprecated ?? false,
    removalDate: operation['x-removal-date'],
  }))
  const requirements = { success: undefined, unauthorized: undefined }
  const stated = Object.entries(operations).map(([id, operation]) => ({
    ...operation,
    id,
    ...requirements,
  }))
  expect(found).toEqual(stated)
})

test('every response is JSON, and every error an Error, including unlisted statuses', () => {
  for (const { operation } of documented) {
    expect(operation.responses).toHaveProperty('default')
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content } = resolve(response)
      const place = `${operation.operationId} ${status}`
      expect(
        Object.keys(content ?? {}),
        `${place}: all messages are JSON, says the specification; where it says otherwise now, name the response in this test`,
      ).toEqual(['application/json'])
      if (status === 'default' || Number(status) >= 400)
        expect(content['application/json'].schema.$ref).toBe('#/components/schemas/Error')
    }
  }
})

test('every operation requires the bearer token', () => {
  expect(document.security).toEqual([{ apiKey: [] }])
  expect(document.components.securitySchemes.apiKey).toMatchObject({
    type: 'http',
    scheme: 'bearer',
  })
  expect(documented.filter(({ operation }) => 'security' in operation)).toEqual([])
})

test('the parameters have the constraints of the specification', () => {
  const parameters = (id: string) =>
    byId(id).parameters.map(({ name, in: place, required, schema }: any) => [
      name,
      place,
      required,
      constraints(inline(schema)),
    ])
  expect(parameters('listPets')).toEqual([
    ['limit', 'query', false, { type: 'integer', minimum: 1, maximum: 100, default: 20 }],
    ['status', 'query', false, { type: 'string', enum: [...petStatuses] }],
  ])
  expect(parameters('getPet')).toEqual([
    ['petId', 'path', true, { type: 'integer', format: 'int64' }],
  ])
  expect(byId('createPet').parameters).toBeUndefined()
})

test('the schemas of the source equal those of the document, and have the statuses of the routing table', () => {
  expect(constraints(resources)).toEqual(constraints(inline(schemas)))
  expect(schemas.PetStatus.enum).toEqual([...petStatuses])
})

test('createPet requires a body, and it is a NewPet', () => {
  const { required, content } = byId('createPet').requestBody
  expect(required).toBe(true)
  expect(content).toEqual({
    'application/json': expect.objectContaining({
      schema: { $ref: '#/components/schemas/NewPet' },
    }),
  })
  expect([byId('listPets').requestBody, byId('getPet').requestBody]).toEqual([undefined, undefined])
})

test('each server URL ends in the version segment', () => {
  const bases = document.servers.map(({ url, variables = {} }: any) =>
    url.replaceAll(/\{(\w+)\}/g, (_: string, name: string) => variables[name].default),
  )
  expect(bases.length).toBe(3)
  for (const base of bases) expect(new URL(base).pathname).toBe('/v1')
})

test('the extensions are described, and no operation has a stability marker that the specification does not state', () => {
  const used = new Set(
    documented
      .flatMap(({ operation }) => Object.keys(operation))
      .filter((name) => name.startsWith('x-')),
  )
  expect([...used]).toEqual(['x-removal-date'])
  expect(Object.keys(document['x-extensions'])).toEqual(['x-removal-date', 'x-stability'])
  expect(document['x-extensions']['x-stability'].schema.enum).toEqual(['experimental', 'beta'])
})

test('an example has an integer beyond double precision, exactly', () => {
  expect(text).toContain('"categoryId": 9007199254740993')
})

describe('examples', () => {
  const examples = documented.flatMap(({ operation }) =>
    [
      ...(operation.parameters ?? []).map((parameter: any) => ({
        place: parameter.name,
        media: parameter,
      })),
      ...(operation.requestBody
        ? [{ place: 'body', media: operation.requestBody.content['application/json'] }]
        : []),
      ...Object.entries(operation.responses).map(([status, response]) => ({
        place: status,
        // A response without content has none.
        media: resolve(response).content?.['application/json'],
      })),
    ].flatMap(({ place, media }) =>
      Object.entries<any>(media?.examples ?? {}).map(([name, { value }]) => ({
        id: operation.operationId,
        place,
        name,
        value,
        schema: media.schema,
      })),
    ),
  )

  test.each(examples)('$id $place $name conforms to its schema', ({ place, schema, value }) => {
    const validate = ajv.compile(inline(schema))
    validate(value)
    expect(validate.errors).toBeNull()
    if (/^[45]/.test(place)) expect(value.status).toBe(Number(place))
  })

  test('cover parameters, bodies and responses', () => {
    expect(examples.length).toBeGreaterThan(15)
  })
})
