import type { OperationId } from '../../spec/operations.ts'
import type { CredentialVerdict } from '../service/authenticate.ts'
import type { MockRequest } from '../service/message.ts'
import { readNewPet } from '../service/new-pet.ts'
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
import { empty, error, errorOf, onRejected, onReply, rejects } from './replies.ts'
import { fieldsOf, isRejected, operationOf, parameter, petIdOf, withKey } from './requests.ts'

/** Accepts requests without a valid key where a condition holds. */
function accepts(when: When): Apply {
  return (respond, context) => (request) => {
    const isAccepted = operationOf(request, context) !== undefined && when(request, context)
    return respond(isAccepted ? withKey(request) : request)
  }
}

/** Responds 404 before the key of a getPet is checked. */
const looksUpFirst =
  (when: (request: MockRequest) => boolean): Apply =>
  (respond, context) =>
  (request) => {
    const isMeant = operationOf(request, context) === 'getPet' && when(request)
    if (!isMeant || !isRejected(request, context)) return respond(request)
    const reply = respond(withKey(request))
    return reply.status === 404 ? reply : respond(request)
  }

const acceptsCredential = (isAccepted: (credential: CredentialVerdict) => boolean): Apply =>
  accepts((request, { credentialOf }) => isAccepted(credentialOf(request)))

const opens = (operation: OperationId): Apply =>
  accepts((request, context) => operationOf(request, context) === operation)
const isBearer = ({ scheme }: CredentialVerdict): boolean =>
  scheme === 'Bearer' || scheme === 'bearer-in-other-letters'
const hasToken = (credential: CredentialVerdict): boolean =>
  isBearer(credential) && credential.token !== 'absent'
const acceptsToken = (token: CredentialVerdict['token']): Apply =>
  acceptsCredential((credential) => isBearer(credential) && credential.token === token)
const hasNoHeader: When = (request, { credentialOf }) => credentialOf(request).scheme === 'absent'
const hasHeader: When = (request, context) => !hasNoHeader(request, context)
const hasBadLimit: When = (request) => !/^([1-9]\d?|100)$/.test(parameter(request, 'limit') ?? '1')

const holdsKey = (parameters: string, { settings }: DefectContext): boolean =>
  settings.keys.includes(new URLSearchParams(parameters).get('access_token') ?? '')

/** Accepts requests without a key from a source that has sent an accepted key before. */
function knows(
  sourceOf: (request: MockRequest, context: DefectContext) => string | number | undefined,
): Apply {
  return (respond, context) => (request) => {
    const source = String(sourceOf(request, context))
    if (source === '') return respond(request)
    if (!isRejected(request, context)) keep(context, source, true)
    return respond(context.memory[source] === true ? withKey(request) : request)
  }
}

export const authentication = {
  'list.401': {
    'auth.list-open': ['listPets needs no key.', opens('listPets')],
    'auth.parameters-first': [
      'Without a key, listPets responds 400 to a limit that is out of range.',
      onReply('listPets', 401, error(400), hasBadLimit),
    ],
  },
  'create.401': {
    'auth.create-open': ['createPet needs no key.', opens('createPet')],
    'auth.validation-first': [
      'Without a key, createPet responds 400 to a bad body.',
      accepts(
        (request, context) =>
          operationOf(request, context) === 'createPet' && 'mistake' in readNewPet(request.body),
      ),
    ],
  },
  'get.401': {
    'auth.get-open': ['getPet needs no key (a forgotten route).', opens('getPet')],
    'auth.lookup-first': [
      'Without a key, getPet responds 404 for a pet that does not exist, which reveals the ids of others.',
      looksUpFirst(() => true),
    ],
    'auth.digits-alone': [
      'Without a key, a petId with a sign gets 404: the route that needs a key matches digits alone.',
      looksUpFirst((request) => petIdOf(request).startsWith('-')),
    ],
  },
  'auth.invalid-key': {
    'auth.any-value': [
      'Any Authorization header that is not empty is accepted.',
      acceptsCredential(({ scheme }) => scheme !== 'absent' && scheme !== 'empty'),
    ],
    'auth.any-token': ['Any bearer token is accepted.', acceptsCredential(hasToken)],
    'auth.any-scheme': [
      'The key is accepted with any scheme before it.',
      acceptsCredential(({ scheme, token }) => scheme !== 'bare' && token === 'accepted'),
    ],
    'auth.bare-key': [
      'The key is accepted without a scheme.',
      acceptsCredential(({ scheme, token }) => scheme === 'bare' && token === 'accepted'),
    ],
    'auth.lengthened-key': [
      'A token that only begins with the key is accepted.',
      acceptsToken('lengthened'),
    ],
    'auth.cut-key': ['The beginning of the key is accepted.', acceptsToken('cut')],
    'auth.key-ignores-case': [
      'The key is accepted in any letter case.',
      acceptsToken('other-case'),
    ],
    'auth.invalid-is-403': ['A key that is not valid gets 403.', onRejected(error(403), hasHeader)],
    'auth.invalid-is-500': [
      'A key that is not valid crashes the service: 500.',
      onRejected(error(500), (request, { credentialOf }) => hasToken(credentialOf(request))),
    ],
  },
  'auth.missing-key': {
    'auth.empty-token': [
      'The Bearer scheme with an empty token is accepted.',
      acceptsToken('absent'),
    ],
    'auth.empty-header': [
      'An empty Authorization header is accepted.',
      acceptsCredential(({ scheme }) => scheme === 'empty'),
    ],
    'auth.key-in-query': [
      'The key is also accepted as a parameter of the query.',
      accepts(({ target }, context) => holdsKey(target.split('?')[1] ?? '', context)),
    ],
    'auth.key-in-form': [
      'The key is also accepted as a parameter of a form.',
      accepts(({ body }, context) => holdsKey(body, context)),
    ],
    'auth.key-in-body': [
      'The key is also accepted as a field of the body.',
      accepts((request, { settings }) =>
        settings.keys.some((key) => fieldsOf(request)?.['access_token'] === key),
      ),
    ],
    'auth.missing-is-400': ['A missing key gets 400.', onRejected(error(400), hasNoHeader)],
    'auth.missing-is-403': ['A missing key gets 403.', onRejected(error(403), hasNoHeader)],
    'auth.missing-is-404': [
      'A missing key gets 404, as an unknown path does.',
      onRejected(error(404), hasNoHeader),
    ],
    'auth.login-redirect': [
      'A missing key results in a redirect to a login page.',
      onRejected(empty(302, '/login'), hasNoHeader),
    ],
  },
  'auth.required': {
    'auth.401-stores': [
      'A creation without a valid key gets 401, and the pet is stored.',
      onReply('createPet', 401, (_reply, { body }, { store }) => {
        const sent = readNewPet(body)
        if ('mistake' in sent) return
        const { name, categoryId, status } = sent
        store.insert({ id: store.assignId(), name, categoryId, status })
      }),
    ],
    'auth.once-per-connection': [
      'The key is needed at the first request of a connection only.',
      knows(({ connection }) => connection),
    ],
    'auth.once-per-address': [
      'An address that sent the key once is accepted without it.',
      knows(({ address }) => address),
    ],
    'auth.cached-pet': [
      'A pet that was read with the key is shown without it, until the next creation.',
      knows((request, { store }) =>
        /\/pets\/./.test(request.target) ? `${request.target} ${store.size}` : '',
      ),
    ],
    'auth.cached-list': [
      'A cache returns the list of a request with a key to one without a key.',
      (respond, context) => (request) => {
        if (operationOf(request, context) !== 'listPets') return respond(request)
        const cached = recall(context, request.target)
        if (cached !== undefined && isRejected(request, context)) return cached
        const reply = respond(request)
        if (reply.status === 200) remember(context, request.target, reply)
        return reply
      },
    ],
  },
  'auth.bearer': {
    'auth.one-in-ten-rejected': [
      'One of ten replicas does not know the key, and responds 401.',
      (respond, context) => (request) =>
        operationOf(request, context) !== undefined && every(10)(request, context)
          ? errorOf(context, 401)
          : respond(request),
    ],
    'auth.create-rejected': ['A valid key gets 401 at createPet.', rejects('createPet', 401)],
  },
} as const satisfies Defects
