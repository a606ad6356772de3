import { sightingsIn, type Created, type PetList } from '../judge/catalog.ts'
import { expectNoRejected } from '../checks/rejections.ts'
import { readCreated } from '../checks/stored.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import { describe } from '../judge/expect.ts'
import { Violated } from '../judge/findings.ts'
import type { Session } from '../session/session.ts'
import { decide } from '../session/planner.ts'
import { changedOwn } from '../claims/contradictions.ts'
import { changedBy, isWronglyChanged } from '../judge/status-changes.ts'

/** Demands that a list shows the pets of the run as they were created, and none of a rejected creation. */
export async function expectOwn(session: Session, list: PetList): Promise<void> {
  const { exchange, pets, status, complete, length } = list
  expectNoRejected(session, exchange)
  const shown = new Map(sightingsIn(exchange, pets).map((one) => [one.pet.id, one]))
  for (const own of session.log.created) {
    const found = shown.get(own.pet.id)
    if (found && (await decide(session, isWronglyChanged(own, found.pet, session.log))))
      throw new Violated(changedOwn(own, found, session.log))
    const isMissing =
      !found && complete && pets.length === length && mustBeSeen(session, own, exchange)
    if (!isMissing || (status !== undefined && own.pet.status !== status)) continue
    // Another status than it was created with would take it from this list by right.
    const isMoved = (): boolean => changedBy(own, session.log) === 'others'
    if (status !== undefined && !session.run.getRemoved && !isMoved())
      await expectFetched(session, own)
    if (isMoved()) continue
    throw new Violated({
      requirement: 'create.listed',
      alsoBreaks:
        status === undefined ? ['service.catalog'] : ['list.status.complete', 'create.status'],
      message: `${describe(exchange)} is not full but lacks pet ${own.pet.id}, which createPet returned with 201.`,
      expected: `a pet with id ${own.pet.id} among the ${length}`,
      actual: 'it is not there',
      kind: 'missing',
      exchanges: [own.exchange, exchange],
      unless: { leftStatusList: status !== undefined, late: true },
      cause: 'own pet not listed',
    })
  }
}

/** Whether the consistency window of a pet was over when a request was sent. */
const mustBeSeen = ({ run }: Session, own: Created, { sentAt }: Exchange): boolean =>
  arrivalOf(own.exchange) + run.windowMs <= sentAt

/** Demands that getPet shows a created pet unchanged, at the latest after its consistency window. */
export async function expectFetched(session: Session, own: Created): Promise<void> {
  const violation = await readCreated(session, own)
  const response = violation?.exchanges.at(-1)
  if (violation && response && (!violation.unless?.late || mustBeSeen(session, own, response)))
    throw new Violated(violation)
}
