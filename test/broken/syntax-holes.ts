import type { ClauseId } from '../../src/spec/clauses.ts'
import { bodyObject, bodyText, withBody } from './call.ts'
import type { Row, Seams } from './fault.ts'

/** Reads text that is no JSON object as if it were one. */
const syntax = (mend: (text: string) => string | undefined): Seams => ({
  hear(call) {
    if (call.operation !== 'createPet' || bodyObject(call) !== undefined) return call
    const mended = mend(bodyText(call))
    return mended === undefined ? call : withBody(call, mended)
  },
})

/** Takes something out of text that is no JSON, wherever it stands. */
const without = (pattern: RegExp, instead: string): Seams =>
  syntax((text) => (pattern.test(text) ? text.replace(pattern, instead) : undefined))

const nobody = '{"name":"Nobody","categoryId":1}'

const body: ClauseId[] = ['create.body-required', 'create.success']

/** One kind of body that is no JSON object and is accepted, and the pet created. */
export const syntaxHoles: Row[] = [
  [
    'm83-null',
    body,
    'A body that is null is accepted',
    () => syntax((text) => (text.trim() === 'null' ? nobody : undefined)),
  ],
  ['trailing-comma', body, 'A comma behind the last member is accepted', () => without(/,\s*\}/, '}')],
  ['nan', body, 'NaN is accepted as a number', () => without(/\bNaN\b/, '0')],
]
