import type { Deviation } from './deviation.ts'
import { onError, onErrorBody, textOf, withPage, withText, without } from './replies.ts'
import { operationOf } from './requests.ts'

export const errors = [
  {
    id: 'error.empty',
    clause: 'error.body',
    description: 'Errors have no body.',
    apply: onError((reply) => withText(reply, '', undefined)),
  },
  {
    id: 'error.page',
    clause: 'error.body',
    description: 'Errors are HTML pages.',
    apply: onError(withPage),
  },
  {
    id: 'error.text',
    clause: 'error.body',
    description: 'Errors are plain text.',
    apply: onError((reply) => withText(reply, 'Something went wrong.', 'text/plain')),
  },
  {
    id: 'error.array',
    clause: 'error.body',
    description: 'Errors are an array of Error objects.',
    apply: onErrorBody((body) => [body]),
  },
  {
    id: 'error.nested',
    clause: 'error.body',
    description: 'The Error stands in an envelope: { error: {...} }.',
    apply: onErrorBody((body) => ({ error: body })),
  },
  {
    id: 'error.string',
    clause: 'error.body',
    description: 'Errors are a JSON string.',
    apply: onErrorBody((body) => body['message'] ?? ''),
  },
  {
    id: 'error.problem-details',
    clause: 'error.body',
    description: 'Errors have the fields of RFC 9457: type, title, detail, status.',
    apply: onErrorBody(({ message = '', status = 0 }) => ({
      type: 'about:blank',
      title: 'Error',
      detail: message,
      status,
    })),
  },
  {
    id: 'error.outside-is-page',
    clause: 'error.body',
    description: 'Errors to requests that the specification does not describe, limit=0 for one, are HTML pages.',
    apply: (respond, context) => (request) => {
      const reply = respond(request)
      const isDescribed = operationOf(request, context) !== 'listPets' || reply.status === 401
      return reply.status < 400 || isDescribed ? reply : withPage(reply)
    },
  },
  {
    id: 'error.no-code',
    clause: 'error.body',
    description: 'Errors have no code.',
    apply: onErrorBody((body) => without(body, 'code')),
  },
  {
    id: 'error.no-message',
    clause: 'error.body',
    description: 'Errors have no message.',
    apply: onErrorBody((body) => without(body, 'message')),
  },
  {
    id: 'error.no-status',
    clause: 'error.body',
    description: 'Errors have no status.',
    apply: onErrorBody((body) => without(body, 'status')),
  },
  {
    id: 'error.code-number',
    clause: 'error.code',
    description: 'code is a number.',
    apply: onErrorBody((body) => ({ ...body, code: 1001 })),
  },
  {
    id: 'error.code-null',
    clause: 'error.code',
    description: 'code is null.',
    apply: onErrorBody((body) => ({ ...body, code: null })),
  },
  {
    id: 'error.message-null',
    clause: 'error.message',
    description: 'message is null.',
    apply: onErrorBody((body) => ({ ...body, message: null })),
  },
  {
    id: 'error.message-list',
    clause: 'error.message',
    description: 'message is a list of messages.',
    apply: onErrorBody((body) => ({ ...body, message: [body['message'] ?? ''] })),
  },
  {
    id: 'error.status-text',
    clause: 'error.status',
    description: 'status is a string.',
    apply: onErrorBody((body) => ({ ...body, status: textOf(body['status']) })),
  },
  {
    id: 'error.status-null',
    clause: 'error.status',
    description: 'status is null.',
    apply: onErrorBody((body) => ({ ...body, status: null })),
  },
  {
    id: 'error.status-500',
    clause: 'error.status-repeats-http',
    description: 'status is 500, whatever the HTTP status.',
    apply: onErrorBody((body) => ({ ...body, status: 500 })),
  },
  {
    id: 'error.status-403-in-401',
    clause: 'error.status-repeats-http',
    description: 'The status in the body of a 401 is 403.',
    apply: onErrorBody((body) => (body['status'] === 401 ? { ...body, status: 403 } : body)),
  },
  {
    id: 'error.status-zero',
    clause: 'error.status-repeats-http',
    description: 'status is 0.',
    apply: onErrorBody((body) => ({ ...body, status: 0 })),
  },
] as const satisfies readonly Deviation[]
