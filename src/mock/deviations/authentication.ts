import type { OperationId } from '../../spec/operations.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { readNewPet } from '../new-pet.ts'
import type { World } from '../world.ts'
import type { Bend, Deviation } from './deviation.ts'
import { errorOf, every, withPage, withText } from './replies.ts'
import { inPlaceOf, isRefused, operationOf, parameter, tokenOf, withKey } from './requests.ts'

/** Lets in requests without a valid key where a condition holds. */
function letsIn(condition: (request: MockRequest, world: World) => boolean): Bend {
  return (respond, world) => (request) => {
    const isOperation = operationOf(request, world) !== undefined
    const letIn = isOperation && isRefused(request, world) && condition(request, world)
    return respond(letIn ? withKey(request, world) : request)
  }
}

/** Answers requests without a valid key in another way. */
function answersRefused(
  answer: (request: MockRequest, world: World, refusal: MockReply) => MockReply | undefined,
): Bend {
  return (respond, world) => (request) => {
    const reply = respond(request)
    return reply.status === 401 ? (answer(request, world, reply) ?? reply) : reply
  }
}

const opens = (operation: OperationId): Bend => letsIn((request, world) => operationOf(request, world) === operation)
const hasToken = (request: MockRequest): boolean => (tokenOf(request) ?? '') !== ''
const keysOf = (world: World): readonly string[] => world.settings.keys

export const authentication = [
  {
    id: 'auth.list-open',
    clause: 'list.401',
    description: 'listPets needs no key.',
    bend: opens('listPets'),
  },
  {
    id: 'auth.create-open',
    clause: 'create.401',
    description: 'createPet needs no key.',
    bend: opens('createPet'),
  },
  {
    id: 'auth.get-open',
    clause: 'get.401',
    description: 'getPet, the forgotten route, needs no key.',
    bend: opens('getPet'),
  },
  {
    id: 'auth.any-value',
    clause: 'auth.invalid-key',
    description: 'Any Authorization header that is not empty lets in.',
    bend: letsIn(({ headers }) => (headers['authorization'] ?? '') !== ''),
  },
  {
    id: 'auth.any-token',
    clause: 'auth.invalid-key',
    description: 'Any bearer token lets in.',
    bend: letsIn(hasToken),
  },
  {
    id: 'auth.any-scheme',
    clause: 'auth.invalid-key',
    description: 'The key lets in whatever the scheme before it.',
    bend: letsIn(({ headers }, world) => keysOf(world).includes(String(headers['authorization']).split(' ')[1] ?? '')),
  },
  {
    id: 'auth.bare-key',
    clause: 'auth.invalid-key',
    description: 'The key lets in without a scheme.',
    bend: letsIn(({ headers }, world) => keysOf(world).includes(String(headers['authorization']))),
  },
  {
    id: 'auth.lengthened-key',
    clause: 'auth.invalid-key',
    description: 'A token that only begins with the key lets in.',
    bend: letsIn((request, world) => keysOf(world).some((key) => tokenOf(request)?.startsWith(key))),
  },
  {
    id: 'auth.cut-key',
    clause: 'auth.invalid-key',
    description: 'The beginning of the key lets in.',
    bend: letsIn(
      (request, world) => hasToken(request) && keysOf(world).some((key) => key.startsWith(tokenOf(request) ?? '')),
    ),
  },
  {
    id: 'auth.key-ignores-case',
    clause: 'auth.invalid-key',
    description: 'The key lets in in any letter case.',
    bend: letsIn((request, world) =>
      keysOf(world).some((key) => key.toLowerCase() === tokenOf(request)?.toLowerCase()),
    ),
  },
  {
    id: 'auth.empty-token',
    clause: 'auth.missing-key',
    description: 'The Bearer scheme with an empty token lets in.',
    bend: letsIn((request) => tokenOf(request) === ''),
  },
  {
    id: 'auth.empty-header',
    clause: 'auth.missing-key',
    description: 'An empty Authorization header lets in.',
    bend: letsIn(({ headers }) => headers['authorization'] === ''),
  },
  {
    id: 'auth.missing-is-400',
    clause: 'auth.missing-key',
    description: 'A missing key is answered with 400.',
    bend: answersRefused(({ headers }, world) =>
      headers['authorization'] === undefined ? errorOf(world, 400) : undefined,
    ),
  },
  {
    id: 'auth.missing-is-403',
    clause: 'auth.missing-key',
    description: 'A missing key is answered with 403.',
    bend: answersRefused(({ headers }, world) =>
      headers['authorization'] === undefined ? errorOf(world, 403) : undefined,
    ),
  },
  {
    id: 'auth.missing-is-404',
    clause: 'auth.missing-key',
    description: 'A missing key is answered with 404, as if nothing were there.',
    bend: answersRefused(({ headers }, world) =>
      headers['authorization'] === undefined ? errorOf(world, 404) : undefined,
    ),
  },
  {
    id: 'auth.invalid-is-403',
    clause: 'auth.invalid-key',
    description: 'A key that is not valid is answered with 403.',
    bend: answersRefused(({ headers }, world) =>
      headers['authorization'] === undefined ? undefined : errorOf(world, 403),
    ),
  },
  {
    id: 'auth.invalid-is-500',
    clause: 'auth.invalid-key',
    description: 'A key that is not valid brings the service down: 500.',
    bend: answersRefused((request, world) => (hasToken(request) ? errorOf(world, 500) : undefined)),
  },
  {
    id: 'auth.login-redirect',
    clause: 'auth.missing-key',
    description: 'A missing key is answered with a redirect to a login page.',
    bend: answersRefused(({ headers }, world) =>
      headers['authorization'] === undefined ? world.replies.empty(302, { location: '/login' }) : undefined,
    ),
  },
  {
    id: 'auth.empty-401',
    clause: 'error.body',
    description: '401 has no body.',
    bend: answersRefused((_request, _world, refusal) => withText(refusal, '', undefined)),
  },
  {
    id: 'auth.html-401',
    clause: 'error.body',
    description: '401 has an HTML page.',
    bend: answersRefused((_request, _world, refusal) => withPage(refusal)),
  },
  {
    id: 'auth.lookup-first',
    clause: 'get.401',
    description: 'Without a key, getPet answers 404 for a pet that does not exist: anybody can find out which do.',
    bend: (respond, world) => (request) => {
      if (operationOf(request, world) !== 'getPet' || !isRefused(request, world)) return respond(request)
      const reply = respond(withKey(request, world))
      return reply.status === 404 ? reply : respond(request)
    },
  },
  {
    id: 'auth.validation-first',
    clause: 'create.401',
    description: 'Without a key, createPet answers 400 to a bad body.',
    bend: (respond, world) => (request) => {
      const isBad = operationOf(request, world) === 'createPet' && 'mistake' in readNewPet(request.body)
      return respond(isBad ? withKey(request, world) : request)
    },
  },
  {
    id: 'auth.parameters-first',
    clause: 'list.401',
    description: 'Without a key, listPets answers 400 to a limit that is out of range.',
    bend: answersRefused((request, world) => {
      const limit = parameter(request, 'limit')
      const isBad = limit !== undefined && !/^([1-9]\d?|100)$/.test(limit)
      return isBad && operationOf(request, world) === 'listPets' ? errorOf(world, 400) : undefined
    }),
  },
  {
    id: 'auth.401-stores',
    clause: 'auth.required',
    description: 'A creation without a valid key is answered with 401, and the pet is stored.',
    bend: answersRefused((request, world) => {
      const sent = operationOf(request, world) === 'createPet' ? readNewPet(request.body) : undefined
      if (sent !== undefined && !('mistake' in sent)) {
        const { name, categoryId, status } = sent
        world.store.insert({ id: world.store.assignId(), name, categoryId, status })
      }
      return undefined
    }),
  },
  {
    id: 'auth.once-per-connection',
    clause: 'auth.required',
    description: 'The key is asked for at the first request of a connection only.',
    bend: (respond, world) => {
      const known = new WeakSet<object>()
      return (request) => {
        const connection = request.connection ?? world
        if (!isRefused(request, world)) known.add(connection)
        return respond(known.has(connection) ? withKey(request, world) : request)
      }
    },
  },
  {
    id: 'auth.once-per-address',
    clause: 'auth.required',
    description: 'An address that sent the key once is let in without it.',
    bend: (respond, world) => {
      const known = new Set<string | undefined>()
      return (request) => {
        if (!isRefused(request, world)) known.add(request.address)
        return respond(known.has(request.address) ? withKey(request, world) : request)
      }
    },
  },
  {
    id: 'auth.cached-list',
    clause: 'auth.required',
    description: 'A cache gives the list of somebody with a key to a request without one.',
    bend: (respond, world) => {
      const cache = new Map<string, MockReply>()
      return (request) => {
        if (operationOf(request, world) !== 'listPets') return respond(request)
        const cached = cache.get(request.target)
        if (cached !== undefined && isRefused(request, world)) return cached
        const reply = respond(request)
        if (reply.status === 200) cache.set(request.target, reply)
        return reply
      }
    },
  },
  {
    id: 'auth.one-in-ten-refused',
    clause: 'auth.bearer',
    description: 'One of ten replicas does not know the key, and answers 401.',
    bend: (respond, world) => {
      const isTenth = every(10)
      return (request) =>
        operationOf(request, world) !== undefined && isTenth()
          ? world.problems.unauthorized('The API key is not valid.')
          : respond(request)
    },
  },
  {
    id: 'auth.create-refused',
    clause: 'auth.bearer',
    description: 'A valid key is answered with 401 at createPet.',
    bend: inPlaceOf('createPet', (_request, world) => world.problems.unauthorized('The API key is not valid.')),
  },
  {
    id: 'auth.leaking-401',
    clause: 'error.body',
    description: '401 of getPet carries the pet.',
    bend: (respond, world) => (request) => {
      const reply = respond(request)
      if (reply.status !== 401 || operationOf(request, world) !== 'getPet') return reply
      return { ...reply, body: respond(withKey(request, world)).body }
    },
  },
  {
    id: 'auth.lower-case-empty',
    clause: 'error.body',
    description: 'The scheme in lower case is refused with 401 and an empty body.',
    bend: (respond, world) => (request) =>
      String(request.headers['authorization']).startsWith('bearer ')
        ? withText(world.problems.unauthorized('The scheme is not Bearer.'), '', undefined)
        : respond(request),
  },
] as const satisfies readonly Deviation[]
