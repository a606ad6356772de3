import { createChance } from '../../support/variants/chance.ts'
import type { VariantResponse } from '../../support/variants/responses.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import {
  editList,
  editListed,
  editSingle,
  integer,
  named,
  problem,
  editPets,
  only,
  withField,
} from './response-edits.ts'
import { type Call, withRequest } from './call.ts'
import { fault, ordinal, type Row, type Seams } from './fault.ts'
import { success, lists, same, stored } from './requirement-groups.ts'
import type { StoredPet } from '../../support/variants/pet-table.ts'
import { watched, withoutAnywhere, without } from './places.ts'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import type { Time } from '../../support/variants/running-variant.ts'

/** Changes each n-th response of one operation or all of them to authorized requests. */
function eachNth(
  n: number,
  operation: Call['operation'] | 'any',
  edit: (reply: VariantResponse, call: Call) => VariantResponse,
  shop?: VariantOptions,
): Seams {
  let count = 0
  const isMeant = (call: Call): boolean =>
    call.isAuthorized &&
    call.operation !== undefined &&
    (operation === 'any' || call.operation === operation)
  return {
    ...(shop && { shop }),
    say: (reply, call) => (isMeant(call) && ++count % n === 0 ? edit(reply, call) : reply),
  }
}

/** One in `n` requests of any kind, at random, gets another response: a server that fails now and then, or an ingress before it. */
const byChance = (n: number, of: VariantResponse): Seams => {
  const chance = createChance(8)
  return { respond: (call, serve) => (call.operation && chance() < 1 / n ? of : serve(call)) }
}

const textPage = (status: number, text: string, contentType: string): VariantResponse => ({
  status,
  page: { contentType, text },
})

const anything: RequirementId[] = [
  ...success,
  'get.not-found',
  'create.invalid-values',
  'create.body-required',
  'create.required-fields',
  'list.401',
  'get.401',
  'create.401',
]

export const chanceFaults: Row[] = [
  fault('one-in-20-by-chance-500', anything, () => byChance(20, problem(500))),
  fault('one-in-20-by-chance-page-with-200', anything, () =>
    byChance(20, textPage(200, '<h1>Please wait</h1>', 'text/html')),
  ),
  // Fewer than three such pages may come from a gateway that is being changed; the first ones of a kind are sent again.
  fault('one-in-10-by-chance-404-text', anything, () =>
    byChance(10, textPage(404, 'default backend - 404', 'text/plain')),
  ),
  fault('one-in-10-by-chance-403', anything, () =>
    byChance(10, textPage(403, '<h1>Forbidden</h1>', 'text/html')),
  ),
]

export const intermittentFaults: Row[] = [
  ...[3, 20].map((n) =>
    fault(`m116-each-${ordinal(n)}-500`, anything, () => eachNth(n, 'any', () => problem(500))),
  ),
  fault('each-10th-list-has-null', ['pet.fields', 'list.success'], () =>
    eachNth(
      10,
      'listPets',
      (reply) => editList(reply, (pets) => pets.map((pet, index) => (index === 1 ? null : pet))),
      { pets: 40, ids: 'gaps' },
    ),
  ),
  fault('each-7th-list-lacks-last', lists, () =>
    eachNth(7, 'listPets', (reply) => editList(reply, (pets) => pets.slice(0, -1)), {
      pets: 60,
      ids: 'random',
    }),
  ),
  fault('each-5th-list-one-more', ['list.limit.respected', 'list.limit.default'], () =>
    eachNth(
      5,
      'listPets',
      (reply, { limit }) =>
        editList(reply, (pets) =>
          pets.length === (limit ?? 20) && pets[0]
            ? [...pets, integer('id', (id) => id - 1n)(pets[0])]
            : pets,
        ),
      { pets: 64, ids: 'gaps' },
    ),
  ),
  fault('each-7th-get-404', stored, () =>
    eachNth(7, 'getPet', (reply) => (reply.status === 200 ? problem(404) : reply), {
      pets: 45,
      ids: 'random',
    }),
  ),
  fault('each-7th-list-other-names', same, () =>
    eachNth(
      7,
      'listPets',
      (reply) =>
        editListed(
          reply,
          named((name) => name.toUpperCase()),
        ),
      { pets: 50, ids: 'extremes' },
    ),
  ),
  fault('each-7th-get-other-category', same, () =>
    eachNth(
      7,
      'getPet',
      (reply) =>
        editSingle(
          reply,
          integer('categoryId', (id) => id ^ 1n),
        ),
      { pets: 56, ids: 'gaps' },
    ),
  ),
  fault('each-5th-creation-forgotten', stored, () => {
    let made = 0
    const lost = new Set<bigint>()
    return {
      shop: { pets: 40, ids: 'random' },
      store: (table) => ({
        ...watched(table, ({ id }) => ++made % 5 === 0 && lost.add(id)),
        find: (id) => (lost.has(id) ? undefined : table.find(id)),
      }),
    }
  }),
]

/** Loses stored pets by a rule. */
function losing(
  shop: VariantOptions,
  isLost: (pet: StoredPet, requests: number, made: StoredPet[]) => boolean,
): Seams {
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
        watched(table, (added) => made.push(added)),
        (pet) => isLost(pet, requests, made),
      ),
  }
}

/** Pets that change when read, vanish, or are visible only to some requests. */
export const vanishingFaults: Row[] = [
  fault('m98-list-renumbers', [...same, 'get.success'], () => {
    let lists = 0n
    return {
      shop: { pets: 35, ids: 'sequential' },
      say: only('listPets', (reply) => {
        lists += 1n
        return editListed(
          reply,
          integer('id', (id) => id + lists * 1000n),
        )
      }),
    }
  }),
  fault('m99-two-replicas', stored, () => {
    const homes = new Map<bigint, number>()
    let turn = 0
    return losing({ pets: 40, ids: 'random' }, ({ id, madeByClient }, requests) => {
      turn = requests % 2
      if (!homes.has(id)) homes.set(id, turn)
      return madeByClient && homes.get(id) !== turn
    })
  }),
  fault('replica-halves', [...lists, ...same, ...success], () =>
    losing(
      { pets: 60, ids: 'sequential' },
      ({ id, madeByClient }, requests) => !madeByClient && id % 2n === BigInt(requests % 2),
    ),
  ),
  fault('m100-gone-after-a-second', stored, ({ now }) =>
    losing({ pets: 45, ids: 'extremes' }, ({ bornAt }) => bornAt > 0 && now() - bornAt > 1000),
  ),
  fault('slow-name-on-second-read', same, ({ sleep }) => {
    const read = new Set<string>()
    return {
      shop: { pets: 30, ids: 'random' },
      async respond(call, serve) {
        await sleep(1)
        const reply = serve(call)
        const isAgain =
          call.petId !== undefined &&
          reply.status === 200 &&
          read.size === read.add(call.petId).size
        return isAgain
          ? editPets(reply, (pet) => withField(pet, 'name', ` ${String(pet.get('name'))} `))
          : reply
      },
    }
  }),
  fault('readable-once', stored, () => {
    const read = new Set<bigint>()
    return {
      shop: { pets: 35, ids: 'gaps', order: 'newest' },
      store: (table) => ({
        ...table,
        find(id) {
          const pet = table.find(id)
          return pet?.madeByClient === true && read.size === read.add(id).size ? undefined : pet
        },
      }),
    }
  }),
]

/** Changes stored pets after each success of an operation. */
function after(operation: Call['operation'], act: (all: StoredPet[], call: Call) => void): Seams {
  let all = (): StoredPet[] => []
  return {
    shop: { pets: 35, ids: 'gaps' },
    store(table) {
      all = () => table.page(10_000, undefined).pets
      return table
    },
    respond(call, serve) {
      const reply = serve(call)
      if (call.operation === operation && reply.status < 300) act(all(), call)
      return reply
    },
  }
}

const sell = (pets: StoredPet[]): void => pets.forEach((pet) => (pet.status = 'sold'))

/** Pets that are changed by reads or by creations of other pets. */
export const causeFaults: Row[] = [
  fault('get-sells', same, () =>
    after('getPet', (all, { petId }) =>
      sell(all.filter(({ id, bornAt }) => bornAt > 0 && String(id) === petId)),
    ),
  ),
  fault('list-sells', same, () =>
    after('listPets', (all, { status }) =>
      sell(all.filter((pet) => pet.bornAt > 0 && pet.status === (status ?? pet.status))),
    ),
  ),
  fault('list-moves-all', same, () =>
    after('listPets', (all) =>
      all.forEach((pet) => (pet.status = pet.status === 'sold' ? 'pending' : 'sold')),
    ),
  ),
  fault('creation-changes-older', same, () =>
    after('createPet', (all) => all.slice(-2, -1).forEach((pet) => (pet.categoryId += 1n))),
  ),
  fault('creation-evens-statuses', same, () =>
    after('createPet', (all) => all.forEach((pet) => (pet.status = all.at(-1)?.status ?? 'sold'))),
  ),
  fault('creation-removes-another', stored, () =>
    losing({ pets: 35, ids: 'sequential' }, ({ id }, _, made) => id <= BigInt(made.length)),
  ),
]

/** Lists from an incorrect cache. */
export const cacheFaults: Row[] = [
  fault(
    'list-cache-ignores-limit',
    [
      'list.limit.respected',
      'list.page-full',
      'list.limit.min',
      'list.limit.default',
      'create.listed',
    ],
    () => {
      const cache = new Map<string | undefined, VariantResponse>()
      return {
        respond(call, serve) {
          if (call.operation !== 'listPets' || !call.isAuthorized) return serve(call)
          const reply = cache.get(call.status) ?? serve(call)
          cache.set(call.status, reply)
          return reply
        },
      }
    },
  ),
]

/** A store that shows new pets with an allowed delay. */
const late: VariantOptions = {
  pets: 48,
  ids: 'random',
  lag: { ms: 250, lists: true, fetches: true, replicas: 'all' },
}

/** Faults in a store with lagging lists and fetches, which is allowed and can hide a fault. */
export const laggingFaults: Row[] = [
  fault('late-and-never-in-filtered-list', lists, () => ({
    shop: { ...late, pets: 35, order: 'newest' },
    store: (table) =>
      without(table, ({ madeByClient }, statuses) => madeByClient && statuses !== undefined),
  })),
  fault('late-and-first-listed-differs', same, () => ({
    shop: { ...late, pets: 30, ids: 'gaps' },
    say: (reply) =>
      editListed(reply, (pet, index) =>
        index === 2 ? integer('categoryId', (id) => id + 5n)(pet) : pet,
      ),
  })),
  fault(
    'late-and-changed-later',
    ['create.stored', 'state.reads-change-nothing', 'service.catalog', 'get.by-id'],
    () => {
      let requests = 0
      const births = new Map<bigint, number>()
      return {
        shop: late,
        hear(call) {
          requests += 1
          return call
        },
        say: (reply) =>
          editPets(reply, (pet) => {
            const id = pet.get('id') as bigint
            if (reply.status === 201) births.set(id, requests)
            return requests - (births.get(id) ?? requests) > 60
              ? withField(pet, 'categoryId', 77n)
              : pet
          }),
      }
    },
  ),
]

type Serve = (call: Call) => VariantResponse

/** Delays requests of a kind, and counts the concurrent ones. */
function crowded(
  { sleep }: Time,
  kind: Call['operation'],
  act: (call: Call, serve: Serve, under: number, before: Call | undefined) => VariantResponse,
  beside: (call: Call, serve: Serve, under: number) => VariantResponse = (call, serve) =>
    serve(call),
): Seams {
  let under = 0
  let before: Call | undefined
  return {
    shop: { pets: 45, ids: 'random', order: 'newest' },
    async respond(call, serve) {
      if (call.operation !== kind || !call.isAuthorized) return beside(call, serve, under)
      under += 1
      const other = under > 1 ? before : undefined
      before = call
      await sleep(8)
      const reply = act(call, serve, under, other)
      under -= 1
      return reply
    },
  }
}

/** Takes a part of a request from the previous one if both are in progress. */
const mixing = (time: Time, kind: Call['operation'], part: 'body' | 'query' | 'path'): Seams =>
  crowded(time, kind, (call, serve, _, other) =>
    serve(other === undefined ? call : withRequest(call, { [part]: other.request[part] })),
  )

const unique: RequirementId[] = [
  'pet.id.unique',
  'create.stored',
  'create.success',
  'get.by-id',
  'create.listed',
  'service.catalog',
]

/** Faults that need concurrent requests or reused connections. */
export const parallelFaults: Row[] = [
  fault('id-is-count-plus-1', unique, ({ sleep }) => {
    let stored = 60
    return {
      shop: { pets: 60, ids: 'sequential' },
      async respond(call, serve) {
        if (call.operation !== 'createPet' || !call.isAuthorized) return serve(call)
        const id = BigInt(stored + 1)
        await sleep(8)
        const reply = serve(call)
        if (reply.status === 201) stored += 1
        return editSingle(reply, (pet) => withField(pet, 'id', id))
      },
    }
  }),
  fault('id-reused', unique, () => ({
    shop: { pets: 40, ids: 'sequential' },
    say: (reply) =>
      reply.status === 201
        ? editSingle(reply, (pet) => withField(pet, 'id', (pet.get('id') as bigint) - 25n))
        : reply,
  })),
  fault('parallel-bodies-mixed', [...unique, 'create.status', 'create.status-optional'], (time) =>
    mixing(time, 'createPet', 'body'),
  ),
  fault(
    'parallel-lists-mixed',
    [
      'list.limit.respected',
      'list.status.filter',
      'list.page-full',
      'list.limit.default',
      'list.limit.min',
    ],
    (time) => mixing(time, 'listPets', 'query'),
  ),
  fault('parallel-gets-mixed', ['get.by-id', 'create.stored'], (time) =>
    mixing(time, 'getPet', 'path'),
  ),
  fault(
    'parallel-creations-500',
    ['create.success', 'create.status', 'create.status-optional'],
    (time) =>
      crowded(time, 'createPet', (call, serve, under) => (under > 1 ? problem(500) : serve(call))),
  ),
  fault('list-500-amid-creations', ['list.success', 'list.limit.respected'], (time) =>
    crowded(
      time,
      'createPet',
      (call, serve) => serve(call),
      (call, serve, under) =>
        under > 0 && call.operation === 'listPets' ? problem(500) : serve(call),
    ),
  ),
  fault(
    'connection-keeps-key',
    ['auth.required', 'list.401', 'get.401', 'create.401', 'auth.missing-key', 'auth.invalid-key'],
    ({ sleep }) => {
      let under = 0
      return {
        async respond(call, serve) {
          const isAccepted = call.isAuthorized || under > 0
          if (call.isAuthorized) under += 1
          if (call.operation !== undefined) await sleep(5)
          const reply = serve(
            isAccepted
              ? withRequest(call, {
                  headers: { ...call.request.headers, authorization: 'Bearer Twin-Key_42.abcDEF' },
                })
              : call,
          )
          if (call.isAuthorized) under -= 1
          return reply
        },
      }
    },
  ),
  fault(
    'second-on-connection-wrong',
    ['list.success', 'get.success', 'create.success', 'get.by-id'],
    () => {
      const seen = new WeakMap<object, number>()
      return {
        breaksConnections: true,
        say(reply, { socket, isAuthorized }) {
          const count = (seen.get(socket) ?? 0) + 1
          seen.set(socket, count)
          return isAuthorized && count >= 3 ? problem(500) : reply
        },
      }
    },
  ),
  fault(
    'second-on-connection-repeats',
    [
      ...success,
      'get.by-id',
      'get.not-found',
      'list.limit.respected',
      'list.status.filter',
      'create.required-fields',
      'create.invalid-values',
      'list.401',
      'get.401',
      'create.401',
      'auth.required',
      'auth.bearer',
      'create.rejected-leaves-nothing',
    ],
    () => {
      const last = new WeakMap<object, { reply: VariantResponse; count: number }>()
      return {
        breaksConnections: true,
        say(reply, { socket }) {
          const known = last.get(socket) ?? { reply, count: 0 }
          const count = known.count + 1
          const given = count % 6 === 0 ? known.reply : reply
          last.set(socket, { reply, count })
          return given
        },
      }
    },
  ),
]
