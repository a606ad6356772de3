import type { JsonValue } from '../../json.ts'

/** A mistake in a value, by its place: `name`. */
export interface Issue {
  path: string
  message: string
}

interface Field {
  type?: string
  enum?: readonly unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  'x-expected'?: string
}

/** The mistakes in an object by the schema of its fields. What its fields hold is checked where they are scalars. */
export function issuesOf(
  schema: { properties?: Readonly<Record<string, object>>; required?: readonly string[] },
  value: Readonly<Record<string, unknown>>,
): Issue[] {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties)
  const known = names.length === 0 ? 'There are none here.' : `Known: ${names.join(', ')}.`
  const issues = Object.entries(value).flatMap(([path, field]) => {
    if (!Object.hasOwn(properties, path)) {
      return [{ path, message: `${JSON.stringify(path.slice(0, 60))} is unknown. ${known}` }]
    }
    const expected = expectedOf(properties[path] as Field, field as JsonValue)
    return expected === undefined ? [] : [{ path, message: `${path} must be ${expected}.` }]
  })
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  return [...issues, ...missing.map((path) => ({ path, message: `${path} is required.` }))]
}

/** What a field must be, where it is something else. */
function expectedOf(field: Field, value: JsonValue): string | undefined {
  const { type, pattern, minimum = -Infinity, maximum = Infinity } = field
  if (field.enum !== undefined) return field.enum.includes(value) ? undefined : `one of ${field.enum.join(', ')}`
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false'
  if (type === 'integer') {
    const fits = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
    return fits ? undefined : `an integer from ${minimum} to ${maximum}`
  }
  if (type !== 'string') return undefined
  const fits = typeof value === 'string' && (pattern === undefined || new RegExp(pattern).test(value))
  return fits ? undefined : (field['x-expected'] ?? 'a string')
}
