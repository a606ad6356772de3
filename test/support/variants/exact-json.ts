/**
 * JSON whose numbers keep every digit. The variants do not use the parser and serializer of src: a defect shared by
 * both would escape every test.
 */

/** The source text of a number. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A parsed value. An object is a Map, so that `__proto__` is an ordinary property. */
export type Json = null | boolean | string | JsonNumber | Json[] | Map<string, Json>

/** A value to write: a parsed one, or one with bigints. */
export type Writable =
  | null
  | boolean
  | string
  | bigint
  | JsonNumber
  | readonly Writable[]
  | Map<string, Writable>

/** Creates an object to write; the order of the properties is kept. */
export const toObject = (fields: Record<string, Writable>): Map<string, Writable> =>
  new Map(Object.entries(fields))

/** JSON formatting. All combinations denote the same value. */
export interface Spelling {
  integers: 'plain' | 'fraction' | 'exponent' | 'scientific'
  layout: 'compact' | 'indented' | 'tabs' | 'spread'
  fieldOrder: 'declared' | 'reversed' | 'alphabetical'
  escapes: 'least' | 'non-ascii' | 'slash' | 'everything'
  padding: 'none' | 'outer-whitespace'
}

const tokens = /"([^"\\]*(?:\\.[^"\\]*)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/gs

/**
 * Parses a JSON text, or throws a SyntaxError. The built-in parser checks the grammar twice: of the original text, and
 * of a copy in which each number is a string with a marker that distinguishes it from real strings.
 */
export function readJson(text: string): Json {
  JSON.parse(text)
  const marked = text.replace(tokens, (_, string: string | undefined, number: string | undefined) =>
    number === undefined ? `"s${string}"` : `"n${number}"`,
  )
  return unmark(JSON.parse(marked))
}

function unmark(value: unknown): Json {
  if (typeof value === 'string')
    return value.startsWith('n') ? new JsonNumber(value.slice(1)) : value.slice(1)
  if (Array.isArray(value)) return value.map(unmark)
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, field]) => [key.slice(1), unmark(field)]))
  }
  return value as null | boolean
}

export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

/** Converts a JSON number (`7`, `7.0`, `70e-1`) to an integer; undefined if it is not an integer or not an int64. */
export function toInt64({ text }: JsonNumber): bigint | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n
  const significant = digits.replace(/0+$/, '')
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  // 19 digits are enough for int64; the check also prevents a billion zeros for an exponent of a billion.
  if (zeros < 0 || significant.length + zeros > 19) return undefined
  const value = BigInt(sign + significant + '0'.repeat(zeros))
  return value >= int64Min && value <= int64Max ? value : undefined
}

export const plainSpelling: Spelling = {
  integers: 'plain',
  layout: 'compact',
  fieldOrder: 'declared',
  escapes: 'least',
  padding: 'none',
}

export function writeJson(value: Writable, spelling: Spelling = plainSpelling): string {
  const text = write(value, spelling, '')
  return spelling.padding === 'none' ? text : `\r\n\t ${text} \t\r\n`
}

const gaps = {
  compact: { indent: '', line: '', colon: ':' },
  indented: { indent: '  ', line: '\n', colon: ': ' },
  tabs: { indent: '\t', line: '\r\n', colon: ':\t' },
  spread: { indent: ' ', line: ' ', colon: ' : ' },
} as const

function write(value: Writable, spelling: Spelling, margin: string): string {
  if (typeof value === 'bigint') return spellInteger(value, spelling.integers)
  if (typeof value === 'string') return spellString(value, spelling.escapes)
  if (value === null || typeof value === 'boolean') return String(value)
  if (value instanceof JsonNumber) return value.text
  const { indent, line, colon } = gaps[spelling.layout]
  const inner = margin + indent
  const enclose = (open: string, items: string[], close: string): string =>
    items.length === 0
      ? open + close
      : `${open}${line}${items.map((item) => inner + item).join(`,${line}`)}${line}${margin}${close}`
  if (value instanceof Map) {
    const fields = inOrder([...value], spelling.fieldOrder)
    const items = fields.map(
      ([key, field]) => spellString(key, spelling.escapes) + colon + write(field, spelling, inner),
    )
    return enclose('{', items, '}')
  }
  return enclose(
    '[',
    value.map((item) => write(item, spelling, inner)),
    ']',
  )
}

function inOrder(
  fields: [string, Writable][],
  order: Spelling['fieldOrder'],
): [string, Writable][] {
  if (order === 'reversed') return fields.toReversed()
  if (order === 'alphabetical') return fields.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return fields
}

function spellInteger(value: bigint, spelling: Spelling['integers']): string {
  if (spelling === 'plain') return String(value)
  if (spelling === 'fraction') return `${value}.0`
  if (spelling === 'exponent') return `${value}e0`
  const [, sign = '', first = '', rest = ''] = /^(-?)(\d)(\d*)$/.exec(String(value)) ?? []
  return `${sign}${first}.${rest === '' ? '0' : rest}E+${rest.length}`
}

function spellString(value: string, escapes: Spelling['escapes']): string {
  const text = JSON.stringify(value)
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  // Without the u flag the dot is one UTF-16 unit: a character beyond the first plane becomes a pair of escapes.
  if (escapes === 'non-ascii') return text.replace(/[^\x20-\x7e]/g, escape)
  if (escapes === 'slash') return text.replaceAll('/', '\\/')
  if (escapes === 'everything')
    return `"${value.replace(/[^]/g, (unit) => escape(unit).toUpperCase().replace('U', 'u'))}"`
  return text
}
