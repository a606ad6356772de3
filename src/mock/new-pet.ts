import { type JsonValue, parseJson } from '../json.ts'
import { petStatuses } from '../spec/operations.ts'
import type { Int64, PetStatus } from '../spec/types.ts'
import { toInt64 } from './int64.ts'
import { isPetStatus, shown } from './parameters.ts'

/** A NewPet as it was sent. */
export interface SentPet {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** The members that NewPet does not have, `id` left out. */
  others: Record<string, JsonValue>
  /** Whether an `id` was among them. */
  hasId: boolean
}

/**
 * Reads the body of createPet.
 *
 * @returns what is wrong with it, in words, when it "is missing required fields or holds invalid values".
 */
export function readNewPet(body: string): SentPet | string {
  if (body === '') return 'A body is required: a NewPet object with name and categoryId.'
  let value: JsonValue
  try {
    value = parseJson(body)
  } catch {
    return 'The body is not JSON.'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value)) {
    return `The body must be a NewPet object, and was ${described(value)}.`
  }
  return readMembers(value)
}

function readMembers(members: Record<string, JsonValue>): SentPet | string {
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
  if (typeof name !== 'string' || category === undefined || mistakes.length > 0) return mistakes.join(' ')
  const others: Record<string, JsonValue> = {}
  for (const [member, value] of Object.entries(members)) {
    if (!isSpecified(member)) Object.defineProperty(others, member, { value, enumerable: true })
  }
  const sentStatus = isPetStatus(status) ? status : undefined
  return { name, categoryId: category, status: sentStatus, others, hasId: Object.hasOwn(members, 'id') }
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
