import type { ClauseId } from '../../src/spec/clauses.ts'
import { JsonNumber, readJson, writeJson, type Json } from '../twins/exact-json.ts'
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

const isNumber = (value: unknown): value is JsonNumber => value instanceof JsonNumber
const nobody = '{"name":"Nobody","categoryId":1}'

const body: ClauseId[] = ['create.body-required', 'create.success']

/** One kind of body that is no JSON object and is accepted, and the pet created. */
export const syntaxHoles: Row[] = [
  [
    'm83-array',
    body,
    'A body that is an array of one pet is accepted',
    () =>
      syntax((text) => {
        const pets = parse(text)
        return Array.isArray(pets) && pets.length === 1 ? writeJson(pets[0] ?? null) : undefined
      }),
  ],
  [
    'empty-array',
    body,
    'A body that is an empty array is accepted',
    () => syntax((text) => (text.trim() === '[]' ? nobody : undefined)),
  ],
  [
    'm83-string',
    body,
    'A body that is a string is accepted',
    () => syntax((text) => (typeof parse(text) === 'string' ? nobody : undefined)),
  ],
  [
    'm83-null',
    body,
    'A body that is null is accepted',
    () => syntax((text) => (text.trim() === 'null' ? nobody : undefined)),
  ],
  [
    'number-body',
    body,
    'A body that is a number is accepted',
    () => syntax((text) => (isNumber(parse(text)) ? nobody : undefined)),
  ],
  [
    'true-body',
    body,
    'A body that is true is accepted',
    () => syntax((text) => (text.trim() === 'true' ? nobody : undefined)),
  ],
  ['m84-no-body', body, 'An absent body is accepted', () => syntax((text) => (text === '' ? nobody : undefined))],
  [
    'white-space-body',
    body,
    'A body of white space is accepted',
    () => syntax((text) => (/^\s+$/.test(text) ? nobody : undefined)),
  ],
  [
    'cut-short',
    body,
    'JSON that is cut short is accepted',
    () => syntax((text) => (/^\{.*[^}]$/s.test(text) && parse(`${text}}`) !== undefined ? `${text}}` : undefined)),
  ],
  [
    'm86-text-behind',
    body,
    'Text behind the JSON is accepted',
    () => syntax((text) => (/^\{[^{}]*\}\s*\w/.test(text) ? text.slice(0, text.lastIndexOf('}') + 1) : undefined)),
  ],
  [
    'two-objects',
    body,
    'A second JSON object behind the first is ignored',
    () => syntax((text) => /^(\{[^{}]*\})\s*\{/.exec(text)?.[1]),
  ],
  ['trailing-comma', body, 'A comma behind the last member is accepted', () => without(/,\s*\}/, '}')],
  ['comments', body, 'Comments within the JSON are accepted', () => without(/\/\*.*?\*\/|\/\/.*?$/gm, '')],
  ['single-quotes', body, 'Strings in single quotes are accepted', () => without(/'/g, '"')],
  ['bare-member-names', body, 'Member names without quotes are accepted', () => without(/([{,])(\w+):/g, '$1"$2":')],
  ['nan', body, 'NaN is accepted as a number', () => without(/\bNaN\b/, '0')],
  ['leading-zero', body, 'A number with a zero at its start is accepted', () => without(/:0+(?=\d)/, ':')],
  ['line-break-in-string', body, 'A line break within a string is accepted', () => without(/\n/g, '\\n')],
  [
    'form-data',
    body,
    'Form data is accepted in place of JSON',
    () =>
      syntax((text) => {
        const form = new URLSearchParams(text)
        return /^\w+=/.test(text) && form.has('name')
          ? `{"name":${JSON.stringify(form.get('name'))},"categoryId":${form.get('categoryId')}}`
          : undefined
      }),
  ],
]

function parse(text: string): Json | undefined {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}
