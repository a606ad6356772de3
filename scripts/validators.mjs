/**
 * Compiles the published schemas to validators: `validators.gen.ts` beside each table of schemas. ajv writes standalone
 * code, and rolldown leaves out of it what no validator calls, so that nothing is compiled at run time.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

import { _, Ajv, Name, stringify } from 'ajv'
import { rolldown } from 'rolldown'

import { controlTypes } from './control-client.mjs'
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

const mapValues = (object, map) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))

/**
 * The schema that ajv compiles in place of a published one: the same values pass.
 * - What is no list and has no fields becomes `one`, which reports one issue in words, whatever part of it is broken.
 * - `type: object` becomes `object`, which a number beyond a double is not, `additionalProperties: false` becomes
 *   `closed`, which knows the names that there are, and `propertyNames` becomes `names`.
 * - An object of many texts, each with its options, becomes `options`: one table in place of code for each.
 */
function toCompiled(published) {
  const { title = '', 'x-expected': expected = /^\w+$/.test(title) ? `a ${title} object` : undefined } = published
  const { $ref, type, properties, required, additionalProperties, items, minItems, maxItems, propertyNames } = published
  if ($ref !== undefined) return { $ref }
  if (type === 'array') {
    return {
      type,
      ...(minItems && { minItems }),
      ...(maxItems && { maxItems }),
      ...(items && { items: toCompiled(items) }),
    }
  }
  if (type !== 'object') {
    const isAny = Object.keys(published).every((name) => ['description', 'title'].includes(name))
    return isAny ? {} : { one: published, expected: expectedOf(published) }
  }
  const options = optionsOf(published)
  const fields = options === undefined ? properties : undefined
  return {
    object: expected ?? 'an object',
    ...(required && { required }),
    ...(options && { options }),
    ...(fields && { properties: mapValues(fields, toCompiled) }),
    ...(fields && additionalProperties === false && { closed: Object.keys(fields) }),
    ...(propertyNames && { names: propertyNames, expected: expectedOf(propertyNames) }),
    ...(published.not && { one: { not: published.not }, expected }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: toCompiled(additionalProperties) }),
  }
}

/** The options of each field as one pattern, its default first, where an object holds nothing but such fields. */
function optionsOf({ properties = {}, additionalProperties }) {
  const fields = Object.entries(properties)
  if (additionalProperties !== false || fields.length < 10) return undefined
  if (fields.some(([, field]) => field.type !== 'string')) return undefined
  return mapValues(properties, (field) => {
    const { enum: values, pattern = values ? undefined : anyText } = Object.assign({}, field, ...(field.anyOf ?? []))
    return [...new Set([field.default, ...(values ?? []), pattern?.replaceAll(/^\^|\$$/g, '') ?? field.default])].join(
      '|',
    )
  })
}

const anyText = '[^]*'

/** Functions of the code below. */
const formats = { date: 'isDay', 'date-time': 'isInstant', uri: 'isUrl' }

/** `[Aa]` in a pattern, which cannot say "in any letter case", becomes a flag. */
function toRegExp(pattern) {
  const folded = pattern.replaceAll(/\[[A-Z]([a-z])\]/g, '$1')
  return new RegExp(folded, folded === pattern ? 'u' : 'iu')
}

/** The condition under which a value is what a published schema says. */
function conditionOf(schema, data) {
  const {
    type,
    enum: values,
    const: constant,
    format,
    pattern,
    anyOf,
    oneOf = anyOf,
    minimum,
    exclusiveMinimum,
  } = schema
  if (Array.isArray(type)) return or(...type.map((one) => conditionOf({ ...schema, type: one }, data)))
  const { properties = {}, required = [] } = schema
  // What has a type is not undefined.
  const isCertain = (name) => required.includes(name) && properties[name]?.type !== undefined
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = _`${data}${getProperty(name)}`
    return or(...(isCertain(name) ? [] : [_`${value} === undefined`]), conditionOf(field, value))
  })
  const isNumber = /^(?:integer|number)$/.test(type ?? (minimum === undefined ? '' : 'number')) && format !== 'int64'
  const least = exclusiveMinimum ?? minimum ?? -Infinity
  const [int64Least, int64Most] = [minimum ?? '-9223372036854775808', schema.maximum ?? '9223372036854775807']
  const item = new Name('item')
  const conditions = [
    type === 'null' && _`${data} === null`,
    type === 'boolean' && _`typeof ${data} === "boolean"`,
    type === 'string' && !values && _`typeof ${data} === "string"`,
    isNumber && _`isNumber(${data}, ${type === 'integer'}, ${least}, ${schema.maximum ?? Infinity})`,
    isNumber && exclusiveMinimum !== undefined && _`${data} > ${exclusiveMinimum}`,
    format === 'int64' && _`isInt64(${data}, BigInt(${int64Least}), BigInt(${int64Most}))`,
    format in formats && _`${new Name(formats[format])}(${data})`,
    'const' in schema && _`${data} === ${constant}`,
    values && _`${stringify(values)}.includes(${data})`,
    pattern !== undefined && _`${regexpCode(toRegExp(pattern))}.test(${data})`,
    oneOf && or(...oneOf.map((one) => conditionOf(one, data))),
    type === 'array' && _`Array.isArray(${data}) && ${data}.length >= ${schema.minItems ?? 0}`,
    schema.items && _`${data}.every((${item}) => ${conditionOf(schema.items, item)})`,
    type === 'object' && _`isClosed(${data}, ${stringify(Object.keys(schema.properties))})`,
    type === undefined && (schema.properties || schema.required) && _`isObject(${data})`,
    ...required.filter((name) => !isCertain(name)).map((name) => _`${data}${getProperty(name)} !== undefined`),
    ...fields,
    schema.not && not(conditionOf(schema.not, data)),
  ].filter(Boolean)
  return conditions.length === 0 ? _`true` : and(...conditions)
}

/** What validators call. They keep no more issues than anybody reads: a body of 9 MB can have millions. */
const runtime = `import { JsonNumber } from 'src/json.ts'
import { isDay, toInstant } from 'src/validate.ts'
function add(found, path, details, code = 'one') {
  const params = typeof details === 'string' ? { [code === 'required' ? 'missingProperty' : 'expected']: details } : details
  if (found === null) return [{ code, path, params }]
  if (found.length < 20) found.push({ code, path, params })
  return found
}
const needs = (found, path, value, names) =>
  names.reduce((all, name) => (value[name] === undefined ? add(all, path, name, 'required') : all), found)
const closed = (found, path, value, known) =>
  Object.keys(value).reduce((all, name) => (known.includes(name) ? all : add(all, path, { name, known }, 'closed')), found)
const field = (found, path, name, value, isRight, expected) =>
  value === undefined || isRight ? found : add(found, path + '/' + name, expected)
const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
const isClosed = (value, names) => isObject(value) && Object.keys(value).every((name) => names.includes(name))
const isNumber = (value, isInteger, least, most) =>
  (isInteger ? Number.isInteger(value) : Number.isFinite(value)) && value >= least && value <= most
const isInt64 = (value, least = -9223372036854775808n, most = 9223372036854775807n) =>
  (typeof value === 'bigint' || Number.isSafeInteger(value)) && value >= least && value <= most
const isInstant = (value) => /T.+(?:Z|[+-]\\d\\d:\\d\\d)$/i.test(value) && toInstant(value) !== undefined
const isUrl = (value) => /^[a-z][a-z0-9+.-]*:\\S+$/i.test(value) && URL.canParse(value)
const isOption = (options, value) =>
  value === undefined || (typeof value === 'string' && new RegExp('^(?:' + options + ')$').test(value))
const defaultsOf = (table) => Object.fromEntries(Object.entries(table).map(([name, options]) => [name, options.split('|')[0]]))
const escaped = (name) => name.replace(/~/g, '~0').replace(/\\//g, '~1')`

/** Standalone code, with a call for each error in place of seven lines. */
function toShorter(code) {
  const shorter = code
    .replaceAll(/^\w+\.evaluated = .*$/gm, '')
    .replaceAll(/, ?parentData(?:: ?\w+)?, ?parentDataProperty(?:: ?[^,]+)?, ?rootData(?: ?= ?data)?/g, '')
    .replaceAll(/(\w+) && typeof \1 == "object" && !Array\.isArray\(\1\)/g, 'isObject($1)')
    .replaceAll(/BigInt\("(-?\d+)"\)/g, '$1n')
    .replaceAll(', -9223372036854775808n, 9223372036854775807n', '')
    .replaceAll(
      /const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:".+?",keyword:(".+?"),params:(.+)\};\n?if\(vErrors === null\)\{\n?vErrors = \[\1\];\n?\}\n?else \{\n?vErrors\.push\(\1\);\n?\}\n?/g,
      (_all, _name, path = 'instancePath', keyword, params) =>
        `vErrors = add(vErrors, ${path}, ${params.replace(/^\{(?:expected|missingProperty): ?("[^"]*")\}$/, '$1')}${keyword === '"one"' ? '' : `, ${keyword}`});`,
    )
    .replaceAll(/errors\+\+;|errors = vErrors\.length;|(?:let|const|var) _?errs?(?:ors|\d+) = (?:0|errors);/g, '')
    .replaceAll('return errors === 0', 'return vErrors === null')
    .replaceAll(/\{ ?instancePath ?= ?"" ?\} ?= ?\{\}/g, 'instancePath = ""')
    .replaceAll(/\{ ?instancePath: ?(instancePath ?\+[^,{}]+?) ?,? ?\}/g, '$1')
    .replaceAll(/(\w+)\.replace\(\/~\/g, ?"~0"\)\.replace\(\/\\\/\/g, ?"~1"\)/g, 'escaped($1)')
    .replaceAll(/(?<=if\(!\(?(isObject\(\w+(?:\.\w+)?\))\)?\)\{(?:[^{}]|\{[^{}]*\})*\}\s*)if\(\1\)/g, 'else')
    .replaceAll(
      /for\(const (name\d+) in ([\w.]+)\)\{\s*if\(!\((\w+)\.includes\(\1\)\)\)\{\s*vErrors = add\(vErrors, ([^{]+), \{.*?\}, "closed"\);\s*\}\s*\}/g,
      'vErrors = closed(vErrors, $4, $2, $3);',
    )
    .replaceAll(
      /(?:if\(([\w.]+)\.\w+ === undefined\)\{\s*vErrors = add\(vErrors, ([^,]+), "\w+", "required"\);\s*\}\s*)+/g,
      (run, data, path) =>
        `vErrors = needs(vErrors, ${path}, ${data}, [${Array.from(run.matchAll(/"\w+"(?=, "required")/g), String).join(', ')}]);\n`,
    )
    .replaceAll(
      /if\(([\w.]+)\.(\w+) !== undefined\)\{\s*if\(!\((.+)\)\)\{\s*vErrors = add\(vErrors, (instancePath\+"[^",]*)\/\2", ("[^"]*")\);\s*\}\s*\}/g,
      (_all, data, name, condition, path, expected) =>
        `vErrors = field(vErrors, ${`${path}"`.replace('+""', '')}, "${name}", ${data}.${name}, ${condition}, ${expected});`,
    )
  if (/\berr\d/.test(shorter)) throw new Error(`ajv writes its errors in another way now:\n${shorter}`)
  return shorter
}

/** A keyword that reports an issue for each name of an object that is not what it must be. */
const ofNames = (keyword, schemaType, params, isRight) => ({
  keyword,
  type: 'object',
  schemaType,
  error: { message: '', params: (cxt) => params(cxt) },
  code(cxt) {
    const { gen, data, schema } = cxt
    const table = gen.scopeValue('schema', { ref: schema, code: stringify(schema) })
    gen.forIn('name', data, (name) => {
      gen.if(not(isRight(name, { data, schema, table })), () => {
        cxt.setParams({ name, table })
        cxt.error()
      })
    })
  },
})

/** Keywords of compiled schemas. What they report is read by `src/validate.ts`. */
const keywords = [
  { keyword: 'expected', schemaType: 'string' },
  {
    keyword: 'one',
    schemaType: 'object',
    error: { message: '', params: ({ parentSchema }) => _`{expected: ${parentSchema.expected}}` },
    code: (cxt) => cxt.pass(conditionOf(cxt.schema, cxt.data)),
  },
  {
    keyword: 'object',
    schemaType: 'string',
    error: { message: '', params: ({ schema }) => _`{expected: ${schema}}` },
    code: (cxt) => cxt.pass(_`isObject(${cxt.data})`),
  },
  ofNames(
    'names',
    'object',
    ({ params, parentSchema }) => _`{name: ${params.name}, expected: ${parentSchema.expected}}`,
    (name, { schema }) => conditionOf(schema, name),
  ),
  ofNames(
    'options',
    'object',
    ({ params: { name, table } }) =>
      _`{name: ${name}, options: Object.hasOwn(${table}, ${name}) ? ${table}[${name}] : undefined, known: Object.keys(${table})}`,
    (name, { data, table }) => _`Object.hasOwn(${table}, ${name}) && isOption(${table}[${name}], ${data}[${name}])`,
  ),
  ofNames(
    'closed',
    'array',
    ({ params }) => _`{name: ${params.name}, known: ${params.table}}`,
    (name, { table }) => _`${table}.includes(${name})`,
  ),
]

/**
 * The code of a TypeScript module with `validators`: a function for each schema that no other refers to, as OpenAPI does.
 *
 * @param src the path from the module to `src/`.
 */
export async function compile(published, src) {
  const text = JSON.stringify(published, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  // What others refer to is compiled with them.
  const names = Object.keys(published).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    inlineRefs: false,
    strictTypes: false,
    code: { source: true, esm: true, lines: true },
  })
  for (const definition of keywords) ajv.addKeyword(definition)
  ajv.addKeyword({ keyword: 'components', schemaType: 'object' })
  const id = 'schemas'
  ajv.addSchema({ $id: id, components: { schemas: mapValues(JSON.parse(text), toCompiled) } })
  const code = standalone(ajv, Object.fromEntries(names.map((name) => [name, `${id}#/components/schemas/${name}`])))
  const [, options] = /isOption\((schema\d+)\[/.exec(code) ?? []
  const validators = `export const validators = { ${names.join(', ')} }
${options === undefined ? '' : `export const defaults = defaultsOf(${options})`}`
  // Bundled, so that nothing is left that no validator calls.
  const bundled = await rolldown({
    input: 'entry',
    external: /^src/,
    platform: 'neutral',
    logLevel: 'silent',
    plugins: [
      {
        name: 'validators',
        resolveId: (path) => (path === 'entry' ? '\0entry.js' : undefined),
        load: (path) =>
          path === '\0entry.js'
            ? [runtime, toShorter(code).replaceAll(/^export /gm, ''), validators].join('\n')
            : undefined,
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

/**
 * The schemas of a file, `schemas` of a TypeScript module or a JSON document with its `$defs`, and what else the module of
 * the validators exports: `constants` of a TypeScript module, which are made of larger tables, or the schemas of a JSON
 * document.
 */
async function sourceOf(file) {
  if (file.endsWith('.ts')) return load(file)
  const text = readFileSync(join(root, file), 'utf8')
  const stem = basename(file, '.schema.json')
  // `scorecard` in scorecard.schema.json is Scorecard, `issue` is ScorecardIssue, and the whole Scorecards.
  const nameOf = (def) =>
    [stem, ...(def === stem ? [] : [def])].map((word) => word[0].toUpperCase() + word.slice(1)).join('')
  const {
    $schema: _schema,
    $id: _id,
    $defs = {},
    ...whole
  } = JSON.parse(
    text
      .replaceAll(/#\/\$defs\/(\w+)/g, (_all, def) => `#/components/schemas/${nameOf(def)}`)
      // A name is for its type alone.
      .replaceAll(/"title": "\w+",/g, '')
      // A strict validator knows no `x-expected`: what a user may compile says it in a comment.
      .replaceAll('"$comment": "must be ', '"x-expected": "'),
  )
  const defined = Object.entries($defs).map(([def, schema]) => [nameOf(def), schema])
  const schemas = { [nameOf(stem) + (stem in $defs ? 's' : '')]: whole, ...Object.fromEntries(defined) }
  return { schemas, constants: { schemas } }
}

/** The exports of a TypeScript module whose imports are data. */
async function load(file) {
  const bundled = await rolldown({ input: join(root, file), logLevel: 'silent' })
  const { output } = await bundled.generate({ format: 'esm' })
  await bundled.close()
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
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
  writeChanged('src/control.gen.ts', await controlTypes(root))
}

// Vitest calls it before all tests, which import src/.
export { writeValidators as setup }
