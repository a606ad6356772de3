import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { toDocument } from '../../../src/mock/control/routes/openapi.ts'
import { routes } from '../../../src/mock/control/app.ts'
import { defects } from '../../../src/mock/index.ts'

/** The OpenAPI document of the control API. */
export const document: any = JSON.parse(
  JSON.stringify(
    toDocument({ routes, version: '1.0.0', defects: defects.map(({ id }) => id) }),
    bigAsNumber,
  ),
)

export const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
)

/** Schemas with undescribed fields. */
const open = new Set(['Pet', 'Document'])

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema({
  $id: 'https://petstore.test/',
  components: { schemas: closedAll(document.components.schemas) },
})
ajv.addSchema({
  $id: 'https://petstore.test/open/',
  components: { schemas: document.components.schemas },
})

/** The mistakes of a value by one of the schemas. Undescribed fields are mistakes. */
export function mistakesBy(schema: string, value: unknown): string[] {
  const validate = validatorOf('', schema)
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

function validatorOf(part: string, schema: string): ValidateFunction {
  const validate = ajv.getSchema(`https://petstore.test/${part}#/components/schemas/${schema}`)
  if (validate === undefined) throw new Error(`There is no schema ${schema}.`)
  return validate
}

/** Whether a value conforms to one of the schemas, unmodified. */
export function fitsSchema(schema: string, value: unknown): boolean {
  return validatorOf('open/', schema)(value)
}

/** The operation of the document for a request. */
export function describedAt(method: string, target: string): any {
  const path = target.replace(/\?.*/, '')
  const templates = Object.keys(document.paths).filter((template) => toPattern(template).test(path))
  return templates
    .map((template) => document.paths[template][method.toLowerCase()])
    .find((found) => found !== undefined)
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function closedAll(schemas: Record<string, any>): Record<string, any> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      open.has(name) ? schema : closed(schema),
    ]),
  )
}

/** Makes a schema reject undescribed fields. */
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'properties' ? closedEach(value) : closed(value),
    ]),
  )
  const isClosable =
    schema.type === 'object' && schema.properties && schema.additionalProperties === undefined
  return isClosable ? { ...inner, additionalProperties: false } : inner
}

function closedEach(properties: any): any {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, closed(schema)]),
  )
}

function bigAsNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
