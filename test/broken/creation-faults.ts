import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { PetStatus } from '../twins/new-pet.ts'
import type { PetTable, StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editMember, editSingle, only, problem, withMember, withoutMember } from './answer-edits.ts'
import { bodyObject, bodyText, withBody, type Call } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Answers with a pet that never reaches the store. */
function forgetful(when: (pet: StoredPet, nth: number) => boolean, shop?: TwinOptions): Seams {
  let made = 0
  const lost = new Set<bigint>()
  return {
    ...(shop && { shop }),
    store: (table): PetTable => ({
      ...table,
      add(pet) {
        const added = table.add(pet)
        made += 1
        if (when(added, made)) lost.add(added.id)
        return added
      },
      find: (id) => (lost.has(id) ? undefined : table.find(id)),
      page(limit, statuses) {
        const pets = table.page(10_000, statuses).pets.filter(({ id }) => !lost.has(id))
        return { pets: pets.slice(0, limit), matching: pets.length }
      },
    }),
  }
}

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

/** Gives a new pet an id by a rule of its own. */
function numbering(shop: TwinOptions, id: (sent: bigint | undefined, table: PetTable) => bigint | undefined): Seams {
  let sent: bigint | undefined
  return {
    shop,
    hear(call) {
      const number = /"id"\s*:\s*(-?\d+)/.exec(bodyText(call))?.[1]
      sent = call.operation === 'createPet' && number !== undefined ? BigInt(number) : undefined
      return call
    },
    store: (table) => {
      const renamed = new Map<bigint, StoredPet>()
      return {
        ...table,
        add(pet) {
          const added = table.add(pet)
          const own = id(sent, table)
          if (own !== undefined) renamed.set((added.id = own), added)
          return added
        },
        find: (wanted) => renamed.get(wanted) ?? table.find(wanted),
      }
    },
  }
}

const stored: ClauseId[] = ['create.stored', 'get.by-id', 'get.success', 'create.listed', 'service.catalogue']
const status: ClauseId[] = ['create.status', 'create.success', 'create.stored', 'list.status.filter']
const ids: ClauseId[] = ['create.id-assigned', 'pet.id.unique', 'create.stored', 'get.by-id']
const mediaType = ({ request }: Call): string => String(request.headers['content-type'] ?? '')

/** A valid creation is refused, forgotten, or becomes something else. */
export const creationFaults: Row[] = [
  ['m60-forgotten', stored, 'A created pet is not stored', () => forgetful(() => true)],
  [
    'sold-forgotten',
    stored,
    'A pet that is created as sold is not stored',
    () => forgetful(({ status: kept }) => kept === 'sold'),
  ],
  [
    'non-ascii-forgotten',
    stored,
    'A created pet is not stored if its name has letters beyond ASCII',
    () => forgetful(({ name }) => /[^\x20-\x7e]/.test(name)),
  ],
  [
    'large-category-forgotten',
    stored,
    'A created pet is not stored if its category is beyond 2^53',
    () => forgetful(({ categoryId }) => categoryId > 2n ** 53n),
  ],
  [
    'long-name-forgotten',
    stored,
    'A created pet is not stored if its name is longer than 255 characters',
    () => forgetful(({ name }) => name.length > 255),
  ],
  [
    'same-name-forgotten',
    stored,
    'A created pet is not stored if another has its name',
    () => {
      const names = new Set<string>()
      return forgetful(({ name }) => names.size === names.add(name).size)
    },
  ],
  ['after-12-forgotten', stored, 'From the 13th creation on no pet is stored', () => forgetful((_, nth) => nth > 12)],
  ['each-3rd-forgotten', stored, 'Each 3rd created pet is not stored', () => forgetful((_, nth) => nth % 3 === 0)],
  ['each-7th-forgotten', stored, 'Each 7th created pet is not stored', () => forgetful((_, nth) => nth % 7 === 0)],
  [
    'client-id-forgotten',
    stored,
    'A created pet is not stored if the body had an id, though the answer is 201',
    () => {
      let hasId = false
      const seams = forgetful(() => hasId, { pets: 30, ids: 'random' })
      return {
        ...seams,
        hear(call) {
          hasId = bodyObject(call)?.has('id') === true
          return call
        },
      }
    },
  ],
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
          ? withBody(
              call,
              bodyText(call).replace(
                /"name":"(\\u[^"]*)"/,
                (_, name: string) => `"name":"${name.replaceAll('\\', '\\\\')}"`,
              ),
            )
          : call,
    }),
  ],
  [
    'm70-second-overwrites',
    ['pet.id.unique', 'create.stored'],
    'Each new pet gets the id of the one before it',
    () => ({
      store(table) {
        let last: StoredPet | undefined
        return {
          ...table,
          add(pet) {
            if (last === undefined) return (last = table.add(pet))
            return Object.assign(last, { status: undefined }, pet)
          },
        }
      },
    }),
  ],
  [
    'm71-id-overwrites',
    ids,
    'A body with the id of another pet overwrites that pet',
    () => ({
      shop: { pets: 60, ids: 'random', order: 'newest' },
      answer(call, serve) {
        const id = /^\{"id":(-?\d+)/.exec(bodyText(call))?.[1]
        const answer = serve(call)
        return id !== undefined && answer.status === 201
          ? editSingle(answer, (pet) => withMember(pet, 'id', BigInt(id)))
          : answer
      },
    }),
  ],
  [
    'client-id-adopted',
    ids,
    'An id in the body is adopted',
    () => numbering({ pets: 35, ids: 'gaps' }, (sent) => sent),
  ],
  [
    'client-id-adopted-if-free',
    ids,
    'An id in the body is adopted where no pet has it',
    () =>
      numbering({ pets: 35, ids: 'random' }, (sent, table) =>
        sent !== undefined && table.find(sent) === undefined ? sent : undefined,
      ),
  ],
  [
    'small-client-id-adopted',
    ids,
    'A free id in the body is adopted if it fits in 32 bits, and refused with 400 beyond',
    () => {
      const seams = numbering({ pets: 48, ids: 'sequential' }, (sent, table) =>
        sent !== undefined && table.find(sent) === undefined ? sent : undefined,
      )
      return {
        ...seams,
        answer(call, serve) {
          const id = /^\{"id":(-?\d+)/.exec(bodyText(call))?.[1]
          return id !== undefined && BigInt(id) > 2147483647n && call.isAuthorized ? problem(400) : serve(call)
        },
      }
    },
  ],
  [
    'm72-answer-has-other-id',
    [...stored, 'pet.id.unique'],
    'The id in the answer of createPet is one less than the one that was stored',
    () => ({
      shop: { pets: 40, ids: 'gaps', order: 'newest' },
      say: only('createPet', (answer) =>
        editSingle(answer, (pet) => editMember(pet, 'id', (id) => (id as bigint) - 1n)),
      ),
    }),
  ],
  [
    'same-body-same-pet',
    ['create.success', 'pet.id.unique', 'create.stored'],
    'The same body a second time is answered with the first pet',
    () => {
      const answers = new Map<string, TwinAnswer>()
      return {
        shop: { pets: 30, ids: 'random' },
        answer(call, serve) {
          if (call.operation !== 'createPet' || !call.isAuthorized) return serve(call)
          const answer = answers.get(bodyText(call)) ?? serve(call)
          if (answer.status === 201) answers.set(bodyText(call), answer)
          return answer
        },
      }
    },
  ],
]
