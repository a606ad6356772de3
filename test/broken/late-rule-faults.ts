import type { TwinAnswer } from '../twins/answers.ts'
import { isPetStatus } from '../twins/new-pet.ts'
import { JsonNumber } from '../twins/exact-json.ts'
import type { PetTable } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { bodyObject, type Call } from './call.ts'
import { leavesNothing } from './clause-groups.ts'
import type { Row, Seams } from './fault.ts'

/** Stores a pet first, and only then finds the rule of the house that refuses it. */
function storedFirst(shop: TwinOptions, when: (answer: TwinAnswer, call: Call) => boolean): Seams {
  let kept: PetTable | undefined
  return {
    shop,
    store: (table) => (kept = table),
    answer(call, serve) {
      const answer = serve(call)
      const body = call.operation === 'createPet' && call.isAuthorized ? bodyObject(call) : undefined
      const [name, number, status] = [body?.get('name'), body?.get('categoryId'), body?.get('status')]
      if (answer.status < 400 || !when(answer, call) || typeof name !== 'string' || !(number instanceof JsonNumber)) {
        return answer
      }
      const extras = new Map<string, never>()
      kept?.add({ name, categoryId: BigInt(number.text), extras, ...(isPetStatus(status) && { status }) })
      return answer
    },
  }
}

/** A rule that the specification leaves open refuses a creation, and the pet is there all the same. */
export const lateRuleFaults: Row[] = [
  [
    'media-type-refused-and-kept',
    leavesNothing,
    'A creation declared as text/plain is answered 415 and stored',
    () => storedFirst({ pets: 40, ids: 'random', order: 'newest' }, ({ status }) => status === 415),
  ],
  [
    'duplicate-refused-and-kept',
    leavesNothing,
    'A creation with the name of another pet is answered 409 and stored',
    () => storedFirst({ pets: 30, ids: 'sequential', duplicateNames: 409 }, ({ status }) => status === 409),
  ],
  [
    'extra-member-refused-and-kept',
    leavesNothing,
    'A creation with a member that NewPet does not have is answered 422 and stored',
    () => storedFirst({ pets: 45, ids: 'gaps', extraMembers: 422 }, ({ status }) => status === 422),
  ],
  [
    'sent-id-refused-and-kept',
    leavesNothing,
    'A creation with an id is answered 400 and stored',
    () => storedFirst({ pets: 35, ids: 'negative', sentId: 400 }, (_, call) => bodyObject(call)?.has('id') === true),
  ],
  [
    'long-name-refused-and-kept',
    leavesNothing,
    'A creation with a long name is answered 413 and stored',
    () =>
      storedFirst(
        { pets: 50, ids: 'extremes', longNames: { longest: 200, status: 413 } },
        ({ status }) => status === 413,
      ),
  ],
  [
    'large-category-refused-and-kept',
    leavesNothing,
    'A creation with an unknown category is answered 404 and stored',
    () => storedFirst({ pets: 60, ids: 'random', unknownCategories: 404 }, ({ status }) => status === 404),
  ],
]
