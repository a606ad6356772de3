import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { htmlPage, only, problem } from './answer-edits.ts'
import type { Call } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { finding } from './places.ts'

const onGet = (edit: (answer: TwinAnswer, call: Call) => TwinAnswer, shop?: TwinOptions): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', edit),
})

/** Answers otherwise where 404 is right. */
const unknownAs = (edit: (call: Call) => TwinAnswer): Seams =>
  onGet((answer, call) => (answer.status === 404 ? edit(call) : answer))

const missing: ClauseId[] = ['get.not-found']
const other: ClauseId[] = ['get.by-id', 'get.not-found', 'create.stored']

/** getPet answers otherwise than 404 where no pet has the id. */
export const unknownIdFaults: Row[] = [
  [
    'm92-unknown-null',
    [...missing, 'get.success'],
    'An unknown id is answered 200 with null',
    () => unknownAs(() => toAnswer(200, null)),
  ],
  [
    'm92-unknown-empty-object',
    [...missing, 'pet.fields'],
    'An unknown id is answered 200 with {}',
    () => unknownAs(() => toAnswer(200, new Map())),
  ],
  [
    'unknown-empty-array',
    [...missing, 'get.success'],
    'An unknown id is answered 200 with []',
    () => unknownAs(() => toAnswer(200, [])),
  ],
  ['unknown-204', missing, 'An unknown id is answered 204', () => unknownAs(() => ({ status: 204 }))],
  ['m93-unknown-500', missing, 'An unknown id gives 500', () => unknownAs(() => problem(500))],
  ['unknown-400', missing, 'An unknown id is answered 400', () => unknownAs(() => problem(400))],
  ['unknown-410', missing, 'An unknown id is answered 410', () => unknownAs(() => problem(410))],
  ['unknown-403', missing, 'An unknown id is answered 403', () => unknownAs(() => problem(403))],
  ['m94-unknown-404-empty', ['error.body'], 'The body of 404 is empty', () => unknownAs(() => ({ status: 404 }))],
  [
    'm94-unknown-404-html',
    ['error.body', 'http.media-type'],
    'The body of 404 is a page of HTML',
    () => unknownAs(() => htmlPage(404)),
  ],
  [
    'unknown-beyond-32-bits-400',
    missing,
    'An unknown id beyond 32 bits is answered 400',
    () => unknownAs(({ petId }) => problem(BigInt(petId ?? 0) > 2147483647n ? 400 : 404)),
  ],
  [
    'unknown-beyond-53-bits-500',
    missing,
    'An unknown id beyond 2^53 gives 500',
    () => unknownAs(({ petId }) => problem(BigInt(petId ?? 0) > 2n ** 53n ? 500 : 404)),
  ],
  [
    'largest-id-500',
    missing,
    'The id 9223372036854775807 gives 500',
    () => unknownAs(({ petId }) => problem(petId === '9223372036854775807' ? 500 : 404)),
  ],
  [
    'unknown-small-id-500',
    missing,
    'An unknown id of less than 32 bits gives 500',
    () => unknownAs(({ petId }) => problem(/^\d{1,10}$/.test(petId ?? '') ? 500 : 404)),
  ],
  [
    'unknown-hangs',
    missing,
    'An unknown id is never answered',
    () => ({
      async answer(call, serve) {
        const answer = serve(call)
        return call.operation === 'getPet' && answer.status === 404 ? new Promise(() => {}) : answer
      },
    }),
  ],
  [
    'unknown-drops-connection',
    missing,
    'An unknown id has its connection closed without an answer',
    () => ({
      write(page, call) {
        if (call.operation !== 'getPet' || page.status !== 404) return page
        call.socket.destroy()
        return undefined
      },
    }),
  ],
  [
    'minus-1-gives-last',
    other,
    'The id -1 gives the last pet',
    () => finding({ pets: 40, ids: 'gaps' }, (id, pet, all) => pet ?? (id < 0n ? all().at(Number(id)) : undefined)),
  ],
  [
    'id-0-gives-first',
    other,
    'The id 0 gives the first pet',
    () => finding({ pets: 64, ids: 'sequential' }, (id, pet, all) => pet ?? (id === 0n ? all()[0] : undefined)),
  ],
  [
    'id-wraps-at-32-bits',
    other,
    'The id is cut to 32 bits, so that 4294967297 gives pet 1',
    () =>
      finding(
        { pets: 150, ids: 'sequential' },
        (id, pet, all) => pet ?? all().find((one) => one.id === BigInt.asIntN(32, id)),
      ),
  ],
  [
    'unknown-gives-nearest',
    other,
    'An unknown id gives the pet with the next lower one',
    () =>
      finding(
        { pets: 35, ids: 'gaps' },
        (id, pet, all) =>
          pet ??
          all()
            .filter((one) => one.id < id)
            .sort((a, b) => (a.id > b.id ? -1 : 1))[0],
      ),
  ],
]
