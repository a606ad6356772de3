import type { Exchange, Plan } from '../http/exchange.ts'
import { longestLists, sightingsIn } from '../judge/catalog.ts'
import { isRejection, petsOf } from '../judge/expect.ts'
import type { Violation } from '../judge/findings.ts'
import type { Log } from '../judge/run-log.ts'
import { pose, type Judging, type Look } from '../judge/questions.ts'
import type { SeenPet } from '../judge/shapes.ts'

/** A pet in a response by the name of a rejected creation. Not a claim: reported at once. */
export function findRejected(exchange: Exchange, { rejected }: Log): Violation | undefined {
  const left = petsOf(exchange).find(({ name }) => name !== null && rejected.has(name))
  const rejection = rejected.get(left?.name ?? '')
  return left && rejection && leftBehind(left, rejection, exchange)
}

/** Whether a complete list shows pets of unknown origin: a rejected creation may have left one with another name. */
export function hasStrays(log: Log): boolean {
  return log.lists.some(
    ({ complete, pets }) =>
      complete &&
      pets.some(({ id, name }) => !log.isOld(id) && !log.isOwn(id) && !log.names.owns(name)),
  )
}

/**
 * Whether a rejected creation without a name of the run has left a pet. What it leaves is known by its category: the same
 * creation is sent with one that no other pet has. A body without a category shows nothing: others add pets, too.
 *
 * @param firstCategory a category that no pet has, nor those after it
 */
export function* judgeStray(firstCategory: number, { log }: Look): Judging<Violation | undefined> {
  const nameless = log.exchanges.filter(
    ({ plan, status, purpose }) =>
      purpose === undefined &&
      plan.creation?.mustFail === true &&
      plan.creation.names.length === 0 &&
      categoryIn(plan) !== undefined &&
      isRejection(status),
  )
  // Once for all looks: what is left stays.
  const shown = yield* pose(log, {
    purpose: 'rejected creations with categories of their own',
    resend: nameless.map(({ plan }, place) => withCategory(plan, firstCategory + place)),
    reads: longestLists.map((list) => ({ list })),
  })
  const pets = shown.flatMap((one) => (one.operation === 'listPets' ? sightingsIn(one) : []))
  for (const rejection of shown) {
    if (rejection.operation !== 'createPet' || !isRejection(rejection.status)) continue
    const category = categoryIn(rejection.plan)
    const found = pets.find(({ pet }) => String(pet.categoryId) === category)
    if (found) return leftBehind(found.pet, rejection, found.exchange)
  }
  return undefined
}

const categoryField = /"categoryId":(-?\d+)/

/** The category in a body that is to be rejected. */
const categoryIn = ({ body = '' }: Plan): string | undefined => categoryField.exec(body)?.[1]

const withCategory = (plan: Plan, categoryId: number): Plan => ({
  ...plan,
  body: plan.body?.replace(categoryField, `"categoryId":${categoryId}`),
})

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
