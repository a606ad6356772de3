import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetTable } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editInteger, editListed, editMember } from './answer-edits.ts'
import type { Row, Seams } from './fault.ts'

/** A store that shows its new pets a little late, as it may. */
const late: TwinOptions = { pets: 48, ids: 'random', lag: { ms: 250, lists: true, fetches: true, replicas: 'all' } }

const without = (
  shop: TwinOptions,
  isHidden: (pet: ReturnType<PetTable['page']>['pets'][number], statuses: unknown) => boolean,
): Seams => ({
  shop,
  store: (table) => ({
    ...table,
    page(limit, statuses) {
      const pets = table.page(10_000, statuses).pets.filter((pet) => !isHidden(pet, statuses))
      return { pets: pets.slice(0, limit), matching: pets.length }
    },
  }),
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
    () => without(late, ({ madeByClient }) => madeByClient),
  ],
  [
    'late-and-never-in-filtered-list',
    listed,
    'New pets are never in the list of their status',
    () =>
      without(
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
]
