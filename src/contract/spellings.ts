/** How a server may spell a character that it echoes: as it is, or as JSON, a URL or HTML escapes it. */

/** A longer run of backslashes is no escape. */
const mostBackslashes = 16
const named: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** A text with its ASCII letters in lower case. Its length stays the same. */
export function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * Where spellings of a character end that begin at a place of a text. There may be several, such as for a backslash that
 * another one escapes.
 *
 * @param text folded
 * @param char one ASCII character, folded: its spellings are those of either letter case
 */
export function endsOf(text: string, at: number, char: string): number[] {
  const found = text[at]
  if (found === '\\') return afterBackslashes(text, at, char)
  const ends = found === char ? [at + 1] : []
  if (found === '%') {
    // A server that escapes an escaped text makes %25 of its percent signs.
    const start = text.startsWith('25', at + 1) ? at + 3 : at + 1
    for (const from of new Set([at + 1, start])) if (isCode(text, from, 2, char)) ends.push(from + 2)
  } else if (found === '&') ends.push(...afterAmpersand(text, at, char))
  return ends
}

function afterBackslashes(text: string, start: number, char: string): number[] {
  const ends: number[] = []
  let at = start
  while (text[at] === '\\' && at - start < mostBackslashes) {
    at += 1
    if (char === '\\') ends.push(at)
  }
  if (text[at] === char) ends.push(at + 1)
  if (text[at] === 'u' && isCode(text, at + 1, 4, char)) ends.push(at + 5)
  if (text[at] === 'x' && isCode(text, at + 1, 2, char)) ends.push(at + 3)
  return ends
}

function afterAmpersand(text: string, at: number, char: string): number[] {
  const reference = /&(?:#0*(\d{1,3})|#x0*([0-9a-f]{1,2})|([a-z]{2,4}));?/y
  reference.lastIndex = at
  const [whole = '', decimal, hex, name] = reference.exec(text) ?? []
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const isMeant = fold(String.fromCharCode(code)) === char || (name !== undefined && name === named[char])
  return whole !== '' && isMeant ? [at + whole.length] : []
}

/** Whether so many hexadecimal digits of a text are the code of a character, in either letter case. */
function isCode(text: string, at: number, digits: number, char: string): boolean {
  const hex = text.slice(at, at + digits)
  return (
    hex.length === digits && /^[0-9a-f]+$/.test(hex) && fold(String.fromCharCode(Number.parseInt(hex, 16))) === char
  )
}
