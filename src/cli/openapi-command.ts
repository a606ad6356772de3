import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { UsageError } from '../errors.ts'
import { flagsOf } from '../options.ts'
import type { Command } from './command.ts'
import { makeWritable } from './files.ts'
import { writeOutputs } from './outputs.ts'

export const command: Command = {
  usage: ['petstore openapi [options]'],
  about: 'Prints the OpenAPI document of the Pet Store Service, for client generators and viewers.',
  flags: flagsOf('Options', {
    '3.0': 'print OpenAPI 3.0.3, with 4XX and 5XX instead of default, for generators that do not support 3.1',
    yaml: 'print YAML (default: JSON)',
    'output FILE': 'write it to this file (default: stdout)',
  }),
  examples: [
    'petstore openapi --output openapi.json',
    'petstore openapi --yaml > openapi.yaml',
    'petstore openapi --3.0 --output openapi-3.0.json',
  ],
  async run(console, flags) {
    const [word] = flags.words
    if (word !== undefined) throw new UsageError(`petstore openapi takes options only, not ${JSON.stringify(word)}`)
    const text = await readFile(createRequire(import.meta.url).resolve('petstore-kit/openapi.json'), 'utf8')
    const document = JSON.parse(text) as Json
    const wanted = flags.has('3.0') ? toOpenApi30(document) : document
    const printed = flags.has('yaml')
      ? toYaml(wanted)
      : flags.has('3.0')
        ? `${JSON.stringify(wanted, null, 2)}\n`
        : text
    const file = flags.text('output')
    if (file !== undefined) await makeWritable(file)
    return writeOutputs(console, [{ name: 'openapi', file, render: () => printed }], undefined)
  },
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Converts to OpenAPI 3.0.3, for generators that read nothing newer. */
export function toOpenApi30(document: Json): Json {
  const { jsonSchemaDialect: _, webhooks: __, ...rest } = document as Record<string, Json>
  const { summary: ___, ...info } = rest['info'] as Record<string, Json>
  const { identifier: ____, ...license } = (info['license'] ?? {}) as Record<string, Json>
  return convert({
    ...rest,
    openapi: '3.0.3',
    info: { ...info, ...(info['license'] !== undefined && { license }) },
  })
}

function convert(value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.map((item) => convert(item))
  if (typeof value !== 'object' || value === null) return value
  // Examples are data, not part of the document.
  if (name === 'value' || name === 'example') return value
  const converted = Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => convertField(key, item, name).map(([k, v]) => [k, convert(v, k)])),
  ) as Record<string, Json>
  // Generators for Java and Go take a missing value as a ban on further fields.
  if (converted['type'] === 'object') converted['additionalProperties'] ??= true
  const { $ref, ...siblings } = converted
  // 3.0 ignores the siblings of a $ref.
  return $ref !== undefined && Object.keys(siblings).length > 0 ? { allOf: [{ $ref }], ...siblings } : converted
}

/** Converts one field to 3.0, where it may become none or two. */
function convertField(key: string, item: Json, parent: string): [string, Json][] {
  // Their keys are free names, not keywords.
  if (['properties', 'schemas', 'examples', 'parameters', 'headers'].includes(parent)) return [[key, item]]
  if (parent === 'responses' && key === 'default')
    return [
      ['4XX', item],
      ['5XX', item],
    ]
  if (key === 'const') return [['enum', [item]]]
  if (key === 'examples' && Array.isArray(item)) return item[0] === undefined ? [] : [['example', item[0]]]
  if (key === 'type' && Array.isArray(item)) {
    const type = item.find((one) => one !== 'null') ?? 'string'
    return [['type', type], ...(item.includes('null') ? [['nullable', true] as [string, Json]] : [])]
  }
  if (key === 'exclusiveMinimum' && typeof item === 'number')
    return [
      ['minimum', item],
      [key, true],
    ]
  if (key === 'exclusiveMaximum' && typeof item === 'number')
    return [
      ['maximum', item],
      [key, true],
    ]
  return [[key, item]]
}

/** Writes block style with plain words unquoted; other scalars as JSON, which YAML reads. */
export function toYaml(value: Json): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: Json): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [scalar(value)]
  return Array.isArray(value)
    ? value.flatMap((item) => under('-', item, '  '))
    : Object.entries(value).flatMap(([name, item]) => under(`${word(name)}:`, item, '  '))
}

/** `name: value`, or the value indented below it. */
function under(head: string, value: Json, indent: string): string[] {
  if (typeof value === 'string' && /^[^\s].*\n/.test(value) && !/\s$/.test(value)) {
    return [`${head} |-`, ...value.split('\n').map((line) => (line === '' ? '' : indent + line))]
  }
  const [first = '', ...more] = lines(value)
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isBlock) return [`${head} ${first}`]
  if (head === '-') return [`- ${first}`, ...more.map((line) => indent + line)]
  return [head, ...[first, ...more].map((line) => (line === '' ? '' : indent + line))]
}

const scalar = (value: Json): string => (typeof value === 'string' ? word(value) : JSON.stringify(value))

/** Unquoted where no reader can take it for a number, a boolean or null. */
const word = (text: string): string =>
  /^[A-Za-z/$][\w/{}$.-]*( [A-Za-z][\w,.-]*)*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
