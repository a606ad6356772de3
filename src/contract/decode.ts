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
    return { kind: 'broken', text, problem: `it is not a JSON text (${(error as Error).message.slice(0, 120)})` }
  }
}

/** The first member that an object of this valid JSON text has twice. */
function repeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (const [part, colon] of text.matchAll(/[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) {
    if (part === '{') open.push(new Set())
    else if (part === '[') open.push(undefined)
    else if (part === '}' || part === ']') open.pop()
    else if (colon !== undefined) {
      const name = JSON.parse(part.slice(0, part.length - colon.length)) as string
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}
