import { JsonNumber, type JsonValue, readNumber } from '../../json.ts'
import { contentEncodingOf, type MockRequest } from '../message.ts'
import { int64 } from '../../spec/operations.ts'
import { toInt64 } from '../int64.ts'
import { isPetStatus, shown } from '../parameters.ts'
import { readJson } from '../read-json.ts'
import { joined, type Mark, nothing } from './marks.ts'
import { only, onlyStatus, type ParameterSet } from './scorecard-parameters.ts'

/** What is wrong with the body of createPet, and which members it has. */
export interface JudgedBody {
  marks: readonly Mark[]
  members: ParameterSet
}

/** Names longer than this may be refused. */
const longestOrdinaryName = 255

/** "Request body: required, a NewPet object." */
export function judgeNewPet(request: Pick<MockRequest, 'body' | 'headers' | 'bodyFault'>): JudgedBody {
  const { body, headers, bodyFault } = request
  if (body === '') {
    // A body that is too large is not read, and nothing can be said of it.
    const isUnread =
      bodyFault === 'too-large' ||
      headers['transfer-encoding'] !== undefined ||
      Number(headers['content-length'] ?? 0) > 0
    return { marks: isUnread ? [] : [{ kind: 'body.missing', message: 'There was no body.' }], members: 0 }
  }
  const encoding = contentEncodingOf(headers)
  if (encoding !== undefined) {
    const message = `Content-Encoding was ${shown(encoding)}.`
    return { marks: [{ kind: 'content-encoding.sent', message }], members: 0 }
  }
  const declared = judgeContentType(headers['content-type'])
  const read = bodyFault === 'not-utf8' ? judgeOtherEncoding(body) : judgeText(body)
  return declared.length === 0 ? read : { marks: [...declared, ...read.marks], members: read.members }
}

/** "Request and response bodies are JSON (`application/json`)." */
function judgeContentType(type: string | string[] | undefined): Mark[] {
  if (type === undefined || type === '') {
    return [{ kind: 'content-type.missing', message: 'There was no Content-Type header.' }]
  }
  if (typeof type !== 'string')
    return [{ kind: 'content-type.other', message: 'There were several Content-Type headers.' }]
  if (/^application\/json\s*(;|$)/i.test(type)) {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]
    if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return []
    return [{ kind: 'content-type.charset', message: `The charset was ${shown(charset)}.` }]
  }
  return [{ kind: 'content-type.other', message: `Content-Type was ${shown(type)}.` }]
}

/** A body that was decoded as if it were UTF-8. */
function judgeOtherEncoding(body: string): JudgedBody {
  const { members, marks } = judgeText(body)
  const isText = !body.includes('\0') && !marks.some(({ kind }) => kind === 'body.not-json')
  const message = isText ? 'Its bytes are no UTF-8; they may be Latin-1.' : 'Its bytes are no UTF-8.'
  const others = marks.filter(({ kind }) => kind !== 'body.not-json')
  return { members, marks: [{ kind: 'body.not-utf8', message }, ...others] }
}

function judgeText(body: string): JudgedBody {
  let value: JsonValue
  try {
    value = readJson(body)
  } catch {
    return { marks: [{ kind: 'body.not-json', message: whyNotJson(body) }], members: 0 }
  }
  if (!isObject(value)) {
    return { marks: [{ kind: 'body.not-an-object', message: `The body was ${described(value)}.` }], members: 0 }
  }
  const { name, categoryId, status } = value as Record<string, JsonValue | undefined>
  const members = membersOf(value)
  const marks = joined(
    judgeName(name),
    judgeCategory(categoryId, body),
    judgeStatus(status),
    judgeRepeated(value, body),
    (members & only.id) === 0 ? nothing : judgeId(value),
    (members & only.other) === 0 ? nothing : judgeOthers(value),
  )
  return { marks, members }
}

function membersOf(body: Record<string, JsonValue>): ParameterSet {
  let found = 0
  for (const member of Object.keys(body)) {
    if (member === 'name') found |= only.name
    else if (member === 'categoryId') found |= only.categoryId
    else if (member === 'status') found |= onlyStatus(isPetStatus(body['status']) ? body['status'] : undefined)
    else found |= member === 'id' ? only.id : only.other
  }
  return found
}

/** "The client does not send `id`; the service assigns it." */
function judgeId(body: Record<string, JsonValue>): readonly Mark[] {
  return [{ kind: 'id.sent', message: `id was ${described(body['id'] ?? null)}.` }]
}

/** Of several fields with one name, JSON.parse keeps the last. */
function judgeRepeated(body: Record<string, JsonValue>, text: string): readonly Mark[] {
  const names = Object.keys(body)
  // Most bodies have as many colons behind a quote as they have fields.
  if ((text.match(/"\s*:/g)?.length ?? 0) <= names.length) return nothing
  const repeated = fieldsIn(text).find((name, index, all) => all.indexOf(name) < index)
  return repeated === undefined
    ? nothing
    : [{ kind: 'members.repeated', message: `The field ${shown(repeated)} came more than once.` }]
}

/** The names of the fields of an object that is JSON, as often as they stand there; not those of objects within. */
function fieldsIn(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g)) {
    if (string === undefined) depth += token === '{' || token === '[' ? 1 : -1
    else if (colon !== undefined && depth === 1) names.push(JSON.parse(string) as string)
  }
  return names
}

function judgeOthers(body: Record<string, JsonValue>): readonly Mark[] {
  const others = Object.keys(body).filter((member) => !/^(id|name|categoryId|status)$/.test(member))
  return [{ kind: 'members.extra', message: `NewPet has no ${named(others)}.` }]
}

function judgeName(name: JsonValue | undefined): readonly Mark[] {
  if (name === undefined) return [{ kind: 'name.missing', message: 'The body had no name.' }]
  if (typeof name !== 'string') return [{ kind: 'name.not-a-string', message: `name was ${described(name)}.` }]
  const unusual = name === '' ? 'empty' : name.trim() === '' ? 'blank' : undefined
  if (unusual !== undefined) return [{ kind: 'name.unusual', message: `name was ${unusual}.` }]
  if (name.includes('\0')) return [{ kind: 'name.unusual', message: 'name held U+0000.' }]
  if (!name.isWellFormed()) return [{ kind: 'name.unusual', message: 'name held a half of a surrogate pair.' }]
  if (name.length > longestOrdinaryName) {
    return [{ kind: 'name.unusual', message: `name had ${name.length} characters.` }]
  }
  return name === name.trim() ? nothing : [{ kind: 'name.unusual', message: 'name began or ended with a space.' }]
}

/** "categoryId | integer | int64": `7.0` and `7e0` are spellings of 7. */
function judgeCategory(value: JsonValue | undefined, body: string): readonly Mark[] {
  if (value === undefined) return [{ kind: 'category-id.missing', message: 'The body had no categoryId.' }]
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    const spelled = /"categoryId"\s*:\s*(-?\d+[.eE][\d.eE+-]*)/.exec(body)?.[1]
    return spelled === undefined
      ? nothing
      : [{ kind: 'category-id.spelling', message: `categoryId was written as ${spelled.slice(0, 40)}.` }]
  }
  const message = `categoryId was ${described(value)}.`
  if (toInt64(value) === undefined) {
    const kind = isBeyond(value) ? 'category-id.beyond-int64' : 'category-id.not-an-integer'
    return [{ kind, message }]
  }
  if (typeof value !== 'bigint') return nothing
  const spelled = spellingOf(value, body)
  if (/[.eE]/.test(spelled)) return [{ kind: 'category-id.as-float', message: `categoryId was written as ${spelled}.` }]
  // What JavaScript writes of a double that large: the shortest digits that read as the same double, then zeros.
  const isRound = spelled.endsWith('00') && String(Number(spelled)) === spelled
  return isRound ? [{ kind: 'category-id.rounded', message }] : []
}

/** Whether a number is an integer that is too large, and not one with a fraction. */
function isBeyond(value: JsonValue): boolean {
  if (typeof value === 'bigint') return true
  return value instanceof JsonNumber && !(Math.abs(Number(value.text)) <= Number(int64.maximum))
}

/** How a large categoryId stands in the body. */
function spellingOf(value: bigint, body: string): string {
  for (const [, spelled = ''] of body.matchAll(/"categoryId"\s*:\s*(-?\d[\d.eE+-]*)/g)) {
    if (readNumber(spelled) === value) return spelled.slice(0, 40)
  }
  return String(value)
}

function judgeStatus(status: JsonValue | undefined): readonly Mark[] {
  if (status === undefined || isPetStatus(status)) return nothing
  if (status === null) return [{ kind: 'new-status.null', message: 'status was null.' }]
  return [{ kind: 'new-status.unknown', message: `status was ${described(status)}.` }]
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

function named(members: readonly string[]): string {
  const [first = '', ...more] = members
  return more.length === 0 ? shown(first) : `${shown(first)}, nor ${more.length} more of its members`
}

function isObject(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}
