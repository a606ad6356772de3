import { authentication } from './deviations/authentication.ts'
import { wire } from './deviations/wire.ts'
import { creating } from './deviations/creating.ts'
import type { Deviation } from './deviations/deviation.ts'
import { errors } from './deviations/errors.ts'
import { filtering } from './deviations/filtering.ts'
import { getting } from './deviations/getting.ts'
import { listing } from './deviations/listing.ts'
import { pets } from './deviations/pets.ts'
import { refusing } from './deviations/refusing.ts'
import { routing } from './deviations/routing.ts'

const table = [
  ...routing,
  ...authentication,
  ...listing,
  ...filtering,
  ...pets,
  ...creating,
  ...refusing,
  ...getting,
  ...errors,
  ...wire,
] as const

/** The id of a deviation. */
export type DeviationId = (typeof table)[number]['id']

/** All ways in which the mock can break the contract on purpose. */
export const deviations: readonly (Deviation & { id: DeviationId })[] = table
