import { parseJson } from '../json.ts'
import type { Content } from './exchange.ts'

/**
 * Reads the bytes of a body as strictly as RFC 8259 defines JSON: valid UTF-8, no byte order mark, one JSON text, and no
 * object that names a member twice.
 */
export function decode(bytes: Uint8Array): Content {
  if (bytes.length === 0) return { kind: 'empty' }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { kind: 'broken', text: new TextDecoder().decode(bytes), problem: 'the bytes are not valid UTF-8' }
  }
  if (text.startsWith('\uFEFF'))
    return { kind: 'broken', text, problem: 'a byte order mark stands before the JSON text' }
  try {
    const value = parseJson(text)
    const name = repeatedMember(text)
    return name === undefined
      ? { kind: 'json', text, value }
      : { kind: 'broken', text, problem: `an object names its member ${JSON.stringify(name)} twice` }
  } catch (error) {
    return { kind: 'broken', text, problem: `it is not a JSON text${inWords(error)}` }
  }
}

/** What the parser says, without the piece of the text that it quotes: that could be a piece of the key. */
function inWords(error: unknown): string {
  const words = (error as Error).message.replace(/,? ?(?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/, '')
  return words === '' ? '' : ` (${words})`
}

/** The first member that an object of this valid JSON text has twice. */
function repeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '{') open.push(new Set())
    else if (char === '[') open.push(undefined)
    else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const start = at
      at = closingQuote(text, start)
      if (!isBeforeColon(text, at)) continue
      const name = JSON.parse(text.slice(start, at + 1)) as string
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}

function closingQuote(text: string, openingQuote: number): number {
  let at = openingQuote + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function isBeforeColon(text: string, quote: number): boolean {
  let at = quote + 1
  while (' \t\n\r'.includes(text[at] ?? '?')) at += 1
  return text[at] === ':'
}
