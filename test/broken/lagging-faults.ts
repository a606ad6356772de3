import type { ClauseId } from '../../src/spec/clauses.ts'
import type { StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editInteger, editListed, editMember, editPets, withMember } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'
import { without } from './places.ts'

/** A store that shows its new pets a little late, as it may. */
const late: TwinOptions = { pets: 48, ids: 'random', lag: { ms: 250, lists: true, fetches: true, replicas: 'all' } }

const hiding = (shop: TwinOptions, isHidden: (pet: StoredPet, statuses: unknown) => boolean): Seams => ({
  shop,
  store: (table) => without(table, isHidden),
})

const listed: ClauseId[] = [
  'create.listed',
  'create.status',
  'list.status.complete',
  'list.status.default',
  'service.catalogue',
  'list.page-full',
]
const same: ClauseId[] = ['get.by-id', 'state.reads-change-nothing', 'service.catalogue']

/** One fault in a store whose lists and fetches lag, which is lawful and hides it well. */
export const laggingFaults: Row[] = [
  [
    'late-and-never-listed',
    listed,
    'New pets are never in a list',
    () => hiding(late, ({ madeByClient }) => madeByClient),
  ],
  [
    'late-and-never-in-filtered-list',
    listed,
    'New pets are never in the list of their status',
    () =>
      hiding(
        { ...late, pets: 35, order: 'newest' },
        ({ madeByClient }, statuses) => madeByClient && statuses !== undefined,
      ),
  ],
  [
    'late-and-first-listed-differs',
    same,
    'The third pet of a list has another category than it has elsewhere',
    () => ({
      shop: { ...late, pets: 30, ids: 'gaps' },
      say: (answer) =>
        editListed(answer, (pet, index) =>
          index === 2
            ? editMember(
                pet,
                'categoryId',
                editInteger((id) => id + 5n),
              )
            : pet,
        ),
    }),
  ],
  [
    'late-and-short-default',
    ['list.limit.default', 'list.page-full'],
    'Without limit there are 18 pets',
    () => ({
      shop: { ...late, pets: 64 },
      store: (table) => ({ ...table, page: (limit, statuses) => table.page(limit === 20 ? 18 : limit, statuses) }),
    }),
  ],

  [
    'late-and-changed-later',
    ['create.stored', 'state.reads-change-nothing', 'service.catalogue', 'get.by-id'],
    'A created pet changes its category for 1 after 60 requests',
    () => {
      let requests = 0
      const births = new Map<bigint, number>()
      return {
        shop: late,
        hear(call) {
          requests += 1
          return call
        },
        say: (answer) =>
          editPets(answer, (pet) => {
            const id = pet.get('id') as bigint
            if (answer.status === 201) births.set(id, requests)
            return requests - (births.get(id) ?? requests) > 60 ? withMember(pet, 'categoryId', 77n) : pet
          }),
      }
    },
  ],
]
