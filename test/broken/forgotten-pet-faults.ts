import type { StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { bodyObject } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { stored } from './clause-groups.ts'
import { withoutAnywhere } from './places.ts'

/** Answers with a pet that never reaches the store. */
function forgetful(when: (pet: StoredPet, nth: number) => boolean, shop?: TwinOptions): Seams {
  let made = 0
  const lost = new Set<bigint>()
  return {
    ...(shop && { shop }),
    store: (table) =>
      withoutAnywhere(
        {
          ...table,
          add(pet) {
            const added = table.add(pet)
            made += 1
            if (when(added, made)) lost.add(added.id)
            return added
          },
        },
        ({ id }) => lost.has(id),
      ),
  }
}

/** Stores a second pet beside the one that is answered. */
function doubling(shop: TwinOptions): Seams {
  return {
    shop,
    store: (table) => ({
      ...table,
      add(pet) {
        const added = table.add(pet)
        table.add(pet)
        return added
      },
    }),
  }
}

/** A creation that is answered 201 and forgotten, or carried out twice. */
export const forgottenPetFaults: Row[] = [
  ['stored-twice', stored, 'A created pet is stored twice', () => doubling({ pets: 12, ids: 'random' })],
  [
    'stored-twice-in-many',
    stored,
    'A created pet is stored twice, in a store of 130',
    () => doubling({ pets: 130, ids: 'sequential', order: 'oldest' }),
  ],
  ['m60-forgotten', stored, 'A created pet is not stored', () => forgetful(() => true)],
  [
    'non-ascii-forgotten',
    stored,
    'A created pet is not stored if its name has letters beyond ASCII',
    () => forgetful(({ name }) => /[^\x20-\x7e]/.test(name)),
  ],
  [
    'large-category-forgotten',
    stored,
    'A created pet is not stored if its category is beyond 2^53',
    () => forgetful(({ categoryId }) => categoryId > 2n ** 53n),
  ],
  [
    'long-name-forgotten',
    stored,
    'A created pet is not stored if its name is longer than 255 characters',
    () => forgetful(({ name }) => name.length > 255),
  ],
  [
    'same-name-forgotten',
    stored,
    'A created pet is not stored if another has its name',
    () => {
      const names = new Set<string>()
      return forgetful(({ name }) => names.size === names.add(name).size)
    },
  ],
  ['after-12-forgotten', stored, 'From the 13th creation on no pet is stored', () => forgetful((_, nth) => nth > 12)],
  ['each-7th-forgotten', stored, 'Each 7th created pet is not stored', () => forgetful((_, nth) => nth % 7 === 0)],
  [
    'client-id-forgotten',
    stored,
    'A created pet is not stored if the body had an id, though the answer is 201',
    () => {
      let hasId = false
      const seams = forgetful(() => hasId, { pets: 30, ids: 'random' })
      return {
        ...seams,
        hear(call) {
          hasId = bodyObject(call)?.has('id') === true
          return call
        },
      }
    },
  ],
]
