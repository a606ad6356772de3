/** What the specification leaves unspecified: profiles, and where a deployment may refuse a new pet. */

import { UsageError } from '../errors.ts'
import { type Choice, type ChoiceId, choices, type Profile } from '../spec/choices.ts'
import { issuesOf } from '../validate.ts'
import { copyJson, type StoredPet } from './catalog.ts'
import type { SentPet } from './new-pet.ts'
import { type Refusal, refusal } from './parameters.ts'
import { Random } from './random.ts'
import type { Store } from './store.ts'
import { defaultProfile as defaults, validators } from './validators.gen.ts'

/** The option that the mock takes for each unspecified behavior, until its user chooses another. */
export const defaultProfile: Readonly<Profile> = Object.freeze({ ...defaults })

const isOption = (id: string, option: unknown): boolean =>
  issuesOf(validators.SettingsPatch, { profile: { [id]: option } }).length === 0

/**
 * Takes over what a run of the suite has observed: the profile of a report, or a profile by itself. What it could not
 * tell is left out, and so is what the mock cannot do.
 *
 * @returns the choices, and the ids of those that were left out because the mock cannot do what was observed
 * @throws {UsageError} when the value is neither
 */
export function readProfile(value: unknown, source: string): { profile: Partial<Profile>; leftOut: string[] } {
  const { profile = value } = (value ?? {}) as { profile?: unknown }
  const known = Object.entries(typeof profile === 'object' ? (profile ?? {}) : {}).filter(([id]) =>
    Object.hasOwn(defaultProfile, id),
  )
  if (known.length === 0) throw new UsageError(`${source} is neither a profile nor a report: it holds no choice`)
  const observed = known.filter(([, option]) => option !== 'unknown')
  return {
    profile: Object.fromEntries(observed.filter(([id, option]) => isOption(id, option))),
    leftOut: observed.filter(([id, option]) => !isOption(id, option)).map(([id]) => id),
  }
}

/** Codes that deployments might use, for a profile that is drawn. */
const codes = ['error', 'E_PETSTORE', 'petstore/problem', '1000']

/**
 * Draws an option for each choice: another conforming deployment for each seed. The key may always create pets, since
 * permissions belong to a key and not to a deployment.
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

/** The pet that shall be stored, or why this deployment refuses what the specification leaves unspecified. */
export type ApplyCreationRules = (sent: SentPet) => { pet: Omit<StoredPet, 'id'> } | Refusal

/** Names longer than this are long. The choice requests one of 1,000 characters. */
const longestOrdinaryName = 255

const isBlank = (name: string): boolean => name.trim() === ''

/** The points at which a deployment may refuse a pet: every option that refuses is the status of the refusal. */
const refusals: readonly [choice: ChoiceId, appliesTo: (sent: SentPet, store: Store) => boolean, message: string][] = [
  ['create.name.empty', ({ name }) => name === '', 'name must not be empty.'],
  ['create.name.blank', ({ name }) => name !== '' && isBlank(name), 'name must not be blank.'],
  [
    'create.name.outer-spaces',
    ({ name }) => name !== name.trim() && !isBlank(name),
    'name must not begin or end with a space.',
  ],
  [
    'create.name.long',
    ({ name }) => name.length > longestOrdinaryName,
    `name must not be longer than ${longestOrdinaryName} characters.`,
  ],
  [
    'create.extra-members',
    ({ others }) => Object.keys(others).length > 0,
    'NewPet has no fields besides name, categoryId and status.',
  ],
  ['create.client-id', ({ hasId }) => hasId, 'The client does not send id; the service assigns it.'],
  [
    'create.unknown-category',
    ({ categoryId }, store) => !store.some((pet) => pet.categoryId === categoryId),
    'There is no category with this categoryId.',
  ],
  [
    'create.name.duplicate',
    ({ name }, store) => store.waiting.some(({ pet }) => pet.name === name) || store.some((pet) => pet.name === name),
    'There is a pet with this name already.',
  ],
]

/** What a deployment with this profile makes of new pets. */
export function createCreationRules(profile: Readonly<Profile>, store: Store): ApplyCreationRules {
  const inForce = refusals.filter(([choice]) => /^4\d\d$/.test(profile[choice]))
  const statusChosen = profile['create.default-status']
  const defaultStatus = statusChosen === 'absent' ? undefined : statusChosen

  return (sent) => {
    const broken = inForce.find(([, appliesTo]) => appliesTo(sent, store))
    if (broken !== undefined) return refusal(broken[0], profile, broken[2])
    const { others, categoryId, status = defaultStatus } = sent
    const pet = { name: storedName(sent.name, profile), categoryId, status }
    if (profile['create.extra-members'] !== 'store' || Object.keys(others).length === 0) return { pet }
    // Whoever reads deeper JSON back may not be able to.
    if (copyJson(others) !== undefined) return { pet: { ...pet, others } }
    const message = 'The body is nested deeper than 100 levels.'
    return { refused: '400', message, reason: 'create.extra-members=store' }
  }
}

function storedName(name: string, profile: Readonly<Profile>): string {
  const trimmed = name.trim()
  if (trimmed === name) return name
  const choice = trimmed === '' ? 'create.name.blank' : 'create.name.outer-spaces'
  return profile[choice] === 'trim' ? trimmed : name
}
