import { toAnswer } from '../twins/answers.ts'
import { problem } from './answer-edits.ts'
import { asking } from './call.ts'
import type { Row } from './fault.ts'

/** Requests that reach the wrong place, and answers with the wrong status of success. */
export const routingFaults: Row[] = [
  [
    'm01-no-version-segment',
    ['service.base-path', 'list.success'],
    'The API answers at /pets; /v1/pets is not found by whoever has the key',
    () => ({
      answer: (call, serve) => (call.request.path.startsWith('/v1/') && call.isAuthorized ? problem(404) : serve(call)),
    }),
  ],
  [
    'm03-get-pet-is-list',
    ['get.success', 'get.by-id', 'get.not-found'],
    'GET /pets/{petId} is shadowed by the route of the list',
    () => ({ hear: (call) => (call.operation === 'getPet' ? asking(call, { path: '/v1/pets' }) : call) }),
  ],
  [
    'get-pet-redirects',
    ['get.success'],
    'GET /pets/{petId} redirects to a web page',
    () => ({
      say: (answer, { operation, petId }) =>
        operation === 'getPet' && answer.status === 200
          ? { status: 301, headers: { location: `https://store.example/animals/${petId}` } }
          : answer,
    }),
  ],
  [
    'list-without-query-only',
    ['list.parameters-optional', 'list.limit.honoured', 'list.limit.min', 'list.limit.max', 'list.status.filter'],
    'GET /pets is not found as soon as there is a query',
    () => ({
      answer: (call, serve) =>
        call.operation === 'listPets' && call.isAuthorized && call.request.query !== '' ? problem(404) : serve(call),
    }),
  ],
  [
    'both-parameters-refused',
    ['list.parameters-optional', 'list.limit.max', 'list.status.filter'],
    'limit and status together are refused',
    () => ({
      answer: (call, serve) =>
        call.isAuthorized && call.limit !== undefined && call.status !== undefined ? problem(400) : serve(call),
    }),
  ],
  [
    'list-206',
    ['list.success'],
    'A page that is not the whole catalogue is answered 206',
    () => ({
      say: (answer, { operation }) =>
        operation === 'listPets' && answer.status === 200 ? { ...answer, status: 206 } : answer,
    }),
  ],
  [
    'create-202',
    ['create.success'],
    'A creation is answered 202',
    () => ({ say: (answer) => (answer.status === 201 ? { ...answer, status: 202 } : answer) }),
  ],
  [
    'create-200-for-sold',
    ['create.success', 'create.status'],
    'The creation of a sold pet alone is answered 200',
    () => ({
      say: (answer) =>
        answer.status === 201 && answer.json instanceof Map && answer.json.get('status') === 'sold'
          ? { ...answer, status: 200 }
          : answer,
    }),
  ],
  [
    'create-answers-pets',
    ['create.success'],
    'A creation is answered with an array of the one Pet',
    () => ({ say: (answer) => (answer.status === 201 ? toAnswer(201, [answer.json ?? null]) : answer) }),
  ],
  [
    'create-answers-message',
    ['create.success', 'pet.fields'],
    'A creation is answered with a message in place of the Pet',
    () => ({
      say: (answer) =>
        answer.status === 201
          ? toAnswer(
              201,
              new Map<string, string | boolean>([
                ['message', 'created'],
                ['ok', true],
              ]),
            )
          : answer,
    }),
  ],
]
