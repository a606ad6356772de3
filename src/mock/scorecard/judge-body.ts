import { JsonNumber, type JsonValue, parseJson, readNumber } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import { toInt64 } from '../int64.ts'
import { contentEncodingOf, type MockRequest } from '../message.ts'
import { isPetStatus, shown } from '../parameters.ts'
import type { Issue } from './rules.ts'

type Fields = Record<string, JsonValue | undefined>

/** Longer names may be rejected. */
const longestOrdinaryName = 255

/** "Request body: required, a NewPet object." Which fields it has, and what is wrong with it. */
export function judgeNewPet({ body, headers, bodyFault }: Pick<MockRequest, 'body' | 'headers' | 'bodyFault'>): {
  issues: Issue[]
  fields: string[]
} {
  if (body === '') {
    // Nothing can be said of a body that was too large to be read.
    const isUnread = bodyFault === 'too-large' || announcesBody(headers)
    return { issues: isUnread ? [] : [{ id: 'body.missing', message: 'There was no body.' }], fields: [] }
  }
  const encoding = contentEncodingOf(headers)
  if (encoding !== undefined) {
    return {
      issues: [{ id: 'content-encoding.sent', message: `Content-Encoding was ${shown(encoding)}.` }],
      fields: [],
    }
  }
  const { issues, fields } = judgeText(body)
  if (bodyFault !== 'not-utf8') return { issues: [...judgeContentType(headers['content-type']), ...issues], fields }
  // The body was decoded as if it were UTF-8.
  const others = issues.filter(({ id }) => id !== 'body.not-json')
  const isText = !body.includes('\0') && others.length === issues.length
  const message = isText ? 'Its bytes are no UTF-8; they may be Latin-1.' : 'Its bytes are no UTF-8.'
  return {
    issues: [...judgeContentType(headers['content-type']), { id: 'body.not-utf8', message }, ...others],
    fields,
  }
}

/** Whether the headers announce a body: RFC 9112 section 6.3. */
export function announcesBody(headers: MockRequest['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** "Request and response bodies are JSON (`application/json`)." */
function judgeContentType(type: string | string[] | undefined): Issue[] {
  if (type === undefined || type === '') {
    return [{ id: 'content-type.missing', message: 'There was no Content-Type header.' }]
  }
  if (typeof type !== 'string') {
    return [{ id: 'content-type.other', message: 'There were several Content-Type headers.' }]
  }
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return [{ id: 'content-type.other', message: `Content-Type was ${shown(type)}.` }]
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return []
  return [{ id: 'content-type.charset', message: `The charset was ${shown(charset)}.` }]
}

function judgeText(body: string): { issues: Issue[]; fields: string[] } {
  let value: JsonValue
  try {
    value = parseJson(body)
  } catch {
    return { issues: [{ id: 'body.not-json', message: whyNotJson(body) }], fields: [] }
  }
  if (!isObject(value)) {
    return { issues: [{ id: 'body.not-an-object', message: `The body was ${described(value)}.` }], fields: [] }
  }
  const { name, categoryId, status } = value
  const others = Object.keys(value).filter((field) => !/^(id|name|categoryId|status)$/.test(field))
  const issues = [
    ...judgeName(name),
    ...judgeCategory(categoryId, body),
    ...judgeStatus(status),
    ...judgeRepeated(Object.keys(value).length, body),
  ]
  if (value['id'] !== undefined) issues.push({ id: 'id.sent', message: `id was ${described(value['id'])}.` })
  if (others.length > 0) {
    const more = others.length === 1 ? '' : `, nor ${others.length - 1} more of its fields`
    issues.push({ id: 'members.extra', message: `NewPet has no ${shown(others[0] ?? '')}${more}.` })
  }
  const fields = Object.keys(value).map((field) => (others.includes(field) ? 'other' : field))
  return { issues, fields: isPetStatus(status) ? [...fields, `status=${status}`] : fields }
}

/** Of several fields with one name, JSON.parse keeps the last. */
function judgeRepeated(count: number, text: string): Issue[] {
  // Most bodies have as many colons behind a quote as they have fields.
  if ((text.match(/"\s*:/g)?.length ?? 0) <= count) return []
  const names: string[] = []
  let depth = 0
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g)) {
    if (string === undefined) depth += token === '{' || token === '[' ? 1 : -1
    else if (colon !== undefined && depth === 1) names.push(JSON.parse(string) as string)
  }
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated === undefined) return []
  return [{ id: 'members.repeated', message: `The field ${shown(repeated)} came more than once.` }]
}

function judgeName(name: JsonValue | undefined): Issue[] {
  if (name === undefined) return [{ id: 'name.missing', message: 'The body had no name.' }]
  if (typeof name !== 'string') return [{ id: 'name.not-a-string', message: `name was ${described(name)}.` }]
  const unusual =
    name.trim() === ''
      ? `was ${name === '' ? 'empty' : 'blank'}`
      : name.includes('\0')
        ? 'held U+0000'
        : !name.isWellFormed()
          ? 'held a half of a surrogate pair'
          : name.length > longestOrdinaryName
            ? `had ${name.length} characters`
            : name !== name.trim()
              ? 'began or ended with a space'
              : undefined
  return unusual === undefined ? [] : [{ id: 'name.unusual', message: `name ${unusual}.` }]
}

/** "categoryId | integer | int64": `7.0` and `7e0` are spellings of 7. */
function judgeCategory(value: JsonValue | undefined, body: string): Issue[] {
  if (value === undefined) return [{ id: 'category-id.missing', message: 'The body had no categoryId.' }]
  const message = `categoryId was ${described(value)}.`
  const integer = toInt64(value)
  if (integer === undefined) {
    return [{ id: isBeyond(value) ? 'category-id.beyond-int64' : 'category-id.not-an-integer', message }]
  }
  const spellings = Array.from(body.matchAll(/"categoryId"\s*:\s*(-?\d[\d.eE+-]*)/g), ([, spelled = '']) => spelled)
  const spelled = spellings.findLast((text) => readNumber(text) === value) ?? ''
  if (/[.eE]/.test(spelled)) {
    const id = typeof integer === 'bigint' ? 'category-id.as-float' : 'category-id.spelling'
    return [{ id, message: `categoryId was written as ${spelled.slice(0, 40)}.` }]
  }
  // What JavaScript writes of a double that large: the shortest digits that read as the same double, then zeros.
  const isRound = typeof integer === 'bigint' && spelled.endsWith('00') && String(Number(spelled)) === spelled
  return isRound ? [{ id: 'category-id.rounded', message }] : []
}

/** Whether a number is an integer that is too large, and not one with a fraction. */
function isBeyond(value: JsonValue): boolean {
  if (typeof value === 'bigint') return true
  return value instanceof JsonNumber && !(Math.abs(Number(value.text)) <= Number(int64.maximum))
}

function judgeStatus(status: JsonValue | undefined): Issue[] {
  if (status === undefined || isPetStatus(status)) return []
  if (status === null) return [{ id: 'new-status.null', message: 'status was null.' }]
  return [{ id: 'new-status.unknown', message: `status was ${described(status)}.` }]
}

function whyNotJson(body: string): string {
  if (body.startsWith('\uFEFF')) return 'The body began with a byte order mark.'
  if (body.startsWith('[object ')) return 'An object was sent that nobody had turned into JSON.'
  if (/^\w+=[^{]*(&|$)/.test(body)) return 'The body was that of a form.'
  if (/^\s*<|^--/.test(body)) return 'The body was XML, HTML or of several parts.'
  return 'It could not be parsed.'
}

function described(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string ${shown(value)}`
  if (isObject(value)) return 'an object'
  const text = String(value)
  return text.length > 60 ? 'a long number' : text
}

function isObject(value: JsonValue): value is Fields & Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}
