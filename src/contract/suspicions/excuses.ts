import type { PetStatus } from '../../spec/types.ts'
import { samePet, type Created } from '../catalog.ts'
import { attempt, isRefusal } from '../creation.ts'
import { arrivalOf, type Exchange } from '../exchange.ts'
import { describe } from '../expect.ts'
import type { SeenPet } from '../shapes.ts'
import { NotVerified, type Violation } from '../findings.ts'
import type { Session } from '../session.ts'
import { awaitAll, sleep } from '../waiting.ts'
import { findElsewhere, othersMove } from './lists.ts'

/** @throws {NotVerified} when one of several responses may come from a cache: then a comparison shows nothing */
export function expectFresh(violation: Violation): void {
  const kept = violation.exchanges.find((exchange) => keptSeconds(exchange) > 0)
  if (kept === undefined || isFresh(violation)) return
  const seconds = keptSeconds(kept)
  const age = seconds === Infinity ? '' : ` and up to ${seconds} s old`
  throw new NotVerified(
    `${describe(kept)}, by its headers from a cache${age}: verify behind the cache, or set a longer time with --settle`,
  )
}

/** Whether none of several responses may come from a cache. */
export const isFresh = ({ exchanges }: Violation): boolean =>
  exchanges.length === 1 || exchanges.every((exchange) => keptSeconds(exchange) === 0)

/** How old a response may be by its headers (RFC 9111, 9211 and 9213), in seconds; a cache need not say. */
function keptSeconds({ headers, plan }: Exchange): number {
  if (plan.method !== 'GET') return 0
  const { age = '', date = '', expires = '', 'cache-control': control } = headers
  const values = (names: RegExp): string[] =>
    Object.keys(headers).flatMap((name) => (names.test(name) ? [headers[name] ?? ''] : []))
  if (values(/^x-cache$|cache-status$/).some((value) => /(?:\b|_)(?:hit|stale)\b/i.test(value))) return Infinity
  if (control === undefined && expires !== '') return Math.max(0, (Date.parse(expires) - Date.parse(date)) / 1000 || 0)
  return Math.max(/^\d+$/.test(age) ? Number(age) : 0, ...values(/(?:^|-)(?:cache|surrogate)-control$/).map(lifetimeOf))
}

/** The longest time that Cache-Control, or a header like it for one kind of cache, allows. */
function lifetimeOf(control: string): number {
  if (/\bno-(?:store|cache)\b(?!=)/i.test(control)) return 0
  const times = control.matchAll(/\b(?:s-maxage|max-age|stale-while-revalidate)="?(\d+)/gi)
  return Math.max(0, ...[...times].map(([, seconds]) => Number(seconds)))
}

/** Consecutive reads of a pet, and more changes between them than other clients make meanwhile. */
const readsInARow = 3
const changesByReading = 2
/** How much older a pet must be than one that has changed. */
const longer = 1.2
/** Pets of the run that are fetched to see whether others change them. */
const mostFetched = 20

/**
 * Whether others may have changed the status of a pet of the run: "Transitions: not shown", and store orders exist. A
 * status that changes with each read is changed by reads; one that no read has shown as sent was not stored.
 */
export async function mayHaveMoved(session: Session, own: Created, found: SeenPet): Promise<boolean> {
  const { pet, wasRead } = own
  const { run } = session
  const { status, ...others } = found
  if (!status || !samePet({ ...others, ...(pet.status && { status: pet.status }) }, pet)) return false
  if (own.movedBy === 'others') return true
  // A pet without a status may get one later, where a read has shown this one or another without.
  const mayGetOne = (): boolean =>
    pet.status !== undefined || run.created.some((one) => one.wasRead && one.pet.status === undefined)
  if (!mayGetOne()) await watchNew(session, own)
  if (!mayGetOne()) return false
  const isOverwritten = pet.name === run.repeatedName
  if (isOverwritten || (pet.status !== undefined && !wasRead)) {
    if (!othersMove(run, pet.id)) {
      // Lists may learn late of changes.
      const some = run.created.slice(-mostFetched).map((one) => session.get(one.pet.id))
      await awaitAll<unknown>([session.list('/pets?limit=100'), ...some])
    }
    if (!othersMove(run, pet.id)) await watchNew(session, own)
    if (!othersMove(run, pet.id)) return false
  }
  const seen: unknown[] = []
  for (let read = 0; read < readsInARow; read += 1) {
    seen.push((await findElsewhere(session, own))?.pet.status)
  }
  const changes = seen.filter((one, place) => place > 0 && one !== seen[place - 1]).length
  if (changes >= changesByReading) own.movedBy = 'reads'
  if (own.movedBy === 'reads') return false
  own.movedBy = 'others'
  session.note(`Pet ${pet.id} of the run has the status ${status} by now: transitions are not shown.`)
  return true
}

/**
 * Reads one more pet with the status of a changed one as soon as it is created, and again when it is older than that one
 * was: where it is shown as sent first and changes, too, others move new pets.
 */
async function watchNew(session: Session, { pet, exchange }: Created): Promise<void> {
  const { run } = session
  const wasSent = exchange.plan.body?.includes('"status"') === true
  const status = (wasSent && pet.status) || undefined
  const watched = await run.once(`watched ${status}`, () => createWatched(session, status))
  if (!watched?.wasRead) return
  const changed = run.catalog.of(pet.id).filter((one) => !samePet(one.pet, pet))
  const seen = changed.map((one) => arrivalOf(one.exchange))
  const age = Math.min(run.transport.elapsed(), ...seen) - arrivalOf(exchange)
  await sleep(
    run.clock,
    Math.max(0, arrivalOf(watched.exchange) + longer * age - run.transport.elapsed()),
    run.transport.signal,
  )
  await findElsewhere(session, watched)
}

/** @throws {NotVerified} when the target takes no more pets, such as for a quota */
async function createWatched(session: Session, status: PetStatus | undefined): Promise<Created | undefined> {
  let refusal: Exchange | undefined
  try {
    const { created, exchange } = await attempt(session, { status })
    if (isRefusal(exchange.status)) refusal = exchange
    const shown = created && (await findElsewhere(session, created))
    if (shown) created.wasRead = samePet(shown.pet, created.pet)
    if (!refusal) return created
  } catch (error) {
    if (error instanceof NotVerified) return undefined
    throw error
  }
  const reason = 'others may have changed a status, and the target takes no pet that would show it'
  throw new NotVerified(`${reason}: ${describe(refusal)}`)
}
