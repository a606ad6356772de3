import type { ClauseId } from '../../src/spec/clauses.ts'
import type { TwinAnswer } from '../twins/answers.ts'
import { problem } from './answer-edits.ts'
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
  ['refused-403', exactly, 'An invalid body is answered 403', () => insteadOf400(any, () => problem(403))],
  [
    'category-missing-422',
    exactly,
    'A body without categoryId alone is answered 422',
    () => insteadOf400(lacks('categoryId'), () => problem(422)),
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
    'refused-201',
    [...exactly, 'create.success', 'pet.fields'],
    'An invalid body is answered 201 with an Error, and nothing stored',
    () => insteadOf400(any, (answer) => ({ ...answer, status: 201 })),
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
]
