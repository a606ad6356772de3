import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { UsageError } from '../errors.ts'
import { parseJson, printJson } from '../json.ts'
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
    const json = createRequire(import.meta.url).resolve('petstore-kit/openapi.json')
    const isOld = flags.has('3.0')
    const text = await readFile(
      flags.has('yaml') ? json.replace(/\.json$/, isOld ? '-3.0.yaml' : '.yaml') : json,
      'utf8',
    )
    const printed =
      isOld && !flags.has('yaml') ? `${printJson(toOpenApi30(parseJson(text) as unknown as Document), 2)}\n` : text
    const file = flags.text('output')
    if (file !== undefined) await makeWritable(file)
    return writeOutputs(console, [{ name: 'openapi', file, render: () => printed }], undefined)
  },
}

/** What of the document differs between versions of OpenAPI. */
interface Document {
  info: { summary: string; license: { name: string; identifier: string } }
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: { schemas: Record<string, { type: string }> }
}

/** Converts the document to OpenAPI 3.0.3, for generators that read nothing newer. */
export function toOpenApi30(document: Document): object {
  const { summary: _, license, ...info } = document.info
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...info, license: { name: license.name } },
    paths: mapValues(document.paths, (path) =>
      mapValues(path, ({ responses: { default: error, ...responses }, ...operation }) => {
        return { ...operation, responses: { ...responses, '4XX': error, '5XX': error } }
      }),
    ),
    components: {
      ...document.components,
      // Generators for Java and Go take a missing value as a ban on further fields.
      schemas: mapValues(document.components.schemas, (schema) =>
        schema.type === 'object' ? { ...schema, additionalProperties: true } : schema,
      ),
    },
  }
}

const mapValues = <Value>(values: Readonly<Record<string, Value>>, change: (value: Value) => object): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
