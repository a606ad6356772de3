import { UsageError } from '../../errors.ts'
import { type JsonValue, parseJson } from '../../json.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { problem } from './api-replies.ts'

/** Bytes of a body, where a route says nothing else: 1 MiB. */
const usualLimit = 1_048_576
/** Values of a body: more than an export of all pets that an import has room for. */
const mostValues = 4_000_000

/** Reads the JSON of a request, or says why it cannot. */
export function readBody(
  { body, bodyFault, headers }: MockRequest,
  wanted: { limit?: number } | undefined,
): { value: JsonValue | undefined } | { refusal: MockReply } {
  const { limit = usualLimit } = wanted ?? {}
  if (bodyFault === 'too-large' || isLarger(body, limit)) {
    return { refusal: problem(413, `The body is larger than ${limit} bytes.`) }
  }
  if (bodyFault === 'not-utf8') return { refusal: problem(400, 'The body is not UTF-8.') }
  const type = headers['content-type']
  // No form of a page can send this type, and its other types say what they are, with or without a body.
  if (!isJson(type) && (type !== undefined || body !== '')) {
    const hint = wanted === undefined ? 'no body, and no Content-Type' : '`Content-Type: application/json`'
    return { refusal: problem(415, `This operation takes ${hint}.`) }
  }
  if (body === '')
    return wanted === undefined ? { value: undefined } : { refusal: problem(400, 'A JSON body is required.') }
  if (body.length > mostValues && hasMoreValues(body)) {
    return { refusal: problem(413, `The body holds more than ${mostValues} JSON values.`) }
  }
  let value: JsonValue
  try {
    value = parseJson(body)
  } catch {
    return { refusal: problem(400, 'The body is not JSON.') }
  }
  if (wanted !== undefined) return { value }
  // Some clients send an empty object where there is nothing to say.
  return isObject(value) && Object.keys(value).length === 0
    ? { value: undefined }
    : { refusal: problem(400, 'This operation takes no body.') }
}

/** What a member of a body must be. */
export interface Member {
  fits: (value: JsonValue) => boolean
  /** `an integer`: what comes behind "must be". */
  kind: string
  required?: true
}

/**
 * The members of a JSON object.
 *
 * @throws {UsageError} that tells all that is wrong: no object, unknown members, missing ones, wrong values.
 */
export function readMembers(
  value: JsonValue | undefined,
  members: Readonly<Record<string, Member>>,
): Record<string, JsonValue | undefined> {
  const names = Object.keys(members)
  if (!isObject(value)) throw new UsageError(`The body must be a JSON object with ${names.join(', ')}.`)
  const mistakes = Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(members, name) ? members[name] : undefined
    if (known === undefined) return [`There is no member ${JSON.stringify(name)}. There are ${names.join(', ')}.`]
    return known.fits(member) ? [] : [`${name} must be ${known.kind}.`]
  })
  for (const [name, { required, kind }] of Object.entries(members)) {
    if (required && !Object.hasOwn(value, name)) mistakes.push(`${name} is required: ${kind}.`)
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return value
}

export function isObject(value: JsonValue | undefined): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function isJson(type: string | string[] | undefined): boolean {
  return typeof type === 'string' && /^application\/json *(?:;|$)/i.test(type)
}

/** Whether a text of JSON holds too many values, by what opens and parts them: parsed, a few bytes would take a hundred. */
function hasMoreValues(text: string): boolean {
  let values = 0
  let isString = false
  for (let at = 0; at < text.length && values <= mostValues; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) isString = !isString
    else if (isString) at += unit === 0x5c ? 1 : 0
    // A comma, [ or {.
    else if (unit === 0x2c || unit === 0x5b || unit === 0x7b) values += 1
  }
  return values > mostValues
}

/** Whether a text has more than so many bytes in UTF-8. */
function isLarger(text: string, limit: number): boolean {
  if (text.length > limit) return true
  if (text.length * 3 <= limit) return false
  let size = text.length
  for (let at = 0; at < text.length && size <= limit; at += 1) {
    const unit = text.charCodeAt(at)
    // A half of a surrogate pair stands for two bytes, any other unit beyond ASCII for two or three.
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return size > limit
}
