import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import { htmlPage, problem } from './answer-edits.ts'
import { bodyObject, bodyText, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Answers otherwise where 400 is right. */
const insteadOf400 = (when: (call: Call) => boolean, edit: (answer: TwinAnswer) => TwinAnswer): Seams => ({
  say: (answer, call) =>
    call.operation === 'createPet' && answer.status === 400 && when(call) ? edit(answer) : answer,
})

const any = (): boolean => true
const lacks =
  (member: string) =>
  (call: Call): boolean =>
    bodyObject(call)?.has(member) === false
const isNoObject = (call: Call): boolean => bodyObject(call) === undefined
const exactly: ClauseId[] = [
  'create.required-fields',
  'create.invalid-values',
  'create.body-required',
  'error.status-repeats-http',
]

/** A creation that has to be refused with 400 is answered otherwise. */
export const refusalFaults: Row[] = [
  ['m88-refused-422', exactly, 'An invalid body is answered 422', () => insteadOf400(any, () => problem(422))],
  ['refused-403', exactly, 'An invalid body is answered 403', () => insteadOf400(any, () => problem(403))],
  ['refused-404', exactly, 'An invalid body is answered 404', () => insteadOf400(any, () => problem(404))],
  [
    'category-missing-422',
    exactly,
    'A body without categoryId alone is answered 422',
    () => insteadOf400(lacks('categoryId'), () => problem(422)),
  ],
  [
    'status-null-422',
    exactly,
    'status null alone is answered 422',
    () =>
      insteadOf400(
        (call) => bodyObject(call)?.get('status') === null,
        () => problem(422),
      ),
  ],
  [
    'category-2-to-63-422',
    exactly,
    'A categoryId beyond int64 alone is answered 422',
    () =>
      insteadOf400(
        (call) => /\d{19}/.test(bodyText(call)),
        () => problem(422),
      ),
  ],
  [
    'category-2-to-63-500',
    exactly,
    'A categoryId beyond int64 gives 500',
    () =>
      insteadOf400(
        (call) => /\d{19}/.test(bodyText(call)),
        () => problem(500),
      ),
  ],
  [
    'category-1e30-500',
    exactly,
    'A categoryId of 1e30 gives 500',
    () =>
      insteadOf400(
        (call) => bodyText(call).includes(':1e30'),
        () => problem(500),
      ),
  ],
  [
    'status-array-500',
    exactly,
    'A status that is an array gives 500',
    () =>
      insteadOf400(
        (call) => Array.isArray(bodyObject(call)?.get('status')),
        () => problem(500),
      ),
  ],
  [
    'm84-no-body-500',
    exactly,
    'An absent body gives 500',
    () =>
      insteadOf400(
        (call) => bodyText(call) === '',
        () => problem(500),
      ),
  ],
  [
    'no-body-411',
    exactly,
    'An absent body is answered 411',
    () =>
      insteadOf400(
        (call) => bodyText(call) === '',
        () => problem(411),
      ),
  ],
  [
    'null-body-500',
    exactly,
    'A body that is null gives 500 and a stack trace',
    () =>
      insteadOf400(
        (call) => bodyText(call) === 'null',
        () => htmlPage(500),
      ),
  ],
  [
    'm85-syntax-500',
    exactly,
    'Malformed JSON gives 500',
    () =>
      insteadOf400(
        (call) => bodyText(call) !== '' && isNoObject(call),
        () => problem(500),
      ),
  ],
  [
    'm87-syntax-html',
    ['error.body', 'http.media-type', 'http.json-body'],
    'Malformed JSON is answered 400 with a page of HTML',
    () => insteadOf400(isNoObject, () => htmlPage(400)),
  ],
  [
    'm87-syntax-text',
    ['error.body', 'http.media-type', 'http.json-body'],
    'Malformed JSON is answered 400 with text',
    () =>
      insteadOf400(isNoObject, () => ({
        status: 400,
        page: { contentType: 'text/plain', text: 'Unexpected end of JSON input' },
      })),
  ],
  [
    'm89-refused-200',
    [...exactly, 'create.success'],
    'An invalid body is answered 200 with an Error',
    () => insteadOf400(any, (answer) => ({ ...answer, status: 200 })),
  ],
  [
    'refused-201',
    [...exactly, 'create.success', 'pet.fields'],
    'An invalid body is answered 201 with an Error, and nothing stored',
    () => insteadOf400(any, (answer) => ({ ...answer, status: 201 })),
  ],
  [
    'syntax-200-empty',
    exactly,
    'A body that is no object is answered 200 with {}',
    () => insteadOf400(isNoObject, () => toAnswer(200, new Map())),
  ],
  [
    'refused-409',
    exactly,
    'An invalid value is answered 409',
    () =>
      insteadOf400(
        (call) => !isNoObject(call),
        () => problem(409),
      ),
  ],
  [
    'refused-redirects',
    exactly,
    'An invalid body is answered with a redirect to the form',
    () => insteadOf400(any, () => ({ status: 302, headers: { location: '/v1/pets/new' } })),
  ],
  [
    'm91-no-body-hangs',
    ['create.body-required'],
    'A creation without a body is never answered',
    () => ({
      answer: (call, serve) =>
        call.operation === 'createPet' && call.isAuthorized && bodyText(call) === ''
          ? new Promise(() => {})
          : serve(call),
    }),
  ],
  [
    'array-hangs',
    ['create.body-required'],
    'A creation with an array as body is never answered',
    () => ({
      answer: (call, serve) =>
        call.isAuthorized && bodyText(call).startsWith('[') ? new Promise(() => {}) : serve(call),
    }),
  ],
  [
    'null-body-drops-connection',
    ['create.body-required'],
    'A creation with null as body has its connection closed without an answer',
    () => ({
      write(page, call) {
        if (call.operation !== 'createPet' || !call.isAuthorized || bodyText(call) !== 'null') return page
        call.socket.destroy()
        return undefined
      },
    }),
  ],
  [
    'status-number-drops-connection',
    ['create.invalid-values'],
    'A creation with a number as status has its connection reset',
    () => ({
      write(page, call) {
        if (!call.isAuthorized || !/"status":\d/.test(bodyText(call))) return page
        call.socket.resetAndDestroy()
        return undefined
      },
    }),
  ],
]
