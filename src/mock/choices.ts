/** What the specification leaves unspecified: profiles, and where a deployment may refuse a new pet. */

import { UsageError } from '../errors.ts'
import { type Choice, type ChoiceId, choices, type Profile } from '../spec/choices.ts'
import { issuesOf } from '../validate.ts'
import { copyJson, type StoredPet } from './pet.ts'
import type { SentPet } from './new-pet.ts'
import { type ErrorStatus, type Refusal, refusal } from './parameters.ts'
import { Random } from './seed.ts'
import type { Store } from './store.ts'
import { options, validators } from './validators.gen.ts'

/** The default option of each unspecified behavior. */
export const defaultProfile: Readonly<Profile> = Object.freeze(
  Object.fromEntries(Object.entries(options).map(([id, values]) => [id, values.split('|', 1)[0]])) as Profile,
)

const isOption = (id: string, option: unknown): boolean =>
  issuesOf(validators.SettingsPatch, { profile: { [id]: option } }).length === 0

/**
 * Reads a profile, or the profile in a report of the suite. Of several candidates, it takes the default or the first one.
 * Behaviors that were not observed are omitted.
 *
 * @returns the profile, and the ids of behaviors that the mock cannot show as observed.
 * @throws {UsageError} when the value is neither a profile nor a report.
 */
export function readProfile(value: unknown, source: string): { profile: Partial<Profile>; leftOut: string[] } {
  const { profile = value, candidates } = (value ?? {}) as { profile?: unknown; candidates?: unknown }
  const left = (candidates ?? {}) as Readonly<Record<string, readonly unknown[]>>
  const optionOf = (id: string): unknown => {
    const options = left[id]
    if (!Array.isArray(options) || options.includes(defaultProfile[id as ChoiceId])) return 'unknown'
    return options.find((option) => isOption(id, option)) ?? 'unknown'
  }
  const known = Object.entries(typeof profile === 'object' ? (profile ?? {}) : {}).filter(([id]) =>
    Object.hasOwn(defaultProfile, id),
  )
  if (known.length === 0) throw new UsageError(`${source} is neither a profile nor a report: it has no options`)
  const observed = known
    .map(([id, option]) => [id, option === 'unknown' ? optionOf(id) : option] as const)
    .filter(([, option]) => option !== 'unknown')
  return {
    profile: Object.fromEntries(observed.filter(([id, option]) => isOption(id, option))),
    leftOut: observed.filter(([id, option]) => !isOption(id, option)).map(([id]) => id),
  }
}

/** Error codes that deployments might use. */
const codes = ['error', 'E_PETSTORE', 'petstore/problem', '1000']

/**
 * Picks a random option for each unspecified behavior. The key may always create pets, since permissions belong to a key
 * and not to a deployment.
 *
 * @param seed an integer
 */
export function varyProfile(seed: number): Profile {
  const random = new Random(seed)
  const draw = (values: readonly string[]): string => values[Math.floor(random.next() * values.length)] ?? ''
  const drawn = (choices as readonly Choice[]).map((choice): [string, string] => {
    if (choice.id === 'auth.write-permission') return [choice.id, choice.default]
    return [choice.id, draw(choice.free === undefined ? choice.options.map(({ value }) => value) : codes)]
  })
  return Object.fromEntries(drawn) as Profile
}

type NewPet = Omit<StoredPet, 'id'>

/** The pet to store, or a refusal that the profile chooses. */
export type ApplyCreationRules = (sent: SentPet) => { pet: NewPet } | Refusal

/** Longer names are subject to `create.name.long`, which the suite observes with 1,000 characters. */
export const maxOrdinaryName = 255

const isBlank = (name: string): boolean => name.trim() === ''

type Effect = (pet: NewPet, sent: SentPet) => NewPet | Refusal

const asSent: Effect = (pet) => pet
const trim: Effect = (pet) => ({ ...pet, name: pet.name.trim() })

/** An unspecified behavior that may refuse or change a new pet. */
interface Point<Option extends string> {
  appliesTo: (sent: SentPet, store: Store) => boolean
  /** The message of a refusal, whose status is the option. */
  message: string
  /** The effects of all other options. */
  otherwise: Readonly<Record<Exclude<Option, ErrorStatus>, Effect>>
}

type PointId =
  | Extract<ChoiceId, `create.name.${string}`>
  | 'create.extra-members'
  | 'create.client-id'
  | 'create.unknown-category'

const points: { readonly [Id in PointId]: Point<Profile[Id]> } = {
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
  'create.extra-members': {
    appliesTo: ({ others }) => Object.keys(others).length > 0,
    message: 'NewPet has only the fields name, categoryId and status.',
    otherwise: {
      ignore: asSent,
      store(pet, { others }) {
        if (copyJson(others) !== undefined) return { ...pet, others }
        const message = 'The body is nested deeper than 100 levels.'
        return { refused: '400', message, reason: 'create.extra-members=store' }
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

export function createCreationRules(profile: Readonly<Profile>, store: Store): ApplyCreationRules {
  const inForce = (Object.keys(points) as PointId[]).flatMap((choice) => {
    const { appliesTo, message, otherwise }: Point<never> = points[choice]
    const option = profile[choice]
    const refuse: Effect = () => refusal(choice, option as ErrorStatus, message)
    const effect = (otherwise as Readonly<Record<string, Effect>>)[option] ?? refuse
    return effect === asSent ? [] : [{ appliesTo, effect }]
  })
  const statusChosen = profile['create.default-status']
  const defaultStatus = statusChosen === 'absent' ? undefined : statusChosen

  return (sent) => {
    const { name, categoryId, status = defaultStatus } = sent
    let pet: NewPet = { name, categoryId, status }
    for (const { appliesTo, effect } of inForce) {
      if (!appliesTo(sent, store)) continue
      const changed = effect(pet, sent)
      if ('refused' in changed) return changed
      pet = changed
    }
    return { pet }
  }
}
