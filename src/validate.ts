import { JsonNumber } from './json.ts'

/** What a schema finds wrong with a value. */
export interface Issue {
  /** `required`: a field is missing. `closed`: there is no such field. The others: the value is not what it must be. */
  code: 'required' | 'closed' | 'object' | 'type' | 'one' | 'minItems' | 'maxItems' | 'propertyNames'
  /** A JSON pointer to the value; to the field, where it is missing or unknown. */
  path: string
  /** What follows the name of the field: `must be a string`, `is required`. */
  message: string
}

/** What compiled schemas report. */
interface Reported {
  code: Issue['code']
  path: string
  params: {
    expected?: string
    missingProperty?: string
    name?: string
    known?: string[]
    type?: string
    limit?: number
  }
}

/** A function that `scripts/validators.mjs` has compiled from a schema. */
export interface Validator {
  (value: unknown): boolean
  errors?: Reported[] | null
}

/** What a schema finds wrong with a value: all issues, in the order of the schema, twenty at most. */
export function issuesOf(validate: Validator, value: unknown): Issue[] {
  if (validate(value)) return []
  const found = validate.errors ?? []
  // Where a list or a text stands in place of an object, nobody misses its fields.
  const noObjects = found.filter(({ code }) => code === 'object')
  return found
    .filter((issue) => noObjects.every((one) => one === issue || !`${issue.path}/`.startsWith(`${one.path}/`)))
    .map(({ code, path, params }) => {
      const field = params.missingProperty ?? params.name
      return {
        code,
        path: field === undefined ? path : `${path}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: messageOf(code, params),
      }
    })
}

/** The only place where an issue gets its words. */
function messageOf(code: Issue['code'], { expected, known, limit }: Reported['params']): string {
  if (code === 'required') return 'is required'
  if (code === 'closed') return `is not known; there are ${(known ?? []).join(', ')}`
  if (code === 'type') return 'must be a list'
  if (code === 'minItems') return 'must not be empty'
  if (code === 'maxItems') return `must have at most ${limit} items`
  return `must be ${expected}`
}

/**
 * An issue as a sentence: `categoryId must be a string, and was 5.`
 *
 * @param root what stands for the value as a whole: `The body`.
 * @param value says what was found in place of what must be; without it, nothing is quoted.
 */
export function toSentence({ code, path, message }: Issue, root: string, value?: unknown): string {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const isThere = code !== 'required' && code !== 'closed' && value !== undefined
  const found = isThere ? names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], value) : undefined
  return `${names.join('/') || root} ${message}${isThere ? `, and was ${described(found)}` : ''}.`
}

/** A value, in a few words. */
function described(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) return 'an object'
  const text = String(value)
  return text.length > 60 ? 'a long number' : text
}
