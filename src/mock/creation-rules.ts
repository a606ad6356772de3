import { JsonNumber, type JsonValue } from '../json.ts'
import type { ChoiceId, Profile } from '../spec/choices.ts'
import type { PetStatus } from '../spec/types.ts'
import type { SentPet } from './new-pet.ts'
import { type Refusal, refusal } from './parameters.ts'
import type { StoredPet } from './pet-text.ts'
import type { Store } from './store.ts'
import type { Visibility, WaitingPet } from './visibility.ts'

/** The pet that shall be stored, or why this deployment refuses what the specification leaves open. */
export type ApplyCreationRules = (sent: SentPet) => { pet: Omit<StoredPet, 'id'> } | Refusal

/** One point at which a deployment may refuse a pet. */
interface Rule {
  choice: ChoiceId
  appliesTo(sent: SentPet, store: Store, waiting: readonly WaitingPet[]): boolean
  message: string
}

/** Names longer than this are long. The choice asks for one of 1,000 characters. */
const longestOrdinaryName = 255

/** Members nested deeper than this are not stored: whoever reads them back may not be able to. */
const deepestStored = 100

const rules: readonly Rule[] = [
  {
    choice: 'create.name.empty',
    appliesTo: ({ name }) => name === '',
    message: 'name must not be empty.',
  },
  {
    choice: 'create.name.blank',
    appliesTo: ({ name }) => name !== '' && isBlank(name),
    message: 'name must not be blank.',
  },
  {
    choice: 'create.name.outer-spaces',
    appliesTo: ({ name }) => name !== name.trim() && !isBlank(name),
    message: 'name must not begin or end with a space.',
  },
  {
    choice: 'create.name.long',
    appliesTo: ({ name }) => name.length > longestOrdinaryName,
    message: `name must not be longer than ${longestOrdinaryName} characters.`,
  },
  {
    choice: 'create.extra-members',
    appliesTo: ({ others }) => Object.keys(others).length > 0,
    message: 'NewPet has no members besides name, categoryId and status.',
  },
  {
    choice: 'create.client-id',
    appliesTo: ({ hasId }) => hasId,
    message: 'The client does not send id; the service assigns it.',
  },
  {
    choice: 'create.unknown-category',
    appliesTo: ({ categoryId }, store) => !store.hasCategory(categoryId),
    message: 'There is no category with this categoryId.',
  },
  {
    choice: 'create.name.duplicate',
    appliesTo: ({ name }, store, waiting) => waiting.some(({ pet }) => pet.name === name) || store.hasName(name),
    message: 'There is a pet with this name already.',
  },
]

/** The rules of a deployment with this profile. */
export function createCreationRules(
  profile: Readonly<Profile>,
  store: Store,
  visibility: Visibility,
): ApplyCreationRules {
  // Every option that refuses is the status of the refusal.
  const inForce = rules.filter(({ choice }) => /^4\d\d$/.test(profile[choice]))
  const statusChosen = profile['create.default-status']
  const defaultStatus = statusChosen === 'absent' ? undefined : (statusChosen as PetStatus)
  const keepsOthers = profile['create.extra-members'] === 'store'

  return (sent) => {
    const broken = inForce.find((rule) => rule.appliesTo(sent, store, visibility.waiting))
    if (broken !== undefined) return refusal(broken.choice, profile, broken.message)
    const { others, categoryId, status = defaultStatus } = sent
    const name = storedName(sent.name, profile)
    if (!keepsOthers || Object.keys(others).length === 0) return { pet: { name, categoryId, status } }
    if (isDeeper(others, deepestStored)) {
      return {
        refused: '400',
        message: `The body is nested deeper than ${deepestStored} levels.`,
        reason: 'create.extra-members=store',
      }
    }
    return { pet: { name, categoryId, status, others } }
  }
}

function storedName(name: string, profile: Readonly<Profile>): string {
  const trimmed = name.trim()
  if (trimmed === name) return name
  const choice = trimmed === '' ? 'create.name.blank' : 'create.name.outer-spaces'
  return profile[choice] === 'trim' ? trimmed : name
}

function isBlank(name: string): boolean {
  return name.trim() === ''
}

/** Level by level: what is asked is whether the call stack would do. */
function isDeeper(value: JsonValue, levels: number): boolean {
  let level: JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null && !(item instanceof JsonNumber) ? Object.values(item) : [],
    )
  }
  return false
}
