import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetTable } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editList, htmlPage, problem } from './answer-edits.ts'
import { withParameters, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Reads another limit than the one that was sent. */
const reading = (limit: (sent: number, call: Call) => number | undefined, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  hear: (call) =>
    call.operation === 'listPets' && call.limit !== undefined && call.limit >= 1 && call.limit <= 100
      ? withParameters(call, { limit: limit(call.limit, call) })
      : call,
})

/** Takes another number of pets out of the store than the page should have. */
const taking = (count: (limit: number) => number, shop: TwinOptions = { pets: 150, ids: 'random' }): Seams => ({
  shop,
  store: (table) => ({ ...table, page: (limit, statuses) => table.page(count(limit), statuses) }),
})

const refusing = (when: (limit: number) => boolean): Seams => ({
  answer: (call, serve) =>
    call.isAuthorized && call.limit !== undefined && when(call.limit) ? problem(400) : serve(call),
})

/** Cuts the page before it is filtered. */
const filterAfterwards = (table: PetTable): PetTable => ({
  ...table,
  page(limit, statuses) {
    const pets = table
      .page(limit, undefined)
      .pets.filter(({ status }) => statuses === undefined || (status !== undefined && statuses.includes(status)))
    return { pets, matching: pets.length }
  },
})

const many: ClauseId[] = ['list.limit.honoured']
const few: ClauseId[] = ['list.page-full', 'list.limit.honoured']
const usual: ClauseId[] = ['list.limit.default', 'list.page-full']

/** limit gives pages of the wrong length. */
export const limitFaults: Row[] = [
  [
    'm20-limit-ignored',
    many,
    'limit is ignored: each list has up to 100 pets',
    () => taking((limit) => (limit === 20 ? 20 : 100)),
  ],
  [
    'limit-always-default',
    [...many, ...few, 'list.limit.max'],
    'limit is ignored: each list has up to 20 pets',
    () => reading(() => undefined, { pets: 30, ids: 'gaps' }),
  ],
  [
    'm21-one-more',
    [...many, 'list.limit.default'],
    'Each list has one pet more than limit',
    () => taking((limit) => limit + 1),
  ],
  [
    'one-more-below-10',
    many,
    'Lists with a limit below 10 have one pet more',
    () => reading((limit) => (limit < 10 ? limit + 1 : limit)),
  ],
  [
    'one-more-at-20',
    [...many, 'list.limit.default'],
    'limit=20 gives 21 pets',
    () => taking((limit) => (limit === 20 ? 21 : limit), { pets: 40, order: 'name' }),
  ],
  [
    'one-more-at-99',
    many,
    'limit=99 gives 100 pets',
    () => reading((limit) => (limit === 99 ? 100 : limit), { pets: 120, ids: 'random' }),
  ],
  [
    'one-more-at-100',
    [...many, 'list.limit.max'],
    'limit=100 gives 101 pets',
    () => taking((limit) => (limit === 100 ? 101 : limit), { pets: 101, ids: 'descending' }),
  ],
  [
    'm22-one-less',
    [...few, ...usual, 'list.limit.min'],
    'Each list has one pet less than limit, although more match',
    () => taking((limit) => limit - 1),
  ],
  [
    'one-less-at-100',
    [...few, 'list.limit.max'],
    'limit=100 gives 99 pets of 150',
    () => taking((limit) => (limit === 100 ? 99 : limit)),
  ],
  [
    'one-less-at-100-of-101',
    [...few, 'list.limit.max'],
    'limit=100 gives 99 pets of 101',
    () => taking((limit) => (limit === 100 ? 99 : limit), { pets: 101, ids: 'extremes' }),
  ],
  [
    'one-less-at-100-with-status',
    [...few, 'list.limit.max', 'list.status.complete', 'create.listed', 'create.status'],
    'limit=100 with a status gives 99 pets, in a store of 330',
    () => ({
      shop: { pets: 330, ids: 'gaps', order: 'oldest' },
      hear: (call) => (call.limit === 100 && call.status !== undefined ? withParameters(call, { limit: 99 }) : call),
    }),
  ],
  [
    'one-less-at-21',
    few,
    'limit=21 gives 20 pets',
    () => reading((limit) => (limit === 21 ? 20 : limit), { pets: 64, ids: 'extremes', order: 'newest' }),
  ],
  ['m25-limit-100-refused', ['list.limit.max'], 'limit=100 is refused', () => refusing((limit) => limit === 100)],
  ['m26-limit-1-refused', ['list.limit.min'], 'limit=1 is refused', () => refusing((limit) => limit === 1)],
  [
    'm26-limit-1-unlimited',
    [...many, 'list.limit.min'],
    'limit=1 is no limit',
    () => reading((limit) => (limit === 1 ? 100 : limit)),
  ],
  [
    'limit-1-empty',
    ['list.limit.min', ...few],
    'limit=1 gives no pet',
    () => taking((limit) => (limit === 1 ? 0 : limit)),
  ],
  [
    'limit-1-empty-with-status',
    ['list.limit.min', ...few],
    'limit=1 with a status gives no pet',
    () => ({
      shop: { pets: 75, ids: 'negative' },
      say: (answer, { limit, status }) => (limit === 1 && status !== undefined ? editList(answer, () => []) : answer),
    }),
  ],
  ['limit-50-refused', many, 'limit=50 is refused', () => refusing((limit) => limit === 50)],
  [
    'm27-capped-at-50',
    [...few, 'list.limit.max'],
    'limit=100 gives 50 pets',
    () => reading((limit) => Math.min(limit, 50), { pets: 90, order: 'name' }),
  ],
  [
    '60-to-95-capped',
    few,
    'A limit from 60 to 95 gives 50 pets',
    () => reading((limit) => (limit >= 60 && limit <= 95 ? 50 : limit), { pets: 120, ids: 'random' }),
  ],
  [
    'm28-above-20-is-20',
    [...few, 'list.limit.max'],
    'A limit above 20 gives 20 pets',
    () => reading((limit) => Math.min(limit, 20), { pets: 35, ids: 'gaps' }),
  ],
  [
    'limit-in-tens',
    few,
    'A limit is rounded down to tens',
    () => reading((limit) => (limit > 10 ? limit - (limit % 10) : limit), { pets: 120, ids: 'around-zero' }),
  ],
  [
    'limit-of-one-digit',
    [...many, ...few],
    'Only the first digit of limit is read',
    () => reading((limit) => Number(String(limit)[0]), { pets: 40 }),
  ],
  [
    'm29-filter-after-limit',
    [...few, ...usual, 'list.status.complete', 'create.listed', 'list.status.filter'],
    'The page is cut before it is filtered',
    () => ({ shop: { pets: 150, ids: 'random', order: 'newest' }, store: filterAfterwards }),
  ],
  [
    'filter-after-limit-in-small-store',
    [...few, ...usual, 'list.status.complete', 'create.listed', 'list.status.filter'],
    'The page is cut before it is filtered, in a store of 30',
    () => ({ shop: { pets: 30, ids: 'extremes', order: 'status' }, store: filterAfterwards }),
  ],
  [
    'm30-limit-as-text',
    many,
    'limit is compared with 100 as text, and cut to it',
    () => reading((limit) => (String(limit) > '100' ? 100 : limit), { pets: 64, ids: 'gaps' }),
  ],
  [
    'm31-padded-with-repeats',
    ['pet.id.unique'],
    'A short page is filled up with repeated pets',
    () => ({
      shop: { pets: 40, ids: 'random' },
      say: (answer, { limit }) =>
        editList(answer, (pets) =>
          pets.length === 0
            ? pets
            : Array.from(
                { length: Math.max(pets.length, limit ?? 20) },
                (_, index) => pets[index % pets.length] ?? null,
              ),
        ),
    }),
  ],
  [
    'limit-ignored-with-status',
    many,
    'limit is ignored beside a status: there are up to 100 pets',
    () => reading((limit, { status }) => (status === undefined ? limit : 100)),
  ],
  [
    'limit-behind-status-ignored',
    [...many, ...few],
    'A limit behind the status is read as 20, in a store of 45',
    () =>
      reading((limit, { request }) => (/status=.*limit=/.test(request.query) ? 20 : limit), {
        pets: 45,
        ids: 'gaps',
        order: 'newest',
      }),
  ],
  [
    'limit-doubled-with-sold',
    many,
    'limit counts twice in the list of sold pets',
    () => reading((limit, { status }) => (status === 'sold' ? Math.min(100, 2 * limit) : limit)),
  ],
  [
    'html-above-50',
    ['list.success', 'http.media-type', 'http.json-body'],
    'A list with a limit above 50 is a page of HTML',
    () => ({
      say: (answer, { limit }) => (answer.status === 200 && (limit ?? 0) > 50 ? htmlPage(200) : answer),
    }),
  ],
  [
    'last-of-long-page-lost',
    few,
    'The last pet of a page of more than 50 is lost',
    () => ({
      shop: { pets: 120, ids: 'random', order: 'oldest' },
      say: (answer) => editList(answer, (pets) => (pets.length > 50 ? pets.slice(0, -1) : pets)),
    }),
  ],
  [
    'last-of-short-page-lost',
    [...few, 'create.listed', 'list.status.default', 'list.status.complete', 'service.catalogue'],
    'A page that could hold all pets lacks the last',
    () => ({
      shop: { pets: 40, ids: 'gaps', order: 'oldest' },
      say: (answer, { limit }) => editList(answer, (pets) => (pets.length < (limit ?? 20) ? pets.slice(0, -1) : pets)),
    }),
  ],

  [
    'exact-page-lacks-last',
    few,
    'A page lacks its last pet where as many match as limit says, in a store of 50',
    () => ({
      shop: { pets: 50, ids: 'gaps' },
      store: (table) => ({
        ...table,
        page(limit, statuses) {
          const page = table.page(limit, statuses)
          return page.matching === limit ? { ...page, pets: page.pets.slice(0, -1) } : page
        },
      }),
    }),
  ],
]
