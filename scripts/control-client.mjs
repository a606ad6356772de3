/**
 * Writes the types of the control client: an operation for each row of the route table, and a type for each schema of
 * the OpenAPI document.
 */
import { load } from './bundled.mjs'
import { toType } from './schema-types.mjs'

/** @param root the folder of the package. */
export async function controlTypes(root) {
  const { document } = await loadDocument(root)
  const { schemas } = document.components
  const every = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      endpoint: `${method.toUpperCase()} ${path}`,
      ...operation,
    })),
  )
  const operations = every.filter(({ operationId }) => !operationId.endsWith('InSandbox'))
  return `// Written by scripts/control-client.mjs.
import type { JsonValue } from './json.ts'

/** The schemas of the control API. */
export interface ControlSchemas {
${Object.entries(schemas)
  .map(([name, schema]) => `  ${name}: ${typeOf(schema)}\n`)
  .join('')}}

/** The parameters and the result of each operation. */
export interface ControlOperations {
${operations.map((operation) => `  ${operation.operationId}: ${operationType(operation)}\n`).join('')}}

/** The operations that are also available for a sandbox. */
export type SandboxOperation = ${operations
    .filter(({ operationId }) => every.some((one) => one.operationId === `${operationId}InSandbox`))
    .map(({ operationId }) => `'${operationId}'`)
    .join(' | ')}

export const endpoints: Readonly<Record<keyof ControlOperations, string>> = ${JSON.stringify(
    Object.fromEntries(operations.map(({ operationId, endpoint }) => [operationId, endpoint])),
  )}
`
}

async function loadDocument(root) {
  const code = `
import { routes } from '${root}/src/mock/control/app.ts'
import { toDocument } from '${root}/src/mock/control/routes/openapi.ts'
import { defects } from '${root}/src/mock/defects/index.ts'
export const document = toDocument({ routes, version: '', defects: defects.map(({ id }) => id) })`
  return load({ text: code })
}

/** The type of an operation: parameters, whose names are unique, and the body in one object. */
function operationType({ parameters = [], requestBody, responses }) {
  const fields = parameters.map(
    ({ name, required, schema }) =>
      `'${name}'${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`,
  )
  const needsBody = requestBody?.required === true
  if (requestBody !== undefined)
    fields.push(
      `body${needsBody ? '' : '?'}: ${typeOf(requestBody.content['application/json'].schema)}${needsBody ? '' : ' | undefined'}`,
    )
  const contents = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const results = contents.flatMap(([, { content }]) => {
    if (content === undefined) return ['undefined']
    return Object.entries(content).map(([type, { schema }]) => {
      if (type === 'application/json') return typeOf(schema)
      return type === 'text/event-stream' ? 'ReadableStream<Uint8Array>' : 'string'
    })
  })
  const isNeeded = needsBody || parameters.some(({ required }) => required)
  const input = fields.length === 0 ? '' : `input${isNeeded ? '' : '?'}: { ${fields.join('; ')} }`
  return `{ parameters: [${input}]; result: ${[...new Set(results)].join(' | ')} }`
}

const nameOf = ({ $ref }) => $ref && `ControlSchemas['${$ref.split('/').at(-1)}']`
const typeOf = (schema) => nameOf(schema) ?? toType(schema, nameOf, 'readonly ')
