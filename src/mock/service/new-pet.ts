import { detach } from '../../errors.ts'
import { jsonProblem } from '../../json-problem.ts'
import type { JsonValue } from '../../json.ts'
import type { BehaviorId, Profile } from '../../spec/behaviors.ts'
import type { Int64, PetStatus } from '../../spec/types.ts'
import { issuesOf, tryParseJson, toSentence } from '../../validate.ts'
import { copyJson, type StoredPet } from '../pets/pet.ts'
import { normalizeInt64 } from '../pets/int64.ts'
import { type ErrorStatus, type Rejection, rejection } from './parameters.ts'
import type { Store } from '../pets/store.ts'
import { validators } from '../schemas/validators.gen.ts'

export interface SentPet {
  name: string
  categoryId: Int64
  status: PetStatus | undefined
  /** Fields that NewPet does not have, except `id`. */
  others: Readonly<Record<string, JsonValue>>
  hasId: boolean
}

export function readNewPet(body: string): SentPet | { mistake: string; reason: string } {
  if (body === '') {
    return {
      mistake: 'A body is required: a NewPet object with name and categoryId.',
      reason: 'create.body-required',
    }
  }
  const value = tryParseJson(body)
  if (value === undefined) {
    return { mistake: `The body is not JSON: ${jsonProblem(body)}.`, reason: 'http.json-request' }
  }
  const issues = issuesOf(validators.NewPet, value, { quotes: true })
  if (issues.length > 0) {
    const isLacking = issues.some(({ code }) => code === 'required')
    return {
      mistake: issues.map((issue) => toSentence(issue, 'The body')).join(' '),
      reason: isLacking ? 'create.required-fields' : 'create.invalid-values',
    }
  }
  const sent = value as {
    name: string
    categoryId: Int64
    status?: PetStatus
    [other: string]: JsonValue
  }
  return {
    name: sent.name,
    categoryId: normalizeInt64(sent.categoryId),
    status: sent.status,
    others: othersOf(sent),
    hasId: Object.hasOwn(sent, 'id'),
  }
}

/** That of all bodies without other fields. */
const noOthers: Readonly<Record<string, JsonValue>> = Object.freeze({})

function othersOf(fields: Record<string, JsonValue>): Readonly<Record<string, JsonValue>> {
  if (Object.keys(fields).every(isSpecified)) return noOthers
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSpecified(name)))
}

const isSpecified = (name: string): boolean =>
  name === 'id' || name === 'name' || name === 'categoryId' || name === 'status'

type NewPet = Omit<StoredPet, 'id'>

/** Longer names are subject to `create.name.long`, which the suite observes with 1,000 characters. */
export const maxOrdinaryName = 255

const isBlank = (name: string): boolean => name.trim() === ''

type Effect = (pet: NewPet, sent: SentPet) => NewPet | Rejection

const asSent: Effect = (pet) => pet
const trim: Effect = (pet) => ({ ...pet, name: detach(pet.name.trim()) })

/** An unspecified behavior that may reject or change a new pet. */
interface NewPetBehavior<Option extends string> {
  appliesTo: (sent: SentPet, store: Store) => boolean
  /** The message of a rejection, whose status is the option. */
  message: string
  otherwise: Readonly<Record<Exclude<Option, ErrorStatus>, Effect>>
}

type NewPetBehaviorId =
  | Extract<BehaviorId, `create.name.${string}`>
  | 'create.extra-fields'
  | 'create.client-id'
  | 'create.unknown-category'

const behaviors: { readonly [Id in NewPetBehaviorId]: NewPetBehavior<Profile[Id]> } = {
  'create.name.empty': {
    appliesTo: ({ name }) => name === '',
    message: 'name must not be empty.',
    otherwise: { accept: asSent },
  },
  'create.name.blank': {
    appliesTo: ({ name }) => name !== '' && isBlank(name),
    message: 'name must not be blank.',
    otherwise: { accept: asSent, trim },
  },
  'create.name.outer-spaces': {
    appliesTo: ({ name }) => name !== name.trim() && !isBlank(name),
    message: 'name must not begin or end with a space.',
    otherwise: { keep: asSent, trim },
  },
  'create.name.long': {
    appliesTo: ({ name }) => name.length > maxOrdinaryName,
    message: `name must not be longer than ${maxOrdinaryName} characters.`,
    otherwise: { accept: asSent },
  },
  'create.extra-fields': {
    appliesTo: ({ others }) => Object.keys(others).length > 0,
    message: 'NewPet has only the fields name, categoryId and status.',
    otherwise: {
      ignore: asSent,
      store(pet, { others }) {
        if (copyJson(others) !== undefined) return { ...pet, others }
        const message = 'The body is nested deeper than 100 levels.'
        return { rejected: '400', message, reason: 'create.extra-fields=store' }
      },
    },
  },
  'create.client-id': {
    appliesTo: ({ hasId }) => hasId,
    message: 'The client does not send id; the service assigns it.',
    otherwise: { ignore: asSent },
  },
  'create.unknown-category': {
    appliesTo: ({ categoryId }, store) => !store.some((pet) => pet.categoryId === categoryId),
    message: 'There is no category with this categoryId.',
    otherwise: { accept: asSent },
  },
  'create.name.duplicate': {
    appliesTo: ({ name }, store) =>
      store.waiting.some(({ pet }) => pet.name === name) || store.some((pet) => pet.name === name),
    message: 'A pet with this name already exists.',
    otherwise: { accept: asSent },
  },
}

export function createNewPetBehaviors(profile: Readonly<Profile>, store: Store) {
  const inForce = (Object.keys(behaviors) as NewPetBehaviorId[]).flatMap((behavior) => {
    const { appliesTo, message, otherwise }: NewPetBehavior<never> = behaviors[behavior]
    const option = profile[behavior]
    const reject: Effect = () => rejection(behavior, option as ErrorStatus, message)
    const effect = (otherwise as Readonly<Record<string, Effect>>)[option] ?? reject
    return effect === asSent ? [] : [{ appliesTo, effect }]
  })
  const option = profile['create.default-status']
  const defaultStatus = option === 'absent' ? undefined : option

  return (sent: SentPet): { pet: NewPet } | Rejection => {
    const { name, categoryId, status = defaultStatus } = sent
    let pet: NewPet = { name, categoryId, status }
    for (const { appliesTo, effect } of inForce) {
      if (!appliesTo(sent, store)) continue
      const changed = effect(pet, sent)
      if ('rejected' in changed) return changed
      pet = changed
    }
    return { pet }
  }
}
