/**
 * Writes the types of the service in the format of openapi-typescript, for `openapi-fetch` and similar clients.
 * Integers are `number`, because such clients use `JSON.parse`, which rounds integers beyond 2^53.
 */
import { docOf, plainType } from './schema-types.mjs'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const places = ['query', 'header', 'path', 'cookie']

/** @param document the OpenAPI document. Its operations use only JSON. */
export function interfaceTypes({ paths, components: { schemas, responses } }) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return `// Written by scripts/interface-types.mjs.

/** The requests and responses of each path, relative to the base URL. */
export interface paths ${fieldsOf(paths, (item, path) => `'${path}': ${typeOfPath(item)}`)}

/** The schemas and responses of the document. */
export interface components {
  schemas: ${nested(fieldsOf(schemas, (schema, name) => `${docOf(schema.description)}${name}: ${typeOf(schema)}`))}
  responses: ${nested(fieldsOf(responses, (response, name) => `${docOf(response.description)}${name}: ${typeOfResponse(response)}`))}
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}

/** The requests and responses of each operation, by its name. */
export interface operations ${fieldsOf(operations, (operation) => `${operation.operationId}: ${typeOfOperation(operation)}`)}
`
}

const nested = (text) => text.replaceAll(/\n(?=.)/g, '\n  ')

/** An object type with a field for each part; a field may begin with its doc comment. */
function fieldsOf(parts, fieldOf) {
  const fields = Object.entries(parts).map(([name, part]) => `  ${nested(fieldOf(part, name))}\n`)
  return `{\n${fields.join('')}}`
}

function typeOfPath(item) {
  const none = places.map((place) => `${place}?: never`)
  const ofMethods = methods.map((method) => {
    const { operationId, summary, description = '', deprecated } = item[method] ?? {}
    if (operationId === undefined) return `${method}?: never`
    const paragraphs = description.split('\n\n').filter((text) => !text.startsWith('Not shown'))
    const notice = deprecated ? [` *\n * @deprecated ${paragraphs.pop()}\n`] : []
    const lines = [` * ${[`${summary}.`, ...paragraphs].join(' ')}\n`, ...notice]
    return `/**\n${lines.join('')} */\n${method}: operations['${operationId}']`
  })
  return fieldsOf([`parameters: { ${none.join('; ')} }`, ...ofMethods], (field) => field)
}

function typeOfOperation({ parameters = [], requestBody, responses }) {
  const ofPlaces = places.map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    if (own.length === 0) return `${place}?: never`
    const isNeeded = own.some(({ required }) => required)
    return `${place}${isNeeded ? '' : '?'}: ${fieldsOf(own, ({ name, required, description, schema }) => `${docOf(description)}${name}${required ? '' : '?'}: ${typeOf(schema)}`)}`
  })
  const body =
    requestBody === undefined
      ? 'requestBody?: never'
      : `${docOf(requestBody.description)}requestBody${requestBody.required ? '' : '?'}: { ${contentOf(requestBody)} }`
  const replies = fieldsOf(
    responses,
    (response, status) => `${docOf(response.description)}${status}: ${typeOfResponse(response)}`,
  )
  return fieldsOf(
    [`parameters: ${fieldsOf(ofPlaces, (field) => field)}`, body, `responses: ${replies}`],
    (field) => field,
  )
}

const typeOfResponse = (response) =>
  response.$ref === undefined
    ? `{ headers: { [name: string]: unknown }; ${contentOf(response)} }`
    : typeOf(response)

const contentOf = ({ content }) =>
  content === undefined
    ? 'content?: never'
    : `content: { 'application/json': ${typeOf(content['application/json'].schema)} }`

function typeOf(schema) {
  const { $ref, type, items, properties, required = [] } = schema
  if ($ref !== undefined) return $ref.replace(/^#\/(\w+)\/(\w+)\/(\w+)$/, `$1['$2']['$3']`)
  if (type === 'array') return `${typeOf(items)}[]`
  if (type !== 'object') return plainType({ ...schema, format: undefined }, typeOf)
  return fieldsOf(
    properties,
    (field, name) =>
      `${docOf(field.description)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`,
  )
}
