/**
 * Writes validators of the published schemas: a `validators.gen.ts` next to their sources. ajv compiles them to code that
 * needs neither ajv nor `new Function` at run time.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { _, Ajv, Name, stringify } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import additional from 'ajv/dist/vocabularies/applicator/additionalProperties.js'
import namesOf from 'ajv/dist/vocabularies/applicator/propertyNames.js'

import { load } from './bundled.mjs'
import { controlTypes } from './control-client.mjs'
import { writeChanged } from './files.mjs'
import { interfaceTypes } from './interface-types.mjs'
import { schemaTypes } from './schema-types.mjs'

const root = join(import.meta.dirname, '..')
// Vitest unwraps the default export of such a module, Node does not.
const [standaloneCode, additionalProperties, propertyNames] = [standalone, additional, namesOf].map(
  (one) => one.default ?? one,
)

/** The sources of schemas by the folder of their validators. */
const sources = {
  'src/mock/schemas': ['schemas.ts'],
  'src/mock/control/schemas': ['input-schemas.ts'],
  'src/mock/scorecard': ['scorecard.schema.json'],
  'src/contract/report': ['baseline.schema.json', 'history.schema.json', 'report.schema.json'],
  'src/cli': ['config.schema.json'],
}

/** The published schemas by the module of their types. */
const typed = {
  'src/contract/report/report.gen.ts': ['baseline', 'report', 'comparison', 'history'].map(
    (name) => `src/contract/report/${name}.schema.json`,
  ),
  'src/cli/config.gen.ts': ['src/cli/config.schema.json'],
  'src/mock/scorecard/scorecard.gen.ts': ['src/mock/scorecard/scorecard.schema.json'],
}

export const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

/** Keywords that describe. The title of an object schema is used in messages. */
const describing = /^(?:\$schema|\$id|\$comment|description|default|title|x-expected)$/
/** Keywords of a value that is neither a list nor an object; ajv judges them. */
const ofValues = /^(?:type|enum|const|pattern|(?:exclusiveM|m)inimum|maximum)$/
/** What `src/validate.ts` tests, because ajv knows neither bigints nor dates that exist. */
const tests = {
  int64: 'isInt64',
  date: 'isDay',
  'date-time': 'isInstant',
  uri: 'isUrl',
  count: 'isCount',
}

/** What a value must be, in words: `an integer from 1 to 100`. */
function wordsOf(schema) {
  const { title = '', type, format, enum: values, minimum, exclusiveMinimum, maximum } = schema
  if (schema['x-expected'] !== undefined) return schema['x-expected']
  if (type === 'object') return /^\w+$/.test(title) ? `a ${title} object` : 'an object'
  if (values !== undefined) return `one of ${values.join(', ')}`
  if ('const' in schema) return String(schema.const)
  if (format === 'int64') return 'an integer within int64'
  if (type === 'boolean') return 'true or false'
  if (type === 'string' && schema.pattern === undefined && format === undefined) return 'a string'
  if (type !== 'integer' && type !== 'number')
    throw new Error(`A schema needs x-expected: ${JSON.stringify(schema)}`)
  const noun = type === 'integer' ? 'an integer' : 'a number'
  if (exclusiveMinimum !== undefined)
    return `${noun} above ${exclusiveMinimum}, and at most ${maximum}`
  if (maximum === undefined) return minimum === undefined ? noun : `${noun} from ${minimum} on`
  return `${noun} from ${minimum} to ${maximum}`
}

/** Converts a published schema to what ajv compiles: without descriptions, with the keywords of `ajv` below. */
export function toCompiled(published) {
  const { $ref, type, items, minItems, maxItems } = published
  if ($ref !== undefined) return { $ref: basename($ref) }
  if (type === 'array') {
    const bounds = { ...(minItems && { minItems }), ...(maxItems && { maxItems }) }
    return { list: { ...(items && { items: toCompiled(items) }), ...bounds } }
  }
  if (type === 'object') return { object: fieldsOf(published), words: wordsOf(published) }
  const plain = plainOf(published)
  if (Object.keys(plain).length === 0) return {}
  return { must: plain, words: wordsOf(published) }
}

/** The fields of an object. */
function fieldsOf(published) {
  const { required = [], properties, additionalProperties: others, propertyNames, not } = published
  const options = optionsOf(published)
  if (options !== undefined) return { options }
  return {
    ...(not && { must: { not: plainOf(not) }, words: wordsOf(published) }),
    ...(required.length > 0 && { required }),
    ...(properties && { properties: mapValues(properties, toCompiled) }),
    ...(propertyNames && {
      propertyNames: { must: plainOf(propertyNames), words: wordsOf(propertyNames) },
    }),
    ...(typeof others === 'object' && { additionalProperties: toCompiled(others) }),
    ...(others === false && { closed: Object.keys(properties ?? {}) }),
  }
}

/** A schema of which a message names no part. */
function plainOf(published) {
  const parts = Object.entries(published).flatMap(([name, value]) => {
    const { format } = published
    if (describing.test(name) || (format === 'int64' && /^type$|imum$/.test(name))) return []
    if (name === 'format') {
      if (!(value in tests)) throw new Error(`Validators do not read the format ${value}`)
      return [['is', value]]
    }
    if (ofValues.test(name)) return [[name, value]]
    if (name === 'properties') return [[name, mapValues(value, plainOf)]]
    if (name === 'required') return value.length > 0 ? [[name, value]] : []
    if (name === 'additionalProperties') return [[name, value && plainOf(value)]]
    if (name === 'items' || name === 'not') return [[name, plainOf(value)]]
    if (name === 'minItems') return [[name, value]]
    // No value matches two of them.
    if (/^(?:any|one)Of$/.test(name)) return [['anyOf', value.map(plainOf)]]
    throw new Error(`Validators do not read ${name}: ${JSON.stringify(published)}`)
  })
  return Object.fromEntries(parts)
}

/**
 * Converts an object with many string fields and nothing else to a table of patterns, one per field, with its default
 * first, instead of code for each.
 */
function optionsOf({ properties = {}, additionalProperties }) {
  const fields = Object.values(properties)
  if (additionalProperties !== false || fields.length < 10) return undefined
  if (fields.some(({ type }) => type !== 'string')) return undefined
  return mapValues(properties, (field) => {
    const whole = Object.assign({}, field, ...(field.anyOf ?? []))
    const { enum: values = [], maxLength, pattern = maxLength && `[^]{0,${maxLength}}` } = whole
    const last = pattern === undefined ? [] : [pattern.replaceAll(/^\^|\$$/g, '')]
    return [...new Set([field.default, ...values, ...last])].join('|')
  })
}

/** An instance of ajv with its own vocabulary, and keywords whose errors have words. */
function createAjv() {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    ownProperties: true,
    inlineRefs: false,
    strict: false,
    loopEnum: Number.POSITIVE_INFINITY,
    code: { source: true, esm: true, optimize: 2 },
  })
  const call = (name) => new Name(name)
  const words = { params: ({ parentSchema }) => _`{words: ${parentSchema.words}}` }
  // Mistakes of known fields come first.
  for (const definition of [additionalProperties, propertyNames]) {
    ajv.removeKeyword(definition.keyword)
    ajv.addKeyword(definition)
  }
  const whole = (keyword, isRight, error) => ({
    keyword,
    schemaType: 'object',
    error,
    code(cxt) {
      const { gen, data } = cxt
      const inside = () => cxt.subschema({ keyword }, gen.name('valid'))
      gen.if(isRight(data), inside, () => cxt.error())
    },
  })
  return ajv
    .addKeyword(whole('object', (data) => _`${call('isJsonObject')}(${data})`, words))
    .addKeyword(
      whole('list', (data) => _`Array.isArray(${data})`, { params: _`{words: "a list"}` }),
    )
    .addKeyword({
      keyword: 'must',
      schemaType: 'object',
      trackErrors: true,
      error: words,
      code(cxt) {
        const valid = cxt.gen.name('valid')
        const silent = { createErrors: false, allErrors: false, compositeRule: true }
        cxt.subschema({ keyword: 'must', ...silent }, valid)
        // A branch that does not match leaves an empty error behind, even where another one does.
        cxt.reset()
        cxt.gen.if(_`!${valid}`, () => cxt.error())
      },
    })
    .addKeyword({
      keyword: 'is',
      schemaType: 'string',
      code: (cxt) => cxt.fail(_`!${call(tests[cxt.schema])}(${cxt.data})`),
    })
    .addKeyword({
      keyword: 'closed',
      type: 'object',
      schemaType: 'array',
      error: {
        params: ({ schema, params }) => _`{unknown: ${params.name}, names: ${stringify(schema)}}`,
      },
      code(cxt) {
        const { gen, data, schema } = cxt
        gen.forIn('name', data, (name) => {
          const isKnown = schema.reduce((all, one) => _`${all} || ${name} === ${one}`, _`false`)
          gen.if(_`!(${isKnown})`, () => {
            cxt.setParams({ name })
            cxt.error()
          })
        })
      },
    })
    .addKeyword({
      keyword: 'options',
      schemaType: 'object',
      error: { params: ({ params }) => _`{option: ${params.option}}` },
      code(cxt) {
        const { gen, data } = cxt
        gen.forOf(
          'option',
          _`${call('mistakesInOptions')}(${call('options')}, ${data})`,
          (option) => {
            cxt.setParams({ option })
            cxt.error()
          },
        )
      },
    })
}

/** Compiles published schemas, and returns the code: one validator for each name. */
export function compile(schemas, names = Object.keys(schemas)) {
  const ajv = createAjv()
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(toCompiled(schema), name)
  const code = standaloneCode(ajv, Object.fromEntries(names.map((name) => [name, name])))
  return (
    code
      .replace('"use strict";', '')
      .replaceAll(/export const (\w+) = (\w+);/g, 'const validate$1 = $2;')
      // Nothing reads the schemas, and where in one of them an error is.
      .replaceAll(/const schema\d+ = \{.*?\};(?=const|function)/g, '')
      .replaceAll(/schemaPath:[^,]*,/g, '')
      // Calls are a third as long as what ajv repeats for each error.
      .replaceAll(
        /if\(vErrors === null\)\{vErrors = \[(\w+)\];\}else \{vErrors\.push\(\1\);\}/g,
        'vErrors = withError(vErrors, $1);',
      )
      .replaceAll(
        /if\(vErrors !== null\)\{if\((\w+)\)\{vErrors\.length = \1;\}else \{vErrors = null;\}\}/g,
        'vErrors = firstErrors(vErrors, $1);',
      )
  )
}

/**
 * Generates a TypeScript module with `validators`: one for each schema that is not referenced by another one.
 *
 * @param src the path from the module to `src/`.
 */
function toModule(schemas, src) {
  const text = JSON.stringify(schemas, (_name, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const names = Object.keys(schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  )
  const options = JSON.stringify(Object.values(schemas).map(optionsOf).find(Boolean))
  const code = compile(schemas, names)
  const helpers = ['firstErrors', 'isJsonObject', 'mistakesInOptions', 'withError']
  const used = [...helpers, ...Object.values(tests)].filter((name) => code.includes(`${name}(`))
  const rows = names.map((name) => `  ${name}: toValidator(validate${name}),\n`)
  return `// @ts-nocheck
// Written by scripts/validators.mjs: ajv compiles the schemas.
import { ${[...used, 'toValidator', 'type Validator'].join(', ')} } from '${src}validate.ts'
${options === undefined ? '' : `export const options = ${options}\n`}
${code}
export const validators: { ${names.map((name) => `readonly ${name}: Validator`).join('; ')} } = {
${rows.join('')}}
`
}

/** The schemas of a file: `schemas` of a TypeScript module, or a JSON document with its `$defs`. */
async function schemasOf(file) {
  if (file.endsWith('.ts')) return (await load({ file: join(root, file) })).schemas
  const stem = basename(file, '.schema.json')
  // `scorecard` in scorecard.schema.json is Scorecard, `issue` is ScorecardIssue, and the whole Scorecards.
  const nameOf = (def) =>
    [stem, ...(def === stem ? [] : [def])]
      .map((word) => word[0].toUpperCase() + word.slice(1))
      .join('')
  const text = readFileSync(join(root, file), 'utf8')
    .replaceAll(/#\/\$defs\/(\w+)/g, (_all, def) => `#/components/schemas/${nameOf(def)}`)
    // A name is only for the type.
    .replaceAll(/"title": "\w+",/g, '')
    // A strict validator rejects `x-expected`: published schemas have it in a comment.
    .replaceAll('"$comment": "must be ', '"x-expected": "')
  const { $schema: _schema, $id: _id, $defs = {}, ...whole } = JSON.parse(text)
  const defined = Object.entries($defs).map(([def, schema]) => [nameOf(def), schema])
  return { [nameOf(stem) + (stem in $defs ? 's' : '')]: whole, ...Object.fromEntries(defined) }
}

/** The stylesheet and the script of the reports as a module, with their SHA-256 for the policy of a page. */
function styleModule() {
  const parts = { style: ['palette.css', 'style.css'], script: ['copy.js'] }
  return Object.entries(parts)
    .map(([name, files]) => {
      const text = files
        .map((file) => readFileSync(join(root, 'src/report', file), 'utf8'))
        .join('')
      const hash = createHash('sha256').update(text).digest('base64')
      return `export const ${name} = ${JSON.stringify(text)}\nexport const ${name}Hash = 'sha256-${hash}'\n`
    })
    .join('')
}

/** The schemas of the published document as a module, with inlined references. */
function resourcesModule({ components: { schemas } }) {
  const untitled = ($ref) => ({ ...schemas[basename($ref)], title: undefined })
  const text = JSON.stringify(schemas, (_name, value) =>
    value?.$ref === undefined ? value : untitled(value.$ref),
  )
  return `// Written by scripts/validators.mjs.\nexport const resources = ${text} as const\n`
}

/** Writes the modules that are not committed: schemas, validators, types and the style of reports. */
export async function writeValidators() {
  const write = (path, code) => writeChanged(join(root, path), code)
  const document = JSON.parse(readFileSync(join(root, 'src/spec/openapi.json'), 'utf8'))
  // The following modules import it.
  write('src/spec/schemas.gen.ts', resourcesModule(document))
  write('src/report/style.gen.ts', styleModule())
  for (const [folder, files] of Object.entries(sources)) {
    const schemas = Object.assign(
      {},
      ...(await Promise.all(files.map((file) => schemasOf(`${folder}/${file}`)))),
    )
    // The document of the control API also contains these.
    const shown =
      folder === 'src/mock/scorecard'
        ? `export const schemas = ${JSON.stringify(schemas)} as const\n`
        : ''
    write(
      `${folder}/validators.gen.ts`,
      toModule(schemas, '../'.repeat(folder.split('/').length - 1)) + shown,
    )
  }
  for (const [module, files] of Object.entries(typed)) {
    const documents = files.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
    write(module, schemaTypes(documents, '../'.repeat(module.split('/').length - 2)))
  }
  const schemas = await schemasOf('src/mock/control/schemas/api-schemas.ts')
  const inputs = await schemasOf('src/mock/control/schemas/input-schemas.ts')
  const { summary } = await load({ file: join(root, 'src/mock/control/schemas/entry-schema.ts') })
  const $defs = mapValues({ ...inputs, ...schemas, JournalSummary: summary }, (schema, title) => ({
    title,
    ...schema,
  }))
  const names = ['Rule', 'RuleInForce', 'Run', 'JournalSummary']
  const { defects } = await load({ file: join(root, 'src/mock/defects/index.ts') })
  const ids = { title: 'DefectId', enum: defects.map(({ id }) => id) }
  const properties = mapValues(inputs, (_schema, name) => $defs[name])
  const all = { title: 'Inputs', type: 'object', properties, required: Object.keys(inputs) }
  const oneOf = [...names.map((name) => $defs[name]), ids, all]
  write('src/mock/schemas/schemas.gen.ts', schemaTypes([{ $defs, oneOf }], '../../', 'readonly '))
  write('src/spec/paths.gen.ts', interfaceTypes(document))
  write('src/control.gen.ts', await controlTypes(root))
}

// Vitest calls this before all tests, which import src/.
export { writeValidators as setup }
