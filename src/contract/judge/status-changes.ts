import type { Int64, PetStatus } from '../../spec/types.ts'
import { arrivalOf, type Exchange } from '../http/exchange.ts'
import { hasOtherStatus, sameButStatus, samePet, sightingIn, type Created } from './catalog.ts'
import { describe } from './expect.ts'
import { NotVerified } from './findings.ts'
import { concludedSoFar, longer, mostFetched, pose, shownIn, type Judging } from './questions.ts'
import type { Log } from './run-log.ts'
import type { SeenPet } from './shapes.ts'

export const unseen = 'others may have changed a status, and no new pet shows it'

/** Whether two responses to the same request show a pet that others change with different statuses. */
export function othersChangeTheirs(log: Log): boolean {
  const own = new Set(
    log.created.flatMap((one) => (changedBy(one, log) === 'others' ? [] : [one.pet.id])),
  )
  const known = new Map<string, PetStatus | undefined>()
  for (const { exchange, pets } of log.lists.filter(({ filter }) => filter === '')) {
    for (const { id, status } of pets.filter((pet) => !own.has(pet.id))) {
      if (status === null) continue
      const key = `${id} ${exchange.plan.path}`
      if (known.has(key) && known.get(key) !== status) return true
      known.set(key, status)
    }
  }
  return false
}

/** Whether reads have shown another pet with one status and then with another one. */
export function hasAnotherChanged(log: Log, except?: Int64): boolean {
  const read = new Set(
    log.created.filter((one) => log.wasShownAsCreated(one)).map(({ pet }) => pet.id),
  )
  // A creation may have changed another pet with its name.
  const names = new Set(log.created.map(({ pet }) => pet.name))
  return log.catalog.all().some((sightings) => {
    const [first, ...others] = sightings.filter(
      ({ pet, exchange }) =>
        pet.id !== except &&
        (log.isOwn(pet.id) || !names.has(pet.name)) &&
        (exchange.operation !== 'createPet' || read.has(pet.id)),
    )
    return first !== undefined && others.some(({ pet }) => hasOtherStatus(first.pet, pet))
  })
}

/**
 * The longest pause between reads in a row: others may sell a pet once between two of three reads, hardly before each of
 * two, unless these wait, such as for a rate limit.
 */
const longestPauseMs = 100

/**
 * Whether others have changed the status of a pet of the run: "Transitions: not shown", and store orders exist. A status
 * that changes with each read is changed by reads; one that no read has shown as sent was not stored.
 */
export function* othersChangedOwn(
  own: Created,
  found: SeenPet,
  log: Log,
): Judging<boolean | NotVerified> {
  const { pet } = own
  if (!found.status || !sameButStatus(found, pet)) return false
  const isOverwritten = pet.name === log.names.repeated
  const isUnshown = (): boolean =>
    isOverwritten || (pet.status !== undefined && !log.wasShownAsCreated(own))
  // Whether nothing shows others at work, which any response may do: then a new pet decides. Where a read has shown a pet
  // without a status, one may get it later.
  const isFirst = (): boolean =>
    pet.status === undefined &&
    !log.created.some((one) => one.pet.status === undefined && log.wasShownAsCreated(one))
  const isAlone = (): boolean => isUnshown() && !hasAnotherChanged(log, pet.id)
  if (!isFirst() && isAlone()) {
    const some = log.created.slice(-mostFetched).map((one) => ({ get: one.pet.id }))
    // Lists may learn late of changes.
    const reads = [{ list: '/pets?limit=100' }, ...some]
    yield* pose(log, { purpose: `the statuses of other pets than ${pet.id}`, reads })
  }
  const conclusion = yield* watchNew(own, log, () => isFirst() || isAlone())
  if (conclusion !== undefined) return conclusion
  if (isUnshown() && !isOverwritten && (yield* storesOther(own, log))) return false
  for (const purpose of inARow(own)) yield* pose(log, { purpose, reads: [{ find: own }] })
  return !changesByReads(own, log)
}

/**
 * Whether others have changed the status of a pet of the run.
 *
 * @throws {NotVerified} when that cannot be decided
 */
export function* haveOthersChangedOwn(own: Created, found: SeenPet, log: Log): Judging<boolean> {
  const conclusion = yield* othersChangedOwn(own, found, log)
  if (typeof conclusion === 'object') throw conclusion
  return conclusion
}

/** Whether a response shows a pet of the run otherwise than it was created, and others have not changed its status. */
export function* isWronglyChanged(own: Created, shown: SeenPet, log: Log): Judging<boolean> {
  return !samePet(own.pet, shown) && !(yield* haveOthersChangedOwn(own, shown, log))
}

const inARow = ({ pet }: Created): string[] =>
  [1, 2, 3].map((read) => `pet ${pet.id} in a row, read ${read}`)

/** Whether reads in a row show another status each time. */
function changesByReads(own: Created, log: Log): boolean {
  const reads = inARow(own).map((purpose) => log.responses(purpose))
  const statusIn = (read: readonly Exchange[]) => shownIn(read, own.pet.id)?.status
  return reads.slice(1).every((read, place) => {
    const before = reads[place] ?? []
    const [last, next] = [before.at(-1), read[0]]
    if (!last || !next || next.sentAt - arrivalOf(last) > longestPauseMs) return false
    return statusIn(read) !== statusIn(before)
  })
}

/** Who changes the status of a pet of the run, as far as the log shows. */
export function changedBy(own: Created, log: Log): 'others' | 'reads' | undefined {
  if (changesByReads(own, log)) return 'reads'
  const other = log.catalog
    .of(own.pet.id)
    .find(({ pet }) => pet.status && pet.status !== own.pet.status && sameButStatus(pet, own.pet))
  return other && concludedSoFar(othersChangedOwn(own, other.pet, log)) === true
    ? 'others'
    : undefined
}

/** The status that a creation sent, if any. */
const sentStatus = ({ pet, exchange }: Created): PetStatus | undefined =>
  (exchange.plan.body?.includes('"status"') === true && pet.status) || undefined

/** Reads a new pet with the status of a changed one as soon as it is created. */
function* readNew(own: Created, nth: string, log: Log): Judging<Created | NotVerified> {
  const status = sentStatus(own)
  const purpose = `${nth} new pet with the status ${status}`
  const creation = (yield* pose(log, { purpose, create: { status, times: 1 } })).at(-1)
  const watched = log.created.find((one) => one.exchange === creation)
  // The run may create no more, or the target takes no more.
  if (watched === undefined)
    return new NotVerified(creation ? `${unseen}: ${describe(creation)}` : unseen)
  yield* pose(log, { purpose: `the first read of ${purpose}`, reads: [{ find: watched }] })
  return watched
}

/**
 * Reads one more pet with the status of a changed one as soon as it is created, and again when it is older than that one
 * was: where it is shown as sent first and changes, too, others move new pets. Ends once it is not `needed`.
 */
function* watchNew(
  own: Created,
  log: Log,
  isNeeded: () => boolean,
): Judging<false | NotVerified | undefined> {
  if (!isNeeded()) return undefined
  const { pet, exchange } = own
  const watched = yield* readNew(own, 'a', log)
  if (!isNeeded()) return undefined
  if (watched instanceof NotVerified) return watched
  // What is shown late may have been moved before.
  if (!log.wasShownAsCreated(watched))
    return readAtOnce(watched, log) ? false : new NotVerified(unseen)
  const changed = log.catalog.of(pet.id).filter((one) => !samePet(one.pet, pet))
  const age = Math.min(...changed.map((one) => arrivalOf(one.exchange))) - arrivalOf(exchange)
  const purpose = `a new pet when it is older than pet ${pet.id}`
  const notBefore = arrivalOf(watched.exchange) + longer * age
  yield* pose(log, { purpose, notBefore, reads: [{ find: watched }] })
  if (!isNeeded()) return undefined
  // Others may have moved it before its first read, and none since.
  const isSure =
    pet.name === log.names.repeated || log.created.some((one) => otherAtOnce(one, log).length > 0)
  return isSure ? false : new NotVerified(unseen)
}

/**
 * How soon a pet is read at once: so many milliseconds after its creation, or as many as that took. A job of others comes
 * later; with less, no read over a slow network would count.
 */
const atOnceMs = 100
/** The age of a pet at a further read, as a multiple of the age at the first one: who moved it before that moves it on by then. */
const muchLonger = 4

/** A pet that the first read, at once, showed with another status, and the first read when it was much older. */
interface OtherAtOnce {
  own: Created
  other: PetStatus
  olderFrom: number
  older: PetStatus | null | undefined
}

/** The first response that showed a pet of the run, if that was requested at once. */
function readAtOnce({ pet, exchange }: Created, log: Log): Exchange | undefined {
  const bornAt = arrivalOf(exchange)
  const first = log.catalog
    .of(pet.id)
    .map((sighting) => sighting.exchange)
    .find(({ sentAt, operation }) => sentAt >= bornAt && (!log.getWorks || operation === 'getPet'))
  const until = bornAt + Math.max(atOnceMs, exchange.durationMs)
  return first && first.sentAt <= until ? first : undefined
}

function otherAtOnce(own: Created, log: Log): OtherAtOnce[] {
  const { pet, exchange } = own
  const first = readAtOnce(own, log)
  const other = first && sightingIn(first, pet.id)?.pet
  if (!first || !other?.status || !hasOtherStatus(pet, other)) return []
  const olderFrom = exchange.sentAt + muchLonger * (arrivalOf(first) - exchange.sentAt)
  const again = log.fetched(pet.id).find(({ sentAt }) => sentAt >= olderFrom)
  const older = again && (sightingIn(again, pet.id)?.pet.status ?? null)
  return [{ own, other: other.status, olderFrom, older }]
}

/** The pets that reads at once showed with another status, the same for each that was sent; undefined where that is no rule. */
function changedAtOnce(own: Created, log: Log): OtherAtOnce[] | undefined {
  const isAlike = (one: Created): boolean =>
    one.pet.status === own.pet.status && sentStatus(one) === sentStatus(own)
  if (!log.getWorks || log.created.some((one) => isAlike(one) && log.wasShownAsCreated(one)))
    return undefined
  const found = log.created.flatMap((one) => otherAtOnce(one, log))
  const statuses = new Set(found.map((one) => `${one.own.pet.status} ${one.other}`))
  return statuses.size > new Set(found.map((one) => one.own.pet.status)).size ? undefined : found
}

/**
 * Where others change statuses, too: whether no read has shown a pet with this status, and two new pets have another one
 * at once, the same for each status that was sent, and keep it. Who moves every pet before its first read moves it on soon.
 */
function* storesOther(own: Created, log: Log): Judging<boolean> {
  for (const [known, nth] of ['a', 'another'].entries())
    if (changedAtOnce(own, log)?.length === known) yield* readNew(own, nth, log)
  const two = (): OtherAtOnce[] => changedAtOnce(own, log)?.slice(0, 2) ?? []
  if (two().length < 2) return false
  for (const {
    own: { pet },
    olderFrom: notBefore,
    older,
  } of two())
    if (older === undefined) {
      const purpose = `pet ${pet.id}, much older`
      yield* pose(log, { purpose, notBefore, reads: [{ get: pet.id }] })
    }
  return two().length === 2 && two().every(({ other, older }) => older === other)
}
