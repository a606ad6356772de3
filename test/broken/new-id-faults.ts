import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import type { PetTable, StoredPet } from '../twins/pet-table.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editMember, editSingle, only, withMember } from './answer-edits.ts'
import { bodyText } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { stored } from './clause-groups.ts'

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

const ids: ClauseId[] = ['create.id-assigned', 'pet.id.unique', 'create.stored', 'get.by-id']

/** The id of a new pet is not one that the service has chosen for it alone. */
export const newIdFaults: Row[] = [
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
