import type { Exchange, Plan } from '../http/exchange.ts'
import { listsIn, longestList, longestLists, sightingsIn, type PetList } from '../judge/catalog.ts'
import { petsOf } from '../judge/expect.ts'
import type { Question } from '../judge/explanations.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log } from '../judge/log.ts'
import type { SeenPet } from '../judge/shapes.ts'
import { isRejection } from '../session/creation.ts'
import type { Session } from '../session/session.ts'
import { decide } from './questions.ts'
import { restMs } from './reads.ts'

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
  if (run.options.depth === 'smoke' || latest?.pets.some((pet) => isStray(pet, log)) !== true)
    return
  // Fits into 32 bits.
  const firstCategory = 1_000_000_000 + (Number(run.uniqueNumber) % 1_000_000_000)
  session.suspect({
    kind: 'stray',
    of: 'pets',
    requirements: ['create.rejected-leaves-nothing'],
    again: (later) => decide(later, () => judgeStray(firstCategory, log)),
  })
}

function isStray({ id, name }: SeenPet, log: Log): boolean {
  return !log.isOld(id) && !log.created.some(({ pet }) => pet.id === id) && !log.names.owns(name)
}

/** Creations at once that must each leave a pet: others do not add so many alike at that moment. */
const atOnce = 3

/**
 * Whether a rejected creation without a name of the run has left a pet. What it leaves is known by its category: the same
 * creation is sent with one that no other pet has. A body without a category shows nothing: others add pets, too.
 *
 * @param firstCategory a category that no pet has, nor those after it
 */
function judgeStray(firstCategory: number, log: Log): Violation | Question | undefined {
  const nameless = log.exchanges.filter(
    ({ plan, status, purpose }) =>
      purpose === undefined &&
      plan.creation?.mustFail === true &&
      plan.creation.names.length === 0 &&
      categoryIn(plan) !== undefined &&
      isRejection(status),
  )
  const marked: Question = {
    purpose: 'rejected creations with categories of their own',
    resend: nameless.map(({ plan }, place) => withCategory(plan, firstCategory + place)),
    reads: longestLists.map((list) => ({ list })),
  }
  if (!log.wasPosed(marked.purpose)) return marked
  const shown = log.responses(marked.purpose)
  for (const rejection of shown.filter(isRejected)) {
    const found = shown
      .flatMap((response) => (response.operation === 'listPets' ? sightingsIn(response) : []))
      .find(({ pet }) => String(pet.categoryId) === categoryIn(rejection.plan))
    if (found) return leftBehind(found.pet, rejection, found.exchange)
  }
  return judgeAlike(nameless, log)
}

/**
 * Where the service stores another category than was sent: whether one creation leaves one pet, and several at once leave as
 * many that are like it, while no pet comes or goes before and between.
 */
function judgeAlike(nameless: readonly Exchange[], log: Log): Violation | Question | undefined {
  const read = (purpose: string): Question => ({ purpose, reads: [{ list: longestList() }] })
  const rest = (purpose: string, { exchange }: PetList): Question => ({
    ...read(purpose),
    notBefore: log.now + restMs(exchange),
  })
  const listOf = ({ purpose }: Question): PetList | undefined =>
    listsIn(log.responses(purpose)).find(({ complete }) => complete)
  const first = read('all pets')
  if (!log.wasPosed(first.purpose)) return first
  const known = listOf(first)
  if (!known) return undefined
  const before = rest('all pets after a rest', known)
  if (!log.wasPosed(before.purpose)) return before
  if (!haveSamePets(known, listOf(before))) return undefined
  for (const [place, { plan }] of nameless.entries()) {
    const what = `rejected creation ${place + 1}`
    const once = { ...read(`${what} again`), resend: [plan] }
    if (!log.wasPosed(once.purpose)) return once
    const list = listOf(once)
    if (!list) return undefined
    const [left, ...others] = newIn(list, log)
    if (!left) continue
    if (others.length > 0) return undefined
    const between = rest(`all pets after ${what}`, list)
    if (!log.wasPosed(between.purpose)) return between
    if (!haveSamePets(list, listOf(between))) return undefined
    const resend = Array.from({ length: atOnce }, () => plan)
    const several = { ...read(`${what} at once`), resend }
    if (!log.wasPosed(several.purpose)) return several
    const rejections = log.responses(several.purpose).filter(isRejected)
    const [last, rejection] = [listOf(several), rejections.at(-1)]
    if (!last || !rejection || rejections.length < atOnce) return undefined
    const more = newIn(last, log)
    const areAlike = more.every(
      ({ name, categoryId }) => name === left.name && categoryId === left.categoryId,
    )
    return areAlike && more.length === atOnce
      ? leftBehind(more[0] ?? left, rejection, last.exchange)
      : undefined
  }
  return undefined
}

const isRejected = ({ operation, status }: Exchange): boolean =>
  operation === 'createPet' && isRejection(status)

const categoryField = /"categoryId":(-?\d+)/

/** The category in a body that is to be rejected. */
const categoryIn = ({ body = '' }: Plan): string | undefined => categoryField.exec(body)?.[1]

const withCategory = (plan: Plan, categoryId: number): Plan => ({
  ...plan,
  body: plan.body?.replace(categoryField, `"categoryId":${categoryId}`),
})

/** The pets of others that no response before a list has shown. */
const newIn = ({ pets, exchange }: PetList, log: Log): SeenPet[] =>
  pets.filter((pet) => log.catalog.of(pet.id)[0]?.exchange === exchange && isStray(pet, log))

function haveSamePets(before: PetList, after: PetList | undefined): boolean {
  const known = new Set(before.pets.map(({ id }) => id))
  return after?.pets.length === known.size && after.pets.every(({ id }) => known.has(id))
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
