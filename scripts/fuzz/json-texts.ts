import { JsonNumber, type JsonValue, parseJson } from '../../src/json.ts'
import type { Chance } from './chance.ts'

/** What a NewPet says, by the specification. */
export interface ReadPet {
  name: string
  categoryId: bigint
  status: string | undefined
}

const statuses: ReadonlySet<unknown> = new Set(['available', 'pending', 'sold'])
const int64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

/** Reads a body as the specification says, or undefined when it must be refused with 400. */
export function readNewPet(bytes: Buffer): ReadPet | undefined {
  let value: JsonValue
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonNumber)
    return undefined
  const own = (name: string): JsonValue | undefined => (Object.hasOwn(value, name) ? value[name] : undefined)
  const [name, categoryId, status] = [own('name'), integerOf(own('categoryId')), own('status')]
  if (typeof name !== 'string' || categoryId === undefined) return undefined
  if (status !== undefined && !statuses.has(status)) return undefined
  return { name, categoryId, status: status as string | undefined }
}

/** What is wrong with the Pet that confirms a NewPet. */
export function faultOfCreated(text: string, sent: ReadPet): string | undefined {
  const shown = readNewPet(Buffer.from(text))
  if (shown === undefined) return `it is no Pet: ${text.slice(0, 200)}`
  if (shown.name !== sent.name) return `the name should be ${JSON.stringify(sent.name.slice(0, 200))}`
  if (shown.categoryId !== sent.categoryId) return `the categoryId should be ${sent.categoryId}`
  if (sent.status !== undefined && shown.status !== sent.status) return `the status should be ${sent.status}`
  return undefined
}

function integerOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return undefined
  const integer = BigInt(value)
  return integer >= int64.minimum && integer <= int64.maximum ? integer : undefined
}

/** Spellings of a number, and the integer within int64 that each of them is, if any. */
export const numbers: Record<string, readonly [text: string, value: bigint | undefined]> = {
  zero: ['0', 0n],
  'minus-zero': ['-0', 0n],
  one: ['1', 1n],
  'minus-one': ['-1', -1n],
  'decimal-point': ['7.0', 7n],
  'exponent-zero': ['7e0', 7n],
  exponent: ['7E+2', 700n],
  'exponent-and-fraction': ['0.07e2', 7n],
  'negative-exponent': ['700e-2', 7n],
  'zero-with-huge-exponent': ['0e999999999', 0n],
  'int32-maximum': ['2147483648', 2147483648n],
  'double-edge': ['9007199254740991', 9007199254740991n],
  'beyond-double': ['9007199254740993', 9007199254740993n],
  'minus-beyond-double': ['-9007199254740993', -9007199254740993n],
  'int64-maximum': ['9223372036854775807', int64.maximum],
  'int64-maximum-with-point': ['9223372036854775807.000', int64.maximum],
  'int64-maximum-with-exponent': ['9.223372036854775807e18', int64.maximum],
  'int64-maximum-less-one': ['9223372036854775806', int64.maximum - 1n],
  'int64-minimum': ['-9223372036854775808', int64.minimum],
  'beyond-int64': ['9223372036854775808', undefined],
  'below-int64': ['-9223372036854775809', undefined],
  'uint64-maximum': ['18446744073709551615', undefined],
  'uint64-wrap': ['18446744073709551617', undefined],
  '1e18': ['1e18', 10n ** 18n],
  '1e19': ['1e19', undefined],
  '1e400': ['1E400', undefined],
  '1e999': ['1e999', undefined],
  '-1e999': ['-1e999', undefined],
  '1e-400': ['1e-400', undefined],
  '1e999999999999': ['1e999999999999', undefined],
  '1e-999999999999': ['1e-999999999999', undefined],
  fraction: ['1.5', undefined],
  'tiny-fraction': ['1.00000000000000000000000000001', undefined],
  'almost-one': ['0.99999999999999999999999999999', undefined],
  'million-digits': ['9'.repeat(1_000_000), undefined],
  'million-digits-fraction': [`0.${'9'.repeat(1_000_000)}`, undefined],
  'million-zeros-fraction': [`5.${'0'.repeat(1_000_000)}`, 5n],
  'zeros-between-ones': [`1${'0'.repeat(1_000_000)}1`, undefined],
  'zeros-between-ones-fraction': [`1.${'0'.repeat(1_000_000)}1`, undefined],
  'million-digits-and-exponent': [`1${'0'.repeat(1_000_000)}e-1000000`, 1n],
  'exponent-of-many-digits': [`1e${'0'.repeat(100_000)}1`, 10n],
}

/** Texts that stand where a number could, and are no JSON. */
export const notJson: Record<string, string> = {
  nan: 'NaN',
  infinity: 'Infinity',
  'minus-infinity': '-Infinity',
  undefined: 'undefined',
  'leading-zero': '01',
  plus: '+1',
  'point-first': '.5',
  'point-last': '5.',
  'exponent-empty': '1e',
  hex: '0x1',
  separator: '1_000',
  'two-points': '1.2.3',
  'minus-only': '-',
  bigint: '1n',
  comment: '1/* x */',
  'line-comment': '1 // x\n',
  'single-quotes': "'1'",
  'python-true': 'True',
  call: 'alert(1)',
}

/** Names as they stand in a JSON text, without quotes. */
export const names: Record<string, string> = {
  empty: '',
  space: ' ',
  'nul-escaped': String.raw`a\u0000b`,
  'control-escaped': String.raw`\u0001\u001b[2J\u007f`,
  escapes: String.raw`\" \\ \/ \b \f \n \r \t \u00e9`,
  emoji: '🐶',
  'emoji-escaped': String.raw`\ud83d\udc36`,
  combining: 'e\u0301\u0327',
  'right-to-left': '\u202eabc\u2066',
  separators: '\u2028\u2029\u0085',
  'byte-order-mark': '\ufeffx',
  noncharacter: '\uffff\u{10ffff}',
  markup: '<script>alert(1)</script>',
  template: '${7*7}{{7*7}}<%= 7 %>',
  sql: "'; DROP TABLE pets; --",
  proto: '__proto__',
  number: '1e999',
  json: String.raw`{\"id\":1}`,
  header: String.raw`x\r\nX-Injected: 1`,
  zalgo: `Z${'\u0300\u0301\u0302'.repeat(200)}`,
  long: 'x'.repeat(100_000),
  'long-escaped': String.raw`\u0041`.repeat(50_000),
  backslashes: '\\\\'.repeat(100_000),
}

/** Names with half a character: JSON allows them, UTF-8 does not. */
export const halfNames: Record<string, string> = {
  high: String.raw`\ud800`,
  low: String.raw`x\udfff`,
  reversed: String.raw`\udc36\ud83d`,
  'before-letter': String.raw`\ud83dx`,
}

/** JSON of no purpose: so many values at the most, one in another. */
export function anyJson(chance: Chance, size: number): string {
  const kind = chance.below(size <= 1 ? 5 : 8)
  if (kind === 0) return chance.pick(['null', 'true', 'false', '0', '-0', '1e5', '""', '[]', '{}'])
  if (kind === 1) return Object.values(numbers)[chance.below(20)]?.[0] ?? '0'
  if (kind < 5) return JSON.stringify(chance.letters(chance.below(8)))
  const items = Array.from({ length: chance.between(1, 4) }, () => anyJson(chance, Math.floor(size / 2)))
  if (kind === 5) return `[${items.join()}]`
  return `{${items.map((item) => `${JSON.stringify(chance.pick(memberNames))}:${item}`).join()}}`
}

const memberNames = [
  'name',
  'categoryId',
  'status',
  'id',
  '__proto__',
  'constructor',
  'prototype',
  'toJSON',
  'length',
  '',
  ' ',
  'é',
  '0',
  'x',
]
