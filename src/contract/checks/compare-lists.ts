import type { PetStatus } from '../../spec/types.ts'
import type { Check } from '../check.ts'
import { expectFewFaces, expectNoTwins, suspectContradiction } from '../contradictions.ts'
import { NotVerified } from '../findings.ts'
import { suspectIncomplete } from '../missing-pets.ts'
import type { PetList } from '../run.ts'
import type { Session } from '../session.ts'
import { hasNoLimit, suspectShort } from '../short-pages.ts'
import { readWide, statuses } from '../wide-lists.ts'

/** What the answers of a run say of each other: the relations that no single answer can break. */
export const compareListsChecks: Check[] = [
  {
    id: 'list-pets.default-limit',
    title: 'Without limit a list has 20 pets where there are as many',
    stage: 'compare',
    clauses: ['list.limit.default'],
    writes: 0,
    leansOn: ['list-pets.full-page', 'list-pets.complete'],
    async run(session) {
      const bare = await session.list('/pets')
      suspectShort(session, hasNoLimit)
      session.atLeast(21)
      if (bare.length < 20) throw new NotVerified('the list without limit was short, but other lists were then, too')
    },
  },
  {
    id: 'list-pets.full-page',
    title: 'A page is full while the catalogue holds more pets that match',
    stage: 'compare',
    clauses: ['list.page-full'],
    writes: 0,
    leansOn: ['list-pets.minimum-limit', 'list-pets.limit', 'list-pets.status-filter'],
    async run(session) {
      await readWide(session)
      session.atLeast(2)
      suspectShort(session, (list) => !hasNoLimit(list))
    },
  },
  {
    id: 'list-pets.complete',
    title: 'A list that is not full shows every pet that another answer shows',
    stage: 'compare',
    clauses: ['list.status.complete', 'list.status.default', 'service.catalogue'],
    writes: 0,
    leansOn: ['list-pets.status-filter'],
    async run(session) {
      const lists = [...(await readWide(session)), await session.list('/pets?limit=99')]
      for (const list of lists) suspectIncomplete(session, list, 'other')
      const filtered = lists.filter(({ status, complete, pets }) => status !== undefined && complete && pets.length > 0)
      if (filtered.length === 0) {
        const reason = 'the catalogue shows no status with at least one and fewer than 100 pets'
        session.leaveOpen('list.status.complete', reason)
      }
      expectEveryStatus(session, lists)
      session.atLeast(1)
    },
  },
  {
    id: 'create-pet.listed',
    title: 'A created pet is in every list that is not full, and in the one of its status',
    stage: 'compare',
    clauses: ['create.listed', 'create.status'],
    writes: 0,
    leansOn: ['create-pet.ordinary', 'list-pets.complete'],
    async run(session) {
      const lists = await readWide(session)
      const { created } = session.run
      if (created.length === 0) throw new NotVerified('no pet could be created')
      for (const list of lists) suspectIncomplete(session, list, 'own')
      const seen = (status: PetStatus): boolean =>
        created.some(
          ({ pet }) =>
            pet.status === status &&
            lists.some((list) => list.status === status && list.pets.some(({ id }) => id === pet.id)),
        )
      if (lists.some(({ complete }) => complete) || statuses.every(seen)) return
      throw new NotVerified('every list is full (100 pets or more of each status), so a new pet need not be in it')
    },
  },
  {
    id: 'answers.agree',
    title: 'All answers show a pet with the same fields',
    stage: 'remain',
    clauses: ['service.catalogue', 'state.reads-change-nothing'],
    writes: 0,
    leansOn: ['get-pet.listed', 'create-pet.ordinary', 'open-points.creation', 'list-pets.full-page'],
    async run(session) {
      await session.list('/pets?limit=100')
      session.atLeast(1)
      // A handful is enough to show a fault that concerns them all.
      for (const pair of session.run.catalogue.contradictions().slice(0, 4)) suspectContradiction(session, pair)
      expectFewFaces(session)
      expectNoTwins(session)
    },
  },
]

function expectEveryStatus(session: Session, lists: readonly PetList[]): void {
  const shown = new Set(
    lists.filter(({ status }) => status === undefined).flatMap(({ pets }) => pets.map((pet) => pet.status)),
  )
  const hidden = statuses.filter((status) => session.run.catalogue.count(status) > 0 && !shown.has(status))
  if (shown.size < 2)
    session.leaveOpen('list.status.default', 'the lists without a filter show pets of one status only')
  else if (hidden.length > 0 && lists.every(({ status, complete }) => status !== undefined || !complete)) {
    session.leaveOpen('list.status.default', `the first 100 pets show none with status ${hidden.join(' or ')}`)
  }
}
