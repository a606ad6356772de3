/**
 * Compiles the schemas that are published to the validators that judge: `validators.gen.js` beside each table of schemas.
 * ajv writes standalone code and rolldown bundles what that requires, so that nothing is compiled at run time.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

import { _, Ajv, Name, stringify } from 'ajv'
import formats from 'ajv-formats'
import { rolldown } from 'rolldown'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..')

/** The sources of schemas, by the folder in which their validators are written. */
const sources = {
  'src/mock': ['schemas.ts'],
  'src/mock/control': ['input-schemas.ts'],
  'src/mock/scorecard': ['scorecard.schema.json'],
  'src/contract': ['baseline.schema.json', 'report.schema.json'],
  'src/cli': ['config.schema.json'],
}

const ranges = { int64: { minimum: '-9223372036854775808', maximum: '9223372036854775807' } }

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

/** Words for readers, which no validator needs. */
const prose = new Set([
  '$schema',
  '$id',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'discriminator',
  'x-expected',
])
const withoutIds = (name, value) => (name === '$id' || name === '$schema' ? undefined : value)
const withoutProse = (schema) => Object.fromEntries(Object.entries(schema).filter(([name]) => !prose.has(name)))
const mapValues = (object, map) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))

/**
 * The schema that ajv compiles in place of a published one: the same values pass.
 * - `format: int64` becomes the keyword `int64`, which takes a `bigint`: `type: integer` refuses it, and `minimum` and
 *   `maximum` are skipped for it.
 * - What is no list and has no fields becomes `one`, which reports one issue in words, whatever part of it is broken.
 * - `type: object` becomes `object`, which a number beyond a double is not, `additionalProperties: false` becomes
 *   `closed`, which knows the names that there are, and `propertyNames` becomes `names`.
 * - An object of many texts, each with its options, becomes `options`: one table in place of code for each.
 */
export function toCompiled(published) {
  const { title = '', 'x-expected': expected = /^\w+$/.test(title) ? `a ${title} object` : undefined } = published
  const { type, properties, additionalProperties, items, propertyNames, not, ...rest } = withoutProse(published)
  if (rest.$ref !== undefined) return { $ref: rest.$ref }
  if (type === 'object') {
    const options = optionsOf(published)
    return {
      ...rest,
      object: expected ?? 'an object',
      ...(options === undefined
        ? {
            ...(properties && { properties: mapValues(properties, toCompiled) }),
            ...(additionalProperties === false && { closed: Object.keys(properties) }),
          }
        : { options }),
      ...(propertyNames && { names: toSilent(propertyNames), expected: expectedOf(propertyNames) }),
      ...(not && { one: { not: toSilent(not) }, expected }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: toCompiled(additionalProperties) }),
    }
  }
  if (type === 'array') return { ...rest, type, ...(items && { items: toCompiled(items) }) }
  const silent = toSilent(published)
  return Object.keys(silent).length === 0 ? {} : { one: silent, expected: expectedOf(published) }
}

/** A schema whose own issues nobody sees. */
function toSilent(published) {
  const { format, oneOf, anyOf = oneOf, properties, items, not, ...schema } = withoutProse(published)
  if (format === 'int64') {
    const { minimum = ranges.int64.minimum, maximum = ranges.int64.maximum } = schema
    return { int64: { minimum: String(minimum), maximum: String(maximum) } }
  }
  return {
    ...schema,
    ...(format && { format }),
    ...(anyOf && { anyOf: anyOf.map(toSilent) }),
    ...(properties && { properties: mapValues(properties, toSilent) }),
    ...(items && { items: toSilent(items) }),
    ...(not && { not: toSilent(not) }),
  }
}

/** The options of each field, and a pattern of further ones, where an object holds nothing but such fields. */
function optionsOf({ properties = {}, additionalProperties }) {
  const fields = Object.entries(properties)
  if (additionalProperties !== false || fields.length < 10) return undefined
  if (fields.some(([, field]) => field.type !== 'string')) return undefined
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const { enum: values, pattern } = Object.assign({}, field, ...(field.anyOf ?? []))
      return [name, { ...(values && { values }), ...(pattern && { pattern }) }]
    }),
  )
}

/** Keeps issues, no more of them than anybody reads: a body of 9 MB can have millions. */
const add = `
function add(found, path, code, params) {
  if (found === null) return [{ code, path, params }]
  if (found.length < 20) found.push({ code, path, params })
  return found
}
function isOption(options, value) {
  if (value === undefined) return true
  if (options === undefined || typeof value !== 'string') return false
  const { values, pattern } = options
  return values === undefined || values.includes(value) || (pattern !== undefined && new RegExp(pattern).test(value))
}`

/**
 * Standalone code, with a call for each error in place of seven lines, and nothing of those that nobody sees.
 */
function toShorter(code) {
  const shorter = code
    .replaceAll(/^\w+\.evaluated = .*$/gm, '')
    .replaceAll(
      /if\(vErrors !== null\)\{\s*if\(\w+\)\{\s*vErrors\.length = \w+;\s*\}\s*else \{\s*vErrors = null;\s*\}\s*\}/g,
      '',
    )
    .replaceAll(/BigInt\("(-?\d+)"\)/g, '$1n')
    .replaceAll(
      /const (err\d+) = \{(?:instancePath(?::(.+?))?,schemaPath:".+?",keyword:(".+?"),params:(.+))?\};\n?if\(vErrors === null\)\{\n?vErrors = \[\1\];\n?\}\n?else \{\n?vErrors\.push\(\1\);\n?\}\n?/g,
      (_all, _name, path = 'instancePath', keyword, params) =>
        keyword ? `vErrors = add(vErrors, ${path}, ${keyword}, ${params});` : '',
    )
  if (/\berr\d|vErrors\.length =/.test(shorter))
    throw new Error(`ajv writes its errors in another way now:\n${shorter}`)
  return shorter
}

/** Judges by a subschema whose own issues nobody sees, and reports one in their place. */
function oneOf(cxt, subschema, before = () => {}) {
  const { gen } = cxt
  const [valid, errors, found] = [gen.name('valid'), new Name('errors'), gen.const('found', new Name('errors'))]
  cxt.subschema({ ...subschema, compositeRule: true, createErrors: false, allErrors: false }, valid)
  gen.if(_`!${valid}`, () => {
    gen.assign(errors, found)
    before()
    cxt.error()
  })
}

/** Keywords of compiled schemas. What they report is read by `src/validate.ts`. */
const keywords = [
  {
    keyword: 'int64',
    schemaType: 'object',
    code(cxt) {
      const { data, schema } = cxt
      const [least, most] = [_`BigInt(${schema.minimum})`, _`BigInt(${schema.maximum})`]
      cxt.fail(
        _`!(typeof ${data} == "bigint" ? ${data} >= ${least} && ${data} <= ${most} : Number.isSafeInteger(${data}))`,
      )
    },
  },
  {
    keyword: 'one',
    schemaType: 'object',
    error: { message: '', params: ({ parentSchema }) => _`{expected: ${parentSchema.expected}}` },
    code(cxt) {
      oneOf(cxt, { keyword: 'one' })
    },
  },
  { keyword: 'expected', schemaType: 'string' },
  {
    keyword: 'object',
    schemaType: 'string',
    error: { message: '', params: ({ schema }) => _`{expected: ${schema}}` },
    code(cxt) {
      const { data } = cxt
      cxt.fail(
        _`!(${data} && typeof ${data} == "object" && !Array.isArray(${data}) && !(${data} instanceof JsonNumber))`,
      )
    },
  },
  {
    keyword: 'names',
    type: 'object',
    schemaType: 'object',
    error: {
      message: '',
      params: ({ params, parentSchema }) => _`{name: ${params.name}, expected: ${parentSchema.expected}}`,
    },
    code(cxt) {
      const { gen, data } = cxt
      gen.forIn('name', data, (name) => {
        const silent = { keyword: 'names', data: name, dataTypes: ['string'], propertyName: name }
        oneOf(cxt, silent, () => cxt.setParams({ name }))
      })
    },
  },
  {
    keyword: 'options',
    type: 'object',
    schemaType: 'object',
    error: {
      message: '',
      params: ({ params }) =>
        _`{name: ${params.name}, options: ${params.options}, known: Object.keys(${params.table})}`,
    },
    code(cxt) {
      const { gen, data, schema } = cxt
      const table = gen.scopeValue('schema', { ref: schema, code: stringify(schema) })
      gen.forIn('name', data, (name) => {
        const options = gen.const('options', _`Object.hasOwn(${table}, ${name}) ? ${table}[${name}] : undefined`)
        gen.if(_`!isOption(${options}, ${data}[${name}])`, () => {
          cxt.setParams({ name, options, table })
          cxt.error()
        })
      })
    },
  },
  {
    keyword: 'closed',
    type: 'object',
    schemaType: 'array',
    error: { message: '', params: ({ params }) => _`{name: ${params.name}, known: ${params.known}}` },
    code(cxt) {
      const { gen, data, schema } = cxt
      const known = gen.scopeValue('schema', { ref: schema, code: stringify(schema) })
      gen.forIn('name', data, (name) => {
        gen.if(_`!${known}.includes(${name})`, () => {
          cxt.setParams({ name, known })
          cxt.error()
        })
      })
    },
  },
]

/**
 * The code of a TypeScript module with `validators`: a function for each schema that no other refers to, as OpenAPI does.
 *
 * @param src the path from the module to `src/`.
 */
export async function compile(schemas, src) {
  // What others refer to is compiled with them.
  const referred = JSON.stringify(schemas, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  const names = Object.keys(schemas).filter((name) => !referred.includes(`"#/components/schemas/${name}"`))
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    inlineRefs: false,
    strict: true,
    strictTypes: false,
    code: { source: true, esm: true, lines: true },
  })
  for (const definition of keywords) ajv.addKeyword(definition)
  formats.default(ajv, ['uri', 'date', 'date-time'])
  const id = 'schemas'
  ajv.addKeyword({ keyword: 'components', schemaType: 'object' })
  ajv.addSchema({ $id: id, components: { schemas: mapValues(schemas, toCompiled) } })
  const standalone = require('ajv/dist/standalone').default
  const code = standalone(ajv, Object.fromEntries(names.map((name) => [name, `${id}#/components/schemas/${name}`])))
  const bundled = await rolldown({
    input: 'entry',
    external: /^src/,
    platform: 'neutral',
    logLevel: 'silent',
    plugins: [
      {
        name: 'validators',
        resolveId: (path) =>
          ['entry', 'code'].includes(path)
            ? `\0${path}.js`
            : path.startsWith('ajv')
              ? require.resolve(path)
              : undefined,
        load(path) {
          if (path === '\0entry.js')
            return `import * as code from 'code'\nexport const validators = { ${names.map((name) => `${name}: code.${name}`).join(', ')} }`
          return path === '\0code.js'
            ? `import { JsonNumber } from 'src/json.ts'\n${add}\n${toShorter(code)}`
            : undefined
        },
      },
    ],
  })
  const { output } = await bundled.generate({ format: 'esm' })
  await bundled.close()
  const types = `Record<${names.map((name) => `'${name}'`).join(' | ')}, Validator>`
  return `// @ts-nocheck Written by scripts/validators.mjs.
import type { Validator } from '${src}validate.ts'
${output[0].code.replaceAll('"src/', `"${src}`).replace('const validators =', `const validators: ${types} =`)}`
}

/** The schemas of a file: `schemas` of a TypeScript module, or a JSON document with its `$defs`. */
async function schemasOf(file) {
  if (file.endsWith('.ts')) {
    const { schemas } = await load(file)
    return schemas
  }
  const text = readFileSync(join(root, file), 'utf8')
  const stem = basename(file, '.schema.json')
  // `scorecard` in scorecard.schema.json is Scorecard, `issue` is ScorecardIssue, and the whole Scorecards.
  const [prefix, nameOf] = [capitalized(stem), (def) => prefix + (def === stem ? '' : capitalized(def))]
  const { $defs = {}, ...whole } = JSON.parse(
    text
      .replaceAll(/#\/\$defs\/(\w+)/g, (_all, def) => `#/components/schemas/${nameOf(def)}`)
      // A strict validator knows no `x-expected`: what a user may compile says it in a comment.
      .replaceAll('"$comment": "must be ', '"x-expected": "'),
  )
  return {
    [stem in $defs ? `${prefix}s` : prefix]: whole,
    ...Object.fromEntries(Object.entries($defs).map(([def, schema]) => [nameOf(def), schema])),
  }
}

const capitalized = (word) => word[0].toUpperCase() + word.slice(1)

/** The exports of a TypeScript module whose imports are data: those of validators that are not there yet are empty. */
async function load(file) {
  const bundled = await rolldown({
    input: join(root, file),
    logLevel: 'silent',
    plugins: [
      {
        name: 'unbuilt',
        resolveId: (path) => (path.endsWith('.gen.ts') ? '\0none' : undefined),
        load: (path) => (path === '\0none' ? 'export const validators = {}' : undefined),
      },
    ],
  })
  const { output } = await bundled.generate({ format: 'esm' })
  await bundled.close()
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}

/** Writes the validators of all folders, where they have changed. */
export async function writeValidators() {
  for (const [folder, files] of Object.entries(sources)) {
    const schemas = Object.assign({}, ...(await Promise.all(files.map((file) => schemasOf(`${folder}/${file}`)))))
    const isJson = files.every((file) => file.endsWith('.json'))
    const code =
      (await compile(schemas, '../'.repeat(folder.split('/').length - 1))) +
      (isJson ? `export const schemas = ${JSON.stringify(schemas, withoutIds)} as const\n` : '')
    const file = join(root, folder, 'validators.gen.ts')
    if (!existsSync(file) || readFileSync(file, 'utf8') !== code) writeFileSync(file, code)
  }
}

// Vitest calls it before all tests, which import src/.
export { writeValidators as setup }
