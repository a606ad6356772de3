import { parseJson } from '../../json.ts'
import type { Int64 } from '../../spec/types.ts'
import type { MockReply } from '../message.ts'
import { parsePet, type StoredPet } from '../catalog.ts'
import type { Context } from '../context.ts'
import { isEvery, recall, remember } from './memory.ts'
import type { Apply, Deviation } from './deviation.ts'
import { errorOf, onReply, refuses, withJson } from './replies.ts'
import { inPlaceOf, isRecord, fieldsOf, onFields, onRequest, operationOf, petIdOf } from './requests.ts'

/** Does something with each pet that was created, before the 201 is sent. */
function onCreated(change: (pet: StoredPet, context: Context, reply: MockReply) => MockReply | void): Apply {
  return onReply(
    'createPet',
    201,
    (reply, _request, context) => change(parsePet(reply.body), context, reply) ?? undefined,
  )
}

/** Stores another name than the one that was sent. */
function onName(change: (name: string) => string): Apply {
  return onFields((fields) =>
    typeof fields['name'] === 'string' ? { ...fields, name: change(fields['name']) } : undefined,
  )
}

/** Stores another categoryId than the one that was sent. */
function onCategory(change: (categoryId: Int64) => Int64): Apply {
  return onFields((fields) => {
    const { categoryId } = fields
    const isInteger = typeof categoryId === 'bigint' || Number.isInteger(categoryId)
    return isInteger ? { ...fields, categoryId: change(categoryId as Int64) } : undefined
  })
}

/** Refuses creations whose request is of a kind that must be accepted. */
function refusesCreation(status: number, isRefused: (body: string, mediaType: string) => boolean): Apply {
  return refuses('createPet', status, (request) => {
    const mediaType = String(request.headers['content-type'] ?? '')
    return fieldsOf(request) !== undefined && isRefused(request.body, mediaType)
  })
}

/** Gives a new pet another id. */
function renumber({ store, print }: Context, pet: StoredPet, id: Int64, reply: MockReply): MockReply {
  if (id !== pet.id) store.remove(id)
  store.update(pet.id, { ...pet, id })
  return { ...reply, body: print({ ...pet, id }) }
}

/** Shows in lists the pets of the start only. */
const onlyInitial = (reply: MockReply, { settings }: Context): MockReply =>
  withJson(reply, (pets) => (pets as { id: Int64 }[]).filter(({ id }) => id <= settings.pets))

export const creating = [
  {
    id: 'create.status-200',
    clause: 'create.success',
    description: 'createPet responds 200.',
    apply: onReply('createPet', 201, (reply) => ({ ...reply, status: 200 })),
  },
  {
    id: 'create.status-202',
    clause: 'create.success',
    description: 'createPet responds 202 Accepted.',
    apply: onReply('createPet', 201, (reply) => ({ ...reply, status: 202 })),
  },
  {
    id: 'create.redirects',
    clause: 'create.success',
    description: 'createPet responds 303 See Other with the location of the pet.',
    apply: onReply('createPet', 201, (reply, _request, context) =>
      context.replies.empty(303, { location: reply.headers['location'] ?? '/' }),
    ),
  },
  {
    id: 'create.no-body',
    clause: 'create.success',
    description: '201 has no body.',
    apply: onReply('createPet', 201, (reply, _request, context) => context.replies.empty(reply.status)),
  },
  {
    id: 'create.reaches-list',
    clause: 'create.success',
    description: 'POST reaches the list: 200 and an array.',
    apply: onRequest('createPet', (request) => ({ ...request, method: 'GET', body: '' })),
  },
  {
    id: 'create.id-alone',
    clause: 'create.success',
    description: '201 has the id alone.',
    apply: onReply('createPet', 201, (reply) =>
      withJson(reply, (pet) => (isRecord(pet) ? { id: pet['id'] ?? null } : pet)),
    ),
  },
  {
    id: 'create.echo',
    clause: 'create.success',
    description: '201 has the NewPet that was sent, without an id.',
    apply: onReply('createPet', 201, (reply, request) => ({ ...reply, body: request.body })),
  },
  {
    id: 'create.in-array',
    clause: 'create.success',
    description: '201 has an array with the pet.',
    apply: onReply('createPet', 201, (reply) => withJson(reply, (pet) => [pet])),
  },
  {
    id: 'create.name-lower-case',
    clause: 'create.success',
    description: 'Names are stored in lower case.',
    apply: onName((name) => name.toLowerCase()),
  },
  {
    id: 'create.name-escaped',
    clause: 'create.success',
    description: 'Names are stored escaped for HTML: Tom &amp; Jerry.',
    apply: onName((name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')),
  },
  {
    id: 'create.name-ascii',
    clause: 'create.success',
    description: 'Characters of a name beyond ASCII are stored as question marks.',
    apply: onName((name) => name.replaceAll(/[^\0-\x7f]/g, '?')),
  },
  {
    id: 'create.name-utf16-cut',
    clause: 'create.success',
    description: 'Characters beyond the basic plane, such as emoji, are lost from names.',
    apply: onName((name) => name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '')),
  },
  {
    id: 'create.name-cut',
    clause: 'create.success',
    description: 'Names are cut to ten characters.',
    apply: onName((name) => name.slice(0, 10)),
  },
  {
    id: 'create.category-zero',
    clause: 'create.success',
    description: 'Each categoryId is stored as 0.',
    apply: onCategory(() => 0),
  },
  {
    id: 'create.category-double',
    clause: 'create.exact',
    description: 'categoryId goes through a double: 9007199254740993 becomes ...992.',
    apply: onCategory((categoryId) => {
      const rounded = BigInt(Number(categoryId))
      return rounded > 2n ** 63n - 1n ? 2n ** 63n - 1n : rounded
    }),
  },
  {
    id: 'create.category-32-bit',
    clause: 'create.exact',
    description: 'categoryId is cut to 32 bits: 2147483648 becomes negative.',
    apply: onCategory((categoryId) => BigInt.asIntN(32, BigInt(categoryId))),
  },
  {
    id: 'create.category-unsigned',
    clause: 'create.exact',
    description: 'The sign of a negative categoryId is lost.',
    apply: onCategory((categoryId) => (categoryId < 0 && categoryId > -(2n ** 63n) ? -categoryId : categoryId)),
  },
  {
    id: 'create.category-large-500',
    clause: 'create.exact',
    description: 'A categoryId beyond 2^53 brings the service down: 500.',
    apply: inPlaceOf('createPet', (request, context, respond) =>
      typeof fieldsOf(request)?.['categoryId'] === 'bigint' && respond(request).status === 201
        ? errorOf(context, 500)
        : undefined,
    ),
  },
  {
    id: 'create.status-ignored',
    clause: 'create.status',
    description: 'A status that was sent is ignored: each new pet is available.',
    apply: onFields(({ status, ...fields }) => (status === 'pending' || status === 'sold' ? fields : undefined)),
  },
  {
    id: 'create.sold-refused',
    clause: 'create.status',
    description: 'A pet cannot be created as sold.',
    apply: refusesCreation(400, (body) => /"status"\s*:\s*"sold"/.test(body)),
  },
  {
    id: 'create.status-required',
    clause: 'create.status-optional',
    description: 'A creation without status is refused.',
    apply: refusesCreation(400, (body) => isRecord(parseJson(body)) && !/"status"\s*:/.test(body)),
  },
  {
    id: 'create.charset-refused',
    clause: 'http.json-request',
    description: 'A Content-Type with a charset is refused.',
    apply: refusesCreation(415, (_body, mediaType) => mediaType.includes('charset')),
  },
  {
    id: 'create.spaces-refused',
    clause: 'http.json-request',
    description: 'A body with white space between its tokens is refused.',
    apply: refusesCreation(400, (body) => /[\n\r\t]|[{,:] |^ /.test(body)),
  },
  {
    id: 'create.order-refused',
    clause: 'http.json-request',
    description: 'A body whose first field is not name is refused.',
    apply: refusesCreation(400, (body) => !/^\s*\{\s*"name"/.test(body)),
  },
  {
    id: 'create.escapes-refused',
    clause: 'http.json-request',
    description: 'A body with \\u escapes is refused.',
    apply: refusesCreation(400, (body) => /\\u[\da-f]{4}/i.test(body)),
  },
  {
    id: 'create.escapes-kept',
    clause: 'http.json-request',
    description: 'A \\u escape is stored as its six characters.',
    apply: onRequest('createPet', (request) => ({
      ...request,
      body: request.body.replaceAll(/(?<!\\)\\u/g, String.raw`\\u`),
    })),
  },
  {
    id: 'create.client-id-adopted',
    clause: 'create.id-assigned',
    description: 'A pet gets the id that the client sent.',
    apply: onReply('createPet', 201, (reply, request, context) => {
      const { id } = fieldsOf(request) ?? {}
      const isId = typeof id === 'number' || typeof id === 'bigint'
      return isId ? renumber(context, parsePet(reply.body), id, reply) : undefined
    }),
  },
  {
    id: 'create.client-id-overwrites',
    clause: 'state.reads-change-nothing',
    description: 'A creation with the id of a pet changes the name of that pet.',
    apply: onReply('createPet', 201, (reply, request, context) => {
      const { id } = fieldsOf(request) ?? {}
      const victim = typeof id === 'number' ? context.store.pet(id) : undefined
      if (victim) context.store.update(victim.id, { ...victim, name: parsePet(reply.body).name })
      return reply
    }),
  },
  {
    id: 'create.renames-first',
    clause: 'state.reads-change-nothing',
    description: 'Each creation changes the name of the first other pet.',
    apply: onCreated((pet, { store, firstPets }) => {
      const first = firstPets(2).find(({ id }) => id !== pet.id)
      if (first) store.update(first.id, { ...first, name: pet.name })
    }),
  },
  {
    id: 'create.same-id',
    clause: 'pet.id.unique',
    description: 'Every second creation overwrites the pet before it: the same id twice.',
    apply: onCreated((pet, { store, memory, print }, reply) => {
      const id = memory['before'] as Int64 | null | undefined
      memory['before'] = id == null ? pet.id : null
      if (id == null) return undefined
      store.remove(pet.id)
      store.update(id, { ...pet, id })
      return { ...reply, body: print({ ...pet, id }) }
    }),
  },
  {
    id: 'create.not-stored',
    clause: 'create.stored',
    description: '201 is a promise: nothing is stored.',
    apply: onCreated(({ id }, { store }) => void store.remove(id)),
  },
  {
    id: 'create.answers-other-id',
    clause: 'create.stored',
    description: 'The id of the 201 is not the one that is stored.',
    apply: onCreated((pet, { print }, reply) => ({
      ...reply,
      body: print({ ...pet, id: 1_000_000 + Number(pet.id) }),
    })),
  },
  {
    id: 'create.name-changed-in-store',
    clause: 'create.stored',
    description: '201 shows the name that was sent; another one is stored.',
    apply: onCreated((pet, { store }) => store.update(pet.id, { ...pet, name: pet.name.toUpperCase() })),
  },
  {
    id: 'create.forgets-previous',
    clause: 'create.stored',
    description: 'There is room for one new pet: each creation makes the one before it disappear.',
    apply: onCreated(({ id }, { store, memory }) => {
      if (memory['before'] !== undefined) store.remove(memory['before'] as Int64)
      memory['before'] = id
    }),
  },
  {
    id: 'create.expires',
    clause: 'create.stored',
    description: 'A new pet disappears after ten more requests.',
    apply: (respond, context) => {
      const { memory, store } = context
      const created = onCreated(({ id }) => void (memory[`age of ${id}`] = [id, 0]))(respond, context)
      return (request) => {
        for (const [name, value] of Object.entries(memory)) {
          const [id, age] = value as [Int64, number]
          if (age < 10) memory[name] = [id, age + 1]
          else {
            store.remove(id)
            delete memory[name]
          }
        }
        return created(request)
      }
    },
  },
  {
    id: 'create.replica-lacks-pet',
    clause: 'create.stored',
    description: 'Every other read of a new pet comes from a replica that lacks it.',
    apply: onReply('getPet', 200, (_reply, request, context) =>
      Number(petIdOf(request)) > context.settings.pets && isEvery(2, context)
        ? context.problems.getRefused('404', 'There is no pet with this id.')
        : undefined,
    ),
  },
  {
    id: 'create.large-id-lost',
    clause: 'create.stored',
    description: 'New pets have ids beyond 2^31, and cannot be read.',
    apply: (respond, context) =>
      onCreated((pet, _context, reply) => renumber(context, pet, 2 ** 31 + Number(pet.id), reply))((request) => {
        const isLarge = operationOf(request, context) === 'getPet' && Number(petIdOf(request)) > 2 ** 31
        return respond(isLarge ? { ...request, target: `${context.settings.basePath}/pets/0` } : request)
      }, context),
  },
  {
    id: 'create.id-rounded-in-list',
    clause: 'create.listed',
    description: 'New pets have odd ids beyond 2^53, and lists show them through a double.',
    apply: (respond, context) =>
      onReply('listPets', 200, (reply) => ({
        ...reply,
        body: reply.body.replaceAll(/"id":(\d{16})/g, (_, id: string) => `"id":${BigInt(Number(id))}`),
      }))(
        onCreated((pet, _context, reply) => renumber(context, pet, 2n ** 53n + 2n * BigInt(pet.id) + 1n, reply))(
          respond,
          context,
        ),
        context,
      ),
  },
  {
    id: 'create.never-listed',
    clause: 'create.listed',
    description: 'New pets are in no list: its index was made at the start.',
    apply: onReply('listPets', 200, (reply, _request, context) => onlyInitial(reply, context)),
  },
  {
    id: 'create.never-filtered',
    clause: 'create.listed',
    description: 'New pets are in no filtered list: the index of statuses misses them.',
    apply: onReply('listPets', 200, (reply, { target }, context) =>
      target.includes('status=') ? onlyInitial(reply, context) : undefined,
    ),
  },
  {
    id: 'create.lists-cached',
    clause: 'create.listed',
    description: 'The first response to each list is repeated for ever.',
    apply: onReply('listPets', 200, (reply, { target }, context) => {
      const first = recall(context, target)
      if (first === undefined) remember(context, target, reply)
      return first
    }),
  },
  {
    id: 'create.parallel-same-id',
    clause: 'pet.id.unique',
    description: 'Creations at the same time get the same id; the last one is stored.',
    apply: duringCreation((pet, earlier, { store, print }, reply) => {
      store.remove(pet.id)
      store.update(earlier, { ...pet, id: earlier })
      return { ...reply, body: print({ ...pet, id: earlier }) }
    }),
  },
  {
    id: 'create.parallel-lost',
    clause: 'create.stored',
    description: 'Of creations at the same time, all get 201 and one is stored.',
    apply: duringCreation(({ id }, _earlier, { store }, reply) => {
      store.remove(id)
      return reply
    }),
  },
] as const satisfies readonly Deviation[]

/**
 * Each creation takes a while. What happens to one that begins before the response to an earlier one is up to the
 * deviation; one after the other, they are as they should be.
 */
function duringCreation(
  change: (pet: StoredPet, earlier: Int64, context: Context, reply: MockReply) => MockReply,
): Apply {
  const delayMs = 60
  return onCreated((pet, context, reply) => {
    const now = context.clock.elapsed()
    const open = context.memory['open'] as [earlier: Int64, until: number] | undefined
    if (open !== undefined && now < open[1]) return { ...change(pet, open[0], context, reply), delayMs }
    context.memory['open'] = [pet.id, now + delayMs - 5]
    return { ...reply, delayMs }
  })
}
