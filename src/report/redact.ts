/** Redacts secrets in texts. It runs in browsers too, and its time is linear in the length of a text. */

/** A text without secrets. */
export type Redact = (text: string) => string

/** A shorter secret is part of many words: it is redacted only where it stands alone. */
const shortSecret = 6
/** So many characters of a secret that follow one another are redacted before or behind dots that show a cut. */
const shortestAtCut = 5
/** So many characters of a longer secret are redacted wherever they stand. */
const longestPiece = 16
/** Secrets are found by their groups of so many characters. */
const groupSize = 4
/** A text in a text in a text: how often escapes are read. */
const mostReadings = 5
const shortestBase64 = 8

/** Secrets of about the same length that have the same placeholder. */
interface Needle {
  instead: string
  /** Folded, and shorter than `shortSecret`. */
  short: string[]
  patterns: RegExp[]
  /** The groups of characters of longer ones, as they are and with their escapes read. */
  groups: Set<number>
  /** The fewest characters that are redacted anywhere, and at the end of a text. */
  anywhere: number
  atEnd: number
}

/** A text as somebody may read it, and where each of its characters stands in the original. */
interface View {
  text: string
  from: number[]
  to: number[]
  /** Whether it is read from codes: then it holds any characters by chance. */
  isDecoded: boolean
}

interface Span {
  from: number
  to: number
  instead: string
}

/**
 * Makes a function that redacts secrets in the spellings that docs/security.md lists.
 *
 * @param secrets by what stands in their place. A pattern is global, and matches lower case.
 */
export function createRedactor(secrets: Readonly<Record<string, readonly (string | RegExp)[]>>): Redact {
  const needles = Object.entries(secrets).flatMap(([instead, values]) => toNeedles(instead, values))
  return (text) => {
    // The words of the kit are not taken apart.
    const masked = needles.reduce((left, { instead }) => left.replaceAll(instead, '\0'.repeat(instead.length)), text)
    const views = viewsOf(masked).map((view) => ({ ...view, text: fold(view.text) }))
    const spans = views.flatMap((view) => needles.flatMap((needle) => spansIn(view, needle, text)))
    if (spans.length === 0) return text
    let shown = ''
    let copied = 0
    for (const { from, to, instead } of spans.sort((one, other) => one.from - other.from || other.to - one.to)) {
      if (from >= copied) shown += text.slice(copied, from) + instead
      copied = Math.max(copied, to)
    }
    return shown + text.slice(copied)
  }
}

function toNeedles(instead: string, values: readonly (string | RegExp)[]): Needle[] {
  const needles = new Map<number, Needle>()
  const needleFor = (length: number): Needle => {
    const least = (share: number): number => Math.max(shortestAtCut, Math.min(longestPiece, Math.ceil(length * share)))
    const size = Math.min(length, 2 * longestPiece)
    const known = needles.get(size)
    if (known !== undefined) return known
    const needle = {
      instead,
      short: [],
      patterns: [],
      groups: new Set<number>(),
      anywhere: least(2 / 3),
      atEnd: least(1 / 2),
    }
    needles.set(size, needle)
    return needle
  }
  for (const value of values) {
    if (typeof value !== 'string') needleFor(0).patterns.push(value)
    else if (value.length < shortSecret) needleFor(0).short.push(...(value === '' ? [] : [fold(value)]))
    else {
      for (const text of new Set([value, readEscapes(value), bytesOf(value)].map(fold))) {
        if (text.length >= shortSecret) addGroups(text, needleFor(text.length).groups)
      }
    }
  }
  return [...needles.values()]
}

function addGroups(text: string, groups: Set<number>): void {
  let group = 0
  for (let at = 0; at < text.length; at += 1) {
    group = nextGroup(group, text.charCodeAt(at))
    if (at >= groupSize - 1) groups.add(group)
  }
}

/** Where secrets stand in a view, in the places of the original text. */
function spansIn(view: View, { instead, short, patterns, groups, anywhere, atEnd }: Needle, original: string): Span[] {
  const spans: Span[] = []
  const { text } = view
  const toSpan = (start: number, end: number): Span => ({
    from: view.from[start] as number,
    to: view.to[end - 1] as number,
    instead,
  })
  for (const pattern of patterns) {
    for (const { 0: found, index } of text.matchAll(pattern)) spans.push(toSpan(index, index + found.length))
  }
  for (const secret of view.isDecoded ? [] : short) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      const end = at + secret.length
      if (!isInWord(text, at - 1) && !isInWord(text, end)) spans.push(toSpan(at, end))
    }
  }
  if (groups.size === 0) return spans
  let start = -1
  let group = 0
  for (let at = 0; at <= text.length; at += 1) {
    group = at === text.length ? -1 : nextGroup(group, text.charCodeAt(at))
    if (at >= groupSize - 1 && groups.has(group)) {
      if (start === -1) start = at - groupSize + 1
    } else if (start !== -1) {
      const span = toSpan(start, at)
      const rest = cutAt(original, span.to)
      const length = at - start
      const isAtEnd = span.to + rest.length === original.length
      const isAtCut = /(?:\.{3}|…)$/.test(original.slice(Math.max(0, span.from - 3), span.from)) || rest.isCut
      if (length >= anywhere || (isAtEnd && length >= atEnd) || (isAtCut && length >= shortestAtCut)) {
        spans.push({ ...span, to: span.to + rest.length })
      }
      start = -1
    }
  }
  return spans
}

/** What is left of an escape that a cut went through, and whether dots show the cut. The secret may hold dots, too. */
function cutAt(text: string, at: number): { length: number; isCut: boolean } {
  const cut = /(?:\\+(?:u\{?[0-9a-f]{0,4}|x[0-9a-f]?)?|%(?:25)*[0-9a-f]?|&(?:amp;)*#?[0-9a-z]{0,4})?(?=(\.{3}|…)|$)/iy
  cut.lastIndex = at
  const found = cut.exec(text)
  return {
    length: found?.[0].length ?? 0,
    isCut: found?.[1] !== undefined || text.slice(Math.max(0, at - 2), at + 3).includes('...'),
  }
}

const isInWord = (text: string, at: number): boolean => /[a-z0-9]/.test(text[at] ?? '')

/** Seven bits of each of the latest characters. Other scripts share those of control characters, which no secret has. */
const nextGroup = (group: number, code: number): number =>
  ((group << 7) | (code < 128 ? code : 1 + (code % 31))) & 0xfff_ffff

/** The text with its ASCII letters in lower case. Its length stays the same. */
const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The bytes of a text in UTF-8, each as a character. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** The text as it is, and as it reads; also what base64, hexadecimal and decimal codes in it stand for. */
function viewsOf(text: string): View[] {
  const places = Array.from({ length: text.length }, (_, at) => at)
  const readings = readingsOf({ text, from: places, to: places.map((at) => at + 1), isDecoded: false })
  const read = readings.at(-1) as View
  const decoded = [fromBase64(read), fromHex(read), fromDecimals(read)].filter((view) => view.text !== '')
  return [...readings, ...decoded.flatMap(readingsOf)]
}

const readEscapes = (text: string): string =>
  readingsOf({ text, from: [], to: [], isDecoded: false }).at(-1)?.text ?? ''

/** A view, then with its escapes read once, twice and so on. */
function readingsOf(view: View): View[] {
  const readings = [view]
  for (let read = readOnce(view); read !== readings.at(-1) && readings.length <= mostReadings; read = readOnce(read)) {
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
  const read: View = { ...view, from: [], to: [] }
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
  view.from.push(source.from[first] as number)
  view.to.push(source.to[last] as number)
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
function fromBase64(source: View): View {
  const view: View = { text: '', from: [], to: [], isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(/[\w+/-]+/g)) {
    if (run.length < shortestBase64) continue
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
function fromHex(source: View): View {
  const view: View = { text: '', from: [], to: [], isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(/(?:[0-9a-f][\s,:;x-]{0,40}){10,}/gi)) {
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
function fromDecimals(source: View): View {
  const view: View = { text: '', from: [], to: [], isDecoded: true }
  const chars: string[] = []
  for (const { 0: run, index } of source.text.matchAll(/(?:\d{1,3}[\s,]{1,40}){4,}\d{1,3}/g)) {
    put(view, chars, 0, source, index, index)
    for (const number of run.matchAll(/\d+/g)) {
      const at = index + number.index
      put(view, chars, Number(number[0]), source, at, at + number[0].length - 1)
    }
  }
  return { ...view, text: chars.join('') }
}
