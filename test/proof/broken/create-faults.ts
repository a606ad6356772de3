import type { RequirementId } from '../../../src/spec/requirements.ts'
import { JsonNumber } from '../../support/variants/exact-json.ts'
import { type PetStatus, isPetStatus } from '../../support/variants/new-pet.ts'
import { editSingle, problem, withField, withoutField, only } from './response-edits.ts'
import { withRequest, bodyObject, bodyText, withBody, type Call } from './call.ts'
import { fault, type Row, type Seams } from './fault.ts'
import type { StoredPet, PetTable } from '../../support/variants/pet-table.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import { stored, leavesNothing } from './requirement-groups.ts'
import type { Time } from '../../support/variants/running-variant.ts'
import { watched, without, withoutAnywhere } from './places.ts'
import type { VariantResponse } from '../../support/variants/responses.ts'

/** Creates and returns a pet with a changed status. */
const withStatus = (status: (sent: PetStatus | undefined) => PetStatus | undefined): Seams => ({
  store: (table) => ({
    ...table,
    add({ status: sent, ...pet }) {
      const kept = status(sent)
      return table.add({ ...pet, ...(kept !== undefined && { status: kept }) })
    },
  }),
})

const rejecting = (status: number, when: (call: Call) => boolean): Seams => ({
  respond(call, serve) {
    const isCreation =
      call.operation === 'createPet' && call.isAuthorized && bodyObject(call)?.has('name') === true
    return isCreation && when(call) ? problem(status) : serve(call)
  },
})

const status: RequirementId[] = [
  'create.status',
  'create.success',
  'create.stored',
  'list.status.filter',
]

const nextStatus = { available: 'pending', pending: 'sold', sold: 'available' } as const

/** A valid creation is rejected or changed. */
export const creationFaults: Row[] = [
  fault('old-name-200', ['create.success'], () => {
    const names = new Set<string>()
    return {
      shop: { pets: 40, ids: 'gaps' },
      say: (reply, call) => {
        const name = reply.status === 201 ? String(bodyObject(call)?.get('name')) : undefined
        if (name === undefined || !names.has(name)) return (names.add(name ?? ''), reply)
        return { ...reply, status: 200 }
      },
    }
  }),
  fault('status-answered-not-stored', status, () => ({
    ...withStatus((sent) => (sent === 'sold' ? 'available' : sent)),
    say: (reply, call) =>
      reply.status === 201 && bodyText(call).includes('"sold"')
        ? editSingle(reply, (pet) => withField(pet, 'status', 'sold'))
        : reply,
  })),
  fault('default-status-answered-not-stored', ['create.stored'], () => ({
    say: (reply, call) =>
      reply.status === 201 && bodyObject(call)?.has('status') === false
        ? editSingle(reply, (pet) =>
            withField(pet, 'status', pet.get('status') === 'sold' ? 'pending' : 'sold'),
          )
        : reply,
  })),
  fault('status-answered-available-stored', status, () => ({
    ...withStatus(() => 'available'),
    say: (reply, call) => {
      const sent = bodyObject(call)?.get('status')
      return reply.status === 201 && isPetStatus(sent)
        ? editSingle(reply, (pet) => withField(pet, 'status', sent))
        : reply
    },
  })),
  ...(
    [
      ['others-sell', { pets: 40, changeEveryMs: 200, latencyMs: [20, 60] }],
      ['others-add-and-sell', { pets: 40, writerEveryMs: 200, changeEveryMs: 300 }],
      ['others-sell-any', { pets: 40, orderEveryMs: 300 }],
    ] satisfies [string, VariantOptions][]
  ).map(([where, shop]) =>
    fault(`next-status-stored-${where}`, status, () => ({
      shop,
      store: (table) => ({
        ...table,
        add(pet) {
          const added = table.add(pet)
          const returned = { ...added }
          if (added.status) added.status = nextStatus[added.status]
          return returned
        },
      }),
    })),
  ),
  fault('old-name-500', ['create.success'], () => {
    const names = new Set<unknown>()
    return rejecting(500, (call) => {
      const name = bodyObject(call)?.get('name')
      return names.has(name) || (names.add(name), false)
    })
  }),
  fault('long-name-500', ['create.success'], () =>
    rejecting(500, (call) => bodyText(call).length > 600),
  ),
  fault(
    'default-status-not-answered',
    ['create.stored', 'create.success', 'get.by-id', 'state.reads-change-nothing'],
    () => ({
      shop: { pets: 40, ids: 'random', defaultStatus: 'pending' },
      say: (reply, call) =>
        reply.status === 201 && !bodyText(call).includes('status')
          ? editSingle(reply, (pet) => withoutField(pet, 'status'))
          : reply,
    }),
  ),
  fault('large-category-409', ['create.exact'], () =>
    rejecting(409, (call) => /\d{16}/.test(bodyText(call))),
  ),
]

/** Returns a pet that is never stored. */
function forgetful(when: (pet: StoredPet, nth: number) => boolean, shop?: VariantOptions): Seams {
  let made = 0
  const lost = new Set<bigint>()
  return {
    ...(shop && { shop }),
    store: (table) =>
      withoutAnywhere(
        watched(table, (added) => {
          made += 1
          if (when(added, made)) lost.add(added.id)
        }),
        ({ id }) => lost.has(id),
      ),
  }
}

/** Whether a creation has the body of another one within some time before it. */
function createMemory({ now }: Time, withinMs: number): (call: Call) => boolean {
  const seen = new Map<string, number>()
  return (call) => {
    const before = seen.get(bodyText(call)) ?? -Infinity
    seen.set(bodyText(call), now())
    return now() - before < withinMs
  }
}

/** Returns a pet that is never stored, and whose id the next one gets. */
function forgetfulOfIds(when: (pet: StoredPet, nth: number) => boolean, more: VariantOptions = {}) {
  const pets = 40
  let [last, made] = [BigInt(pets), 0]
  const lost = new Set<StoredPet>()
  const seams: Seams = {
    shop: { pets, ...more },
    store(table) {
      const all = without(table, (pet) => lost.has(pet))
      return {
        ...all,
        add(pet) {
          const added = table.add(pet)
          added.id = last + 1n
          if (when(added, (made += 1))) lost.add(added)
          else last = added.id
          return added
        },
        find: (id) => all.page(10_000, undefined).pets.find((pet) => pet.id === id),
      }
    },
  }
  return seams
}

/** Creations that get a 201 but are not stored. */
export const forgottenPetFaults: Row[] = [
  fault('equal-bodies-dropped-by-queue', ['create.stored'], (time) => {
    const isRepeated = createMemory(time, 50)
    let isDropped = false
    const seams = forgetful(() => isDropped, { pets: 40, ids: 'random' })
    return {
      ...seams,
      async respond(call, serve) {
        await time.sleep(call.operation === 'createPet' ? 20 : 0)
        isDropped = call.operation === 'createPet' && call.isAuthorized && isRepeated(call)
        return serve(call)
      },
    }
  }),
  fault('non-ascii-forgotten', stored, () => forgetful(({ name }) => /[^\x20-\x7e]/.test(name))),
  fault('large-category-forgotten', stored, () =>
    forgetful(({ categoryId }) => categoryId > 2n ** 53n),
  ),
  fault('after-12-forgotten', stored, () => forgetful((_, nth) => nth > 12)),
  fault('each-7th-forgotten', stored, () => forgetful((_, nth) => nth % 7 === 0)),
  fault('each-7th-forgotten-with-its-id', ['create.stored'], () =>
    forgetfulOfIds((_, nth) => nth % 7 === 0),
  ),
  fault('each-2nd-forgotten-with-its-id', ['create.stored'], () =>
    forgetfulOfIds((_, nth) => nth % 2 === 0, { latencyMs: [20, 60] }),
  ),
  fault('sold-forgotten-with-its-id', ['create.stored'], () =>
    forgetfulOfIds(({ status }) => status === 'sold'),
  ),
  fault('client-id-forgotten', stored, () => {
    let hasId = false
    const seams = forgetful(() => hasId, { pets: 30, ids: 'random' })
    return {
      ...seams,
      hear(call) {
        hasId = bodyObject(call)?.has('id') === true
        return call
      },
    }
  }),
]

/** Assigns ids by a custom rule. */
function numbering(
  shop: VariantOptions,
  id: (sent: bigint | undefined, table: PetTable) => bigint | undefined,
): Seams {
  let sent: bigint | undefined
  return {
    shop,
    hear(call) {
      const number = /"id"\s*:\s*(-?\d+)/.exec(bodyText(call))?.[1]
      sent = call.operation === 'createPet' && number !== undefined ? BigInt(number) : undefined
      return call
    },
    store: (table) => {
      const renamed = new Map<bigint, StoredPet>()
      return {
        ...watched(table, (added) => {
          const own = id(sent, table)
          if (own !== undefined) renamed.set((added.id = own), added)
        }),
        find: (wanted) => renamed.get(wanted) ?? table.find(wanted),
      }
    },
  }
}

/** Repeats the response of an earlier creation with the same key. */
function repeating(keyOf: (call: Call) => unknown): Seams {
  const replies = new Map<unknown, VariantResponse>()
  return {
    shop: { pets: 30, ids: 'random' },
    respond(call, serve) {
      const key = call.operation === 'createPet' && call.isAuthorized ? keyOf(call) : undefined
      const reply = replies.get(key) ?? serve(call)
      if (key !== undefined && reply.status === 201) replies.set(key, reply)
      return reply
    },
  }
}

const ids: RequirementId[] = ['create.id-assigned', 'pet.id.unique', 'create.stored', 'get.by-id']

/** The id of a new pet is not unique, or not assigned by the service. */
export const newIdFaults: Row[] = [
  fault('m70-second-overwrites', ['pet.id.unique', 'create.stored'], () => ({
    store(table) {
      let last: StoredPet | undefined
      return {
        ...table,
        add(pet) {
          if (last === undefined) return (last = table.add(pet))
          return Object.assign(last, { status: undefined }, pet)
        },
      }
    },
  })),
  fault('one-overwrites', ['pet.id.unique', 'create.stored'], () => ({
    store(table) {
      let [last, made]: [StoredPet | undefined, number] = [undefined, 0]
      return {
        ...table,
        add(pet) {
          made += 1
          if (last === undefined || made !== 6) return (last = table.add(pet))
          return Object.assign(last, { status: undefined }, pet)
        },
      }
    },
  })),
  fault('m71-id-overwrites', ids, () => ({
    shop: { pets: 60, ids: 'random', order: 'newest' },
    respond(call, serve) {
      const id = /^\{"id":(-?\d+)/.exec(bodyText(call))?.[1]
      const reply = serve(call)
      return id !== undefined && reply.status === 201
        ? editSingle(reply, (pet) => withField(pet, 'id', BigInt(id)))
        : reply
    },
  })),
  fault('client-id-adopted', ids, () => numbering({ pets: 35, ids: 'gaps' }, (sent) => sent)),
  fault('client-id-adopted-if-free', ids, () =>
    numbering({ pets: 35, ids: 'random' }, (sent, table) =>
      sent !== undefined && table.find(sent) === undefined ? sent : undefined,
    ),
  ),
  fault('double-click-same-pet', ['pet.id.unique', 'create.stored', 'create.success'], (time) => {
    const isRepeated = createMemory(time, 50)
    const replies = new Map<string, VariantResponse>()
    return {
      shop: { pets: 30, ids: 'random' },
      async respond(call, serve) {
        if (call.operation !== 'createPet' || !call.isAuthorized) return serve(call)
        await time.sleep(20)
        const known = isRepeated(call) ? replies.get(bodyText(call)) : undefined
        const reply = known ?? serve(call)
        replies.set(bodyText(call), reply)
        return reply
      },
    }
  }),
  fault(
    'same-name-same-pet',
    ['create.success', 'pet.id.unique', 'create.stored', 'create.status'],
    () => repeating((call) => bodyObject(call)?.get('name')),
  ),
]

/** Changes a correct 400 response. */
const insteadOf400 = (
  when: (call: Call) => boolean,
  edit: (reply: VariantResponse) => VariantResponse,
): Seams => ({
  say: (reply, call) =>
    call.operation === 'createPet' && reply.status === 400 && when(call) ? edit(reply) : reply,
})

const any = (): boolean => true
const lacks =
  (field: string) =>
  (call: Call): boolean =>
    bodyObject(call)?.has(field) === false
const exactly: RequirementId[] = [
  'create.required-fields',
  'create.invalid-values',
  'create.body-required',
  'error.status-repeats-http',
]

/** An invalid creation gets another response than 400. */
export const rejectionFaults: Row[] = [
  fault('category-missing-422', exactly, () =>
    insteadOf400(lacks('categoryId'), () => problem(422)),
  ),
  fault('rejected-201', [...exactly, 'create.success', 'pet.fields'], () =>
    insteadOf400(any, (reply) => ({ ...reply, status: 201 })),
  ),
]

/** Responds 400, but creates a pet from the fixed body. */
const keeping = (
  shop: VariantOptions,
  fix: (body: ReturnType<typeof bodyObject>, text: string) => string | undefined,
): Seams => ({
  shop,
  respond(call, serve) {
    const reply = serve(call)
    const fixed =
      call.operation === 'createPet' && reply.status === 400
        ? fix(bodyObject(call), bodyText(call))
        : undefined
    if (fixed !== undefined) serve(withBody(call, fixed))
    return reply
  },
})

const small: VariantOptions = { pets: 40, ids: 'random', order: 'newest' }

/** A rejected creation stores a pet. */
export const keptRejectionFaults: Row[] = [
  fault('rejected-array-kept', leavesNothing, () =>
    keeping(small, (_, text) => /^\[(\{.*\})\]$/.exec(text)?.[1]),
  ),
  // Known by its category alone: others add and remove pets all the time.
  fault('rejected-without-name-kept-among-others', leavesNothing, () =>
    keeping({ ...small, writerEveryMs: 300, removalEveryMs: 300 }, (body) => {
      const category = body?.get('categoryId')
      return body?.has('name') === false && category instanceof JsonNumber
        ? `{"name":"","categoryId":${category.text}}`
        : undefined
    }),
  ),
  // The list of all is full: only the list of the status shows it.
  fault('rejected-without-name-kept-of-many', leavesNothing, () =>
    keeping({ pets: 150, ids: 'sequential', order: 'oldest' }, (body) => {
      const [category, status] = [body?.get('categoryId'), body?.get('status')]
      return body?.has('name') === false && category instanceof JsonNumber
        ? `{"name":"","categoryId":${category.text},"status":"${String(status ?? 'sold')}"}`
        : undefined
    }),
  ),
]

/** A rejected creation affects others. */
export const rejectionEffectFaults: Row[] = [
  fault('all-rejected-after-one', ['create.success'], () => {
    let isStuck = false
    const say = only('createPet', (reply) => ((isStuck ||= reply.status === 400), reply))
    return {
      say,
      hear: (call) => (isStuck && call.operation === 'createPet' ? withBody(call, '') : call),
    }
  }),
  fault('rolled-back-with-a-rejected-one', stored, ({ sleep }) => {
    const [open, gone] = [new Set<string>(), new Set<string>()]
    return {
      shop: small,
      store: (table) => withoutAnywhere(table, ({ id }) => gone.has(String(id))),
      async respond(call, serve) {
        const reply = serve(call)
        if (reply.status === 400) for (const id of open) gone.add(id)
        const id =
          reply.status === 201 && reply.json instanceof Map ? String(reply.json.get('id')) : ''
        open.add(id)
        await sleep(reply.status === 201 ? 5 : 0)
        open.delete(id)
        return reply
      },
    }
  }),
]

/** A creation is rejected by an unspecified rule, but the pet is stored. */
export const lateRuleFaults: Row[] = [
  fault('media-type-rejected-and-kept', leavesNothing, () => ({
    shop: small,
    respond(call, serve) {
      const reply = serve(call)
      const headers = { ...call.request.headers, 'content-type': 'application/json' }
      if (reply.status === 415) serve(withRequest(call, { headers }))
      return reply
    },
  })),
]
