import type { ClauseId } from '../../src/spec/clauses.ts'
import type { PetStatus } from '../twins/new-pet.ts'
import { editSingle, problem, withMember, withoutMember } from './answer-edits.ts'
import { bodyObject, bodyText, withBody, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Creates with another status than the one that was sent, and says so. */
const withStatus = (status: (sent: PetStatus | undefined) => PetStatus | undefined): Seams => ({
  store: (table) => ({
    ...table,
    add({ status: sent, ...pet }) {
      const kept = status(sent)
      return table.add({ ...pet, ...(kept !== undefined && { status: kept }) })
    },
  }),
})

const refusing = (status: number, when: (call: Call) => boolean): Seams => ({
  answer(call, serve) {
    const isCreation = call.operation === 'createPet' && call.isAuthorized && bodyObject(call)?.has('name') === true
    return isCreation && when(call) ? problem(status) : serve(call)
  },
})

const status: ClauseId[] = ['create.status', 'create.success', 'create.stored', 'list.status.filter']
/** Takes each escape of a member for the six characters that it is written with. */
const keepEscapes = (member: string): string => member.replace(/(?<=:.*)\\u/g, '\\\\u')
const mediaType = ({ request }: Call): string => String(request.headers['content-type'] ?? '')

/** A valid creation is refused, or becomes something else. */
export const creationFaults: Row[] = [
  ['m64-status-ignored', status, 'The status that was sent is ignored', () => withStatus(() => undefined)],
  ['status-available-always', status, 'Each new pet is available', () => withStatus(() => 'available')],
  [
    'pending-becomes-available',
    status,
    'A pet that is created as pending becomes available',
    () => withStatus((sent) => (sent === 'pending' ? 'available' : sent)),
  ],
  [
    'status-answered-not-stored',
    status,
    'A pet that is created as sold is answered as sold and stored as available',
    () => ({
      ...withStatus((sent) => (sent === 'sold' ? 'available' : sent)),
      say: (answer, call) =>
        answer.status === 201 && bodyText(call).includes('"sold"')
          ? editSingle(answer, (pet) => withMember(pet, 'status', 'sold'))
          : answer,
    }),
  ],
  [
    'default-status-not-answered',
    ['create.stored', 'create.success', 'get.by-id', 'state.reads-change-nothing'],
    'The answer of createPet lacks the status that the pet has got',
    () => ({
      shop: { pets: 40, ids: 'random', defaultStatus: 'pending' },
      say: (answer, call) =>
        answer.status === 201 && !bodyText(call).includes('status')
          ? editSingle(answer, (pet) => withoutMember(pet, 'status'))
          : answer,
    }),
  ],
  [
    'm65-status-required',
    ['create.status-optional'],
    'A creation without status is refused',
    () => refusing(400, (call) => bodyObject(call)?.has('status') === false),
  ],
  [
    'pending-refused',
    ['create.status'],
    'A creation with the status pending is refused',
    () => refusing(400, (call) => bodyText(call).includes('"pending"')),
  ],
  [
    'sold-refused-422',
    ['create.status'],
    'A creation with the status sold is refused with 422',
    () => refusing(422, (call) => bodyText(call).includes('"sold"')),
  ],
  [
    'm67-large-category-500',
    ['create.exact', 'create.success'],
    'A categoryId beyond 2^53 gives 500',
    () => refusing(500, (call) => /\d{16}/.test(bodyText(call))),
  ],
  [
    'm67-large-category-refused',
    ['create.exact'],
    'A categoryId beyond 2^53 is refused, any other is accepted',
    () => refusing(400, (call) => /\d{16}/.test(bodyText(call))),
  ],
  [
    'largest-category-refused',
    ['create.exact'],
    '9223372036854775807 is refused as a categoryId, any smaller one is accepted',
    () => refusing(400, (call) => bodyText(call).includes('9223372036854775807')),
  ],
  [
    'non-ascii-500',
    ['create.success'],
    'A name with letters beyond ASCII gives 500',
    () => refusing(500, (call) => /[^\x20-\x7e\s]/.test(bodyText(call))),
  ],
  [
    'apostrophe-500',
    ['create.success'],
    'A name with an apostrophe gives 500',
    () => refusing(500, (call) => bodyText(call).includes("'")),
  ],
  [
    'm68-charset-refused',
    ['http.json-request'],
    'A Content-Type with a charset is refused with 415',
    () => refusing(415, (call) => mediaType(call).includes('charset')),
  ],
  [
    'm69-white-space-refused',
    ['http.json-request'],
    'A body with white space before it is refused',
    () => refusing(400, (call) => /^\s/.test(bodyText(call))),
  ],
  [
    'm69-order-refused',
    ['http.json-request'],
    'A body whose first member is not name is refused',
    () => refusing(400, (call) => !/^\W*(name|id|n\\u0061me)/.test(bodyText(call))),
  ],
  [
    'escapes-kept',
    ['http.json-request', 'create.success'],
    '\\u escapes in a name are not decoded',
    () => ({
      hear: (call) =>
        call.operation === 'createPet'
          ? withBody(call, bodyText(call).replace(/"n(?:a|\\u0061)me"\s*:\s*"[^"]*"/, keepEscapes))
          : call,
    }),
  ],

  [
    'chunked-body-unread',
    ['create.success', 'http.json-request'],
    'A body that comes in chunks, without a Content-Length, is taken for an absent one',
    () => ({
      hear: (call) =>
        call.operation === 'createPet' && call.request.headers['content-length'] === undefined
          ? withBody(call, '')
          : call,
    }),
  ],
]
