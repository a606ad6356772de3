import { arrivalOf } from '../http/exchange.ts'
import { expectWhole, type Created, type Sighting } from '../judge/catalog.ts'
import type { Violation } from '../judge/findings.ts'
import { isAbsent } from '../judge/expect.ts'
import { decide } from '../session/planner.ts'
import type { Session } from '../session/session.ts'
import { compareUnlessMoved, compareWithListing } from '../claims/fetched.ts'

/** Demands that getPet shows a created pet as createPet returned it. */
export async function expectStored(session: Session, created: Created): Promise<void> {
  const { pet, exchange } = created
  await session.checkRemovalOfGet(pet.id)
  if (session.run.getRemoved) return
  const violation = await readCreated(session, created)
  // Only a missing pet is a delay, not another pet.
  const isMissing = violation?.exchanges.at(-1)?.status === 404
  if (!violation || isMissing)
    session.findings.observe('create.visibility', isMissing ? 'delayed' : 'immediate', exchange)
  if (violation && isCertain(violation)) session.report(violation)
  else if (violation) session.claim('stored', created, true, arrivalOf(exchange))
  expectWhole([pet])
}

/** Fetches a created pet. Returns a violation when getPet does not show it as createPet returned it. */
export async function readCreated(
  session: Session,
  created: Created,
): Promise<Violation | undefined> {
  const response = await session.get(created.pet.id)
  const { log, run } = session
  return decide(session, compareUnlessMoved(created, response, log, run.assumptions))
}

/** Demands that getPet shows a listed pet with the same fields. */
export async function expectFound(session: Session, sighting: Sighting): Promise<void> {
  const { pet } = sighting
  const { log, run } = session
  const response = await session.get(pet.id)
  const violation = compareWithListing(sighting, response, log, run.assumptions)
  if (violation && isCertain(violation)) session.report(violation)
  // One that is gone may be in lists for as long as the window.
  else if (violation)
    session.claim('listed', sighting, log.mayBeLate(pet.id) || isAbsent(response.status))
}

/** No delay explains that getPet is gone. */
const isCertain = ({ requirement }: Violation): boolean => requirement === 'get.until-removal'
