import { JsonNumber, type JsonValue, readNumber } from '../../json.ts'
import type { HttpRequest } from '../../spec/http.ts'
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
export function judgeNewPet({ body, headers }: Pick<HttpRequest, 'body' | 'headers'>): JudgedBody {
  if (body === '') {
    // A body that is too large is not read, and nothing can be said of it.
    const isUnread = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    return { marks: isUnread ? [] : [{ kind: 'body.missing', message: 'There was no body.' }], members: 0 }
  }
  const declared = judgeContentType(headers['content-type'])
  const read = judgeText(body)
  return declared.length === 0 ? read : { marks: [...declared, ...read.marks], members: read.members }
}

/** "Request and response bodies are JSON (`application/json`)." */
function judgeContentType(type: string | string[] | undefined): Mark[] {
  if (type === undefined || type === '') {
    return [{ kind: 'content-type.missing', message: 'There was no Content-Type header.' }]
  }
  if (typeof type !== 'string')
    return [{ kind: 'content-type.other', message: 'There were several Content-Type headers.' }]
  if (/^application\/json\s*(;|$)/i.test(type)) return []
  return [{ kind: 'content-type.other', message: `Content-Type was ${shown(type)}.` }]
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

function judgeOthers(body: Record<string, JsonValue>): readonly Mark[] {
  const others = Object.keys(body).filter((member) => !/^(id|name|categoryId|status)$/.test(member))
  return [{ kind: 'members.extra', message: `NewPet has no ${named(others)}.` }]
}

function judgeName(name: JsonValue | undefined): readonly Mark[] {
  if (name === undefined) return [{ kind: 'name.missing', message: 'The body had no name.' }]
  if (typeof name !== 'string') return [{ kind: 'name.not-a-string', message: `name was ${described(name)}.` }]
  const unusual = name === '' ? 'empty' : name.trim() === '' ? 'blank' : undefined
  if (unusual !== undefined) return [{ kind: 'name.unusual', message: `name was ${unusual}.` }]
  if (name.length > longestOrdinaryName) {
    return [{ kind: 'name.unusual', message: `name had ${name.length} characters.` }]
  }
  return name === name.trim() ? nothing : [{ kind: 'name.unusual', message: 'name began or ended with a space.' }]
}

/** "categoryId | integer | int64": `7.0` and `7e0` are spellings of 7. */
function judgeCategory(value: JsonValue | undefined, body: string): readonly Mark[] {
  if (value === undefined) return [{ kind: 'category-id.missing', message: 'The body had no categoryId.' }]
  if (typeof value === 'number' && Number.isSafeInteger(value)) return nothing
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
