import type { ClauseId } from '../spec/clauses.ts'
import type { ExactPet } from '../spec/types.ts'
import type { Sighting } from './catalogue.ts'
import type { Exchange } from './exchange.ts'
import type { Breach } from './findings.ts'
import type { PetList } from './run.ts'
import { petsOf } from './session.ts'
import type { Session } from './session.ts'
import { settledAt, wide } from './wide-lists.ts'

/** Looks for pets, of the run's own or of others, that a list lacks although it is not full. */
export function suspectIncomplete(session: Session, list: PetList, whose: 'own' | 'other'): void {
  if (!list.complete || list.pets.length < list.length) return
  const { catalogue, created } = session.run
  const inList = new Set(list.pets.map(({ id }) => String(id)))
  const own = new Set(created.map(({ pet }) => String(pet.id)))
  // One pet stands for all that are missing in this list.
  const missing = catalogue
    .first(list.status)
    .filter(({ exchange }) => exchange.sentAt + exchange.durationMs <= list.exchange.sentAt)
    .find(({ pet }) => !inList.has(String(pet.id)) && own.has(String(pet.id)) === (whose === 'own'))
  if (!missing) return
  const { path } = list.exchange.plan
  session.suspect({
    key: `missing ${path} ${whose}`,
    clauses: missingClauses(list, whose),
    settledAt: settledAt(session),
    again: () => missingAgain(session, path, missing, whose),
  })
}

function missingClauses({ status }: PetList, whose: 'own' | 'other'): [ClauseId, ...ClauseId[]] {
  if (whose === 'own') return status === undefined ? ['create.listed'] : ['create.listed', 'create.status']
  return status === undefined
    ? ['list.status.default', 'service.catalogue']
    : ['list.status.complete', 'service.catalogue']
}

/** Asks again for an answer that showed the pet, and for the list that did not. */
async function missingAgain(
  session: Session,
  path: string,
  { pet, exchange }: Sighting,
  whose: 'own' | 'other',
): Promise<Breach | undefined> {
  const witness = await findElsewhere(session, pet.id, path, exchange)
  const now = witness && petsOf(witness).find(({ id }) => id === pet.id)
  const list = await session.list(path)
  if (!list.complete || list.pets.some(({ id }) => id === pet.id)) return undefined
  if (!now) return whose === 'own' ? lost(pet, exchange, list) : undefined
  if (list.status !== undefined) {
    // Its status may have changed by other hands meanwhile, and then it is in another list by right.
    const after = await findElsewhere(session, pet.id, path, exchange)
    const later = after && petsOf(after).find(({ id }) => id === pet.id)
    if (now.status !== list.status || later?.status !== list.status) return undefined
  }
  const [clause, ...alsoBreaks] = missingClauses(list, whose)
  return {
    clause,
    alsoBreaks,
    message: `GET ${path} has room for more but lacks pet ${pet.id}, which another answer shows.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [witness, list.exchange],
    ...(whose === 'other' && list.status !== undefined && { unlessOthersChange: true }),
    cause: `${whose} pet missing`,
  }
}

/** A pet of the run's own that no answer shows any more. */
function lost(pet: ExactPet, creation: Exchange, list: PetList): Breach {
  return {
    clause: 'create.stored',
    message: `Pet ${pet.id}, which createPet answered with 201, is in no answer any more.`,
    expected: `a pet with id ${pet.id} among the ${list.length}`,
    actual: 'it is not there',
    exchanges: [creation, list.exchange],
    cause: 'lost',
  }
}

/** An answer, asked for now, that shows the pet. */
export async function findElsewhere(
  session: Session,
  id: Sighting['pet']['id'],
  except: string,
  first: Exchange,
): Promise<Exchange | undefined> {
  if (session.run.getWorks && !session.run.getRemoved) {
    const answer = await session.get(id)
    if (answer.status === 200) return answer
  }
  const paths = new Set([...(first.operation === 'listPets' ? [first.plan.path] : []), ...wide])
  paths.delete(except)
  for (const path of paths) {
    const list = await session.list(path)
    if (list.pets.some((pet) => pet.id === id)) return list.exchange
  }
  return undefined
}
