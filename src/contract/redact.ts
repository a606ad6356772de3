import { wrongKey } from './credentials.ts'
import { endsOf, fold } from './spellings.ts'

/** What stands in place of the key, and of the value of a header that the user gave. */
const placeholder = '$PETSTORE_API_KEY'
const headerPlaceholder = '[value of --header]'
/** A shorter secret is a part of many words: only where it stands alone is it taken for one. */
const shortestSecret = 6
/** So many first characters of a secret are taken out where a text was cut off behind them. */
const shortestHead = 5
/** Characters of what is left of a text where it was cut off: a part of an escape, and three dots. */
const longestMark = 10

/** A text that no report may show, and what stands in its place. */
interface Secret {
  /** Folded. */
  text: string
  instead: string
  /** Its base64 at any place of a longer text, if it is long enough. */
  encoded: RegExp | undefined
}

/**
 * Makes a function that takes the key out of any text, also where the text holds it in other letter case, without its
 * last character, cut off by the end of the text, with characters escaped as JSON, URLs or HTML escape them, or in base64.
 *
 * @param values further texts that no report may show
 */
export function createRedactor(apiKey: string, values: readonly string[] = []): (text: string) => string {
  const keys = [apiKey, (wrongKey.header(apiKey) ?? '').replace('Bearer ', '')]
  const secrets = [
    ...[...new Set(keys)].map((key) => toSecret(key, placeholder)),
    ...values.filter((value) => value.length >= shortestSecret).map((value) => toSecret(value, headerPlaceholder)),
  ]
  return (text) => secrets.reduce(takeOut, text)
}

function toSecret(text: string, instead: string): Secret {
  return { text: fold(text), instead, encoded: text.length < shortestSecret ? undefined : encodings(text) }
}

function takeOut(text: string, { text: secret, instead, encoded }: Secret): string {
  const plain = encoded === undefined ? text : text.replace(encoded, () => instead)
  const folded = fold(plain)
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < plain.length; at += 1) {
    const char = folded[at] as string
    if (char === '$' || char === '[') {
      const own = [placeholder, headerPlaceholder].find((words) => plain.startsWith(words, at))
      if (own !== undefined) {
        at += own.length - 1
        continue
      }
    }
    if (char !== secret[0] && char !== '\\' && char !== '%' && char !== '&') continue
    const end = endOfSecret(folded, at, secret)
    if (end === undefined) continue
    parts.push(plain.slice(copied, at), instead)
    copied = end
    at = end - 1
  }
  return parts.length === 0 ? plain : parts.join('') + plain.slice(copied)
}

/** Where a secret ends that begins at a place of a text: whole, without its last character, or cut off with the text. */
function endOfSecret(text: string, start: number, secret: string): number | undefined {
  const isLong = secret.length >= shortestSecret
  if (!isLong && isInWord(text, start - 1)) return undefined
  let places = [start]
  // The places before, as far as the mark of a cut may have been taken for characters of the secret.
  let before: number[][] = []
  let length = 0
  for (; length < secret.length; length += 1) {
    const next = step(text, places, secret[length] as string)
    if (next.length === 0) break
    if (length >= shortestHead) before = [places, ...before].slice(0, longestMark)
    places = next
  }
  if (length === secret.length || (isLong && length === secret.length - 1)) {
    const end = Math.max(...places)
    return isLong || !isInWord(text, end) ? end : undefined
  }
  if (!isLong || length < shortestHead) return undefined
  return [places, ...before]
    .flat()
    .map((at) => endOfCut(text, at))
    .find((at) => at !== undefined)
}

/** A short secret is taken out where it stands alone, and not where it is a part of a word. */
const isInWord = (text: string, at: number): boolean => /[a-z0-9]/.test(text[at] ?? '')

function step(text: string, places: readonly number[], char: string): number[] {
  const [at = 0, ...more] = places
  if (more.length === 0) return endsOf(text, at, char)
  return [...new Set(places.flatMap((place) => endsOf(text, place, char)))]
}

/** Where a text that was cut off goes on, behind what is left of the escape that stood there. */
function endOfCut(text: string, at: number): number | undefined {
  const cut = /(?:\\+(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%(?:25)?[0-9a-f]?|&#?[0-9a-z]{0,4})?(?=\.{3}|$)/y
  cut.lastIndex = at
  const rest = cut.exec(text)
  return rest === null ? undefined : at + rest[0].length
}

/** Matches the base64 of a secret in both alphabets, wherever in the encoded text it stands, its last character apart. */
function encodings(secret: string): RegExp {
  const fragments = [0, 1, 2].map((offset) => {
    const whole = Buffer.from('\0'.repeat(offset) + secret).toString('base64')
    return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length - 1) * 8) / 6))
  })
  const patterns = fragments.map((fragment) =>
    fragment.replaceAll('+', '(?:[+-]|%2[bB])').replaceAll('/', '(?:\\\\*[/_]|%2[fF])'),
  )
  return new RegExp(`[\\w+/-]{0,2}(?:${patterns.join('|')})[\\w+/-]{0,2}={0,2}`, 'g')
}

/** Applies a function to every string of a JSON-like value, names of members included. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((item: unknown) => mapStrings(item, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapStrings(member as unknown, change)]),
  ) as T
}
