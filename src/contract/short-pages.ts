import type { ClauseId } from '../spec/clauses.ts'
import type { Breach } from './findings.ts'
import type { PetList } from './run.ts'
import type { Session } from './session.ts'
import { settledAt, wide } from './wide-lists.ts'

/** So many requests for a page follow one another when it is looked at again. */
const readsInARow = 5

/** Whether a list was asked for without a limit. */
export const hasNoLimit = ({ exchange }: PetList): boolean => !exchange.plan.path.includes('limit=')

/** Looks for pages that had fewer pets than answers before them had shown to be there. */
export function suspectShort(session: Session, isMeant: (list: PetList) => boolean): void {
  const { catalogue, lists } = session.run
  for (const list of lists.filter(isMeant)) {
    if (list.length >= Math.min(list.limit, catalogue.count(list.status, list.exchange.sentAt))) continue
    const { path } = list.exchange.plan
    session.suspect({
      key: `short ${path}`,
      clauses: shortClauses(list),
      settledAt: settledAt(session),
      again: () => shortAgain(session, path),
    })
  }
}

function shortClauses(list: PetList): [ClauseId, ...ClauseId[]] {
  if (hasNoLimit(list)) return ['list.limit.default', 'list.page-full']
  return list.limit === 100 ? ['list.page-full', 'list.limit.max'] : ['list.page-full']
}

/** Counts the pets that other lists show both before and after, and asks for the page in between. */
async function shortAgain(session: Session, path: string): Promise<Breach | undefined> {
  const before = await Promise.all(wide.map((wider) => session.list(wider)))
  // Several reads in a row also show what goes wrong only now and then.
  const lists: PetList[] = []
  for (let read = 0; read < readsInARow; read += 1) lists.push(await session.list(path))
  const list = lists.reduce((a, b) => (b.length < a.length ? b : a))
  const after = await Promise.all(wide.map((wider) => session.list(wider)))
  const shown = matching(session, after, list)
  const there = [...matching(session, before, list)].filter((id) => shown.has(id))
  const wanted = Math.min(list.limit, there.length)
  if (list.length >= wanted) return undefined
  const [clause, ...alsoBreaks] = shortClauses(list)
  const what = list.status === undefined ? 'pets' : `pets with status ${list.status}`
  return {
    clause,
    alsoBreaks: [...alsoBreaks, ...(list.complete ? hiddenClauses(session, list, there) : [])],
    message: `GET ${path} gives ${list.length} pets, although the catalogue holds at least ${there.length} ${what}.`,
    expected: `${wanted} pets`,
    actual: `${list.length} pets`,
    exchanges: [...before.filter(({ pets }) => pets.length > 0).map(({ exchange }) => exchange), list.exchange],
    ...(list.status !== undefined && { unlessOthersChange: true }),
    cause: clause === 'list.limit.default' ? 'default page short' : 'page short',
  }
}

/** What a list that is not full hides by being short. */
function hiddenClauses({ run }: Session, { status, pets }: PetList, there: readonly string[]): ClauseId[] {
  if (status !== undefined) return ['list.status.complete']
  const inList = new Set(pets.map(({ id }) => String(id)))
  const hidden = there.filter((id) => !inList.has(id)).map((id) => run.catalogue.of(id)[0]?.pet.status)
  const [first] = hidden
  const oneStatus = hidden.every((other) => other === first) && pets.every((pet) => pet.status !== first)
  return oneStatus ? ['service.catalogue', 'list.status.default'] : ['service.catalogue']
}

/** The ids of pets in these lists that belong into `list`, and that no lag can hide any more. */
function matching({ run }: Session, lists: readonly PetList[], { status }: PetList): Set<string> {
  const settled = run.transport.elapsed() - run.options.settleMs
  const pets = lists.flatMap((list) => list.pets).filter((pet) => status === undefined || pet.status === status)
  return new Set(pets.map(({ id }) => String(id)).filter((id) => (run.catalogue.seenSince(id) ?? Infinity) <= settled))
}
