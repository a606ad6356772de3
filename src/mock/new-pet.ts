import type { JsonValue } from '../json.ts'
import type { Int64, PetStatus } from '../spec/types.ts'
import { issuesOf, tryParseJson, toSentence } from '../validate.ts'
import { normalizeInt64 } from './int64.ts'
import { validators } from './validators.gen.ts'

export interface SentPet {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** Fields that NewPet does not have, except `id`. */
  others: Readonly<Record<string, JsonValue>>
  hasId: boolean
}

export interface InvalidBody {
  mistake: string
  reason: string
}

export function readNewPet(body: string): SentPet | InvalidBody {
  if (body === '') {
    return { mistake: 'A body is required: a NewPet object with name and categoryId.', reason: 'create.body-required' }
  }
  const value = tryParseJson(body)
  if (value === undefined) return { mistake: 'The body is not JSON.', reason: 'http.json-request' }
  const issues = issuesOf(validators.NewPet, value, { quotes: true })
  if (issues.length > 0) {
    const isLacking = issues.some(({ code }) => code === 'required')
    return {
      mistake: issues.map((issue) => toSentence(issue, 'The body')).join(' '),
      reason: isLacking ? 'create.required-fields' : 'create.invalid-values',
    }
  }
  const sent = value as { name: string; categoryId: Int64; status?: PetStatus; [other: string]: JsonValue }
  return {
    name: sent.name,
    categoryId: normalizeInt64(sent.categoryId),
    status: sent.status,
    others: othersOf(sent),
    hasId: Object.hasOwn(sent, 'id'),
  }
}

/** Shared by all bodies without other fields. */
const noOthers: Readonly<Record<string, JsonValue>> = Object.freeze({})

function othersOf(fields: Record<string, JsonValue>): Readonly<Record<string, JsonValue>> {
  if (Object.keys(fields).every(isSpecified)) return noOthers
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSpecified(name)))
}

const isSpecified = (name: string): boolean =>
  name === 'id' || name === 'name' || name === 'categoryId' || name === 'status'
