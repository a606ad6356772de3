import type { RequirementId } from '../../../src/spec/requirements.ts'
import type { StoredPet } from '../../support/variants/pet-table.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import { editList, htmlPage, problem, editListed, withField } from './response-edits.ts'
import { withParameters, type Call, withRequest } from './call.ts'
import { lists } from './requirement-groups.ts'
import { fault, type Row, type Seams } from './fault.ts'
import { toVariantResponse, type VariantResponse } from '../../support/variants/responses.ts'
import { without } from './places.ts'
import { petStatuses, type PetStatus } from '../../support/variants/new-pet.ts'

/** Pages have a wrong length or content for some limits. */
export const limitFaults: Row[] = [
  fault('one-more-at-20', ['list.limit.respected', 'list.limit.default'], () => ({
    shop: { pets: 150, ids: 'random' },
    store: (table) => ({
      ...table,
      page: (limit, statuses) => table.page(limit === 20 ? 21 : limit, statuses),
    }),
  })),
  fault('one-less-at-100', ['list.page-full'], () => ({
    shop: { pets: 130, ids: 'sequential', order: 'oldest' },
    store: (table) => ({
      ...table,
      page: (limit, statuses) => table.page(limit === 100 ? 99 : limit, statuses),
    }),
  })),
  fault('m31-padded-with-repeats', ['pet.id.unique'], () => ({
    shop: { pets: 40, ids: 'random' },
    say: (reply, { limit }) =>
      editList(reply, (pets) =>
        pets.length === 0
          ? pets
          : Array.from(
              { length: Math.max(pets.length, limit ?? 20) },
              (_, index) => pets[index % pets.length] ?? null,
            ),
      ),
  })),
  fault('html-above-50', ['list.success', 'http.media-type', 'http.json-body'], () => ({
    say: (reply, { limit }) => (reply.status === 200 && (limit ?? 0) > 50 ? htmlPage(200) : reply),
  })),
  fault(
    'last-of-short-page-lost',
    [
      'list.page-full',
      'create.listed',
      'list.status.default',
      'list.status.complete',
      'service.catalog',
    ],
    () => ({
      shop: { pets: 40, ids: 'gaps', order: 'oldest' },
      say: (reply, { limit }) =>
        editList(reply, (pets) => (pets.length < (limit ?? 20) ? pets.slice(0, -1) : pets)),
    }),
  ),
  fault('only-lists-of-100-have-new-pets', ['create.listed'], () => ({
    shop: { pets: 60, ids: 'sequential', order: 'newest' },
    store(table) {
      const stale = without(table, ({ madeByClient }) => madeByClient)
      return {
        ...table,
        page: (limit, wanted) => (wanted || limit === 100 ? table : stale).page(limit, wanted),
      }
    },
  })),
]

const onEmpty = (empty: () => VariantResponse): Seams => ({
  shop: { pets: 40, statuses: 'available', ids: 'random' },
  say: (reply) =>
    reply.status === 200 && Array.isArray(reply.json) && reply.json.length === 0 ? empty() : reply,
})

/** Wrong responses if no pet matches, in stores where that happens. */
export const emptyListFaults: Row[] = [
  fault('m32-empty-404', ['list.success'], () => onEmpty(() => problem(404))),
  fault('empty-object', ['list.success'], () => onEmpty(() => toVariantResponse(200, new Map()))),
  fault('empty-204', ['list.success'], () => onEmpty(() => ({ status: 204 }))),
]

/** Forbidden responses to undescribed requests. */
export const oddQueryFaults: Row[] = [
  fault('pet-id-2-to-63-wraps', ['get.by-id', 'get.not-found'], () => ({
    shop: { pets: 90, ids: 'extremes' },
    hear: (call) =>
      /^\d{19,}$/.test(call.petId ?? '')
        ? withRequest(call, { path: `/v1/pets/${BigInt.asIntN(64, BigInt(call.petId ?? 0))}` })
        : call,
  })),
]

const isFiltered = ({ operation, status }: Call): boolean =>
  operation === 'listPets' && status !== undefined
const filteredBy = (call: Call, status: string): boolean =>
  isFiltered(call) && call.status === status

/** Filters by a custom rule. */
const filtering = (
  shop: VariantOptions,
  matches: (pet: StoredPet, wanted: PetStatus) => boolean,
): Seams => ({
  shop,
  store: (table) => ({
    ...table,
    page(limit, statuses) {
      if (statuses === undefined) return table.page(limit, undefined)
      const pets = table
        .page(10_000, undefined)
        .pets.filter((pet) => statuses.some((wanted) => matches(pet, wanted)))
      return { pets: pets.slice(0, limit), matching: pets.length }
    },
  }),
})

const filter: RequirementId[] = ['list.status.filter']
const complete: RequirementId[] = [
  'list.status.complete',
  'service.catalog',
  'list.status.filter',
  'list.page-full',
  'create.listed',
  'create.status',
  'list.limit.default',
]

/** The filter by status matches too many, too few, or other pets. */
export const statusFaults: Row[] = [
  ...petStatuses.flatMap((status): Row[] => [
    fault(`m35-${status}-empty`, complete, () => ({
      say: (reply, call) => (filteredBy(call, status) ? editList(reply, () => []) : reply),
    })),
    fault(`m36-${status}-rejected`, filter, () => ({
      respond: (call, serve) =>
        call.isAuthorized && filteredBy(call, status) ? problem(400) : serve(call),
    })),
  ]),
  fault(
    'm38-status-echoed',
    [...filter, 'get.by-id', 'state.reads-change-nothing', 'service.catalog', 'pet.status'],
    () => ({
      hear: (call) => (isFiltered(call) ? withParameters(call, { status: undefined }) : call),
      say: (reply, { status }) =>
        status === undefined ? reply : editListed(reply, (pet) => withField(pet, 'status', status)),
    }),
  ),
  fault('new-pets-filtered-as-default', [...filter, ...complete], () =>
    filtering({ pets: 40, ids: 'negative' }, ({ status, madeByClient }, wanted) =>
      madeByClient ? wanted === 'available' : status === wanted,
    ),
  ),
  fault('default-status-not-filtered', complete, () => {
    const bare = new Set<bigint>()
    const seams = filtering(
      { pets: 30, ids: 'random', defaultStatus: 'pending' },
      ({ id, status }, wanted) => status === wanted && !bare.has(id),
    )
    return {
      ...seams,
      respond(call, serve) {
        const reply = serve(call)
        if (
          reply.status === 201 &&
          reply.json instanceof Map &&
          !Buffer.from(call.request.body).includes('status')
        )
          bare.add(reply.json.get('id') as bigint)
        return reply
      },
    }
  }),
  fault('filter-kept-for-the-next-list', lists, () => {
    let kept: string | undefined
    return {
      shop: { pets: 150, ids: 'random', order: 'newest' },
      hear(call) {
        if (call.operation !== 'listPets' || !call.isAuthorized) return call
        const status = call.status ?? kept
        kept = call.status
        return withParameters(call, { status })
      },
    }
  }),
  fault('pending-lacks-newest', ['create.listed', 'create.status', ...complete], () => ({
    shop: { pets: 90, order: 'oldest' },
    say: (reply, call) =>
      call.request.query === 'status=pending&limit=100'
        ? editList(reply, (pets) => pets.slice(0, -1))
        : reply,
  })),
]
