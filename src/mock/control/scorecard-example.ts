import type { Example } from './scorecard.ts'

/** What stands where a key was. */
const hidden = '<API_KEY>'
const notShown = '(not shown: it holds an API key)'

/** Characters of each part of an example, and of a message. */
const longest = { method: 20, target: 200, body: 300, message: 240 }

/** Shorter keys are taken out where they stand alone, and not where they are a part of a word. */
const shortKey = 6

/** A request as a finding shows it: without keys, and cut. */
export function toExample(request: { method: string; target: string; body: string }, keys: readonly string[]): Example {
  const { method, target, body } = request
  const example: Example = {
    method: shorten(hideKeys(method, keys), longest.method),
    target: shorten(hideParameters(hideKeys(target, keys)), longest.target),
  }
  if (body !== '') example.body = shorten(hideKeys(body, keys), longest.body)
  return example
}

/** A sentence about a request. */
export function toMessage(message: string, keys: readonly string[]): string {
  return shorten(hideKeys(message, keys), longest.message)
}

/** Text without keys; nothing of it where a key is in it that is written with escapes. */
function hideKeys(text: string, keys: readonly string[]): string {
  const plain = keys.reduce(hideKey, text)
  const read = readable(plain)
  return keys.some((key) => hideKey(read, key) !== read) ? notShown : plain
}

function hideKey(text: string, key: string): string {
  if (key === '') return text
  const spellings = key === encodeURIComponent(key) ? [key] : [key, encodeURIComponent(key)]
  if (key.length >= shortKey) return spellings.reduce((left, spelling) => left.replaceAll(spelling, hidden), text)
  const escaped = key.replace(/[^\w]/g, String.raw`\$&`)
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, 'g'), hidden)
}

/** The text with the escapes of URLs and of JSON read. */
function readable(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\/', '/')
}

/** A key that nobody here knows may be one elsewhere. */
function hideParameters(target: string): string {
  return target.replace(
    /([?&](?:api[_-]?key|key|token|access_token|auth|authorization|bearer)=)[^&#]+/gi,
    `$1${hidden}`,
  )
}

/** The first characters, as a text of its own: a piece of a long text would keep the whole of it in memory. */
function shorten(text: string, most: number): string {
  return Array.from(text.length > most ? `${text.slice(0, most)}…` : text).join('')
}
