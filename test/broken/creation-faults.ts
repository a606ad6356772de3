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

/** A valid creation is refused, or becomes something else. */
export const creationFaults: Row[] = [
  ['status-available-always', status, 'Each new pet is available', () => withStatus(() => 'available')],
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
    'm67-large-category-refused',
    ['create.exact'],
    'A categoryId beyond 2^53 is refused, any other is accepted',
    () => refusing(400, (call) => /\d{16}/.test(bodyText(call))),
  ],
  [
    'm69-white-space-refused',
    ['http.json-request'],
    'A body with white space before it is refused',
    () => refusing(400, (call) => /^\s/.test(bodyText(call))),
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
