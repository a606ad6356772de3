import type { Check } from '../check.ts'
import { accessChecks } from './access.ts'
import { compareListsChecks } from './compare-lists.ts'
import { createPetChecks } from './create-pet.ts'
import { getPetChecks } from './get-pet.ts'
import { listPetsChecks } from './list-pets.ts'
import { openPointChecks } from './open-points.ts'
import { refusalChecks } from './refusals.ts'
import { remainChecks } from './remain.ts'
import { undescribedChecks } from './undescribed.ts'

/** The suite, in the order in which it is listed; the stages decide the order in which it runs. */
export const checks: readonly Check[] = [
  ...listPetsChecks,
  ...getPetChecks,
  ...createPetChecks,
  ...refusalChecks,
  ...accessChecks,
  ...compareListsChecks,
  ...remainChecks,
  ...undescribedChecks,
  ...openPointChecks,
]
