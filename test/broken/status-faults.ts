import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetTable, StoredPet } from '../twins/pet-table.ts'
import { petStatuses, type PetStatus } from '../twins/new-pet.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editList, editListed, problem, withMember } from './answer-edits.ts'
import { withParameters, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

const isFiltered = ({ operation, status }: Call): boolean => operation === 'listPets' && status !== undefined
const filteredBy = (call: Call, status: string): boolean => isFiltered(call) && call.status === status

/** Filters by a rule of its own. */
const filtering = (shop: TwinOptions, matches: (pet: StoredPet, wanted: PetStatus) => boolean): Seams => ({
  shop,
  store: (table) => ({
    ...table,
    page(limit, statuses) {
      if (statuses === undefined) return table.page(limit, undefined)
      const pets = table.page(10_000, undefined).pets.filter((pet) => statuses.some((wanted) => matches(pet, wanted)))
      return { pets: pets.slice(0, limit), matching: pets.length }
    },
  }),
})

/** Hides pets from lists without a filter. */
const hiding = (shop: TwinOptions, isHidden: (pet: StoredPet) => boolean): Seams => ({
  shop,
  store: (table): PetTable => ({
    ...table,
    page(limit, statuses) {
      if (statuses !== undefined) return table.page(limit, statuses)
      const pets = table.page(10_000, undefined).pets.filter((pet) => !isHidden(pet))
      return { pets: pets.slice(0, limit), matching: pets.length }
    },
  }),
})

const filter: ClauseId[] = ['list.status.filter']
const complete: ClauseId[] = [
  'list.status.complete',
  'service.catalogue',
  'list.status.filter',
  'list.page-full',
  'create.listed',
  'create.status',
  'list.limit.default',
]
const unfiltered: ClauseId[] = [
  'list.status.default',
  'service.catalogue',
  'list.page-full',
  'create.listed',
  'list.limit.default',
]

/** The filter by status does too much, too little, or something else. */
export const statusFaults: Row[] = [
  [
    'm33-filter-ignored',
    filter,
    'The filter is ignored',
    () => ({ hear: (call) => (isFiltered(call) ? withParameters(call, { status: undefined }) : call) }),
  ],
  ...petStatuses.flatMap((status): Row[] => [
    [
      `m35-${status}-empty`,
      complete,
      `The list of ${status} pets is always empty`,
      () => ({ say: (answer, call) => (filteredBy(call, status) ? editList(answer, () => []) : answer) }),
    ],
    [
      `m36-${status}-refused`,
      filter,
      `The filter ${status} is refused`,
      () => ({ answer: (call, serve) => (call.isAuthorized && filteredBy(call, status) ? problem(400) : serve(call)) }),
    ],
  ]),
  [
    'filter-behind-limit-ignored',
    filter,
    'A status behind the limit is ignored',
    () => ({
      hear: (call) => (/limit=.*status=/.test(call.request.query) ? withParameters(call, { status: undefined }) : call),
    }),
  ],
  [
    'm38-status-echoed',
    [...filter, 'get.by-id', 'state.reads-change-nothing', 'service.catalogue', 'pet.status'],
    'The filter is ignored, and each pet shown with the wanted status',
    () => ({
      hear: (call) => (isFiltered(call) ? withParameters(call, { status: undefined }) : call),
      say: (answer, { status }) =>
        status === undefined ? answer : editListed(answer, (pet) => withMember(pet, 'status', status)),
    }),
  ],
  [
    'sold-echoed',
    [...filter, 'get.by-id', 'state.reads-change-nothing', 'service.catalogue'],
    'The list of sold pets shows all pets as sold',
    () => ({
      shop: { pets: 101, ids: 'random', order: 'random' },
      hear: (call) => (filteredBy(call, 'sold') ? withParameters(call, { status: undefined }) : call),
      say: (answer, call) =>
        filteredBy(call, 'sold') ? editListed(answer, (pet) => withMember(pet, 'status', 'sold')) : answer,
    }),
  ],
  [
    'm39-new-pets-not-filtered',
    complete,
    'New pets are never found by their status',
    () =>
      filtering(
        { pets: 56, ids: 'random', order: 'newest' },
        ({ status, madeByClient }, wanted) => status === wanted && !madeByClient,
      ),
  ],
  [
    'new-sold-not-filtered',
    complete,
    'New sold pets are never found by their status, in a store of 150',
    () =>
      filtering(
        { pets: 150, ids: 'gaps' },
        ({ status, madeByClient }, wanted) => status === wanted && !(madeByClient && status === 'sold'),
      ),
  ],
  [
    'new-pets-filtered-as-default',
    [...filter, ...complete],
    'New pets are filed under the default status, whatever was sent',
    () =>
      filtering({ pets: 40, ids: 'negative' }, ({ status, madeByClient }, wanted) =>
        madeByClient ? wanted === 'available' : status === wanted,
      ),
  ],
  [
    'default-status-not-filtered',
    complete,
    'Pets that were created without a status are not found by the one they got',
    () => {
      const bare = new Set<bigint>()
      const seams = filtering(
        { pets: 30, ids: 'random', defaultStatus: 'pending' },
        ({ id, status }, wanted) => status === wanted && !bare.has(id),
      )
      return {
        ...seams,
        answer(call, serve) {
          const answer = serve(call)
          if (answer.status === 201 && answer.json instanceof Map && !Buffer.from(call.request.body).includes('status'))
            bare.add(answer.json.get('id') as bigint)
          return answer
        },
      }
    },
  ],
  [
    'm40-pending-hidden',
    unfiltered,
    'The list without a filter hides pending pets, in a store of 60',
    () => hiding({ pets: 60, ids: 'descending' }, ({ status }) => status === 'pending'),
  ],
  [
    'only-available-shown',
    unfiltered,
    'The list without a filter shows available pets only',
    () => hiding({ pets: 75, ids: 'gaps', order: 'newest' }, ({ status }) => status !== 'available'),
  ],
  [
    'absent-status-hidden',
    unfiltered,
    'The list without a filter hides pets without a status',
    () =>
      hiding(
        { pets: 40, ids: 'gaps', statuses: 'some-absent', defaultStatus: 'absent' },
        ({ status }) => status === undefined,
      ),
  ],
  [
    'pending-shows-half',
    complete,
    'The list of pending pets shows every other one',
    () => ({
      shop: { pets: 64, ids: 'random', order: 'oldest' },
      say: (answer, call) =>
        filteredBy(call, 'pending') ? editList(answer, (pets) => pets.filter((_, index) => index % 2 === 0)) : answer,
    }),
  ],
  [
    'filter-lacks-last',
    complete,
    'A filtered list that is not full lacks its last pet',
    () => ({
      shop: { pets: 90, ids: 'gaps', order: 'newest' },
      say: (answer, call) =>
        isFiltered(call)
          ? editList(answer, (pets) => (pets.length < (call.limit ?? 20) ? pets.slice(0, -1) : pets))
          : answer,
    }),
  ],
]
