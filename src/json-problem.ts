/** A part of a string: characters that stand for themselves, or one escape. */
const inString = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
/** Numbers, brackets, commas, colons and words of JSON. */
const token =
  /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|[[\]{},:]|(?:true|false|null)\b/y
const space = /[\t\n\r ]*/y
const maxShown = 20

/** A bracket: what may follow it. */
type Expected = 'value' | '[' | 'name' | '{' | ':' | 'end'

/**
 * Where a text stops being JSON, and why, for the author of the text. The messages of `JSON.parse` differ from engine to
 * engine, and quote more of the text.
 */
export function jsonProblem(text: string): string {
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark (U+FEFF)'
  const open: string[] = []
  let expected: Expected = 'value'
  let before = ''
  let at = 0
  for (;;) {
    at = endOf(space, text, at)
    const found = tokenAt(text, at)
    const next = after(found, expected, open)
    if (next === undefined) {
      const [reason, offset = 0] = reasonAt(text.slice(at), before, open)
      return `${reason} at ${placeOf(text, at + offset)}`
    }
    ;[expected, before, at] = [next, found, at + found.length]
  }
}

/** Where a match that begins at an offset ends; the offset if there is no match. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** The token at an offset; empty at the end. */
function tokenAt(text: string, from: number): string {
  if (text[from] !== '"') return text.slice(from, endOf(token, text, from))
  const at = endInString(text, from)
  return text[at] === '"' ? text.slice(from, at + 1) : ''
}

/** Where a string that begins at an offset ends: at its last quote, at what may not be in it, or where the text ends. */
function endInString(text: string, from: number): number {
  let at = from
  let next = from + 1
  while (next > at) [at, next] = [next, endOf(inString, text, next)]
  return at
}

/** What may follow a token, if it is allowed; `open` has the brackets that are not closed. */
function after(found: string, next: Expected, open: string[]): Expected | undefined {
  const takesValue = next === 'value' || next === '['
  const takesName = next === 'name' || next === '{'
  const bracket = open.at(-1)
  if (found === '{' || found === '[') {
    if (!takesValue) return undefined
    open.push(found)
    return found
  }
  if (found === '}' || found === ']') {
    const opening = found === '}' ? '{' : '['
    if (bracket !== opening || (next !== 'end' && next !== opening)) return undefined
    open.pop()
    return 'end'
  }
  if (found === ',') {
    if (next !== 'end' || bracket === undefined) return undefined
    return bracket === '{' ? 'name' : 'value'
  }
  if (found === ':') return next === ':' ? 'value' : undefined
  if (takesName) return found.startsWith('"') ? ':' : undefined
  return takesValue && found !== '' ? 'end' : undefined
}

/** Why the rest of a text is wrong, and where in it. */
function reasonAt(
  rest: string,
  before: string,
  open: readonly string[],
): [reason: string, offset?: number] {
  const char = rest.charAt(0)
  const bracket = open.at(-1)
  if (char === '' && before === '') return ['it has no value']
  if (char === '') return [`it ends before "${bracket}" is closed,`]
  if (before !== '' && bracket === undefined) return [`${show(rest)} after the end of the value`]
  if (before === ',' && /[\]},]/.test(char)) return [`${show(rest)} after a comma`]
  if (char === "'") return ['a single quote instead of a double quote']
  if (/^(?:\/[/*]|#)/.test(rest)) return ['a comment']
  if (/^-?0\d/.test(rest)) return ['a number with a leading zero']
  return (char === '"' && reasonInString(rest)) || [`unexpected ${show(rest)}`]
}

/** Why a text that begins with a double quote is no string, and where in it. */
function reasonInString(rest: string): [reason: string, offset: number] | undefined {
  const length = endInString(rest, 0)
  const next = rest.charAt(length)
  if (next === '"') return undefined
  if (next === '') return ['a string without an end', 0]
  if (next === '\\') return [`the unknown escape ${show(rest.slice(length))} in a string`, length]
  return [`the control character ${codeOf(next)}, which must be escaped in a string,`, length]
}

const codeOf = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The word, or the character, at the beginning of a text. */
function show(rest: string): string {
  const [word = ''] = /^(?:"[\w ]*"?|[\w.+-]+|\\.)/u.exec(rest) ?? []
  if (word !== '') return word.length > maxShown ? `"${word.slice(0, maxShown)}…"` : quote(word)
  const [char = ''] = rest
  return /^[\x21-\x7e]$/.test(char) ? quote(char) : codeOf(char)
}

const quote = (text: string): string => (text.startsWith('"') && text !== '"' ? text : `"${text}"`)

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|[\n\r]/)
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
