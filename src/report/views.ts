/** The ways to read a text: with its escapes decoded, and with encoded parts decoded. */

/** Escapes may be nested this deep. */
const maxReadings = 5

/** A reading of a text. */
export interface View {
  text: string
  /** Where each character begins and ends in the original, if located; not stored for the original itself. */
  from: number[]
  to: number[]
  isLocated: boolean
  /** Decoded from base64 or numbers, so that any characters occur by chance. */
  isDecoded: boolean
}

/** Patterns of runs that may encode a number of bytes. A run is decoded from its beginning only. */
type Codes = readonly [base64: RegExp, hex: RegExp, decimals: RegExp]

export function codesOf(bytes: number): Codes {
  return [
    new RegExp(`(?<![\\w+/-])[\\w+/-]{${Math.ceil((bytes * 8) / 6)},}`, 'g'),
    new RegExp(`(?<![0-9a-f])(?:[0-9a-f][\\s,:;x-]{0,40}){${2 * bytes},}`, 'gi'),
    new RegExp(`(?:\\d{1,3}[\\s,]{1,40}){${bytes - 1},}\\d{1,3}`, 'g'),
  ]
}

const original = (text: string, isLocated: boolean): View => ({
  text,
  from: [],
  to: [],
  isLocated,
  isDecoded: false,
})

/** The text, its readings without escapes, and what it encodes. */
export function viewsOf(text: string, codes: Codes | undefined, isLocated: boolean): View[] {
  const readings = readingsOf(original(text, isLocated))
  if (codes === undefined) return readings
  const read = readings.at(-1) as View
  const decoded = decoders.map((decoder, index) => decode(read, codes[index] as RegExp, decoder))
  return [...readings, ...decoded.filter((view) => view.text !== '').flatMap(readingsOf)]
}

export const readEscapes = (text: string): string =>
  readingsOf(original(text, false)).at(-1)?.text ?? ''

/** A view, and its readings with escapes decoded once, twice and so on. */
function readingsOf(view: View): View[] {
  const readings = [view]
  for (
    let read = readOnce(view);
    read !== readings.at(-1) && readings.length <= maxReadings;
    read = readOnce(read)
  ) {
    readings.push(read)
  }
  return readings
}

/**
 * Escapes of JSON, JavaScript, URLs, HTML and shells; and line breaks with the spaces around them, as in wrapped text. Any
 * number of backslashes counts as one: nested JSON doubles them at each level.
 */
const escape =
  /'\\''|\\+(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,4})\}|x([0-9a-f]{2})|[nrt]\s*|)|%([0-9a-f]{2})|&#x0*([0-9a-f]{1,4});?|&#0*(\d{1,5});?|&(amp|lt|gt|quot|apos);?|\s+/gi
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function readOnce(view: View): View {
  if (!/[\\%&\n\r]/.test(view.text)) return view
  const read: View = { ...view, from: [], to: [] }
  const parts: string[] = []
  let copied = 0
  const copy = (end: number): void => {
    parts.push(view.text.slice(copied, end))
    for (let at = copied; view.isLocated && at < end; at += 1) place(read, view, at, at)
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

/** Stores the origin of the next character. */
function place(view: View, source: View, first: number, last: number): void {
  if (!view.isLocated) return
  view.from.push(source.from[first] ?? first)
  view.to.push(source.to[last] ?? last + 1)
}

/**
 * Calls `add` with each byte that a run encodes, and the positions of the first and last character that encode it. NUL
 * separates the results of different starting positions.
 */
type Decoder = (run: string, add: (byte: number, first: number, last: number) => void) => void

function decode(source: View, code: RegExp, decoder: Decoder): View {
  const view: View = { ...original('', source.isLocated), isDecoded: true }
  for (const { 0: run, index } of source.text.matchAll(code)) {
    decoder(run, (byte, first, last) => {
      view.text += String.fromCharCode(byte)
      place(view, source, index + first, index + last)
    })
  }
  return view
}

const decoders: readonly [base64: Decoder, hex: Decoder, decimals: Decoder] = [
  // Base64 may begin at any character, because letters before it belong to the same alphabet.
  (run, add) => {
    const text = run.replaceAll('-', '+').replaceAll('_', '/')
    for (let phase = 0; phase < 4; phase += 1) {
      add(0, 0, 0)
      // A last character alone encodes no byte.
      const bytes = atob(text.slice(phase, text.length - ((text.length - phase) % 4 === 1 ? 1 : 0)))
      for (let index = 0; index < bytes.length; index += 1) {
        const at = phase + Math.floor((index * 4) / 3)
        add(bytes.charCodeAt(index), at, at + 1)
      }
    }
  },
  // `4b6974`, `4b 69 74`, `4b:69:74` or `0x4b, 0x69, 0x74`.
  (run, add) => {
    const digits = Array.from(run.matchAll(/[0-9a-f](?!x)/gi), (digit) => digit.index)
    for (const phase of [0, 1]) {
      add(0, 0, 0)
      for (let at = phase; at + 1 < digits.length; at += 2) {
        const [one, two] = [digits[at] as number, digits[at + 1] as number]
        add(Number.parseInt(run.charAt(one) + run.charAt(two), 16), one, two)
      }
    }
  },
  // `75,105,116`, the JSON of a Buffer.
  (run, add) => {
    add(0, 0, 0)
    for (const number of run.matchAll(/\d+/g)) {
      add(Number(number[0]), number.index, number.index + number[0].length - 1)
    }
  },
]
