import type { Int64 } from '../../spec/types.ts'
import { parsePet, type StoredPet } from '../pets/pet.ts'
import type { MockReply } from '../service/message.ts'
import {
  type Apply,
  type DefectContext,
  type Defects,
  every,
  keep,
  recall,
  remember,
  type When,
} from './defect.ts'
import {
  type ReplyChange,
  empty,
  error,
  json,
  onCreated,
  onList,
  onReply,
  rejects,
  status,
  text,
} from './replies.ts'
import {
  type Fields,
  fieldsOf,
  onFields,
  onRequest,
  operationOf,
  parameter,
  petIdOf,
} from './requests.ts'

const on201 = (change: ReplyChange): Apply => onReply('createPet', 201, change)

const onName = (change: (name: string) => string): Apply =>
  onFields(({ name, ...fields }) =>
    typeof name === 'string' ? { name: change(name), ...fields } : undefined,
  )

const onCategory = (change: (categoryId: Int64) => Int64): Apply =>
  onFields((fields) => {
    const { categoryId } = fields
    const isInteger = typeof categoryId === 'bigint' || Number.isInteger(categoryId)
    return isInteger ? { ...fields, categoryId: change(categoryId as Int64) } : undefined
  })

/** Rejects JSON objects that match a pattern, or with `isRejected` false those that do not. */
const rejectsBody = (pattern: RegExp, isRejected = true): Apply =>
  rejects(
    'createPet',
    400,
    (request) => fieldsOf(request) !== undefined && pattern.test(request.body) === isRejected,
  )

/** Gives a new pet another id, instead of the pet that has it. */
function renumber(
  { store, print }: DefectContext,
  pet: StoredPet,
  id: Int64,
  reply: MockReply,
): MockReply {
  if (id !== pet.id) store.remove(id)
  store.update(pet.id, { ...pet, id })
  return { ...reply, body: print({ ...pet, id }) }
}

const hidesNew = (when?: When): Apply =>
  onList(
    (pets, _request, { settings }) => pets.filter(({ id }) => (id as Int64) <= settings.pets),
    when,
  )

const nextStatus = { available: 'pending', pending: 'sold', sold: 'available' } as const

/** Delays each creation, and changes those that begin before the response to an earlier one. */
function duringCreation(
  change: (pet: StoredPet, earlier: Int64, context: DefectContext, reply: MockReply) => MockReply,
) {
  const delayMs = 60
  return onCreated((pet, context, reply) => {
    const now = context.clock.elapsed()
    const open = context.memory['open'] as [earlier: Int64, until: number] | undefined
    if (open !== undefined && now < open[1])
      return { ...change(pet, open[0], context, reply), delayMs }
    context.memory['open'] = [pet.id, now + delayMs - 5]
    return { ...reply, delayMs }
  })
}

export const creating = {
  'create.success': {
    'create.status-200': ['createPet responds 200.', on201(status(200))],
    'create.status-202': ['createPet responds 202 Accepted.', on201(status(202))],
    'create.redirects': [
      'createPet responds 303 See Other with the location of the pet.',
      on201((reply, ...rest) => empty(303, reply.headers['location'] ?? '/')(reply, ...rest)),
    ],
    'create.no-body': ['201 has no body.', on201(empty(201))],
    'create.reaches-list': [
      'POST reaches the list: 200 and an array.',
      onRequest('createPet', (request) => ({ ...request, method: 'GET', body: '' })),
    ],
    'create.id-alone': [
      '201 has only the id.',
      on201(json((pet) => ({ id: (pet as Fields)['id'] ?? null }))),
    ],
    'create.echo': [
      '201 has the NewPet that was sent, without an id.',
      on201((reply, request) => ({ ...reply, body: request.body })),
    ],
    'create.in-array': ['201 has an array with the pet.', on201(json((pet) => [pet]))],
    'create.name-lower-case': [
      'Names are stored in lower case.',
      onName((name) => name.toLowerCase()),
    ],
    'create.name-escaped': [
      'Names are stored escaped for HTML: Tom &amp; Jerry.',
      onName((name) =>
        name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
      ),
    ],
    'create.name-ascii': [
      'Characters of a name beyond ASCII are stored as question marks.',
      onName((name) => name.replaceAll(/[^\0-\x7f]/g, '?')),
    ],
    'create.name-utf16-cut': [
      'Characters beyond the basic plane, such as emoji, are lost from names.',
      onName((name) => name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '')),
    ],
    'create.name-cut': ['Names are cut to ten characters.', onName((name) => name.slice(0, 10))],
    'create.name-nul-cut': ['Names end at NUL.', onName((name) => name.split('\0')[0] as string)],
    'create.name-accents-lost': [
      'Combining accents, as decomposed letters have them, are lost from names.',
      onName((name) => name.replaceAll(/\p{Mn}/gu, '')),
    ],
    'create.name-255-bytes': [
      'Names are cut to 255 bytes, and half a letter at the end becomes U+FFFD.',
      onName((name) => new TextDecoder().decode(new TextEncoder().encode(name).slice(0, 255))),
    ],
    'create.category-zero': ['Each categoryId is stored as 0.', onCategory(() => 0)],
  },
  'create.exact': {
    'create.category-double': [
      'categoryId is rounded to a double: 9007199254740993 becomes ...992.',
      onCategory((categoryId) => {
        const rounded = BigInt(Number(categoryId))
        return rounded > 2n ** 63n - 1n ? 2n ** 63n - 1n : rounded
      }),
    ],
    'create.category-32-bit': [
      'categoryId is cut to 32 bits: 2147483648 becomes negative.',
      onCategory((categoryId) => BigInt.asIntN(32, BigInt(categoryId))),
    ],
    'create.category-unsigned': [
      'The sign of a negative categoryId is lost.',
      onCategory((categoryId) =>
        categoryId < 0 && categoryId > -(2n ** 63n) ? -categoryId : categoryId,
      ),
    ],
    'create.category-least-clamped': [
      'The least int64, -9223372036854775808, becomes -9223372036854775807.',
      onCategory((categoryId) => (categoryId === -(2n ** 63n) ? 1n - 2n ** 63n : categoryId)),
    ],
    'create.category-large-500': [
      'A categoryId beyond 2^53 crashes the service: 500.',
      onReply(
        'createPet',
        201,
        error(500),
        (request) => typeof fieldsOf(request)?.['categoryId'] === 'bigint',
      ),
    ],
  },
  'create.status': {
    'create.status-ignored': [
      'A status that was sent is ignored: each new pet is available.',
      onFields(({ status, ...fields }) =>
        status === 'pending' || status === 'sold' ? fields : undefined,
      ),
    ],
    'create.sold-rejected': [
      'A pet cannot be created as sold.',
      rejectsBody(/"status"\s*:\s*"sold"/),
    ],
  },
  'create.status-optional': {
    'create.status-required': [
      'A creation without status is rejected.',
      rejectsBody(/"status"\s*:/, false),
    ],
  },
  'http.json-request': {
    'create.charset-rejected': [
      'A Content-Type with a charset is rejected.',
      rejects('createPet', 415, ({ headers }) =>
        String(headers['content-type']).includes('charset'),
      ),
    ],
    'create.spaces-rejected': [
      'A body with white space between its tokens is rejected.',
      rejectsBody(/[\n\r\t]|[{,:] |^ /),
    ],
    'create.order-rejected': [
      'A body whose first field is not name is rejected.',
      rejectsBody(/^\s*\{\s*"name"/, false),
    ],
    'create.escapes-rejected': [
      'A body with \\u escapes is rejected.',
      rejectsBody(/\\u[\da-f]{4}/i),
    ],
    'create.escapes-kept': [
      'A \\u escape is stored as its six characters.',
      onRequest('createPet', (request) => ({
        ...request,
        body: request.body.replaceAll(/(?<!\\)\\u/g, String.raw`\\u`),
      })),
    ],
  },
  'create.id-assigned': {
    'create.client-id-adopted': [
      'A pet gets the id that the client sent.',
      on201((reply, request, context) => {
        const { id } = fieldsOf(request) ?? {}
        const isId = typeof id === 'number' || typeof id === 'bigint'
        return isId ? renumber(context, parsePet(reply.body), id, reply) : undefined
      }),
    ],
  },
  'pet.id.unique': {
    'create.same-id': [
      'Every second creation overwrites the pet before it: the same id twice.',
      onCreated((pet, context, reply) => {
        const id = context.memory['before'] as Int64 | null | undefined
        context.memory['before'] = id == null ? pet.id : null
        return id == null ? undefined : renumber(context, pet, id, reply)
      }),
    ],
    'create.one-same-id': [
      'One new pet gets the id of the pet before it, which it overwrites; the others get their own.',
      onCreated((pet, context, reply) => {
        const [before, made] = (context.memory['last'] ?? [0, 0]) as [Int64, number]
        context.memory['last'] = [pet.id, made + 1]
        return made === 5 ? renumber(context, pet, before, reply) : undefined
      }),
    ],
    'create.parallel-same-id': [
      'Concurrent creations get the same id; the last one is stored.',
      duringCreation((pet, earlier, context, reply) => renumber(context, pet, earlier, reply)),
    ],
  },
  'create.stored': {
    'create.not-stored': [
      '201 is returned, but nothing is stored.',
      onCreated(({ id }, { store }) => void store.remove(id)),
    ],
    'create.same-name-forgotten': [
      'A pet with the name of another gets 201, but is not stored.',
      onCreated(({ id, name }, context) => {
        if (context.memory[`name ${name}`] !== undefined) context.store.remove(id)
        keep(context, `name ${name}`, id)
      }),
    ],
    'create.returns-other-id': [
      'The id of the 201 is not the one that is stored.',
      onCreated((pet, { print }, reply) => ({
        ...reply,
        body: print({ ...pet, id: 1_000_000 + Number(pet.id) }),
      })),
    ],
    'create.name-changed-in-store': [
      '201 shows the name that was sent; another one is stored.',
      onCreated((pet, { store }) => store.update(pet.id, { ...pet, name: pet.name.toUpperCase() })),
    ],
    'create.forgets-previous': [
      'The store holds one new pet: each creation makes the one before it disappear.',
      onCreated(({ id }, { store, memory }) => {
        if (memory['before'] !== undefined) store.remove(memory['before'] as Int64)
        memory['before'] = id
      }),
    ],
    'create.expires': [
      'A new pet disappears after ten more requests.',
      (respond, context) => {
        const { memory, store } = context
        const created = onCreated(({ id }) => void (memory[`age of ${id}`] = [id, 0]))(
          respond,
          context,
        )
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
    ],
    'create.replica-lacks-pet': [
      'Every other read of a new pet comes from a replica that lacks it.',
      onReply(
        'getPet',
        200,
        (_reply, _request, { problems }) =>
          problems.rejected('404', 'There is no pet with this id.', undefined, 'getPet'),
        (request, context) =>
          Number(petIdOf(request)) > context.settings.pets && every(2)(request, context),
      ),
    ],
    'create.large-id-lost': [
      'New pets have ids beyond 2^31, and cannot be read.',
      (respond, context) =>
        onCreated((pet, _context, reply) =>
          renumber(context, pet, 2 ** 31 + Number(pet.id), reply),
        )((request) => {
          const isLarge =
            operationOf(request, context) === 'getPet' && Number(petIdOf(request)) > 2 ** 31
          return respond(
            isLarge ? { ...request, target: `${context.settings.basePath}/pets/0` } : request,
          )
        }, context),
    ],
    'create.parallel-lost': [
      'Concurrent creations all get 201, but only one is stored.',
      duringCreation(({ id }, _earlier, { store }, reply) => {
        store.remove(id)
        return reply
      }),
    ],
  },
  'create.listed': {
    'create.id-rounded-in-list': [
      'New pets have odd ids beyond 2^53, and lists round them to a double.',
      (respond, context) => {
        const renumbering = onCreated((pet, _context, reply) =>
          renumber(context, pet, 2n ** 53n + 2n * BigInt(pet.id) + 1n, reply),
        )
        const rounding = text((body) =>
          body.replaceAll(/"id":(\d{16})/g, (_, id: string) => `"id":${BigInt(Number(id))}`),
        )
        return onReply('listPets', 200, rounding)(renumbering(respond, context), context)
      },
    ],
    'create.never-listed': [
      'Lists never contain new pets: their index was built at the start.',
      hidesNew(),
    ],
    'create.never-filtered': [
      'Filtered lists never contain new pets: the index of statuses lacks them.',
      hidesNew((request) => parameter(request, 'status') !== undefined),
    ],
    'create.lists-cached': [
      'The first response to each list is repeated forever.',
      onReply('listPets', 200, (reply, { target }, context) => {
        const first = recall(context, target)
        if (first === undefined) remember(context, target, reply)
        return first
      }),
    ],
  },
  'state.reads-change-nothing': {
    'create.client-id-overwrites': [
      'A creation with the id of a pet changes the name of that pet.',
      on201((reply, request, { store }) => {
        const { id } = fieldsOf(request) ?? {}
        const victim = typeof id === 'number' ? store.pet(id) : undefined
        if (victim) store.update(victim.id, { ...victim, name: parsePet(reply.body).name })
      }),
    ],
    'create.same-name-overwrites': [
      'A creation with the name of a pet changes the status of that pet, too.',
      onCreated(({ id, name, status }, context) => {
        const { store, memory } = context
        const first = memory[`first ${name}`] as Int64 | undefined
        const pet = first === undefined ? undefined : store.pet(first)
        if (pet) store.update(pet.id, { ...pet, status })
        else keep(context, `first ${name}`, id)
      }),
    ],
    'create.sells-category': [
      'A new pet that is sold also sells the pets of its category.',
      onCreated(({ status, categoryId }, { store }) => {
        if (status !== 'sold') return
        for (const pet of store.list(undefined))
          if (pet.categoryId === categoryId) store.update(pet.id, { ...pet, status })
      }),
      40,
    ],
    'create.renames-first': [
      'Each creation changes the name of the first other pet.',
      onCreated(({ id, name }, { store, firstPets }) => {
        const first = firstPets(2).find((pet) => pet.id !== id)
        if (first) store.update(first.id, { ...first, name })
      }),
    ],
    'get.changes-status': [
      'Reading a pet changes its status.',
      onReply('getPet', 200, (reply, _request, { store }) => {
        const pet = parsePet(reply.body)
        store.update(pet.id, { ...pet, status: nextStatus[pet.status ?? 'sold'] })
      }),
    ],
    'get.removes': [
      'A pet that was read is gone.',
      onReply(
        'getPet',
        200,
        ({ body }, _request, { store }) => void store.remove(parsePet(body).id),
      ),
    ],
    'get.list-recategorizes': [
      'Each list changes the category of the first pet.',
      onReply('listPets', 200, (_reply, _request, { store, firstPets }) => {
        const [pet] = firstPets(1)
        if (pet) store.update(pet.id, { ...pet, categoryId: Number(pet.categoryId) + 1 })
      }),
    ],
  },
} as const satisfies Defects
