/** What stands in place of the key, and of the value of a header that the user gave. */
const placeholder = '$PETSTORE_API_KEY'
const headerPlaceholder = '[value of --header]'
/** A shorter value of a header stands in half of all words, and is no secret. */
const shortestSecret = 6

/**
 * Makes a function that takes the key out of any text, also where the text holds it in other letter case, without its
 * last character, cut off by the end of the text, or with characters escaped as JSON, URLs or HTML escape them.
 *
 * @param values further texts that no report may show
 */
export function createRedactor(apiKey: string, values: readonly string[] = []): (text: string) => string {
  const key = new RegExp(keyPattern(apiKey), 'gi')
  const encoded = [...new Set([base64(apiKey), base64(`Bearer ${apiKey}`), base64(`:${apiKey}`), base64(`${apiKey}:`)])]
  const further = values
    .filter((value) => value.length >= shortestSecret)
    .map((value) => new RegExp([...value].map(spellings).join(''), 'gi'))
  return (text) => {
    const withoutCodes = encoded.reduce((clean, secret) => clean.replaceAll(secret, placeholder), text)
    const withoutKey = withoutCodes.replace(key, () => placeholder)
    return further.reduce((clean, value) => clean.replace(value, headerPlaceholder), withoutKey)
  }
}

function keyPattern(apiKey: string): string {
  const chars = [...apiKey].map(spellings)
  // A key of a few characters stands in half of all words; a part of it is no secret of its own.
  if (chars.length < shortestSecret) return chars.join('')
  const but = chars.slice(0, -1).join('')
  const last = chars.at(-1) ?? ''
  // Where a text was cut off, the key may have been cut with it.
  const head = chars.slice(0, shortestSecret - 1).join('')
  const rest = chars.slice(shortestSecret - 1).reduceRight((inner, char) => `(?:${char}${inner})?`, '')
  return `${but}(?:${last})?|${head}${rest}(?=\\.{3}|$)`
}

function spellings(char: string): string {
  const code = char.charCodeAt(0)
  const hex = code.toString(16)
  const literal = char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return `(?:${literal}|\\\\${literal}|\\\\u${hex.padStart(4, '0')}|\\\\x${hex}|%${hex}|&#0*${code};|&#x0*${hex};)`
}

const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '')

/** Applies a function to every string of a JSON-like value, names of members included. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((item: unknown) => mapStrings(item, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapStrings(member as unknown, change)]),
  ) as T
}
