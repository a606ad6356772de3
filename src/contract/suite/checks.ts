import { count } from '../../report/text.ts'
import { requirements, type Requirement } from '../../spec/requirements.ts'
import { byChance } from '../judge/findings.ts'
import type { Check } from '../session/session.ts'
import type { Depth } from '../session/limits.ts'
import { sequencesCheck } from '../thorough/index.ts'
import { accessChecks } from '../checks/access.ts'
import { createPetChecks } from '../checks/create-pet.ts'
import { getPetChecks, staysCheck } from '../checks/get-pet.ts'
import { compareListsChecks, listPetsChecks } from '../checks/list-pets.ts'
import { leavesNothingCheck, rejectionChecks } from '../checks/rejections.ts'
import { unspecifiedChecks } from '../checks/unspecified.ts'

/** The suite in list order; the stages determine the order of execution. */
export const checks: readonly Check[] = [
  ...listPetsChecks,
  ...getPetChecks,
  ...createPetChecks,
  ...rejectionChecks,
  ...accessChecks,
  ...compareListsChecks,
  staysCheck,
  leavesNothingCheck,
  ...unspecifiedChecks,
]

/** The checks of a depth. At `smoke` they send only some of their requests. */
export function checksOf(depth: Depth): readonly Check[] {
  if (depth === 'smoke') return checks.filter(({ smoke }) => smoke !== undefined)
  return depth === 'thorough' ? [...checks, sequencesCheck] : checks
}

/** The text of `petstore verify --list`. */
export function listSuite(): string {
  const checkedBy = (id: string): string => {
    const by = checks
      .filter((check) => check.requirements.some((one) => one === id))
      .map((check) => check.id)
    return by.length === 0 ? 'every-response' : by.join(', ')
  }
  const requirementLines = (requirements as readonly Requirement[]).flatMap(
    ({ id, section, quote, untestable }) => {
      const how =
        untestable === undefined ? `checked by ${checkedBy(id)}` : `not testable: ${untestable}`
      return [id, `  ${section}: "${quote}"`, `  ${how}`]
    },
  )
  const title =
    'Each response of an operation is judged: media type, JSON, the fields of Pet and Error'
  const everyResponse: Pick<Check, 'id' | 'title' | 'writes'> = { id: 'every-response', title }
  const again: typeof everyResponse = {
    id: byChance,
    title: 'A request that is sent again gets the same kind of response',
  }
  const checkLines = [...checksOf('thorough'), everyResponse, again].flatMap(
    ({ id, title: what, writes = 0 }) => {
      const created = writes === 0 ? '' : `; creates ${count(writes, 'pet')}`
      return [id, `  ${what}${created}`]
    },
  )
  return ['Requirements', '', ...requirementLines, '', 'Checks', '', ...checkLines, ''].join('\n')
}
