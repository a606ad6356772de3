import type { StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editInteger, editListed, editMember, editPets, only, withMember } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'
import { success, lists, same, stored } from './clause-groups.ts'
import { withoutAnywhere } from './places.ts'

/** Loses pets that were stored, once a rule says so. */
function losing(shop: TwinOptions, isLost: (pet: StoredPet, requests: number, made: StoredPet[]) => boolean): Seams {
  let requests = 0
  const made: StoredPet[] = []
  return {
    shop,
    hear(call) {
      requests += 1
      return call
    },
    store: (table) =>
      withoutAnywhere(
        {
          ...table,
          add(pet) {
            const added = table.add(pet)
            made.push(added)
            return added
          },
        },
        (pet) => isLost(pet, requests, made),
      ),
  }
}

/** When each request came, by the number of requests at that time. */
const agesBy = (limit: number): ((pet: StoredPet, requests: number) => boolean) => {
  const births = new Map<bigint, number>()
  return ({ id, madeByClient }, requests) => {
    if (!births.has(id)) births.set(id, requests)
    return madeByClient && requests - (births.get(id) ?? requests) > limit
  }
}

/** Pets that change by being read, vanish, or are there for some of the readers. */
export const vanishingFaults: Row[] = [
  [
    'm98-get-changes-status',
    same,
    'getPet changes the status of the pet that it shows',
    () => ({
      shop: { pets: 40, ids: 'gaps' },
      store: (table) => ({
        ...table,
        find(id) {
          const pet = table.find(id)
          const shown = pet && { ...pet }
          if (pet) pet.status = pet.status === 'sold' ? 'available' : 'sold'
          return shown
        },
      }),
    }),
  ],
  [
    'm98-list-renumbers',
    [...same, 'get.success'],
    'Each list gives its pets new ids',
    () => {
      let lists = 0n
      return {
        shop: { pets: 35, ids: 'sequential' },
        say: only('listPets', (answer) => {
          lists += 1n
          return editListed(answer, (pet) =>
            editMember(
              pet,
              'id',
              editInteger((id) => id + lists * 1000n),
            ),
          )
        }),
      }
    },
  ],
  [
    'creation-changes-older',
    same,
    'Each creation gives the category of the new pet to the pet before it',
    () => ({
      shop: { pets: 40, ids: 'gaps' },
      store(table) {
        let last: StoredPet | undefined
        return {
          ...table,
          add(pet) {
            if (last) last.categoryId = pet.categoryId + 1n
            return (last = table.add(pet))
          },
        }
      },
    }),
  ],
  [
    'm99-two-replicas',
    stored,
    'Two replicas that share nothing: a created pet is there on every other read',
    () => {
      const homes = new Map<bigint, number>()
      let turn = 0
      return losing({ pets: 40, ids: 'random' }, ({ id, madeByClient }, requests) => {
        turn = requests % 2
        if (!homes.has(id)) homes.set(id, turn)
        return madeByClient && homes.get(id) !== turn
      })
    },
  ],
  [
    'replica-halves',
    [...lists, ...same, ...success],
    'Two replicas hold one half of the catalogue each, and take turns',
    () =>
      losing(
        { pets: 60, ids: 'sequential' },
        ({ id, madeByClient }, requests) => !madeByClient && id % 2n === BigInt(requests % 2),
      ),
  ],
  [
    'm100-gone-after-100-requests',
    stored,
    'A created pet is gone after 100 requests',
    () => losing({ pets: 40, ids: 'gaps' }, agesBy(100)),
  ],
  [
    'm100-gone-after-a-second',
    stored,
    'A created pet is gone after a second',
    ({ now }) => losing({ pets: 45, ids: 'extremes' }, ({ bornAt }) => bornAt > 0 && now() - bornAt > 1000),
  ],
  [
    'large-categories-cleaned',
    stored,
    'Created pets with a category beyond 32 bits are gone after 40 requests',
    () => {
      const isOld = agesBy(40)
      return losing({ pets: 48, ids: 'gaps' }, (pet, requests) => isOld(pet, requests) && pet.categoryId > 2n ** 31n)
    },
  ],
  [
    'slow-name-on-second-read',
    same,
    'A pet is shown with spaces around its name from the second time on that it is fetched',
    ({ sleep }) => {
      const read = new Set<string>()
      return {
        shop: { pets: 30, ids: 'random' },
        async answer(call, serve) {
          await sleep(1)
          const answer = serve(call)
          if (call.petId === undefined || answer.status !== 200 || read.size === read.add(call.petId).size) {
            return call.petId !== undefined && answer.status === 200
              ? editPets(answer, (pet) => withMember(pet, 'name', ` ${String(pet.get('name'))} `))
              : answer
          }
          return answer
        },
      }
    },
  ],

  [
    'newest-nowhere',
    stored,
    'The newest pet is in no answer until there is another',
    () => losing({ pets: 40, ids: 'random' }, (pet, _, made) => pet === made.at(-1)),
  ],
  [
    'readable-once',
    stored,
    'A created pet can be fetched once',
    () => {
      const read = new Set<bigint>()
      return {
        shop: { pets: 35, ids: 'gaps', order: 'newest' },
        store: (table) => ({
          ...table,
          find(id) {
            const pet = table.find(id)
            if (pet?.madeByClient !== true) return pet
            return read.size === read.add(id).size ? undefined : pet
          },
        }),
      }
    },
  ],
  [
    'readable-twice',
    stored,
    'A created pet can be fetched twice',
    () => {
      const reads = new Map<bigint, number>()
      return {
        shop: { pets: 64, ids: 'extremes' },
        store: (table) => ({
          ...table,
          find(id) {
            const pet = table.find(id)
            const count = (reads.get(id) ?? 0) + 1
            reads.set(id, count)
            return pet?.madeByClient === true && count > 2 ? undefined : pet
          },
        }),
      }
    },
  ],
]
