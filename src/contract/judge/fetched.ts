import type { Exchange } from '../http/exchange.ts'
import { changes, hasOtherStatus, sameButStatus, type Created, type Sighting } from './catalog.ts'
import { describe, isAbsent, petsOf, wrongStatus } from './expect.ts'
import { mayFindLater, movedBy, type Assumptions } from './explanations.ts'
import type { Violation } from './findings.ts'
import type { Log } from './log.ts'

/** A pet, and the response that shows it. */
export type Sighted = Pick<Sighting, 'pet' | 'exchange'>

/** Where getPet does not show a pet as createPet returned it. */
export function judgeStored(
  created: Created,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation | undefined {
  const found = isAbsent(response.status)
    ? absent(created, 'createPet', response, log, assumptions)
    : different(created, 'createPet', response)
  if (found === undefined) return undefined
  const { requirement, alsoBreaks = [] } = found
  const violation = { ...found, unless: { ...found.unless, taken: created.pet.id } }
  const isByReads = movedBy(created, log) === 'reads'
  if (!isByReads && !log.wasRead(created)) return violation
  return {
    ...violation,
    requirement: isByReads ? 'state.reads-change-nothing' : requirement,
    alsoBreaks: [requirement, ...alsoBreaks, 'state.reads-change-nothing'],
  }
}

/** Where getPet does not show a pet as a list does. */
export function judgeListed(
  listed: Sighted,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation | undefined {
  const { pet, exchange } = listed
  if (isAbsent(response.status)) return absent(listed, 'listPets', response, log, assumptions)
  const found = different(listed, 'listPets', response)
  const [shown] = petsOf(response)
  // No status at all is no other one.
  const onlyStatus = shown?.status !== undefined && sameButStatus(pet, shown)
  if (!found || !onlyStatus) return found
  const isOwn = log.created.some(
    (created) => created.pet.id === pet.id && movedBy(created, log) !== 'others',
  )
  const isEchoed = exchange.plan.path.includes('status=')
  return {
    ...found,
    ...(isEchoed && { requirement: 'list.status.filter', alsoBreaks: ['get.by-id'] }),
    ...(!isOwn && { unless: { changed: true, late: true } }),
  }
}

/** What getPet breaks where it contradicts the response of another operation. */
const brokenBy = { createPet: 'create.stored', listPets: 'get.by-id' } as const
type By = keyof typeof brokenBy

/** getPet finds no such pet, or is gone. */
function absent(
  shown: Sighted,
  by: By,
  response: Exchange,
  log: Log,
  assumptions: Assumptions,
): Violation {
  const isUnknown = response.status === 404
  const showed = by === 'createPet' ? 'returned' : 'shows'
  return wrongStatus(response, isUnknown ? brokenBy[by] : 'get.until-removal', '200 and the Pet', {
    alsoBreaks: log.getWorks ? ['get.success'] : ['get.success', 'get.until-removal'],
    message: `${describe(response)}, although ${by} ${showed} a pet with that id.`,
    exchanges: [shown.exchange, response],
    unless: { late: isUnknown && mayFindLater(shown, by, response, log, assumptions) },
  })
}

/** getPet shows the pet with other fields. */
function different({ pet, exchange }: Sighted, by: By, response: Exchange): Violation | undefined {
  const [found] = response.status === 200 ? petsOf(response) : []
  const changed = found && changes(pet, found)
  if (found === undefined || changed === undefined) return undefined
  return {
    requirement: brokenBy[by],
    ...(by === 'createPet' && { alsoBreaks: ['get.by-id'] }),
    message: `getPet and ${by} show pet ${pet.id} differently: ${changed}.`,
    way: `getPet and ${by} show ${hasOtherStatus(pet, found) ? 'another status' : 'another pet'}`,
    expected: `the same Pet that ${by} shows`,
    actual: changed,
    exchanges: [exchange, response],
    cause: by === 'createPet' ? 'another pet' : 'shown differently',
  }
}
