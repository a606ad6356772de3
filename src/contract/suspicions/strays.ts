import type { Exchange } from '../http/exchange.ts'
import { longestList, type PetList } from '../judge/catalog.ts'
import { petsOf } from '../judge/expect.ts'
import { NotVerified, type Violation } from '../judge/findings.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { isRejection, sendInvalid } from '../session/creation.ts'
import type { Session } from '../session/session.ts'
import { rest } from './reads.ts'

/** Demands that a response shows no pet by the name of a rejected creation. */
export function expectNoRejected(session: Session, exchange: Exchange): void {
  const { rejected } = session.log
  const left = petsOf(exchange).find(({ name }) => name !== null && rejected.has(name))
  const rejection = rejected.get(left?.name ?? '')
  if (left && rejection) session.report(leftBehind(left, rejection, exchange))
}

/** Looks for pets of unknown origin: a rejected creation may have left one with another name. */
export function suspectStrays(session: Session): void {
  const { log, run } = session
  const latest = log.lists.findLast((list) => list.complete && list.status === undefined)
  const own = new Set(log.created.map(({ pet }) => pet.id))
  const isStray = ({ id, name }: SeenPet): boolean =>
    !log.isOld(id) && !own.has(id) && !log.names.owns(name)
  if (run.options.depth === 'smoke' || latest?.pets.some(isStray) !== true) return
  session.suspect({
    kind: 'stray',
    of: 'pets',
    requirements: ['create.rejected-leaves-nothing'],
    // It sends each rejected creation again, and what it finds, twice.
    again: (later) => run.once('stray', () => findStray(later)),
  })
}

/** Sends rejected creations again, until one leaves a pet, twice: others create some while nothing is sent, too. */
async function findStray(session: Session): Promise<Violation | undefined> {
  const first = await session.list(longestList())
  let last = await listAfterRest(session, first)
  if (last.pets.length !== first.pets.length) return undefined
  const own = new Set(session.log.created.map(({ pet }) => pet.id))
  const leaves = async ({ plan }: Exchange): Promise<Violation | undefined> => {
    const known = new Set([...own, ...last.pets.map(({ id }) => id)])
    const demand = { requirement: 'error.body', expected: 'status 400' } as const
    const rejection = await sendInvalid(session, plan, demand)
    last = await session.list(longestList())
    const left = last.complete ? last.pets.find(({ id }) => !known.has(id)) : undefined
    return left && isRejection(rejection.status)
      ? leftBehind(left, rejection, last.exchange)
      : undefined
  }
  const rejections = session.log.exchanges.filter(
    ({ plan, status }) => plan.creation?.mustFail && isRejection(status),
  )
  for (const rejection of rejections) {
    if (!(await leaves(rejection))) continue
    const before = last.length
    last = await listAfterRest(session, last)
    return last.length === before ? leaves(rejection) : undefined
  }
  return undefined
}

/** Sends nothing for a while, and then the list of all pets once more. */
async function listAfterRest(session: Session, list: PetList): Promise<PetList> {
  if (!list.complete)
    throw new NotVerified('the list is full, so it need not show what changes pets')
  await rest(session, list)
  return session.list(longestList())
}

function leftBehind({ id, name }: SeenPet, rejection: Exchange, exchange: Exchange): Violation {
  const unauthorised = rejection.status === 401
  return {
    requirement: unauthorised ? 'auth.required' : 'create.rejected-leaves-nothing',
    alsoBreaks: unauthorised ? ['create.rejected-leaves-nothing'] : [],
    message: `Pet ${id} (${name}) exists, although its creation was rejected with ${rejection.status}.`,
    expected: 'no pet of a rejected creation',
    actual: `a pet named ${name}`,
    exchanges: [rejection, exchange],
    cause: 'left behind',
  }
}
