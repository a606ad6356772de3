import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import { JsonNumber, writeJson } from '../twins/exact-json.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editListed, htmlPage, problem, withMember } from './answer-edits.ts'
import { bodyObject, bodyText, withBody, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Answers otherwise where 400 is right. */
const insteadOf400 = (when: (call: Call) => boolean, edit: (answer: TwinAnswer) => TwinAnswer): Seams => ({
  say: (answer, call) =>
    call.operation === 'createPet' && answer.status === 400 && when(call) ? edit(answer) : answer,
})

/** Answers 400 and creates a pet from what is valid in the body. */
const keeping = (
  shop: TwinOptions,
  mend: (body: ReturnType<typeof bodyObject>, text: string) => string | undefined,
): Seams => ({
  shop,
  answer(call, serve) {
    const answer = serve(call)
    const mended =
      call.operation === 'createPet' && answer.status === 400 ? mend(bodyObject(call), bodyText(call)) : undefined
    if (mended !== undefined) serve(withBody(call, mended))
    return answer
  },
})

/** The name under which a pet without one is stored. */
const nameless = 'no name'
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
const left: ClauseId[] = ['create.refused-leaves-nothing', 'service.catalogue']
const small: TwinOptions = { pets: 40, ids: 'random', order: 'newest' }

/** What becomes of a creation that is refused. */
export const refusalFaults: Row[] = [
  ['m88-refused-422', exactly, 'An invalid body is answered 422', () => insteadOf400(any, () => problem(422))],
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
    'm90-refused-status-kept',
    left,
    'A creation with an unknown status is answered 400 and stored',
    () =>
      keeping(small, (body) =>
        typeof body?.get('status') === 'string' && typeof body.get('name') === 'string'
          ? writeJson(new Map(body).set('status', 'sold'))
          : undefined,
      ),
  ],
  [
    'refused-category-kept',
    left,
    'A creation with a string as categoryId is answered 400 and stored',
    () =>
      keeping({ pets: 64, ids: 'gaps' }, (body) =>
        typeof body?.get('categoryId') === 'string'
          ? writeJson(new Map(body).set('categoryId', new JsonNumber('1')))
          : undefined,
      ),
  ],
  [
    'refused-beyond-int64-kept',
    left,
    'A creation with a categoryId beyond int64 is answered 400 and stored',
    () =>
      keeping({ pets: 30, ids: 'extremes' }, (_, text) =>
        /\d{19}/.test(text) ? text.replace(/-?\d{19}/, '1') : undefined,
      ),
  ],
  [
    'refused-without-category-kept',
    left,
    'A creation without categoryId is answered 400 and stored',
    () =>
      keeping(small, (body) =>
        body?.has('name') === true && !body.has('categoryId')
          ? writeJson(new Map(body).set('categoryId', new JsonNumber('1')))
          : undefined,
      ),
  ],
  [
    'refused-array-kept',
    left,
    'An array is answered 400 and its pet stored',
    () => keeping(small, (_, text) => /^\[(\{.*\})\]$/.exec(text)?.[1]),
  ],
  [
    'refused-trailing-text-kept',
    left,
    'Text behind the JSON is answered 400 and the pet stored',
    () => keeping({ pets: 150, ids: 'sequential', order: 'newest' }, (_, text) => /^(\{[^{}]*\})\s*\w/.exec(text)?.[1]),
  ],
  [
    'refused-status-null-kept',
    left,
    'A creation with status null is answered 400 and stored without a status',
    () =>
      keeping({ pets: 35, ids: 'random', defaultStatus: 'absent' }, (body) => {
        if (body?.get('status') !== null) return undefined
        const rest = new Map(body)
        rest.delete('status')
        return writeJson(rest)
      }),
  ],
  [
    'refused-status-null-kept-as-default',
    left,
    'A creation with status null is answered 400 and stored as available, in a store of 150',
    () =>
      keeping({ pets: 150, ids: 'sequential', order: 'oldest' }, (body) =>
        body?.get('status') === null ? writeJson(new Map(body).set('status', 'available')) : undefined,
      ),
  ],
  [
    'refused-name-number-kept',
    left,
    'A creation with a number as name is answered 400 and stored with its digits as name',
    () =>
      keeping({ pets: 30, ids: 'gaps', order: 'newest' }, (body) => {
        const name = body?.get('name')
        return name instanceof JsonNumber ? writeJson(new Map(body).set('name', name.text)) : undefined
      }),
  ],
  [
    'refused-without-name-kept',
    [...left, 'pet.name', 'pet.fields'],
    'A creation without name is answered 400 and stored without one',
    () => ({
      ...keeping({ pets: 40, ids: 'negative', order: 'newest' }, (body) =>
        body?.has('name') === false && body.has('categoryId')
          ? writeJson(new Map(body).set('name', nameless))
          : undefined,
      ),
      say: (answer) =>
        editListed(answer, (pet) => (pet.get('name') === nameless ? withMember(pet, 'name', null) : pet)),
    }),
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
