import { setTimeout as wait } from 'node:timers/promises'
import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { PetTable, StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import {
  editInteger,
  editList,
  editListed,
  editMember,
  editPets,
  editSingle,
  editText,
  htmlPage,
  only,
  problem,
  withMember,
} from './answer-edits.ts'
import type { Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Changes each n-th answer to those who are let in. */
function eachNth(
  n: number,
  edit: (answer: TwinAnswer, call: Call) => TwinAnswer,
  shop?: TwinOptions,
  when: (call: Call) => boolean = () => true,
): Seams {
  let count = 0
  return {
    ...(shop && { shop }),
    say: (answer, call) =>
      call.isAuthorized && call.operation !== undefined && when(call) && ++count % n === 0
        ? edit(answer, call)
        : answer,
  }
}

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
    store: (table): PetTable => ({
      ...table,
      add(pet) {
        const added = table.add(pet)
        made.push(added)
        return added
      },
      find(id) {
        const pet = table.find(id)
        return pet && !isLost(pet, requests, made) ? pet : undefined
      },
      page(limit, statuses) {
        const pets = table.page(10_000, statuses).pets.filter((pet) => !isLost(pet, requests, made))
        return { pets: pets.slice(0, limit), matching: pets.length }
      },
    }),
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

const success: ClauseId[] = ['list.success', 'get.success', 'create.success']
const lists: ClauseId[] = [
  'list.page-full',
  'list.status.default',
  'list.status.complete',
  'create.listed',
  'service.catalogue',
  'list.limit.default',
  'list.limit.max',
  'list.limit.min',
  'create.status',
]
const same: ClauseId[] = [
  'state.reads-change-nothing',
  'service.catalogue',
  'get.by-id',
  'create.stored',
  'list.status.filter',
]
const stored: ClauseId[] = [
  'create.stored',
  'create.listed',
  'service.catalogue',
  'get.by-id',
  'get.success',
  'list.status.default',
  'list.status.complete',
  'create.status',
  'state.reads-change-nothing',
]

/** Faults that come and go, and pets that do. */
export const intermittentFaults: Row[] = [
  ...[3, 7, 20].map((n): Row => [
    `m116-each-${n}th-500`,
    [...success, 'get.not-found', 'create.invalid-values', 'create.body-required', 'create.required-fields'],
    `Each ${n}th answer is a 500`,
    () => eachNth(n, () => problem(500)),
  ]),
  [
    'each-20th-html',
    [...success, 'error.body', 'http.media-type', 'http.json-body'],
    'Each 20th answer is a page of HTML with 500',
    () => eachNth(20, () => htmlPage(500)),
  ],
  [
    'each-40th-pet-null',
    ['pet.fields', 'list.success'],
    'Each 10th list has null in place of its second pet',
    () =>
      eachNth(
        10,
        (answer) => editList(answer, (pets) => pets.map((pet, index) => (index === 1 ? null : pet))),
        { pets: 40, ids: 'gaps' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  ...[3, 7].map((n): Row => [
    `each-${n}th-list-lacks-last`,
    lists,
    `Each ${n}th list lacks its last pet`,
    () =>
      eachNth(
        n,
        (answer) => editList(answer, (pets) => pets.slice(0, -1)),
        { pets: 60, ids: 'random' },
        ({ operation }) => operation === 'listPets',
      ),
  ]),
  [
    'each-7th-list-empty',
    lists,
    'Each 7th list is empty',
    () =>
      eachNth(
        7,
        (answer) => editList(answer, () => []),
        { pets: 75, ids: 'gaps', order: 'newest' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  [
    'each-5th-list-one-more',
    ['list.limit.honoured', 'list.limit.default'],
    'Each 5th list has a pet too many',
    () =>
      eachNth(
        5,
        (answer, { limit }) =>
          editList(answer, (pets) =>
            pets.length === (limit ?? 20) && pets[0]
              ? [
                  ...pets,
                  editMember(
                    pets[0],
                    'id',
                    editInteger((id) => id - 1n),
                  ),
                ]
              : pets,
          ),
        { pets: 64, ids: 'gaps' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  ...[3, 7].map((n): Row => [
    `each-${n}th-get-404`,
    stored,
    `Each ${n}th pet that is fetched is not found`,
    () =>
      eachNth(
        n,
        (answer) => (answer.status === 200 ? problem(404) : answer),
        { pets: 45, ids: 'random' },
        ({ operation }) => operation === 'getPet',
      ),
  ]),
  ...[3, 7].map((n): Row => [
    `each-${n}th-list-other-names`,
    same,
    `Each ${n}th list shows names in upper case`,
    () =>
      eachNth(
        n,
        (answer) =>
          editListed(answer, (pet) =>
            editMember(
              pet,
              'name',
              editText((name) => name.toUpperCase()),
            ),
          ),
        { pets: 50, ids: 'extremes' },
        ({ operation }) => operation === 'listPets',
      ),
  ]),
  [
    'each-7th-get-other-category',
    same,
    'Each 7th pet that is fetched has the category of another',
    () =>
      eachNth(
        7,
        (answer) =>
          editSingle(answer, (pet) =>
            editMember(
              pet,
              'categoryId',
              editInteger((id) => id ^ 1n),
            ),
          ),
        { pets: 56, ids: 'gaps' },
        ({ operation }) => operation === 'getPet',
      ),
  ],
  [
    'each-5th-creation-forgotten',
    stored,
    'Each 5th created pet cannot be fetched',
    () => {
      let made = 0
      const lost = new Set<bigint>()
      return {
        shop: { pets: 40, ids: 'random' },
        store: (table) => ({
          ...table,
          add(pet) {
            const added = table.add(pet)
            if (++made % 5 === 0) lost.add(added.id)
            return added
          },
          find: (id) => (lost.has(id) ? undefined : table.find(id)),
        }),
      }
    },
  ],
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
    'third-read-sells',
    same,
    'A pet is sold once it was fetched three times',
    () => {
      const reads = new Map<bigint, number>()
      return {
        shop: { pets: 48, ids: 'random' },
        store: (table) => ({
          ...table,
          find(id) {
            const pet = table.find(id)
            reads.set(id, (reads.get(id) ?? 0) + 1)
            if (pet && (reads.get(id) ?? 0) >= 3) pet.status = 'sold'
            return pet
          },
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
    'gone-after-30-requests',
    stored,
    'A created pet is gone after 30 requests',
    () => losing({ pets: 64, ids: 'random', order: 'newest' }, agesBy(30)),
  ],
  [
    'm100-gone-after-a-second',
    stored,
    'A created pet is gone after a second',
    () => losing({ pets: 45, ids: 'extremes' }, ({ bornAt }) => bornAt > 0 && performance.now() - bornAt > 1000),
  ],
  [
    'newest-10-kept',
    stored,
    'Of the created pets only the newest ten are kept',
    () =>
      losing({ pets: 40, ids: 'random' }, (pet, _, made) => made.includes(pet) && made.indexOf(pet) < made.length - 10),
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
    'oldest-dropped',
    [...stored, ...lists],
    'Each creation drops the oldest pet',
    () =>
      losing(
        { pets: 40, ids: 'sequential' },
        ({ id, madeByClient }, _, made) => !madeByClient && id <= BigInt(made.length),
      ),
  ],
  [
    'list-from-before',
    stored,
    'A cache keeps each list as it was when it was first asked for',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        shop: { pets: 40, ids: 'random', order: 'newest' },
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          const key = call.request.query
          const answer = cache.get(key) ?? serve(call)
          cache.set(key, answer)
          return answer
        },
      }
    },
  ],
  [
    'list-cache-ignores-query',
    ['list.limit.honoured', 'list.status.filter', 'list.page-full', 'list.limit.min', 'list.limit.default'],
    'A cache keeps the list without regard to its query for 50 ms',
    () => {
      let cached: { answer: TwinAnswer; until: number } | undefined
      return {
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          if (cached === undefined || performance.now() > cached.until)
            cached = { answer: serve(call), until: performance.now() + 50 }
          return cached.answer
        },
      }
    },
  ],
  [
    'list-cache-ignores-limit',
    ['list.limit.honoured', 'list.page-full', 'list.limit.min', 'list.limit.default', 'create.listed'],
    'A cache keeps the list by its status, without regard to limit',
    () => {
      const cache = new Map<string, TwinAnswer>()
      return {
        answer(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          const answer = cache.get(call.status ?? '') ?? serve(call)
          cache.set(call.status ?? '', answer)
          return answer
        },
      }
    },
  ],
  [
    'slow-name-on-second-read',
    same,
    'A pet is shown with spaces around its name from the second time on that it is fetched',
    () => {
      const read = new Set<string>()
      return {
        shop: { pets: 30, ids: 'random' },
        async answer(call, serve) {
          await wait(1)
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
]
