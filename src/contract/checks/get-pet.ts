import type { Int64 } from '../../spec/types.ts'
import { expectWhole, type Sighting } from '../judge/catalog.ts'
import { withAcceptHeader, type Exchange } from '../http/exchange.ts'
import { describe, expectNotDenied, wrongStatus } from '../judge/expect.ts'
import { idIn, isInt64, type SeenPet } from '../judge/shapes.ts'
import { GetRemoved, NotVerified } from '../judge/findings.ts'
import type { Check, Session } from '../session/session.ts'
import { expectFound, expectStored } from './stored.ts'
import { awaitAll } from '../http/waiting.ts'

/** Ids that probably do not exist, over the whole range of int64. */
const unknownIds = ['9223372036854775807', '-9223372036854775808', '0']

/** Pets that are fetched at the end: the eldest, the newest, and three that nothing has read, with the longest name and the shortest. */
const revisited = 5

export const getPetChecks: Check[] = [
  {
    id: 'get-pet.listed',
    title: 'A pet of the list is fetched by its id, with the same fields',
    stage: 'access',
    smoke: { writes: 0 },
    requirements: ['get.success', 'get.by-id', 'get.until-removal'],
    async run(session) {
      expectNotRemoved(session)
      session.log.catalog.atLeast(1)
      const sightings = session.sample(sample(session), [0])
      await awaitAll(sightings.map((sighting) => expectFound(session, sighting)))
      expectWhole(sightings.map(({ pet }) => pet))
    },
  },
  {
    id: 'get-pet.unknown',
    title: 'An integer that no pet has returns 404, in the entire range of int64',
    stage: 'access',
    smoke: { writes: 0 },
    requirements: ['get.not-found'],
    async run(session) {
      expectNotRemoved(session)
      const known = session.log.catalog.first().map(({ pet }) => BigInt(pet.id))
      // One that collides when it is cut to 32 bits, and one that loses its sign. The upper bits are those of the run.
      const upper = BigInt.asUintN(30, BigInt(session.run.uniqueNumber)) || 1n
      const drawn = String(BigInt.asIntN(64, (known[0] ?? 0n) + upper * 4294967296n))
      const others = known.slice(0, 1).map((id) => -id)
      const near = unknownIdsNear(session, known)
      const ids = new Set([
        ...unknownIds,
        ...others.map((id) => String(BigInt.asIntN(64, id))),
        ...near,
      ])
      for (const id of known) ids.delete(String(id))
      await awaitAll(
        session.sample([...ids, drawn], [0]).map(async (id, index) => {
          const plan = withAcceptHeader({ method: 'GET', path: `/pets/${id}` }, index)
          const what = `GET ${plan.path}, an integer that no pet has,`
          const demand = { requirement: 'get.not-found', what, expected: 404 } as const
          expectMissing(session, id, await session.send(plan, demand), id === drawn)
        }),
      )
    },
  },
]

/** "Add an animal": created pets still exist at the end of the run. */
export const staysCheck: Check = {
  id: 'create-pet.stays',
  title: 'The pets created by the run still exist at its end',
  stage: 'remain',
  requirements: ['create.stored', 'state.reads-change-nothing'],
  async run(session) {
    const { log } = session
    const { created } = log
    if (created.length === 0) throw new NotVerified('the run created no pet')
    if (session.run.getRemoved) throw new GetRemoved()
    const unread = created.slice(1).filter((one) => !log.wasShownAsCreated(one))
    // A read may cut a long name, or leave out an empty one.
    const byLength = unread.toSorted(
      (a, b) => (b.pet.name ?? '').length - (a.pet.name ?? '').length,
    )
    const ends = [created, byLength].flatMap((all) => [...all.slice(0, 1), ...all.slice(-1)])
    const some = [...new Set([...ends, ...unread, ...created])].slice(0, revisited)
    await awaitAll(some.map((one) => expectStored(session, one)))
  },
}

/** Ids between those of known pets that are fetched: a service may fail at removed pets, and one may be a pet that no list shows. With none, one broken server of the proof conforms. */
const mostGaps = 2

/**
 * Unknown ids near known ones. A double cannot distinguish the first from a known id. The next is beside the newest pet: a
 * target may look up the nearest id. The others lie between known ids: sequential ids there are those of removed pets.
 */
function unknownIdsNear({ run }: Session, shown: readonly bigint[]): string[] {
  const [known, greatest] = [new Set(shown), shown.reduce((a, b) => (b > a ? b : a), 0n)]
  const beside = (id: bigint, ...steps: bigint[]): bigint[] =>
    steps.map((step) => id + step).filter((other) => !known.has(other) && isInt64(other))
  const indistinct = shown.flatMap((id) =>
    beside(id, 1n, -1n).filter((other) => Number(other) === Number(id)),
  )
  const newest = run.log.created.at(-1)?.pet.id ?? shown[0]
  const next = newest === undefined ? [] : beside(BigInt(newest), 1n, -1n, 2n, -2n)
  const gaps = shown.map((id) => id + 1n).filter((id) => id < greatest && !known.has(id))
  return [...indistinct.slice(0, 1), ...next.slice(0, 1), ...gaps.slice(0, mostGaps)].map(String)
}

function expectNotRemoved(session: Session): void {
  if (session.run.getRemoved) throw new GetRemoved()
}

/** The first, middle and last pet of the longest list, the one with the id nearest to 0, one of each status; or else any. */
function sample(session: Session): Sighting[] {
  const all = session.log.catalog.first()
  const [longest = []] = session.log.lists
    .map(({ pets }) => pets)
    .sort((a, b) => b.length - a.length)
  const wanted = [0, longest.length >> 1, longest.length - 1].map((index) => longest[index]?.id)
  const ofStatus = [...session.log.catalog.statuses()].map(
    // Created pets are fetched anyway.
    (status) =>
      all.findLast(
        ({ pet, exchange }) => pet.status === status && exchange.operation === 'listPets',
      )?.pet.id,
  )
  const size = (id: Int64): bigint => (BigInt(id) < 0n ? -BigInt(id) : BigInt(id))
  const least = longest.reduce((a, b) => (size(b.id) < size(a.id) ? b : a), longest[0] as SeenPet)
  const ids = new Set([...wanted, least?.id, ...ofStatus])
  const found = all.filter(({ pet }) => ids.has(pet.id))
  return found.length > 0 ? found : all.slice(0, 1)
}

/** @param isDrawn whether the run has drawn the id, so that no pet has it by chance */
function expectMissing(session: Session, id: string, response: Exchange, isDrawn: boolean): void {
  // A 401 to the valid key is reported where it is received.
  if (response.status === 404 || response.status === 401) return
  const { getWorks } = session.log
  if (!getWorks) expectNotDenied(response)
  const { status, content } = response
  const shows = status === 200 && content.kind === 'json' && String(idIn(content.value)) === id
  if (shows && !isDrawn) return
  // A pet that no list shows may have an id near known ones: another user's that this key may not see, or one in an invalid body.
  const isNamed =
    content.kind === 'broken' ||
    ('text' in content && new RegExp(`(?<!\\d)${id}(?!\\d)`).test(content.text))
  const isUnclear = !getWorks || status === 403 || (status === 200 && isNamed)
  if (isUnclear && !unknownIds.includes(id) && !isDrawn) return
  const drawn = shows ? ', which was drawn at random' : ''
  const message = `${describe(response)} instead of 404, although no pet has this id${drawn}.`
  session.report(wrongStatus(response, 'get.not-found', '404 and an Error body', { message }))
}
