/**
 * Writes the types of published JSON Schemas: each schema with a `title` becomes a type of that name, with its
 * descriptions as docstrings.
 */

/** Existing types of the kit by the titles of their schemas. */
const imported = {
  RequirementId: 'spec/requirements.ts',
  BehaviorId: 'spec/behaviors.ts',
  OperationId: 'spec/operations.ts',
  ExactPet: 'spec/types.ts',
  JsonValue: 'json.ts',
  IssueId: 'mock/scorecard/issues.ts',
  Reference: 'mock/scorecard/issues.ts',
  Severity: 'mock/scorecard/issues.ts',
}

/** Fields of a report that are maps by unspecified behavior: `profile` has all keys, the others have some. */
const byBehavior = /^Report\.(?:profile|evidence|candidates|observations)$/

/**
 * Generates the code of a TypeScript module.
 *
 * @param documents the parsed schemas. A type in several of them is taken from the first.
 * @param src the path from the module to `src/`.
 * @param readonly prefix of arrays.
 */
export function schemaTypes(documents, src, readonly = '') {
  const types = new Map()
  for (const document of documents) {
    const nameOf = (schema) => {
      if (schema.$ref !== undefined) return typeOf(document.$defs[schema.$ref.split('/').at(-1)])
      const { title, description, properties } = schema
      const name = title === 'Pet' ? 'ExactPet' : title
      if (name === undefined || name in imported || types.has(name)) return name
      types.set(name, '')
      const head = `${docOf(description)}export ${properties ? `interface ${name}` : `type ${name} =`}`
      types.set(name, `${head} ${toType(schema, nameOf, readonly)}\n`)
      return name
    }
    const typeOf = (schema) => nameOf(schema) ?? toType(schema, nameOf, readonly)
    typeOf(document)
  }
  const code = [...types.values()].join('\n')
  const imports = Object.entries(imported)
    .filter(([name]) =>
      new RegExp(`\\b${name}\\b(?!['-])`).test(code.replaceAll(/\/\*\*.*\*\//g, '')),
    )
    .map(([name, from]) => `import type { ${name} } from '${src}${from}'\n`)
  return `// Written by scripts/schema-types.mjs.\n${imports.join('')}\n${code}`
}

/** Converts a schema to a type. `nameOf` returns the name of the type of a part, if there is one. */
export function toType(schema, nameOf, readonly) {
  const typeOf = (part) => nameOf(part) ?? toType(part, nameOf, readonly)
  const { title, type, items = {}, properties, required = [], additionalProperties } = schema
  const plain = plainType(schema, typeOf)
  if (plain !== undefined) return plain
  if (type === undefined) return 'JsonValue | object'
  if (type === 'array') return `${readonly}${typeOf(items).replace(/^[^{].* \| .*$/s, '($&)')}[]`
  if (properties === undefined) {
    const map = additionalProperties ? `Record<string, ${typeOf(additionalProperties)}>` : 'object'
    return readonly === '' || map === 'object' ? map : `Readonly<${map}>`
  }
  const fields = Object.entries(properties).map(([field, part]) => {
    const shape = typeOf(part)
    const map = byBehavior.test(`${title}.${field}`)
      ? shape.replace('string', 'BehaviorId')
      : undefined
    const keyed = map && (field === 'profile' ? map : `Partial<${map}>`)
    const name = /^[\w$]+$/.test(field) ? field : `'${field}'`
    const isRequired = required.includes(field)
    // Who writes one may have a variable that is undefined, which counts as left out; nobody writes a report.
    const absent = isRequired || readonly === '' ? '' : ' | undefined'
    return `${docOf(part.description)}${name}${isRequired ? '' : '?'}: ${keyed ?? shape}${absent}`
  })
  const hasDocs =
    title !== undefined ||
    Object.values(properties).some(({ description }) => description !== undefined)
  return hasDocs ? `{\n${fields.join('\n').replaceAll(/^/gm, '  ')}\n}` : `{ ${fields.join('; ')} }`
}

export const docOf = (text) => (text === undefined ? '' : `/** ${text} */\n`)

/** The type of a value that has neither fields nor items; undefined for others. */
export function plainType(schema, typeOf) {
  const {
    type,
    format,
    const: value,
    enum: values,
    oneOf,
    anyOf = oneOf,
    properties,
    pattern,
  } = schema
  if (value !== undefined) return JSON.stringify(value)
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (anyOf !== undefined && properties === undefined)
    return anyOf.map((one) => typeOf(one)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one, format })).join(' | ')
  if (type === 'integer' || type === 'number')
    return format === 'int64' ? 'number | bigint' : 'number'
  if (pattern !== undefined) return 'string'
  return ['string', 'boolean', 'null'].includes(type) ? type : undefined
}
