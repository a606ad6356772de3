/** What stands in place of the key. */
const placeholder = '$PETSTORE_API_KEY'

/**
 * Makes a function that takes the key out of any text, also where the text holds it in other letter case, without its
 * last character, or with characters escaped as JSON, URLs or HTML escape them.
 */
export function createRedactor(apiKey: string): (text: string) => string {
  const chars = [...apiKey].map(spellings)
  const last = chars.pop() ?? ''
  // A key of one or two characters stands in half of all words; its cut form is no secret of its own.
  const pattern = chars.length > 2 ? `${chars.join('')}(?:${last})?` : [...chars, last].join('')
  const key = new RegExp(pattern, 'gi')
  const encoded = [...new Set([base64(apiKey), base64(`Bearer ${apiKey}`), base64(`:${apiKey}`), base64(`${apiKey}:`)])]
  return (text) =>
    encoded.reduce((clean, secret) => clean.replaceAll(secret, placeholder), text).replace(key, () => placeholder)
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
