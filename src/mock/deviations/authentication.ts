import type { CredentialVerdict } from '../authenticate.ts'
import type { OperationId } from '../../spec/operations.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import { readNewPet } from '../new-pet.ts'
import type { Context } from '../context.ts'
import type { Apply, Deviation } from './deviation.ts'
import { isEvery, keep, recall, remember } from './memory.ts'
import { errorOf, withPage, withText } from './replies.ts'
import { inPlaceOf, isRefused, operationOf, parameter, withKey } from './requests.ts'

/** Lets in requests without a valid key where a condition holds. */
function accepts(condition: (request: SandboxRequest, context: Context) => boolean): Apply {
  return (respond, context) => (request) => {
    const isOperation = operationOf(request, context) !== undefined
    const isAccepted = isOperation && isRefused(request, context) && condition(request, context)
    return respond(isAccepted ? withKey(request) : request)
  }
}

/** Responds to requests without a valid key in another way. */
function onRejected(
  handle: (request: SandboxRequest, context: Context, refusal: MockReply) => MockReply | undefined,
): Apply {
  return (respond, context) => (request) => {
    const reply = respond(request)
    return reply.status === 401 ? (handle(request, context, reply) ?? reply) : reply
  }
}

const opens = (operation: OperationId): Apply =>
  accepts((request, context) => operationOf(request, context) === operation)
const isBearer = ({ scheme }: CredentialVerdict): boolean => scheme === 'Bearer' || scheme === 'bearer-in-other-letters'
/** Whether a request has the Bearer scheme and one of these tokens. */
const hasToken =
  (...tokens: CredentialVerdict['token'][]) =>
  ({ credential }: SandboxRequest): boolean =>
    isBearer(credential) && tokens.includes(credential.token)
const hasAnyToken = ({ credential }: SandboxRequest): boolean => isBearer(credential) && credential.token !== 'absent'
const hasNoHeader = ({ credential }: SandboxRequest): boolean => credential.scheme === 'absent'

/** Responds with another status to requests without a valid key that meet a condition. */
const rejectsWith = (status: number, condition: (request: SandboxRequest) => boolean): Apply =>
  onRejected((request, context) => (condition(request) ? errorOf(context, status) : undefined))

/** Lets in whatever comes from where an accepted key came from before. */
function knows(sourceOf: (request: SandboxRequest) => string | number | undefined): Apply {
  return (respond, context) => (request) => {
    const source = String(sourceOf(request))
    if (!isRefused(request, context)) keep(context, source, true)
    return respond(context.memory[source] === true ? withKey(request) : request)
  }
}

export const authentication = [
  {
    id: 'auth.list-open',
    clause: 'list.401',
    description: 'listPets needs no key.',
    apply: opens('listPets'),
  },
  {
    id: 'auth.create-open',
    clause: 'create.401',
    description: 'createPet needs no key.',
    apply: opens('createPet'),
  },
  {
    id: 'auth.get-open',
    clause: 'get.401',
    description: 'getPet, the forgotten route, needs no key.',
    apply: opens('getPet'),
  },
  {
    id: 'auth.any-value',
    clause: 'auth.invalid-key',
    description: 'Any Authorization header that is not empty lets in.',
    apply: accepts(({ credential }) => credential.scheme !== 'absent' && credential.scheme !== 'empty'),
  },
  {
    id: 'auth.any-token',
    clause: 'auth.invalid-key',
    description: 'Any bearer token lets in.',
    apply: accepts(hasAnyToken),
  },
  {
    id: 'auth.any-scheme',
    clause: 'auth.invalid-key',
    description: 'The key lets in whatever the scheme before it.',
    apply: accepts(({ credential }) => credential.scheme !== 'bare' && credential.token === 'accepted'),
  },
  {
    id: 'auth.bare-key',
    clause: 'auth.invalid-key',
    description: 'The key lets in without a scheme.',
    apply: accepts(({ credential }) => credential.scheme === 'bare' && credential.token === 'accepted'),
  },
  {
    id: 'auth.lengthened-key',
    clause: 'auth.invalid-key',
    description: 'A token that only begins with the key lets in.',
    apply: accepts(hasToken('accepted', 'lengthened')),
  },
  {
    id: 'auth.cut-key',
    clause: 'auth.invalid-key',
    description: 'The beginning of the key lets in.',
    apply: accepts(hasToken('accepted', 'cut')),
  },
  {
    id: 'auth.key-ignores-case',
    clause: 'auth.invalid-key',
    description: 'The key lets in in any letter case.',
    apply: accepts(hasToken('accepted', 'other-case')),
  },
  {
    id: 'auth.empty-token',
    clause: 'auth.missing-key',
    description: 'The Bearer scheme with an empty token lets in.',
    apply: accepts(hasToken('absent')),
  },
  {
    id: 'auth.empty-header',
    clause: 'auth.missing-key',
    description: 'An empty Authorization header lets in.',
    apply: accepts(({ credential }) => credential.scheme === 'empty'),
  },
  {
    id: 'auth.missing-is-400',
    clause: 'auth.missing-key',
    description: 'A missing key gets 400.',
    apply: rejectsWith(400, hasNoHeader),
  },
  {
    id: 'auth.missing-is-403',
    clause: 'auth.missing-key',
    description: 'A missing key gets 403.',
    apply: rejectsWith(403, hasNoHeader),
  },
  {
    id: 'auth.missing-is-404',
    clause: 'auth.missing-key',
    description: 'A missing key gets 404, as if nothing were there.',
    apply: rejectsWith(404, hasNoHeader),
  },
  {
    id: 'auth.invalid-is-403',
    clause: 'auth.invalid-key',
    description: 'A key that is not valid gets 403.',
    apply: rejectsWith(403, (request) => !hasNoHeader(request)),
  },
  {
    id: 'auth.invalid-is-500',
    clause: 'auth.invalid-key',
    description: 'A key that is not valid brings the service down: 500.',
    apply: rejectsWith(500, hasAnyToken),
  },
  {
    id: 'auth.login-redirect',
    clause: 'auth.missing-key',
    description: 'A missing key gets a redirect to a login page.',
    apply: onRejected((request, context) =>
      hasNoHeader(request) ? context.replies.empty(302, { location: '/login' }) : undefined,
    ),
  },
  {
    id: 'auth.empty-401',
    clause: 'error.body',
    description: '401 has no body.',
    apply: onRejected((_request, _context, refusal) => withText(refusal, '', undefined)),
  },
  {
    id: 'auth.html-401',
    clause: 'error.body',
    description: '401 has an HTML page.',
    apply: onRejected((_request, _context, refusal) => withPage(refusal)),
  },
  {
    id: 'auth.lookup-first',
    clause: 'get.401',
    description: 'Without a key, getPet responds 404 for a pet that does not exist: anybody can find out which do.',
    apply: (respond, context) => (request) => {
      if (operationOf(request, context) !== 'getPet' || !isRefused(request, context)) return respond(request)
      const reply = respond(withKey(request))
      return reply.status === 404 ? reply : respond(request)
    },
  },
  {
    id: 'auth.validation-first',
    clause: 'create.401',
    description: 'Without a key, createPet responds 400 to a bad body.',
    apply: (respond, context) => (request) => {
      const isBad = operationOf(request, context) === 'createPet' && 'mistake' in readNewPet(request.body)
      return respond(isBad ? withKey(request) : request)
    },
  },
  {
    id: 'auth.parameters-first',
    clause: 'list.401',
    description: 'Without a key, listPets responds 400 to a limit that is out of range.',
    apply: onRejected((request, context) => {
      const limit = parameter(request, 'limit')
      const isBad = limit !== undefined && !/^([1-9]\d?|100)$/.test(limit)
      return isBad && operationOf(request, context) === 'listPets' ? errorOf(context, 400) : undefined
    }),
  },
  {
    id: 'auth.401-stores',
    clause: 'auth.required',
    description: 'A creation without a valid key gets 401, and the pet is stored.',
    apply: onRejected((request, context) => {
      const sent = operationOf(request, context) === 'createPet' ? readNewPet(request.body) : undefined
      if (sent !== undefined && !('mistake' in sent)) {
        const { name, categoryId, status } = sent
        context.store.insert({ id: context.store.assignId(), name, categoryId, status })
      }
      return undefined
    }),
  },
  {
    id: 'auth.once-per-connection',
    clause: 'auth.required',
    description: 'The key is asked for at the first request of a connection only.',
    apply: knows(({ connection }) => connection),
  },
  {
    id: 'auth.once-per-address',
    clause: 'auth.required',
    description: 'An address that sent the key once is let in without it.',
    apply: knows(({ address }) => address),
  },
  {
    id: 'auth.cached-list',
    clause: 'auth.required',
    description: 'A cache gives the list of somebody with a key to a request without one.',
    apply: (respond, context) => (request) => {
      if (operationOf(request, context) !== 'listPets') return respond(request)
      const cached = recall(context, request.target)
      if (cached !== undefined && isRefused(request, context)) return cached
      const reply = respond(request)
      if (reply.status === 200) remember(context, request.target, reply)
      return reply
    },
  },
  {
    id: 'auth.one-in-ten-refused',
    clause: 'auth.bearer',
    description: 'One of ten replicas does not know the key, and responds 401.',
    apply: (respond, context) => (request) =>
      operationOf(request, context) !== undefined && isEvery(10, context)
        ? context.problems.refused('401', 'The API key is not valid.')
        : respond(request),
  },
  {
    id: 'auth.create-refused',
    clause: 'auth.bearer',
    description: 'A valid key gets 401 at createPet.',
    apply: inPlaceOf('createPet', (_request, context) => context.problems.refused('401', 'The API key is not valid.')),
  },
  {
    id: 'auth.leaking-401',
    clause: 'error.body',
    description: '401 of getPet carries the pet.',
    apply: (respond, context) => (request) => {
      const reply = respond(request)
      if (reply.status !== 401 || operationOf(request, context) !== 'getPet') return reply
      return { ...reply, body: respond(withKey(request)).body }
    },
  },
  {
    id: 'auth.lower-case-empty',
    clause: 'error.body',
    description: 'The scheme in lower case is refused with 401 and an empty body.',
    apply: (respond, context) => (request) =>
      request.credential.scheme === 'bearer-in-other-letters'
        ? withText(context.problems.refused('401', 'The scheme is not Bearer.'), '', undefined)
        : respond(request),
  },
] as const satisfies readonly Deviation[]
