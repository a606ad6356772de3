/**
 * Compiles the published schemas to validators: `validators.gen.ts` beside each table of schemas. ajv writes standalone
 * code, so that nothing is compiled at run time; what the code calls stands in `src/validate.ts`.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

import { _, Ajv, Name, str, stringify } from 'ajv'

import { bundled, load } from './bundled.mjs'
import { controlTypes } from './control-client.mjs'
import { interfaceTypes } from './interface-types.mjs'
import { schemaTypes } from './schema-types.mjs'

const require = createRequire(import.meta.url)
const { and, getProperty, not, or, regexpCode } = require('ajv/dist/compile/codegen')
const standalone = require('ajv/dist/standalone').default
const root = join(import.meta.dirname, '..')

/** The sources of schemas, by the folder in which their validators are written. */
const sources = {
  'src/mock': ['schemas.ts'],
  'src/mock/control': ['input-schemas.ts'],
  'src/mock/scorecard': ['scorecard.schema.json'],
  'src/contract': ['baseline.schema.json', 'history.schema.json', 'report.schema.json'],
  'src/cli': ['config.schema.json'],
}

/** The published schemas whose types are written, by the module. */
const typed = {
  'src/contract/report.gen.ts': ['baseline', 'report', 'comparison', 'history'].map(
    (name) => `src/contract/${name}.schema.json`,
  ),
  'src/cli/config.gen.ts': ['src/cli/config.schema.json'],
  'src/mock/scorecard/scorecard.gen.ts': ['src/mock/scorecard/scorecard.schema.json'],
}

/** What a value must be, in words: `an integer from 1 to 100`. `x-expected` says it where a schema alone cannot. */
export function expectedOf(schema) {
  const { type, format, minimum, exclusiveMinimum, maximum } = schema
  if (schema['x-expected'] !== undefined) return schema['x-expected']
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`
  if ('const' in schema) return String(schema.const)
  if (format === 'int64') return 'an integer within int64'
  if (type === 'integer' || type === 'number') {
    const noun = type === 'integer' ? 'an integer' : 'a number'
    if (exclusiveMinimum !== undefined) return `${noun} above ${exclusiveMinimum}, and at most ${maximum}`
    if (maximum === undefined) return minimum === undefined ? noun : `${noun} from ${minimum} on`
    return `${noun} from ${minimum} to ${maximum}`
  }
  if (type === 'boolean') return 'true or false'
  if (type === 'string' && schema.pattern === undefined && format === undefined) return 'a string'
  throw new Error(`A schema needs x-expected: ${JSON.stringify(schema)}`)
}

const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

/** The schema that ajv compiles in place of a published one, by the keywords below: the same values pass. */
function toCompiled(published) {
  const { title = '', 'x-expected': expected = /^\w+$/.test(title) ? `a ${title} object` : 'an object' } = published
  const { $ref, type, properties = {}, required, additionalProperties, items, minItems, maxItems } = published
  if ($ref !== undefined) return { $ref }
  if (type === 'array') return { list: { minItems, maxItems }, ...(items && { items: toCompiled(items) }) }
  if (type !== 'object') {
    const isAny = Object.keys(published).every((name) => ['description', 'title'].includes(name))
    return isAny ? {} : { one: published }
  }
  if (optionsOf(published) !== undefined) return { object: { expected, isOfOptions: true } }
  const known = additionalProperties === false ? Object.keys(properties) : undefined
  return {
    object: { expected, required, known, names: published.propertyNames, not: published.not },
    properties: mapValues(properties, toCompiled),
    ...(typeof additionalProperties === 'object' && { additionalProperties: toCompiled(additionalProperties) }),
  }
}

/**
 * The options of each field as one pattern, its default first, where an object has many texts and nothing else: one table
 * in place of code for each.
 */
function optionsOf({ properties = {}, additionalProperties }) {
  const fields = Object.values(properties)
  if (additionalProperties !== false || fields.length < 10) return undefined
  if (fields.some(({ type }) => type !== 'string')) return undefined
  return mapValues(properties, (field) => {
    const { enum: values = [], pattern = values.length > 0 ? undefined : '[^]*' } = Object.assign(
      {},
      field,
      ...(field.anyOf ?? []),
    )
    const last = pattern === undefined ? [] : [pattern.replaceAll(/^\^|\$$/g, '')]
    return [...new Set([field.default, ...values, ...last])].join('|')
  })
}

/** `[Aa]` in a pattern, which cannot say "in any letter case", becomes a flag. */
function toRegExp(pattern) {
  const folded = pattern.replaceAll(/\[[A-Z]([a-z])\]/g, '$1')
  return new RegExp(folded, folded === pattern ? 'u' : 'iu')
}

/** Functions of `src/validate.ts`. */
const formats = { date: 'isDay', 'date-time': 'isInstant', uri: 'isUrl' }

const int64 = { minimum: '-9223372036854775808', maximum: '9223372036854775807' }

/** The condition under which a value is what a published schema says. */
function conditionOf(schema, data) {
  const { type, enum: values, format, pattern, anyOf, oneOf = anyOf, minimum, exclusiveMinimum, maximum } = schema
  if (Array.isArray(type)) return or(...type.map((one) => conditionOf({ ...schema, type: one }, data)))
  const { properties = {}, required = [] } = schema
  // What has a type is not undefined.
  const isCertain = (name) => required.includes(name) && properties[name]?.type !== undefined
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = _`${data}${getProperty(name)}`
    return or(...(isCertain(name) ? [] : [_`${value} === undefined`]), conditionOf(field, value))
  })
  const isNumber = /^(?:integer|number)$/.test(type ?? (minimum === undefined ? '' : 'number')) && format !== 'int64'
  const bounds = [minimum ?? int64.minimum, maximum ?? int64.maximum].map((bound) => _`BigInt(${bound})`)
  const isNarrow = (minimum ?? int64.minimum) !== int64.minimum || (maximum ?? int64.maximum) !== int64.maximum
  const item = new Name('item')
  const conditions = [
    type === 'null' && _`${data} === null`,
    type === 'boolean' && _`typeof ${data} === "boolean"`,
    type === 'string' && !values && _`typeof ${data} === "string"`,
    isNumber && _`isNumber(${data}, ${type === 'integer'}, ${minimum ?? -Infinity}, ${maximum ?? Infinity})`,
    isNumber && exclusiveMinimum !== undefined && _`${data} > ${exclusiveMinimum}`,
    format === 'int64' && call('isInt64', data, ...(isNarrow ? bounds : [])),
    format in formats && call(formats[format], data),
    'const' in schema && _`${data} === ${schema.const}`,
    values && _`${stringify(values)}.includes(${data})`,
    pattern !== undefined && _`${regexpCode(toRegExp(pattern))}.test(${data})`,
    oneOf && or(...oneOf.map((one) => conditionOf(one, data))),
    type === 'array' && _`Array.isArray(${data}) && ${data}.length >= ${schema.minItems ?? 0}`,
    schema.items && _`${data}.every((${item}) => ${conditionOf(schema.items, item)})`,
    type === 'object' && call('isClosed', data, stringify(Object.keys(properties))),
    type === undefined && (schema.properties || schema.required) && call('isJsonObject', data),
    ...required.filter((name) => !isCertain(name)).map((name) => _`${data}${getProperty(name)} !== undefined`),
    ...fields,
    schema.not && not(conditionOf(schema.not, data)),
  ].filter(Boolean)
  return conditions.length === 0 ? _`true` : and(...conditions)
}

/** A call of a function of `src/validate.ts`. */
const call = (name, ...args) => _`${new Name(name)}(${args.reduce((all, arg) => _`${all}, ${arg}`)})`

/** What was found so far, and the variable by which ajv knows whether there was anything. */
const [found, errors] = [new Name('vErrors'), new Name('errors')]

/** A keyword whose code adds to what was found by calls: the first two arguments are what was found, and the path. */
const keyword = (name, schemaType, emit) => ({
  keyword: name,
  schemaType,
  code(cxt) {
    const { gen, it } = cxt
    const path = str`${new Name('instancePath')}${it.errorPath}`
    emit(cxt, (callee, ...args) => gen.assign(found, call(callee, found, path, ...args)))
    if (it.dataLevel === 0) gen.assign(errors, _`${found} === null ? 0 : 1`)
  },
})

/** A function of a value that says whether it is what a published schema says. */
function predicateOf(schema) {
  const value = new Name('value')
  return _`(${value}) => ${conditionOf(schema, value)}`
}

const keywords = [
  keyword('one', 'object', ({ gen, data, schema }, add) =>
    gen.if(not(conditionOf(schema, data)), () => add('add', expectedOf(schema))),
  ),
  keyword('list', 'object', (cxt, add) => {
    const { gen, data, schema, parentSchema } = cxt
    const { minItems = 0, maxItems = Infinity } = schema
    const { items } = parentSchema
    const ofItems = () => {
      if (minItems > 0 || maxItems < Infinity) add('counted', data, minItems, maxItems)
      if (items?.one) add('each', data, predicateOf(items.one), expectedOf(items.one))
      else if (items) {
        gen.forRange('index', 0, _`${data}.length`, (index) =>
          cxt.subschema({ keyword: 'items', dataProp: index, dataPropType: 0 }, gen.name('valid')),
        )
      }
    }
    gen.if(_`Array.isArray(${data})`, ofItems, () => add('add', '', 'type'))
  }),
  keyword('object', 'object', (cxt, add) => {
    const { gen, data, schema, parentSchema } = cxt
    const { expected, required = [], known, names, not: forbidden, isOfOptions } = schema
    const { properties = {}, additionalProperties: others } = parentSchema
    const fields = () => {
      if (required.length > 0) add('needs', data, stringify(required))
      for (const [name, { one, ...field }] of Object.entries(properties)) {
        if (one) add('field', data, name, predicateOf(one), expectedOf(one))
        else if (Object.keys(field).length > 0) {
          gen.if(_`${data}${getProperty(name)} !== undefined`, () =>
            cxt.subschema({ keyword: 'properties', schemaProp: name, dataProp: name }, gen.name('valid')),
          )
        }
      }
      if (isOfOptions) add('chosen', data, new Name('options'))
      if (others?.one) add('each', data, predicateOf(others.one), expectedOf(others.one))
      else if (others && Object.keys(others).length > 0) {
        gen.forIn('name', data, (name) =>
          cxt.subschema({ keyword: 'additionalProperties', dataProp: name, dataPropType: 1 }, gen.name('valid')),
        )
      }
      if (names) add('named', data, predicateOf(names), expectedOf(names))
      if (known) add('closed', data, stringify(known))
    }
    if (forbidden) gen.if(conditionOf(forbidden, data), () => add('add', expected))
    gen.if(call('isJsonObject', data), fields, () => add('add', expected, 'object'))
  }),
]

/** What the code of validators calls. */
const runtime =
  'add, chosen, closed, counted, defaultsOf, each, field, isClosed, isDay, isJsonObject, isInstant, isInt64, isNumber, isUrl, named, needs'

/**
 * The code of a TypeScript module with `validators`: a function for each schema that no other refers to, as OpenAPI does.
 *
 * @param src the path from the module to `src/`.
 */
export async function compile(published, src) {
  const text = JSON.stringify(published, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  const schemas = JSON.parse(text)
  // What others refer to is compiled with them.
  const names = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    inlineRefs: false,
    unevaluated: false,
    code: { source: true, esm: true, lines: true, optimize: 3 },
  })
  const walked = ['properties', 'additionalProperties', 'items']
  for (const name of walked) ajv.removeKeyword(name)
  for (const definition of keywords) ajv.addKeyword(definition)
  ajv.addVocabulary([...walked, 'components'])
  const id = 'schemas'
  ajv.addSchema({ $id: id, components: { schemas: mapValues(schemas, toCompiled) } })
  const code = standalone(ajv, Object.fromEntries(names.map((name) => [name, `${id}#/components/schemas/${name}`])))
  const options = Object.values(schemas).map(optionsOf).find(Boolean)
  const tables = `const options = ${JSON.stringify(options)}\nexport const defaults = defaultsOf(options)`
  const entry = [
    `import { ${runtime} } from 'src/validate.ts'`,
    ...(options === undefined ? [] : [tables]),
    code.replaceAll(/^export /gm, ''),
    `export const validators = { ${names.join(', ')} }`,
  ]
  // ajv also writes the schemas: bundled, nothing is left that no validator uses.
  const bundle = await bundled({ text: entry.join('\n') }, /^src/)
  const types = `Record<${names.map((name) => `'${name}'`).join(' | ')}, Validator>`
  return `// @ts-nocheck Written by scripts/validators.mjs.
import type { Validator } from '${src}validate.ts'
${bundle.replaceAll('"src/', `"${src}`).replace('const validators =', `const validators: ${types} =`)}`
}

/**
 * The schemas of a file, `schemas` of a TypeScript module or a JSON document with its `$defs`, and what else the module of
 * the validators exports: `constants` of a TypeScript module, which are made of larger tables, or the schemas of a JSON
 * document.
 */
async function sourceOf(file) {
  if (file.endsWith('.ts')) return load({ file: join(root, file) })
  const stem = basename(file, '.schema.json')
  // `scorecard` in scorecard.schema.json is Scorecard, `issue` is ScorecardIssue, and the whole Scorecards.
  const nameOf = (def) =>
    [stem, ...(def === stem ? [] : [def])].map((word) => word[0].toUpperCase() + word.slice(1)).join('')
  const text = readFileSync(join(root, file), 'utf8')
    .replaceAll(/#\/\$defs\/(\w+)/g, (_all, def) => `#/components/schemas/${nameOf(def)}`)
    // A name is for its type alone.
    .replaceAll(/"title": "\w+",/g, '')
    // A strict validator knows no `x-expected`: what a user may compile says it in a comment.
    .replaceAll('"$comment": "must be ', '"x-expected": "')
  const { $schema: _schema, $id: _id, $defs = {}, ...whole } = JSON.parse(text)
  const defined = Object.entries($defs).map(([def, schema]) => [nameOf(def), schema])
  const schemas = { [nameOf(stem) + (stem in $defs ? 's' : '')]: whole, ...Object.fromEntries(defined) }
  return { schemas, constants: { schemas } }
}

/** The stylesheet of the reports as a module, with the SHA-256 that the policy of a page names. */
function styleModule() {
  const style = readFileSync(join(root, 'src/report/style.css'), 'utf8')
  const hash = createHash('sha256').update(style).digest('base64')
  return `export const style = ${JSON.stringify(style)}\nexport const styleHash = 'sha256-${hash}'\n`
}

function writeChanged(path, code) {
  const file = join(root, path)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== code) writeFileSync(file, code)
}

/** Writes the modules that stand in no repository, where they have changed: the validators of all folders, and the stylesheet. */
export async function writeValidators() {
  writeChanged('src/report/style.gen.ts', styleModule())
  for (const [folder, files] of Object.entries(sources)) {
    const all = await Promise.all(files.map((file) => sourceOf(`${folder}/${file}`)))
    const schemas = Object.assign({}, ...all.map((source) => source.schemas))
    const constants = Object.entries(all.length === 1 ? (all[0].constants ?? {}) : {})
    const code = [
      await compile(schemas, '../'.repeat(folder.split('/').length - 1)),
      ...constants.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const\n`),
    ].join('')
    writeChanged(`${folder}/validators.gen.ts`, code)
  }
  for (const [module, files] of Object.entries(typed)) {
    const documents = files.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
    writeChanged(module, schemaTypes(documents, '../'.repeat(module.split('/').length - 2)))
  }
  const { schemas } = await sourceOf('src/mock/control/api-schemas.ts')
  const { schemas: inputs } = await sourceOf('src/mock/control/input-schemas.ts')
  const { summary } = await sourceOf('src/mock/control/entry-schema.ts')
  const $defs = mapValues({ ...inputs, ...schemas, JournalSummary: summary }, (schema, title) => ({ title, ...schema }))
  const names = ['PetsQuery', 'Rule', 'RuleInForce', 'RulePatch', 'Run', 'NewRun', 'NewBaseline', 'JournalSummary']
  const oneOf = names.map((name) => $defs[name])
  writeChanged('src/mock/schemas.gen.ts', schemaTypes([{ $defs, oneOf }], '../', 'readonly '))
  const document = JSON.parse(readFileSync(join(root, 'src/spec/openapi.json'), 'utf8'))
  writeChanged('src/spec/paths.gen.ts', interfaceTypes(document))
  writeChanged('src/control.gen.ts', await controlTypes(root))
}

// Vitest calls it before all tests, which import src/.
export { writeValidators as setup }
