import { operationOf, isMalformed, petIdOf, withKey, inPlaceOf } from './requests.ts'
import type { Defects } from './defect.ts'
import {
  bodiless,
  drop,
  errorOf,
  onError,
  onErrorBody,
  onRejected,
  onReply,
  set,
  textOf,
  withPage,
  withText,
} from './replies.ts'

export const errors = {
  'error.body': {
    'error.empty': ['Errors have no body.', onError(bodiless)],
    'error.page': ['Errors are HTML pages.', onError(withPage)],
    'error.text': [
      'Errors are plain text.',
      onError((reply) => withText(reply, 'Something went wrong.', 'text/plain')),
    ],
    'error.array': ['Errors are an array of Error objects.', onErrorBody((body) => [body])],
    'error.nested': [
      'The Error is wrapped in an envelope: { error: {...} }.',
      onErrorBody((error) => ({ error })),
    ],
    'error.string': ['Errors are a JSON string.', onErrorBody(({ message = '' }) => message)],
    'error.problem-details': [
      'Errors have the fields of RFC 9457: type, title, detail, status.',
      onErrorBody(({ message: detail = '', status = 0 }) => ({
        type: 'about:blank',
        title: 'Error',
        detail,
        status,
      })),
    ],
    'error.outside-is-page': [
      'Errors to requests that the specification does not describe, limit=0 for one, are HTML pages.',
      (respond, context) => (request) => {
        const reply = respond(request)
        const isDescribed = operationOf(request, context) !== 'listPets' || reply.status === 401
        return reply.status < 400 || isDescribed ? reply : withPage(reply)
      },
    ],
    'error.no-code': ['Errors have no code.', onErrorBody(drop('code'))],
    'error.no-message': ['Errors have no message.', onErrorBody(drop('message'))],
    'error.no-status': ['Errors have no status.', onErrorBody(drop('status'))],
    'auth.empty-401': ['401 has no body.', onRejected(bodiless)],
    'auth.html-401': ['401 has an HTML page.', onRejected(withPage)],
    'auth.leaking-401': [
      '401 of getPet carries the pet.',
      onReply('getPet', 401, (reply, request, _context, respond) => ({
        ...reply,
        body: respond(withKey(request)).body,
      })),
    ],
    'auth.lower-case-empty': [
      'The scheme in lower case is rejected with 401 and an empty body.',
      (respond, context) => (request) =>
        context.credentialOf(request).scheme === 'bearer-in-other-letters'
          ? withText(errorOf(context, 401), '', undefined)
          : respond(request),
    ],
    'get.missing-has-no-body': ['404 has no body.', onReply('getPet', 404, bodiless)],
    'get.text-id-html': [
      'A petId that is not an integer gets an HTML page.',
      inPlaceOf('getPet', (request, context) =>
        /^-?\d+$/.test(petIdOf(request)) ? undefined : withPage(errorOf(context, 404)),
      ),
    ],
    'reject.malformed-is-page': [
      'A body that is not JSON gets the HTML page of a framework.',
      onReply('createPet', 400, withPage, isMalformed),
    ],
    'create.text-plain-html': [
      'A body with the type text/plain is rejected with an HTML page.',
      inPlaceOf('createPet', ({ headers }, context) =>
        headers['content-type'] === 'text/plain' ? withPage(errorOf(context, 415)) : undefined,
      ),
    ],
  },
  'error.code': {
    'error.code-number': ['code is a number.', onErrorBody(set('code', 1001))],
    'error.code-null': ['code is null.', onErrorBody(set('code', null))],
  },
  'error.message': {
    'error.message-null': ['message is null.', onErrorBody(set('message', null))],
    'error.message-list': [
      'message is a list of messages.',
      onErrorBody(set('message', (message) => [message])),
    ],
  },
  'error.status': {
    'error.status-text': ['status is a string.', onErrorBody(set('status', textOf))],
    'error.status-null': ['status is null.', onErrorBody(set('status', null))],
  },
  'error.status-repeats-http': {
    'error.status-500': [
      'status is 500, whatever the HTTP status.',
      onErrorBody(set('status', 500)),
    ],
    'error.status-403-in-401': [
      'The status in the body of a 401 is 403.',
      onErrorBody(set('status', (status) => (status === 401 ? 403 : status))),
    ],
    'error.status-zero': ['status is 0.', onErrorBody(set('status', 0))],
  },
} as const satisfies Defects
