import type { Check } from '../check.ts'
import { changes, samePet } from '../catalog.ts'
import type { PetList, Sighting } from '../catalog.ts'
import { expectStored } from '../creation.ts'
import { asClient } from '../exchange.ts'
import type { Exchange } from '../exchange.ts'
import { describe, expectNotDenied, isAbsent, isInt64, petsOf } from '../expect.ts'
import { NotVerified } from '../findings.ts'
import type { Violation } from '../findings.ts'
import type { Session } from '../session.ts'
import { settleAll } from '../waiting.ts'

/** Integers over the whole range of int64 that a catalogue is most unlikely to know. */
const unknownIds = ['9223372036854775807', '-9223372036854775808', '0', '-1']

/** So many reads of one pet follow one another when it is looked at again. */
const readsInARow = 5

/** So many of the run's pets are fetched again at its end. */
const revisited = 4

/** GET /pets/{petId}. */
export const getPetChecks: Check[] = [
  {
    id: 'get-pet.listed',
    title: 'A pet of the list is fetched by its id, with the same fields',
    stage: 'access',
    clauses: ['get.success', 'get.by-id', 'get.until-removal'],
    writes: 0,
    async run(session) {
      expectNotRemoved(session)
      session.run.catalog.atLeast(1)
      await settleAll(sample(session).map((sighting) => expectFound(session, sighting)))
    },
  },
  {
    id: 'get-pet.unknown',
    title: 'An integer that no pet has answers 404, over the whole range of int64',
    stage: 'access',
    clauses: ['get.not-found'],
    writes: 0,
    dependsOn: ['get-pet.listed'],
    async run(session) {
      expectNotRemoved(session)
      const [known] = session.run.catalog.first()
      // Ids that are another one's when they are cut to 32 bits, or lose their sign.
      const others = known === undefined ? [] : [BigInt(known.pet.id) + 4294967296n, -BigInt(known.pet.id)]
      const ids = new Set([...unknownIds, ...others.map((id) => String(BigInt.asIntN(64, id))), ...indistinct(session)])
      await settleAll(
        [...ids].map(async (id, index) => {
          const plan = asClient({ method: 'GET', path: `/pets/${id}` }, index)
          const what = `GET ${plan.path}, an integer that no pet has,`
          const demand = { clause: 'get.not-found', what, expected: 'status 404', shows: { id } } as const
          expectMissing(session, id, await session.send(plan, demand))
        }),
      )
    },
  },
]

/** What createPet confirmed is there, at the end of the run too. */
export const staysCheck: Check = {
  id: 'create-pet.stays',
  title: 'The pets that the run created are still there at its end',
  stage: 'remain',
  clauses: ['create.stored', 'state.reads-change-nothing'],
  writes: 0,
  dependsOn: ['create-pet.ordinary', 'create-pet.client-id', 'get-pet.listed'],
  async run(session) {
    const { created, getRemoved } = session.run
    if (created.length === 0) throw new NotVerified('no pet could be created')
    if (getRemoved) throw new NotVerified('getPet has been removed')
    await settleAll(created.slice(0, revisited).map((one) => expectStored(session, one)))
  },
}

/** An id that no list shows, and that a double cannot tell from the one of a pet that is there. */
function indistinct(session: Session): string[] {
  const shown = new Set(session.run.catalog.first().map(({ pet }) => BigInt(pet.id)))
  for (const id of shown) {
    for (const other of [id + 1n, id - 1n]) {
      if (Number(other) === Number(id) && !shown.has(other) && isInt64(other)) return [String(other)]
    }
  }
  return []
}

function expectNotRemoved(session: Session): void {
  if (session.run.getRemoved) throw new NotVerified('getPet has been removed, as the specification announces')
}

/** The first, middle and last pet of the longest list, and one of each status. */
function sample(session: Session): Sighting[] {
  const all = session.run.catalog.first()
  const longest = session.run.lists.reduce((a, b) => (b.pets.length > a.pets.length ? b : a)).pets
  const wanted = [0, longest.length >> 1, longest.length - 1].map((index) => longest[index]?.id)
  const ofStatus = [...session.run.catalog.statuses()].map(
    (status) => all.findLast(({ pet }) => pet.status === status)?.pet.id,
  )
  const ids = new Set([...wanted, ...ofStatus])
  return all.filter(({ pet }) => ids.has(pet.id))
}

async function expectFound(session: Session, sighting: Sighting): Promise<void> {
  const violation = compare(session, sighting, await session.get(sighting.pet.id))
  if (!violation) return
  if (violation.clause === 'get.until-removal') {
    session.report(violation)
    return
  }
  // The pet may have changed or gone by other hands: what counts is what the list shows before and after.
  const again = async (): Promise<Violation | undefined> => {
    const { path } = sighting.exchange.plan
    const before = await session.relist(path)
    const shown = before.pets.find(({ id }) => id === sighting.pet.id)
    if (!shown) return lookAtOthers(session, before)
    const seen = { pet: shown, exchange: before.exchange, pointer: '' }
    // Several reads in a row also show what goes wrong only now and then.
    for (let read = 0; read < readsInARow; read += 1) {
      const found = compare(session, seen, await session.get(shown.id))
      if (!found) continue
      const after = (await session.relist(path)).pets.find(({ id }) => id === shown.id)
      return after && samePet(shown, after) ? found : undefined
    }
    return undefined
  }
  session.suspect({ key: `get ${sighting.pet.id}`, clauses: ['get.by-id'], again }, sighting.exchange.sentAt)
}

/** The pet is not listed any more: where no listed pet can be fetched, the list does not show the ids that getPet knows. */
async function lookAtOthers(session: Session, { pets, exchange }: PetList): Promise<Violation | undefined> {
  const violations: Violation[] = []
  for (const pet of pets.slice(0, readsInARow)) {
    const violation = compare(session, { pet, exchange, pointer: '' }, await session.get(pet.id))
    if (!violation) return undefined
    violations.push(violation)
  }
  return violations.length < 2 ? undefined : violations[0]
}

function compare(session: Session, { pet, exchange }: Sighting, answer: Exchange): Violation | undefined {
  const exchanges = [exchange, answer]
  if (answer.status === 200) {
    const [found] = petsOf(answer)
    const changed = found && changes(pet, found)
    if (changed === undefined) return undefined
    // Changes are in the order of the fields: the status comes last.
    const onlyStatus = changed.startsWith('status')
    const isOwn = session.run.created.some((created) => created.pet.id === pet.id)
    const echoed = exchange.plan.path.includes('status=') && onlyStatus
    return {
      clause: echoed ? 'list.status.filter' : 'get.by-id',
      ...(echoed && { alsoBreaks: ['get.by-id'] }),
      message: `getPet and listPets show pet ${pet.id} differently: ${changed}.`,
      expected: 'the same Pet that listPets shows',
      actual: changed,
      exchanges,
      ...(onlyStatus && !isOwn && { unlessOthersChange: true }),
      cause: 'shown differently',
    }
  }
  if (!isAbsent(answer.status)) return undefined
  const works = session.run.getWorks
  return {
    clause: answer.status === 404 ? 'get.by-id' : 'get.until-removal',
    alsoBreaks: works ? ['get.success'] : ['get.success', 'get.until-removal'],
    message: `${describe(answer)}, although listPets shows a pet with that id.`,
    expected: 'status 200 and the Pet',
    actual: `status ${answer.status}`,
    exchanges,
    cause: `answers ${answer.status}`,
  }
}

function expectMissing(session: Session, id: string, answer: Exchange): void {
  if (answer.status === 404) return
  if (!session.run.getWorks) expectNotDenied(answer)
  // There may be such a pet, however unlikely.
  if (petsOf(answer).some((pet) => String(pet.id) === id)) return
  session.report({
    clause: 'get.not-found',
    message: `${describe(answer)} instead of 404, although no pet has this id.`,
    expected: 'status 404 and an Error body',
    actual: `status ${answer.status}`,
    exchanges: [answer],
    cause: `answers ${answer.status}`,
  })
}
