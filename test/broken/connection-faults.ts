import type { Socket } from 'node:net'
import type { ClauseId } from '../../src/spec/clauses.ts'
import type { StoredPet } from '../twins/pet-table.ts'
import { editMember, editSingle, editText, problem } from './answer-edits.ts'
import { letIn } from './call.ts'
import { same, stored, success } from './clause-groups.ts'
import type { Row, Seams } from './fault.ts'
import { withoutAnywhere } from './places.ts'

/** Numbers connections in the order in which they come. */
function createCounter(): (socket: Socket) => number {
  const known = new WeakMap<Socket, number>()
  let count = 0
  return (socket) => {
    const nth = known.get(socket) ?? ++count
    known.set(socket, nth)
    return nth
  }
}

/** Knows of each pet the connection that made it, and of each request its own. */
function perConnection(
  isGone: (pet: StoredPet, maker: Socket | undefined, reader: Socket | undefined) => boolean,
): Seams {
  const makers = new Map<bigint, Socket>()
  let current: Socket | undefined
  return {
    shop: { pets: 40, ids: 'random' },
    hear(call) {
      current = call.socket
      return call
    },
    store: (table) =>
      withoutAnywhere(
        {
          ...table,
          add(pet) {
            const added = table.add(pet)
            if (current) makers.set(added.id, current)
            return added
          },
        },
        (pet) => isGone(pet, makers.get(pet.id), current),
      ),
  }
}

const open: ClauseId[] = ['auth.required', 'auth.missing-key', 'auth.invalid-key', 'list.401', 'get.401', 'create.401']

/** One worker out of several, which gets some of the connections, is broken. */
export const connectionFaults: Row[] = [
  [
    'each-3rd-connection-open',
    open,
    'Each 3rd connection needs no key',
    () => {
      const nth = createCounter()
      return { hear: (call) => (nth(call.socket) % 3 === 0 ? letIn(call) : call) }
    },
  ],
  [
    'each-2nd-connection-open-for-posts',
    open,
    'createPet needs no key on each 2nd connection',
    () => {
      const nth = createCounter()
      return {
        hear: (call) => (nth(call.socket) % 2 === 0 && call.operation === 'createPet' ? letIn(call) : call),
      }
    },
  ],
  [
    'each-3rd-connection-500',
    [...success, 'get.not-found'],
    'Each 3rd connection gets 500 for each fetched pet',
    () => {
      const nth = createCounter()
      return {
        say: (answer, { socket, operation }) =>
          nth(socket) % 3 === 0 && operation === 'getPet' && answer.status === 200 ? problem(500) : answer,
      }
    },
  ],
  [
    'each-4th-connection-other-names',
    same,
    'Each 4th connection gets the names of fetched pets in upper case',
    () => {
      const nth = createCounter()
      return {
        shop: { pets: 48, ids: 'gaps' },
        say: (answer, { socket, operation }) =>
          nth(socket) % 4 === 0 && operation === 'getPet'
            ? editSingle(answer, (pet) =>
                editMember(
                  pet,
                  'name',
                  editText((name) => name.toUpperCase()),
                ),
              )
            : answer,
      }
    },
  ],
  [
    'own-connection-only',
    stored,
    'A created pet is seen on the connection alone that made it',
    () => perConnection((pet, maker, reader) => pet.madeByClient && maker !== reader),
  ],
  [
    'other-connections-only',
    stored,
    'A created pet is not seen on the connection that made it',
    () => perConnection((pet, maker, reader) => pet.madeByClient && maker === reader),
  ],
  [
    'key-once-per-connection-for-get',
    ['get.401', 'auth.required', 'auth.missing-key', 'auth.invalid-key'],
    'getPet needs no key on a connection that was let in by it before',
    () => {
      const known = new WeakSet<object>()
      return {
        hear(call) {
          if (call.operation !== 'getPet') return call
          if (call.isAuthorized) known.add(call.socket)
          return known.has(call.socket) ? letIn(call) : call
        },
      }
    },
  ],
]
