/**
 * Lossless JSON: every integer keeps its exact value.
 *
 * An integer beyond 2^53 becomes a `bigint`, any other a `number`, however it is written (`7`, `7.0`, `7e0`). A fraction
 * becomes a `number`, or a `JsonNumber` when rounding would turn it into an integer or infinity. Text without such
 * numbers is parsed by `JSON.parse` alone.
 */

/** A number that neither `number` nor `bigint` can represent: `7.0000000000000000001`, `1e999`. */
export class JsonNumber {
  /** The number as written in the JSON text. */
  readonly text: string

  constructor(text: string) {
    // A copy: see `detach`.
    this.text = JSON.parse(JSON.stringify(text)) as string
  }

  toString(): string {
    return this.text
  }
}

/** What `parseJson` returns. */
export type JsonValue = Scalar | JsonValue[] | { [name: string]: JsonValue }
type Scalar = null | boolean | number | bigint | string | JsonNumber

/** Sixteen digits or an exponent: a double represents all other numbers well enough. */
const mayLose = /\d(?:[eE]|[\d.]{15})/
/** Larger integers stay a `JsonNumber`, so that `1e999999999` does not take a gigabyte. */
const maxDigits = 400

/**
 * Parses one JSON text.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  return mayLose.test(text) ? readExactly(text) : value
}

/** The exact value of a JSON number, as described above. */
export function readNumber(text: string): number | bigint | JsonNumber {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!match) return new JsonNumber(text)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = withoutTrailingZeros(digits)
  if (significant === '') return Number(text)
  const shift = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (shift < 0) {
    const rounded = Number(text)
    return Number.isInteger(rounded) ? new JsonNumber(text) : rounded
  }
  if (significant.length + shift > maxDigits) return new JsonNumber(text)
  const integer = BigInt(sign + significant + '0'.repeat(shift))
  return integer >= BigInt(Number.MIN_SAFE_INTEGER) && integer <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(integer)
    : integer
}

/** A regular expression would take quadratic time for many zeros in the middle. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** Parses text that `JSON.parse` has accepted. Not recursive, so that deep nesting cannot overflow the call stack. */
function readExactly(text: string): JsonValue {
  const open: (JsonValue[] | { [name: string]: JsonValue })[] = []
  let root: JsonValue = null
  let name: string | undefined

  const place = (value: JsonValue): void => {
    const parent = open.at(-1)
    if (parent === undefined) root = value
    else if (Array.isArray(parent)) parent.push(value)
    else define(parent, name as string, value)
    name = undefined
  }

  const tokens = /[{}[\]"]|-?\d[\d.eE+-]*|true|false|null/g
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found
    const parent = open.at(-1)
    if (token === '{' || token === '[') {
      const container = token === '{' ? {} : []
      place(container)
      open.push(container)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === '"') {
      tokens.lastIndex = endOfString(text, found.index)
      const string = JSON.parse(text.slice(found.index, tokens.lastIndex)) as string
      if (name === undefined && parent !== undefined && !Array.isArray(parent)) name = string
      else place(string)
    } else place(/^[tfn]/.test(token) ? (JSON.parse(token) as boolean | null) : readNumber(token))
  }
  return root
}

/** The index after the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** Defines an own property, even when its name is `__proto__`, as `JSON.parse` does. */
function define(target: { [name: string]: JsonValue }, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  } else target[name] = value
}

/** JSON values, and objects whose undefined fields are omitted. */
export type Printable =
  | Scalar
  | undefined
  | readonly Printable[]
  | { readonly [name: string]: Printable }

/**
 * Prints one value as JSON text; the counterpart of `parseJson`.
 *
 * @param indent spaces per level; 0, the default, prints one line.
 */
export function printJson(value: Printable | object, indent = 0): string {
  return print(value as Printable, indent, '')
}

function print(value: Printable, indent: number, margin: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof JsonNumber) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const inner = margin + ' '.repeat(indent)
  const colon = indent > 0 ? ': ' : ':'
  const parts = Array.isArray(value)
    ? (value as readonly Printable[]).map((item) => print(item, indent, inner))
    : Object.entries(value as { readonly [name: string]: Printable })
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => JSON.stringify(name) + colon + print(field, indent, inner))
  const [left, right] = Array.isArray(value) ? '[]' : '{}'
  if (parts.length === 0 || indent === 0) return left + parts.join(',') + right
  return `${left}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${right}`
}
