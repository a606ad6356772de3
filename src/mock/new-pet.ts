import type { JsonValue } from '../json.ts'
import { petStatuses } from '../spec/operations.ts'
import type { Int64, PetStatus } from '../spec/types.ts'
import { toInt64 } from './int64.ts'
import { isPetStatus, shown } from './parameters.ts'
import { readJson } from './read-json.ts'

/** A NewPet as it was sent. */
export interface SentPet {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** The members that NewPet does not have, `id` left out. */
  others: Readonly<Record<string, JsonValue>>
  /** Whether an `id` was among them. */
  hasId: boolean
}

/** What is wrong with a body that "is missing required fields or holds invalid values". */
export interface InvalidBody {
  mistake: string
  /** The clause that says so. */
  because: string
}

/** Reads the body of createPet. */
export function readNewPet(body: string): SentPet | InvalidBody {
  if (body === '') {
    return { mistake: 'A body is required: a NewPet object with name and categoryId.', because: 'create.body-required' }
  }
  let value: JsonValue
  try {
    value = readJson(body)
  } catch {
    return { mistake: 'The body is not JSON.', because: 'http.json-request' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value)) {
    return {
      mistake: `The body must be a NewPet object, and was ${described(value)}.`,
      because: 'create.invalid-values',
    }
  }
  return readMembers(value)
}

function readMembers(members: Record<string, JsonValue>): SentPet | InvalidBody {
  const { name, categoryId, status } = members as Record<string, JsonValue | undefined>
  const category = toInt64(categoryId)
  const mistakes: string[] = []
  if (name === undefined) mistakes.push('name is required.')
  else if (typeof name !== 'string') mistakes.push(`name must be a string, and was ${described(name)}.`)
  if (categoryId === undefined) mistakes.push('categoryId is required.')
  else if (category === undefined) {
    mistakes.push(`categoryId must be an integer within int64, and was ${described(categoryId)}.`)
  }
  if (status !== undefined && !isPetStatus(status)) {
    mistakes.push(`status must be one of ${petStatuses.join(', ')}, and was ${described(status)}.`)
  }
  if (typeof name !== 'string' || category === undefined || mistakes.length > 0) {
    const isLacking = name === undefined || categoryId === undefined
    return { mistake: mistakes.join(' '), because: isLacking ? 'create.required-fields' : 'create.invalid-values' }
  }
  const sentStatus = isPetStatus(status) ? status : undefined
  const hasId = Object.hasOwn(members, 'id')
  return { name, categoryId: category, status: sentStatus, others: othersOf(members), hasId }
}

/** Most bodies have no other members, and share this. */
const noOthers: Readonly<Record<string, JsonValue>> = Object.freeze({})

function othersOf(members: Record<string, JsonValue>): Readonly<Record<string, JsonValue>> {
  const names = Object.keys(members)
  if (names.every(isSpecified)) return noOthers
  const others: Record<string, JsonValue> = {}
  for (const member of names) {
    if (!isSpecified(member)) Object.defineProperty(others, member, { value: members[member], enumerable: true })
  }
  return others
}

function isPlain(value: object): value is Record<string, JsonValue> {
  return Object.getPrototypeOf(value) === Object.prototype
}

function described(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null && isPlain(value)) return 'an object'
  if (typeof value === 'string') return shown(value)
  const text = String(value)
  return text.length > 60 ? 'a long number' : text
}

function isSpecified(member: string): boolean {
  return member === 'id' || member === 'name' || member === 'categoryId' || member === 'status'
}
