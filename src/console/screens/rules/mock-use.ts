import { JsonNumber, type JsonValue, printJson } from '../../../json.ts'
import { inertJson } from '../../../report/text.ts'
import type { Rule } from '../../../mock/schemas/schemas.gen.ts'

/** A call of `mock.use` with these rules, as JavaScript. */
export const toMockUse = (rules: readonly Rule[]): string =>
  inertJson(
    `mock.use(${rules.map((rule) => printJson(toCode(rule as JsonValue), 2)).join(', ')})\n`,
  )

/** A number of JSON may be too large for one of JavaScript: that becomes a bigint. */
function toCode(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return new JsonNumber(`${value}n`)
  if (Array.isArray(value)) return value.map(toCode)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toCode(field)]))
}
