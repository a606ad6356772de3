import { jsonProblem } from '../../json-problem.ts'
import { JsonNumber, type JsonValue, readNumber } from '../../json.ts'
import { int64 } from '../../spec/operations.ts'
import { describeValue, isJsonObject, tryParseJson } from '../../validate.ts'
import { maxOrdinaryName } from '../service/new-pet.ts'
import { toInt64 } from '../pets/int64.ts'
import { contentEncodingOf, type MockRequest } from '../service/message.ts'
import { isPetStatus } from '../service/parameters.ts'
import { firstOf, type FoundIssue, allOf } from './issues.ts'

/** The bytes of the body by its header. Adapters do not read the body of a GET that has one. */
export const declaredBytes = (headers: MockRequest['headers']): number =>
  Number(headers['content-length'] ?? 0)

/** "Request body: required, a NewPet object." Returns its issues, and the names of its fields. */
export function assessBody({ body, headers, bodyFault }: MockRequest): {
  issues: FoundIssue[]
  fields: string[]
} {
  const encoding = contentEncodingOf(headers)
  if (body === '' || encoding !== undefined) {
    // A body that was too large was not read.
    const isEmpty = body === '' && bodyFault !== 'too-large' && !(declaredBytes(headers) > 0)
    const issues = allOf(
      [isEmpty && encoding === undefined, 'body.missing', 'There was no body.'],
      [
        body !== '',
        'content-encoding.sent',
        `Content-Encoding was ${describeValue(encoding ?? '')}.`,
      ],
    )
    return { issues, fields: [] }
  }
  if (bodyFault === 'cut') return { issues: contentTypeIssues(headers['content-type']), fields: [] }
  const value = tryParseJson(body)
  const fields = isJsonObject(value) ? value : undefined
  const isUtf8 = bodyFault !== 'not-utf8'
  const latin = value !== undefined && !body.includes('\0') ? '; they may be Latin-1.' : '.'
  const issues = [
    ...contentTypeIssues(headers['content-type']),
    ...allOf(
      [!isUtf8, 'body.not-utf8', `Its bytes are not UTF-8${latin}`],
      [isUtf8 && value === undefined, 'body.not-json', () => whyNotJson(body)],
      [
        value !== undefined && !fields,
        'body.not-an-object',
        `The body was ${describeJson(value)}.`,
      ],
    ),
    ...(fields ? fieldIssues(fields, body, isUtf8) : []),
  ]
  const names = Object.keys(fields ?? {}).map((name) => (isField(name) ? name : 'other'))
  return {
    issues,
    fields: isPetStatus(fields?.['status']) ? [...names, `status=${fields['status']}`] : names,
  }
}

/** "Request and response bodies are JSON (`application/json`)." */
function contentTypeIssues(type: MockRequest['headers'][string]): FoundIssue[] {
  const text = String(type ?? '')
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(text)?.[1] ?? 'utf-8'
  return firstOf(
    [text === '', 'content-type.missing', 'There was no Content-Type header.'],
    [Array.isArray(type), 'content-type.other', 'There were several Content-Type headers.'],
    [
      !/^application\/json\s*(;|$)/i.test(text),
      'content-type.other',
      `Content-Type was ${describeValue(text)}.`,
    ],
    [
      !/^(utf-?8|us-ascii)$/i.test(charset),
      'content-type.charset',
      `The charset was ${describeValue(charset)}.`,
    ],
  )
}

const isField = (name: string): boolean => /^(id|name|categoryId|status)$/.test(name)

function fieldIssues(
  fields: Record<string, JsonValue | undefined>,
  body: string,
  isUtf8: boolean,
): FoundIssue[] {
  const { id, name, status } = fields
  const unusual = typeof name === 'string' ? whyUnusual(name) : undefined
  const damage = isUtf8 && typeof name === 'string' ? damaged.exec(name)?.[0] : undefined
  const repeated = repeatedField(Object.keys(fields).length, body)
  const unknown = Object.keys(fields).filter((field) => !isField(field))
  const outer = unknown.find((field) => hasFields(fields[field]))
  if (outer !== undefined && name === undefined && fields['categoryId'] === undefined) {
    const message = `The fields were inside ${describeValue(outer)}.`
    return [{ id: 'fields.nested', message }]
  }
  const meant = new Map(unknown.map((field) => [meaningOf(field), field]))
  const insteadOf = (field: string): string =>
    meant.has(field) ? `, but ${describeValue(meant.get(field) ?? '')}: the name is ${field}.` : '.'
  const isExplained = (field: string): boolean => {
    const meaning = meaningOf(field)
    return meaning !== 'status' && meaning !== '' && fields[meaning] === undefined
  }
  const [other, ...more] = unknown.filter((field) => !isExplained(field))
  const near = meaningOf(other ?? '')
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  const hint = near === '' || fields[near] !== undefined ? '' : ` The name is ${near}.`
  const isOdd = status !== undefined && status !== null && !isPetStatus(status)
  return [
    ...firstOf(
      [name === undefined, 'name.missing', `The body had no name${insteadOf('name')}`],
      [typeof name !== 'string', 'name.not-a-string', `name was ${describeJson(name)}.`],
      [unusual, 'name.unusual', `name ${unusual}.`],
      [damage, 'name.damaged', `name contained ${describeValue(damage ?? '')}.`],
    ),
    ...categoryIssues(fields['categoryId'], body, insteadOf('categoryId')),
    ...allOf(
      [status === null, 'new-status.null', 'status was null.'],
      [isOdd, 'new-status.unknown', `status was ${describeJson(status)}.`],
      [
        repeated !== undefined,
        'fields.repeated',
        `The field ${describeValue(repeated ?? '')} was sent more than once.`,
      ],
      [id !== undefined, 'id.sent', `id was ${describeJson(id)}.`],
      [
        other !== undefined,
        'fields.extra',
        `Unknown field ${describeValue(other ?? '')}${others}.${hint}`,
      ],
    ),
  ]
}

/** Whether a value is a NewPet, or has its fields. */
const hasFields = (value: JsonValue | undefined): boolean =>
  isJsonObject(value) && Object.keys(value).some((field) => isField(field) && field !== 'id')

/** The field that another spelling, or the name of another interface, stands for; empty for any other. */
function meaningOf(field: string): string {
  const letters = field
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
  if (/^(?:pet)?category(?:id)?$/.test(letters)) return 'categoryId'
  return /^(?:pet)?(name|status)$/.exec(letters)?.[1] ?? ''
}

/** The name of a repeated field, of which JSON.parse only keeps the last. */
function repeatedField(count: number, text: string): string | undefined {
  // Fast path: count colons after quotes.
  if ((text.match(/"\s*:/g)?.length ?? 0) <= count) return undefined
  const names = new Set<string>()
  let depth = 0
  // Without escapes, the loop in a string is simple: others overflow the stack in a long one.
  const tokens = text.replaceAll(/\\./g, '__').matchAll(/("[^"]*")(\s*:)?|[{}[\]]/g)
  for (const { 0: token, 1: string, 2: colon, index } of tokens) {
    if (string === undefined) depth += token === '{' || token === '[' ? 1 : -1
    else if (colon !== undefined && depth === 1) {
      const name = JSON.parse(text.slice(index, index + string.length)) as string
      if (names.has(name)) return name
      names.add(name)
    }
  }
  return undefined
}

/**
 * What a wrong encoding leaves in a text: U+FFFD; UTF-8 read as Latin-1 or Windows-1252; a percent-encoding, an HTML entity
 * or an escape of JSON as text.
 */
const damaged =
  /\uFFFD|[\u00C2-\u00DF][\u0080-\u00BF\u0152\u0153\u0160\u0161\u0178\u017D\u017E\u0192\u2018-\u201E\u2020-\u2026\u20AC\u2122]|â€.|%[0-9A-F]{2}|&(?:amp|lt|gt|quot|apos|#\d{1,5}|#x[\da-f]{1,5});|\\u[\da-f]{4}/i

function whyUnusual(name: string): string | undefined {
  if (name.trim() === '') return `was ${name === '' ? 'empty' : 'blank'}`
  if (name.includes('\0')) return 'held U+0000'
  if (!name.isWellFormed()) return 'had an unpaired surrogate'
  if (name.length > maxOrdinaryName) return `had ${name.length} characters`
  return name === name.trim() ? undefined : 'began or ended with a space'
}

/** "categoryId | integer | int64": `7.0` and `7e0` are spellings of 7. */
function categoryIssues(
  value: JsonValue | undefined,
  body: string,
  insteadOf: string,
): FoundIssue[] {
  const integer = toInt64(value)
  const isLarge = typeof integer === 'bigint'
  const isBeyond =
    typeof value === 'bigint' ||
    (value instanceof JsonNumber && !(Math.abs(Number(value.text)) <= Number(int64.maximum)))
  const spellings = Array.from(
    body.matchAll(/"categoryId"\s*:\s*(-?\d[\d.eE+-]*)/g),
    ([, spelled = '']) => spelled,
  )
  const spelled = spellings.findLast((text) => readNumber(text) === value) ?? ''
  const isFloat = /[.eE]/.test(spelled)
  // JavaScript prints large doubles as the shortest unique digits, then zeros.
  const isRound = spelled.endsWith('00') && String(Number(spelled)) === spelled
  const message = `categoryId was ${describeJson(value)}.`
  const written = `categoryId was written as ${spelled.slice(0, 40)}.`
  return firstOf(
    [value === undefined, 'category-id.missing', `The body had no categoryId${insteadOf}`],
    [integer === undefined && isBeyond, 'category-id.beyond-int64', message],
    [integer === undefined, 'category-id.not-an-integer', message],
    [isFloat && isLarge, 'category-id.as-float', written],
    [isFloat, 'category-id.spelling', written],
    [isRound && isLarge, 'category-id.rounded', message],
  )
}

function whyNotJson(body: string): string {
  if (body.startsWith('\uFEFF')) return 'The body began with a byte order mark.'
  if (body.startsWith('[object ')) return 'An object was sent without being serialized as JSON.'
  if (/^\w+=[^{]*(&|$)/.test(body)) return 'The body was form data.'
  if (/^\s*<|^--/.test(body)) return 'The body was XML, HTML or multipart.'
  return `The problem was ${jsonProblem(body)}.`
}

const describeJson = (value: JsonValue | undefined): string =>
  `${typeof value === 'string' ? 'the string ' : ''}${describeValue(value)}`
