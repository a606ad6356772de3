/** The ways in which a text can be read: with its escapes, and with what codes in it stand for. */

/** A text in a text in a text: how often escapes are read. */
const maxReadings = 5

/** A text as somebody may read it, and where each of its characters stands in the original. */
export interface View {
  text: string
  from: number[]
  to: number[]
  /** Whether it is the original: then the places are not noted. */
  isOriginal: boolean
  /** Whether it is read from codes: then it holds any characters by chance. */
  isDecoded: boolean
}

/**
 * Runs of characters that may stand for so many bytes, in base64, hexadecimal and decimal numbers. A run is looked at from
 * its beginning only.
 */
type Codes = readonly [base64: RegExp, hex: RegExp, decimals: RegExp]

export function codesOf(bytes: number): Codes {
  return [
    new RegExp(`(?<![\\w+/-])[\\w+/-]{${Math.ceil((bytes * 8) / 6)},}`, 'g'),
    new RegExp(`(?<![0-9a-f])(?:[0-9a-f][\\s,:;x-]{0,40}){${2 * bytes},}`, 'gi'),
    new RegExp(`(?:\\d{1,3}[\\s,]{1,40}){${bytes - 1},}\\d{1,3}`, 'g'),
  ]
}

/** The text as it is, and as it reads; also what codes in it stand for. */
export function viewsOf(text: string, codes: Codes | undefined): View[] {
  const readings = readingsOf({ text, from: [], to: [], isOriginal: true, isDecoded: false })
  if (codes === undefined) return readings
  const read = readings.at(-1) as View
  const decoded = [fromBase64(read, codes[0]), fromHex(read, codes[1]), fromDecimals(read, codes[2])]
  return [...readings, ...decoded.filter((view) => view.text !== '').flatMap(readingsOf)]
}

/** A text as it reads. */
export const readEscapes = (text: string): string =>
  readingsOf({ text, from: [], to: [], isOriginal: true, isDecoded: false }).at(-1)?.text ?? ''

/** A view, then with its escapes read once, twice and so on. */
function readingsOf(view: View): View[] {
  const readings = [view]
  for (let read = readOnce(view); read !== readings.at(-1) && readings.length <= maxReadings; read = readOnce(read)) {
    readings.push(read)
  }
  return readings
}

/**
 * JSON, JavaScript, URLs, HTML and shells; and line breaks with the spaces around them, which wrapped text has. Any number
 * of backslashes counts as one: a text in JSON in JSON has many.
 */
const escape =
  /'\\''|\\+(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,4})\}|x([0-9a-f]{2})|[nrt]\s*|)|%([0-9a-f]{2})|&#x0*([0-9a-f]{1,4});?|&#0*(\d{1,5});?|&(amp|lt|gt|quot|apos);?|\s+/gi
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function readOnce(view: View): View {
  if (!/[\\%&\n\r]/.test(view.text)) return view
  const read: View = { ...view, from: [], to: [], isOriginal: false }
  const parts: string[] = []
  let copied = 0
  const copy = (end: number): void => {
    parts.push(view.text.slice(copied, end))
    for (let at = copied; at < end; at += 1) place(read, view, at, at)
  }
  for (const found of view.text.matchAll(escape)) {
    const [whole, ...groups] = found
    const char = meaningOf(whole, groups)
    if (char === whole) continue
    copy(found.index)
    copied = found.index + whole.length
    if (char !== '') {
      parts.push(char)
      place(read, view, found.index, copied - 1)
    }
  }
  if (copied === 0) return view
  copy(view.text.length)
  return { ...read, text: parts.join('') }
}

function meaningOf(whole: string, groups: readonly (string | undefined)[]): string {
  const decimal = groups[5]
  const name = groups[6]
  const hex = groups.slice(0, 5).find((group) => group !== undefined)
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  if (name !== undefined) return named[name.toLowerCase()] as string
  if (whole === `'\\''`) return "'"
  return whole.startsWith('\\') || /[\n\r]/.test(whole) ? '' : whole
}

/** Notes where the next character of a view comes from. */
function place(view: View, source: View, first: number, last: number): void {
  view.from.push(source.isOriginal ? first : (source.from[first] as number))
  view.to.push(source.isOriginal ? last + 1 : (source.to[last] as number))
}

/** Appends a character; NUL parts what does not belong together. */
function put(view: View, chars: string[], code: number, source: View, first: number, last: number): void {
  chars.push(String.fromCharCode(code))
  place(view, source, first, last)
}

const base64Values: Readonly<Record<string, number>> = Object.fromEntries(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'].map((char, at) => [
    char,
    at > 63 ? at - 2 : at,
  ]),
)

/** A code may begin at any of its characters: letters before it are of the same alphabet. */
function fromBase64(source: View, code: RegExp): View {
  const view: View = { text: '', from: [], to: [], isOriginal: false, isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(code)) {
    const values = Array.from(run, (char) => base64Values[char] as number)
    for (let phase = 0; phase < 4; phase += 1) {
      put(view, chars, 0, source, index, index)
      for (let bit = phase * 6; bit + 8 <= values.length * 6; bit += 8) {
        const at = Math.floor(bit / 6)
        const pair = ((values[at] as number) << 6) | (values[at + 1] as number)
        put(view, chars, (pair >> (4 - (bit % 6))) & 255, source, index + at, index + at + 1)
      }
    }
  }
  return { ...view, text: chars.join('') }
}

/** Two digits each, plain or apart: `4b6974`, `4b 69 74`, `4b:69:74`, `0x4b, 0x69, 0x74`. */
function fromHex(source: View, code: RegExp): View {
  const view: View = { text: '', from: [], to: [], isOriginal: false, isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(code)) {
    const digits = Array.from(run.matchAll(/[0-9a-f](?!x)/gi), (digit) => digit.index)
    for (const phase of [0, 1]) {
      put(view, chars, 0, source, index, index)
      for (let at = phase; at + 1 < digits.length; at += 2) {
        const [one, two] = [digits[at] as number, digits[at + 1] as number]
        const code = Number.parseInt(run.charAt(one) + run.charAt(two), 16)
        put(view, chars, code, source, index + one, index + two)
      }
    }
  }
  return { ...view, text: chars.join('') }
}

/** `75,105,116`, as a Buffer is printed as JSON. */
function fromDecimals(source: View, code: RegExp): View {
  const view: View = { text: '', from: [], to: [], isOriginal: false, isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(code)) {
    put(view, chars, 0, source, index, index)
    for (const number of run.matchAll(/\d+/g)) {
      const at = index + number.index
      put(view, chars, Number(number[0]), source, at, at + number[0].length - 1)
    }
  }
  return { ...view, text: chars.join('') }
}
