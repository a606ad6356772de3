import { parseJson } from '../../json.ts'
import type { Int64 } from '../../spec/types.ts'
import type { MockReply } from '../message.ts'
import { parsePet, type StoredPet } from '../pet-text.ts'
import type { World } from '../world.ts'
import type { Bend, Deviation } from './deviation.ts'
import { errorOf, onReply, withJson } from './replies.ts'
import { inPlaceOf, isRecord, membersOf, onMembers, onRequest, operationOf, petIdOf } from './requests.ts'

/** Does something with each pet that was created, before the 201 is sent. */
function onCreated(change: (pet: StoredPet, world: World, reply: MockReply) => MockReply | void): Bend {
  return onReply('createPet', 201, (reply, _request, world) => change(parsePet(reply.body), world, reply) ?? undefined)
}

/** Stores another name than the one that was sent. */
function onName(change: (name: string) => string): Bend {
  return onMembers((members) =>
    typeof members['name'] === 'string' ? { ...members, name: change(members['name']) } : undefined,
  )
}

/** Stores another categoryId than the one that was sent. */
function onCategory(change: (categoryId: Int64) => Int64): Bend {
  return onMembers((members) => {
    const { categoryId } = members
    const isInteger = typeof categoryId === 'bigint' || Number.isInteger(categoryId)
    return isInteger ? { ...members, categoryId: change(categoryId as Int64) } : undefined
  })
}

/** Refuses creations whose request is of a kind that must be taken. */
function refuses(status: number, isRefused: (body: string, mediaType: string) => boolean): Bend {
  return inPlaceOf('createPet', (request, world) =>
    membersOf(request) && isRefused(request.body, String(request.headers['content-type'] ?? ''))
      ? errorOf(world, status)
      : undefined,
  )
}

export const creating = [
  {
    id: 'create.status-200',
    clause: 'create.success',
    description: 'createPet answers 200.',
    bend: onReply('createPet', 201, (reply) => ({ ...reply, status: 200 })),
  },
  {
    id: 'create.status-202',
    clause: 'create.success',
    description: 'createPet answers 202 Accepted.',
    bend: onReply('createPet', 201, (reply) => ({ ...reply, status: 202 })),
  },
  {
    id: 'create.redirects',
    clause: 'create.success',
    description: 'createPet answers 303 See Other with the location of the pet.',
    bend: onReply('createPet', 201, (reply, _request, world) =>
      world.replies.empty(303, { location: reply.headers['location'] ?? '/' }),
    ),
  },
  {
    id: 'create.no-body',
    clause: 'create.success',
    description: '201 has no body.',
    bend: onReply('createPet', 201, (reply, _request, world) => world.replies.empty(reply.status)),
  },
  {
    id: 'create.reaches-list',
    clause: 'create.success',
    description: 'POST reaches the list: 200 and an array.',
    bend: onRequest('createPet', (request) => ({ ...request, method: 'GET', body: '' })),
  },
  {
    id: 'create.id-alone',
    clause: 'create.success',
    description: '201 has the id alone.',
    bend: onReply('createPet', 201, (reply) =>
      withJson(reply, (pet) => (isRecord(pet) ? { id: pet['id'] ?? null } : pet)),
    ),
  },
  {
    id: 'create.echo',
    clause: 'create.success',
    description: '201 has the NewPet that was sent, without an id.',
    bend: onReply('createPet', 201, (reply, request) => ({ ...reply, body: request.body })),
  },
  {
    id: 'create.in-array',
    clause: 'create.success',
    description: '201 has an array with the pet.',
    bend: onReply('createPet', 201, (reply) => withJson(reply, (pet) => [pet])),
  },
  {
    id: 'create.name-lower-case',
    clause: 'create.success',
    description: 'Names are stored in lower case.',
    bend: onName((name) => name.toLowerCase()),
  },
  {
    id: 'create.name-escaped',
    clause: 'create.success',
    description: 'Names are stored escaped for HTML: Tom &amp; Jerry.',
    bend: onName((name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')),
  },
  {
    id: 'create.name-ascii',
    clause: 'create.success',
    description: 'Characters of a name beyond ASCII are stored as question marks.',
    bend: onName((name) => name.replaceAll(/[^\0-\x7f]/g, '?')),
  },
  {
    id: 'create.name-utf16-cut',
    clause: 'create.success',
    description: 'Characters beyond the basic plane, such as emoji, are lost from names.',
    bend: onName((name) => name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '')),
  },
  {
    id: 'create.name-cut',
    clause: 'create.success',
    description: 'Names are cut to ten characters.',
    bend: onName((name) => name.slice(0, 10)),
  },
  {
    id: 'create.category-zero',
    clause: 'create.success',
    description: 'Each categoryId is stored as 0.',
    bend: onCategory(() => 0),
  },
  {
    id: 'create.category-double',
    clause: 'create.exact',
    description: 'categoryId goes through a double: 9007199254740993 becomes ...992.',
    bend: onCategory((categoryId) => {
      const rounded = BigInt(Number(categoryId))
      return rounded > 2n ** 63n - 1n ? 2n ** 63n - 1n : rounded
    }),
  },
  {
    id: 'create.category-32-bit',
    clause: 'create.exact',
    description: 'categoryId is cut to 32 bits: 2147483648 becomes negative.',
    bend: onCategory((categoryId) => BigInt.asIntN(32, BigInt(categoryId))),
  },
  {
    id: 'create.category-unsigned',
    clause: 'create.exact',
    description: 'The sign of a negative categoryId is lost.',
    bend: onCategory((categoryId) => (categoryId < 0 && categoryId > -(2n ** 63n) ? -categoryId : categoryId)),
  },
  {
    id: 'create.category-large-500',
    clause: 'create.exact',
    description: 'A categoryId beyond 2^53 brings the service down: 500.',
    bend: inPlaceOf('createPet', (request, world, respond) =>
      typeof membersOf(request)?.['categoryId'] === 'bigint' && respond(request).status === 201
        ? errorOf(world, 500)
        : undefined,
    ),
  },
  {
    id: 'create.status-ignored',
    clause: 'create.status',
    description: 'A status that was sent is ignored: each new pet is available.',
    bend: onMembers(({ status, ...members }) => (status === 'pending' || status === 'sold' ? members : undefined)),
  },
  {
    id: 'create.sold-refused',
    clause: 'create.status',
    description: 'A pet cannot be created as sold.',
    bend: refuses(400, (body) => /"status"\s*:\s*"sold"/.test(body)),
  },
  {
    id: 'create.status-required',
    clause: 'create.status-optional',
    description: 'A creation without status is refused.',
    bend: refuses(400, (body) => isRecord(parseJson(body)) && !/"status"\s*:/.test(body)),
  },
  {
    id: 'create.charset-refused',
    clause: 'http.json-request',
    description: 'A Content-Type with a charset is refused.',
    bend: refuses(415, (_body, mediaType) => mediaType.includes('charset')),
  },
  {
    id: 'create.spaces-refused',
    clause: 'http.json-request',
    description: 'A body with white space between its tokens is refused.',
    bend: refuses(400, (body) => /[\n\r\t]|[{,:] |^ /.test(body)),
  },
  {
    id: 'create.order-refused',
    clause: 'http.json-request',
    description: 'A body whose first member is not name is refused.',
    bend: refuses(400, (body) => !/^\s*\{\s*"name"/.test(body)),
  },
  {
    id: 'create.escapes-refused',
    clause: 'http.json-request',
    description: 'A body with \\u escapes is refused.',
    bend: refuses(400, (body) => /\\u[\da-f]{4}/i.test(body)),
  },
  {
    id: 'create.escapes-kept',
    clause: 'http.json-request',
    description: 'A \\u escape is stored as its six characters.',
    bend: onRequest('createPet', (request) => ({
      ...request,
      body: request.body.replaceAll(/(?<!\\)\\u/g, String.raw`\\u`),
    })),
  },
  {
    id: 'create.client-id-adopted',
    clause: 'create.id-assigned',
    description: 'A pet gets the id that the client sent.',
    bend: (respond, world) => (request) => {
      const reply = respond(request)
      const { id } = membersOf(request) ?? {}
      if (operationOf(request, world) !== 'createPet' || reply.status !== 201) return reply
      if (typeof id !== 'number' && typeof id !== 'bigint') return reply
      const pet = parsePet(reply.body)
      world.store.remove(id)
      world.store.update(pet.id, { ...pet, id })
      return { ...reply, body: world.store.print({ ...pet, id }) }
    },
  },
  {
    id: 'create.client-id-overwrites',
    clause: 'state.reads-change-nothing',
    description: 'A creation with the id of a pet changes the name of that pet.',
    bend: onReply('createPet', 201, (reply, request, world) => {
      const { id } = membersOf(request) ?? {}
      const victim = typeof id === 'number' ? world.store.pet(id) : undefined
      if (victim) world.store.update(victim.id, { ...victim, name: parsePet(reply.body).name })
      return reply
    }),
  },
  {
    id: 'create.renames-first',
    clause: 'state.reads-change-nothing',
    description: 'Each creation changes the name of the first pet.',
    bend: onCreated((pet, { store }) => {
      const first = store.pet(1)
      if (first) store.update(1, { ...first, name: pet.name })
    }),
  },
  {
    id: 'create.same-id',
    clause: 'pet.id.unique',
    description: 'Every second creation overwrites the pet before it: the same id twice.',
    bend: (respond, world) => {
      let before: Int64 | undefined
      return onCreated((pet, { store }, reply) => {
        const id = before
        before = id === undefined ? pet.id : undefined
        if (id === undefined) return undefined
        store.remove(pet.id)
        store.update(id, { ...pet, id })
        return { ...reply, body: store.print({ ...pet, id }) }
      })(respond, world)
    },
  },
  {
    id: 'create.not-stored',
    clause: 'create.stored',
    description: '201 is a promise: nothing is stored.',
    bend: onCreated(({ id }, { store }) => void store.remove(id)),
  },
  {
    id: 'create.answers-other-id',
    clause: 'create.stored',
    description: 'The id of the 201 is not the one that is stored.',
    bend: onCreated((pet, { store }, reply) => ({
      ...reply,
      body: store.print({ ...pet, id: 1_000_000 + Number(pet.id) }),
    })),
  },
  {
    id: 'create.name-changed-in-store',
    clause: 'create.stored',
    description: '201 shows the name that was sent; another one is stored.',
    bend: onCreated((pet, { store }) => store.update(pet.id, { ...pet, name: pet.name.toUpperCase() })),
  },
  {
    id: 'create.forgets-previous',
    clause: 'create.stored',
    description: 'There is room for one new pet: each creation makes the one before it disappear.',
    bend: (respond, world) => {
      let before: Int64 | undefined
      return onCreated(({ id }, { store }) => {
        if (before !== undefined) store.remove(before)
        before = id
      })(respond, world)
    },
  },
  {
    id: 'create.expires',
    clause: 'create.stored',
    description: 'A new pet disappears after ten more requests.',
    bend: (respond, world) => {
      const ages = new Map<Int64, number>()
      return (request) => {
        for (const [id, age] of ages) {
          ages.set(id, age + 1)
          if (age >= 10) world.store.remove(id)
        }
        return onCreated(({ id }) => void ages.set(id, 0))(respond, world)(request)
      }
    },
  },
  {
    id: 'create.replica-lacks-pet',
    clause: 'create.stored',
    description: 'Every other read of a new pet comes from a replica that lacks it.',
    bend: (respond, world) => {
      let reads = 0
      return (request) => {
        const isNew = operationOf(request, world) === 'getPet' && Number(petIdOf(request)) > world.settings.pets
        const reply = respond(request)
        if (!isNew || reply.status !== 200) return reply
        reads += 1
        return reads % 2 === 0 ? world.problems.getRefused('404', 'There is no pet with this id.') : reply
      }
    },
  },
  {
    id: 'create.large-id-lost',
    clause: 'create.stored',
    description: 'New pets have ids beyond 2^31, and cannot be read.',
    bend: (respond, world) =>
      onCreated((pet, { store }, reply) => {
        const id = 2 ** 31 + Number(pet.id)
        store.update(pet.id, { ...pet, id })
        return { ...reply, body: store.print({ ...pet, id }) }
      })((request) => {
        const isLarge = operationOf(request, world) === 'getPet' && Number(petIdOf(request)) > 2 ** 31
        return respond(isLarge ? { ...request, target: `${world.settings.basePath}/pets/0` } : request)
      }, world),
  },
  {
    id: 'create.id-rounded-in-list',
    clause: 'create.listed',
    description: 'New pets have odd ids beyond 2^53, and lists show them through a double.',
    bend: (respond, world) =>
      onReply('listPets', 200, (reply) => ({
        ...reply,
        body: reply.body.replaceAll(/"id":(\d{16})/g, (_, id: string) => `"id":${BigInt(Number(id))}`),
      }))(
        onCreated((pet, { store }, reply) => {
          const id = 2n ** 53n + 2n * BigInt(pet.id) + 1n
          store.update(pet.id, { ...pet, id })
          return { ...reply, body: store.print({ ...pet, id }) }
        })(respond, world),
        world,
      ),
  },
  {
    id: 'create.never-listed',
    clause: 'create.listed',
    description: 'New pets are in no list: its index was made at the start.',
    bend: onReply('listPets', 200, (reply, _request, world) =>
      withJson(reply, (pets) => (pets as { id: Int64 }[]).filter(({ id }) => id <= world.settings.pets)),
    ),
  },
  {
    id: 'create.never-filtered',
    clause: 'create.listed',
    description: 'New pets are in no filtered list: the index of statuses misses them.',
    bend: onReply('listPets', 200, (reply, { target }, world) =>
      target.includes('status=')
        ? withJson(reply, (pets) => (pets as { id: Int64 }[]).filter(({ id }) => id <= world.settings.pets))
        : undefined,
    ),
  },
  {
    id: 'create.lists-cached',
    clause: 'create.listed',
    description: 'The first answer to each list is repeated for ever.',
    bend: (respond, world) => {
      const first = new Map<string, MockReply>()
      return onReply('listPets', 200, (reply, { target }) => {
        if (!first.has(target)) first.set(target, reply)
        return first.get(target)
      })(respond, world)
    },
  },
  {
    id: 'create.parallel-same-id',
    clause: 'pet.id.unique',
    description: 'Creations at the same time get the same id; the last one is stored.',
    bend: duringCreation((pet, earlier, { store }, reply) => {
      store.remove(pet.id)
      store.update(earlier, { ...pet, id: earlier })
      return { ...reply, body: store.print({ ...pet, id: earlier }) }
    }),
  },
  {
    id: 'create.parallel-lost',
    clause: 'create.stored',
    description: 'Of creations at the same time, all are answered with 201 and one is stored.',
    bend: duringCreation(({ id }, _earlier, { store }, reply) => {
      store.remove(id)
      return reply
    }),
  },
] as const satisfies readonly Deviation[]

/**
 * Each creation takes a while. What happens to one that begins before an earlier one has been answered is up to the
 * deviation; one after the other, they are as they should be.
 */
function duringCreation(change: (pet: StoredPet, earlier: Int64, world: World, reply: MockReply) => MockReply): Bend {
  const delayMs = 60
  return (respond, world) => {
    let open: { id: Int64; until: number } | undefined
    return onCreated((pet, _world, reply) => {
      const now = world.clock.elapsed()
      const earlier = open
      if (earlier !== undefined && now < earlier.until) return { ...change(pet, earlier.id, world, reply), delayMs }
      open = { id: pet.id, until: now + delayMs - 5 }
      return { ...reply, delayMs }
    })(respond, world)
  }
}
