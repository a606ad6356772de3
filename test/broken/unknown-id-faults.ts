import type { ClauseId } from '../../src/spec/clauses.ts'
import { toAnswer, type TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { only, problem } from './answer-edits.ts'
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
  ['m93-unknown-500', missing, 'An unknown id gives 500', () => unknownAs(() => problem(500))],
  [
    'largest-id-500',
    missing,
    'The id 9223372036854775807 gives 500',
    () => unknownAs(({ petId }) => problem(petId === '9223372036854775807' ? 500 : 404)),
  ],
  [
    'id-0-gives-first',
    other,
    'The id 0 gives the first pet',
    () => finding({ pets: 64, ids: 'sequential' }, (id, pet, all) => pet ?? (id === 0n ? all()[0] : undefined)),
  ],
]
