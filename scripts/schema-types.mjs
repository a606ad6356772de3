/**
 * Writes the types of published JSON Schemas: each schema with a `title` becomes a type of that name, with its
 * descriptions as docstrings.
 */

/** Types that the kit has already, by the titles that stand for them. */
const imported = {
  ClauseId: 'spec/clauses.ts',
  ChoiceId: 'spec/choices.ts',
  OperationId: 'spec/operations.ts',
  IssueId: 'mock/scorecard/rules.ts',
  Reference: 'mock/scorecard/rules.ts',
  Severity: 'mock/scorecard/rules.ts',
}

/** Fields of a report that are maps by unspecified behavior: one has each of them, the others some. */
const byChoice = {
  'Report.profile': (map) => map,
  'Report.evidence': (map) => `Partial<${map}>`,
  'Report.candidates': (map) => `Partial<${map}>`,
  'Report.observations': (map) => `Partial<${map}>`,
}

/**
 * The code of a TypeScript module.
 *
 * @param documents the schemas, parsed. What stands in several is taken from the first.
 * @param src the path from the module to `src/`.
 */
export function schemaTypes(documents, src) {
  const types = new Map()
  const used = new Set()

  function typeOf(schema, document, isNamed = true) {
    if (schema.$ref !== undefined) return typeOf(document.$defs[schema.$ref.split('/').at(-1)], document)
    const { title: name } = schema
    if (name === undefined || !isNamed) return shapeOf(schema, document)
    if (name in imported) used.add(name)
    else if (!types.has(name)) {
      types.set(name, '')
      const shape = typeOf(schema, document, false)
      const head = docOf(schema.description)
      const isObject = schema.properties !== undefined
      types.set(name, `${head}export ${isObject ? `interface ${name}` : `type ${name} =`} ${shape}\n`)
    }
    return name
  }

  function shapeOf(schema, document) {
    const { title: name, type, items, properties, required = [], additionalProperties } = schema
    const plain = plainType(schema, (part) => typeOf(part, document))
    if (plain !== undefined) return plain
    if (type === 'array') return `${typeOf(items, document)}[]`
    if (properties === undefined) return `Record<string, ${typeOf(additionalProperties ?? {}, document)}>`
    const fields = Object.entries(properties).map(([field, schema]) => {
      const shape = typeOf(schema, document)
      const keyed = byChoice[`${name}.${field}`]?.(shape.replace('string', typeOf({ title: 'ChoiceId' }, document)))
      return `${docOf(schema.description)}${field}${required.includes(field) ? '' : '?'}: ${keyed ?? shape}\n`
    })
    return `{\n${fields.join('').replaceAll(/^/gm, '  ').trimEnd()}\n}`
  }

  for (const document of documents) typeOf(document, document)
  const imports = [...used].map((name) => `import type { ${name} } from '${src}${imported[name]}'\n`)
  return `// Written by scripts/schema-types.mjs.\n${imports.join('')}\n${[...types.values()].join('\n')}`
}

export const docOf = (text) => (text === undefined ? '' : `/** ${text} */\n`)

/** The type of a value that has neither fields nor items; undefined for others. */
export function plainType({ type, format, const: value, enum: values, oneOf, anyOf = oneOf, properties }, typeOf) {
  if (value !== undefined) return JSON.stringify(value)
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (anyOf !== undefined && properties === undefined) return anyOf.map((one) => typeOf(one)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one, format })).join(' | ')
  if (type === 'integer' || type === 'number') return format === 'int64' ? 'number | bigint' : 'number'
  return ['string', 'boolean', 'null'].includes(type) ? type : undefined
}
