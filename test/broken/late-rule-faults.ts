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
]
