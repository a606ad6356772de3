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
    'one-more-at-20',
    [...many, 'list.limit.default'],
    'limit=20 gives 21 pets',
    () => taking((limit) => (limit === 20 ? 21 : limit), { pets: 40, order: 'name' }),
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
  ['limit-50-refused', many, 'limit=50 is refused', () => refusing((limit) => limit === 50)],
  [
    '60-to-95-capped',
    few,
    'A limit from 60 to 95 gives 50 pets',
    () => reading((limit) => (limit >= 60 && limit <= 95 ? 50 : limit), { pets: 120, ids: 'random' }),
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
    'html-above-50',
    ['list.success', 'http.media-type', 'http.json-body'],
    'A list with a limit above 50 is a page of HTML',
    () => ({
      say: (answer, { limit }) => (answer.status === 200 && (limit ?? 0) > 50 ? htmlPage(200) : answer),
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
]
