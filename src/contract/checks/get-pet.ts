import type { Check } from '../check.ts'
import { changes, samePet } from '../catalogue.ts'
import type { Sighting } from '../catalogue.ts'
import type { Exchange } from '../exchange.ts'
import type { Breach } from '../findings.ts'
import { NotVerified } from '../findings.ts'
import { describe, isAbsent } from '../session.ts'
import type { Session } from '../session.ts'
import { petDefects, toPet } from '../shapes.ts'

/** Integers over the whole range of int64 that a catalogue is most unlikely to know. */
const unknownIds = ['9223372036854775807', '8714055236174310993', '2147480929']

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
      session.atLeast(1)
      await Promise.all(sample(session).map((sighting) => expectFound(session, sighting)))
    },
  },
  {
    id: 'get-pet.unknown',
    title: 'An integer that no pet has answers 404, over the whole range of int64',
    stage: 'access',
    clauses: ['get.not-found'],
    writes: 0,
    async run(session) {
      expectNotRemoved(session)
      const answers = await Promise.all(unknownIds.map((id) => session.send({ method: 'GET', path: `/pets/${id}` })))
      for (const [index, answer] of answers.entries()) expectMissing(session, String(unknownIds[index]), answer)
    },
  },
]

function expectNotRemoved(session: Session): void {
  if (session.run.getRemoved) throw new NotVerified('getPet has been removed, as the specification announces')
}

/** The first, second, middle and last pet of the longest list, and one of each status. */
function sample(session: Session): Sighting[] {
  const all = session.run.catalogue.first()
  const longest = session.run.lists.reduce((a, b) => (b.pets.length > a.pets.length ? b : a)).pets
  const wanted = [0, 1, longest.length >> 1, longest.length - 1].map((index) => longest[index]?.id)
  const ofStatus = [...session.run.catalogue.statuses()].map(
    (status) => all.findLast(({ pet }) => pet.status === status)?.pet.id,
  )
  const ids = new Set([...wanted, ...ofStatus])
  return all.filter(({ pet }) => ids.has(pet.id))
}

async function expectFound(session: Session, sighting: Sighting): Promise<void> {
  const breach = compare(session, sighting, await session.get(sighting.pet.id))
  if (!breach) return
  if (breach.clause === 'get.until-removal') {
    session.breach(breach)
    return
  }
  session.suspect({
    key: `get ${sighting.pet.id}`,
    clauses: ['get.by-id'],
    settledAt: sighting.exchange.sentAt + session.run.options.settleMs,
    // The pet may have changed or gone by other hands: what counts is what the list shows before and after.
    async again() {
      const look = async (): Promise<Sighting | undefined> => {
        const list = await session.list(sighting.exchange.plan.path)
        const index = list.pets.findIndex(({ id }) => id === sighting.pet.id)
        const pet = list.pets[index]
        return pet && { pet, exchange: list.exchange, pointer: `/${index}` }
      }
      const before = await look()
      if (!before) return undefined
      const found = compare(session, before, await session.get(before.pet.id))
      const after = found && (await look())
      return after && samePet(before.pet, after.pet) ? found : undefined
    },
  })
}

function compare(session: Session, { pet, exchange }: Sighting, answer: Exchange): Breach | undefined {
  const exchanges = [exchange, answer]
  if (answer.status === 200) {
    if (answer.content.kind !== 'json' || petDefects(answer.content.value, '').length > 0) return undefined
    const changed = changes(pet, toPet(answer.content.value))
    if (changed === undefined) return undefined
    const echoed = exchange.plan.path.includes('status=') && changed.startsWith('status')
    return {
      clause: echoed ? 'list.status.filter' : 'get.by-id',
      ...(echoed && { alsoBreaks: ['get.by-id'] }),
      message: `getPet and listPets show pet ${pet.id} differently: ${changed}.`,
      expected: 'the same Pet that listPets shows',
      actual: changed,
      exchanges,
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
  if (answer.status === 403) throw new NotVerified('the key may not call getPet (the target answered 403)')
  const { content } = answer
  if (answer.status === 200 && content.kind === 'json' && petDefects(content.value, '').length === 0) {
    if (String(toPet(content.value).id) === id) return // there is such a pet, however unlikely
  }
  session.breach({
    clause: 'get.not-found',
    message: `${describe(answer)} instead of 404, although no pet has this id.`,
    expected: 'status 404 and an Error body',
    actual: `status ${answer.status}`,
    exchanges: [answer],
    cause: `answers ${answer.status}`,
  })
}
