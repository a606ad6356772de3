/** src/cli/config.schema.json: its fields that are options of `petstore verify`, from their rows. */
import { verifyFlags } from '../../../src/cli/verify/verify-flags.ts'
import { toDuration } from '../../../src/duration.ts'
import type { Flag } from '../../../src/options.ts'

interface Schema {
  properties: {
    deployments: { additionalProperties: { properties: Record<string, object> } }
  }
}

/** Generates the fields with a row again, and keeps the others. */
export function withOptionFields(text: string): string {
  const schema = JSON.parse(text) as Schema
  const { properties } = schema.properties.deployments.additionalProperties
  for (const flag of verifyFlags)
    if (flag.config !== undefined) properties[flag.config] = toField(flag)
  // As the formatter has them: a list of texts in one line, and a small object.
  const printed = JSON.stringify(schema, null, 2)
    .replaceAll(
      /\[\s+("[^[\]{}]*")\s+\]/g,
      (_, values: string) => `[${values.replaceAll(/,\s+/g, ', ')}]`,
    )
    .replaceAll(/^(.*)\{\n\s+([^{}]*?)\n\s+\}/gm, (whole, before: string, fields: string) => {
      const line = `${before}{ ${fields.replaceAll(/\n\s+/g, ' ')} }`
      return line.length < width ? line : whole
    })
  return `${printed}\n`
}

/** That of the formatter, with a comma at the end. */
const width = 100

const durations = ' Seconds, or a duration such as 10s or 5m.'

function toField(flag: Flag): object {
  const { name, value, help, config = '', configSchema } = flag
  const description = `As --${name}: ${help}.${value === 'DURATION' ? durations : ''}`
  const form = configSchema ?? formOf(flag)
  if (form === undefined) throw new Error(`The row of --${name} does not say what ${config} takes.`)
  return { description, ...form }
}

/** Undefined where the placeholder and the range do not say it. */
function formOf({ value, range, oneOf }: Flag): object | undefined {
  if (oneOf !== undefined) return { enum: oneOf }
  if (range === undefined) return undefined
  const [minimum, maximum] = range
  if (value !== 'DURATION') return { type: 'integer', minimum, maximum }
  return {
    $comment: `must be seconds, or a duration such as "10s" or "5m", of at most ${toDuration(maximum)}`,
    anyOf: [
      { type: 'number', minimum, maximum },
      { type: 'string', pattern: '^[0-9]{1,9}(\\.[0-9]{1,3})?(ms|[smhd])$' },
    ],
  }
}
