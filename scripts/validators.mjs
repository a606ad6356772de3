/** Writes validators of the published schemas: a `validators.gen.ts` next to their sources, for `src/validate.ts`. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { load } from './bundled.mjs'
import { controlTypes } from './control-client.mjs'
import { filesIn, writeChanged } from './files.mjs'
import { interfaceTypes } from './interface-types.mjs'
import { schemaTypes } from './schema-types.mjs'

const root = join(import.meta.dirname, '..')

/** The sources of schemas by the folder of their validators. */
const sources = {
  'src/mock': ['schemas.ts'],
  'src/mock/control': ['input-schemas.ts'],
  'src/mock/scorecard': ['scorecard.schema.json'],
  'src/contract': ['baseline.schema.json', 'history.schema.json', 'report.schema.json'],
  'src/cli': ['config.schema.json'],
}

/** The published schemas by the module of their types. */
const typed = {
  'src/contract/report.gen.ts': ['baseline', 'report', 'comparison', 'history'].map(
    (name) => `src/contract/${name}.schema.json`,
  ),
  'src/cli/config.gen.ts': ['src/cli/config.schema.json'],
  'src/mock/scorecard/scorecard.gen.ts': ['src/mock/scorecard/scorecard.schema.json'],
}

export const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

/** Annotation keywords. The title of an object schema is used in messages. */
const describing = /^(?:\$schema|\$id|\$comment|description|default|title)$/
const plain =
  /^(?:type|format|enum|const|pattern|(?:exclusiveM|m)inimum|maximum|minItems|x-expected)$/

/** Whether `src/validate.ts` has a message for violations of a schema; an empty schema needs none. */
function hasWords({ type, enum: values, pattern, format, ...schema }) {
  if ('x-expected' in schema || 'const' in schema || values !== undefined) return true
  if (type === 'string') return (pattern ?? format) === undefined
  return typeof type === 'string' || Object.keys(schema).every((name) => describing.test(name))
}

/**
 * Converts a published schema to the input of `toValidator` in `src/validate.ts`: without descriptions and references.
 *
 * @param referred the referenced schemas by name.
 * @param isWorded whether a message may name the expectation of the schema.
 */
export function toRead(published, referred = {}, isWorded = true) {
  const { $ref, type, title = '', format } = published
  if ($ref !== undefined) return toRead(referred[basename($ref)], referred)
  const options = optionsOf(published)
  if (options !== undefined) return { type, options }
  if (isWorded && !hasWords(published))
    throw new Error(`A schema needs x-expected: ${JSON.stringify(published)}`)
  const read = (schema) => toRead(schema, referred, isWorded)
  const readPart = (schema) => toRead(schema, referred, false)
  const parts = Object.entries(published).flatMap(([name, value]) => {
    if (name === 'title' && type === 'object' && /^\w+$/.test(title)) return [[name, value]]
    if (describing.test(name) || (format === 'int64' && name.endsWith('imum'))) return []
    if (name === 'required') return value.length > 0 ? [[name, value]] : []
    // A pattern with letters in both cases is four times as long.
    const lower = name === 'pattern' && value.replaceAll(/\[[A-Z]([a-z])\]/g, '$1')
    if (lower && lower.length * 2 < value.length)
      return Object.entries({ pattern: lower, anyCase: true })
    if (plain.test(name) || value === false) return [[name, value]]
    if (name === 'properties') return [[name, mapValues(value, read)]]
    if (/^(?:items|additionalProperties|propertyNames)$/.test(name)) return [[name, read(value)]]
    if (name === 'not') return [[name, readPart(value)]]
    // No value matches two of them.
    if (/^(?:any|one)Of$/.test(name)) return [['anyOf', value.map(readPart)]]
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
  const read = names.map((name) => toRead(schemas[name], schemas))
  const rows = names.map((name, at) => `  ${name}: toValidator(${JSON.stringify(read[at])}),\n`)
  const table = `export const validators = {\n${rows.join('').replace(`"options":${options}`, 'options')}}\n`
  // Repeated parts have a name, so that a page loads them once. A shorter part is defined before a longer one.
  const parts = new Set()
  JSON.stringify(read, (_name, part) => parts.add(JSON.stringify(part)) && part)
  const code = [...parts]
    .toSorted((one, other) => other.length - one.length)
    .reduce((all, part, at) => {
      const isRepeated = /^[[{].{15}/.test(part) && all.split(part).length > 2
      return isRepeated ? `const part${at} = ${part}\n${all.replaceAll(part, `part${at}`)}` : all
    }, table)
  return `// Written by scripts/validators.mjs.
import { toValidator } from '${src}validate.ts'
${options === undefined ? '' : `export const options = ${options}\n`}
${code}`
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

/** The stylesheet of the reports as a module, with its SHA-256 for the policy of a page. */
function styleModule() {
  const style = readFileSync(join(root, 'src/report/style.css'), 'utf8')
  const hash = createHash('sha256').update(style).digest('base64')
  return `export const style = ${JSON.stringify(style)}\nexport const styleHash = 'sha256-${hash}'\n`
}

/** The schemas of the published document as a module, with inlined references. */
function resourcesModule({ components: { schemas } }) {
  const untitled = ($ref) => ({ ...schemas[basename($ref)], title: undefined })
  const text = JSON.stringify(schemas, (_name, value) =>
    value?.$ref === undefined ? value : untitled(value.$ref),
  )
  return `// Written by scripts/validators.mjs.\nexport const resources = ${text} as const\n`
}

/** A hash of the code of all responses as a module: mocks with shared state must have the same. */
function buildModule() {
  const files = filesIn(join(root, 'src')).filter((file) =>
    /^(?:(?:mock|spec)\W.*|\w+)(?<!\.gen)\.(?:ts|json)$/.test(file),
  )
  const texts = files
    .map((file) => readFileSync(join(root, 'src', file), 'utf8').replaceAll('\r\n', '\n'))
    .toSorted()
  return `export const build = '${createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12)}'\n`
}

/** Writes the modules that are not committed: schemas, validators, types and the stylesheet of reports. */
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
  const schemas = await schemasOf('src/mock/control/api-schemas.ts')
  const inputs = await schemasOf('src/mock/control/input-schemas.ts')
  const { summary } = await load({ file: join(root, 'src/mock/control/entry-schema.ts') })
  const $defs = mapValues({ ...inputs, ...schemas, JournalSummary: summary }, (schema, title) => ({
    title,
    ...schema,
  }))
  const names = ['Rule', 'RuleInForce', 'Run', 'JournalSummary']
  const { deviations } = await load({ file: join(root, 'src/mock/deviations.ts') })
  const ids = { title: 'DeviationId', enum: deviations.map(({ id }) => id) }
  const properties = mapValues(inputs, (_schema, name) => $defs[name])
  const all = { title: 'Inputs', type: 'object', properties, required: Object.keys(inputs) }
  const oneOf = [...names.map((name) => $defs[name]), ids, all]
  write('src/mock/schemas.gen.ts', schemaTypes([{ $defs, oneOf }], '../', 'readonly '))
  write('src/spec/paths.gen.ts', interfaceTypes(document))
  write('src/control.gen.ts', await controlTypes(root))
  write('src/mock/shared/build.gen.ts', buildModule())
}

// Vitest calls this before all tests, which import src/.
export { writeValidators as setup }
