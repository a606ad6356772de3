/** Where something stands in a text; both count from 1. */
export interface Position {
  line: number
  column: number
}

/** Why a text is no JSON, and at which index. */
export interface SyntaxMistake {
  at: number
  message: string
}

/** An array or object that is not closed yet. */
interface Open {
  pointer: string
  /** How many elements came before, in an array. */
  index: number | undefined
}

/**
 * Reads a text as JSON with its own stack, for the sake of the places alone: `onValue` is called with the JSON pointer of
 * each value and with the index at which it begins.
 */
export function scanJson(
  text: string,
  onValue: (pointer: string, at: number) => void = () => {},
): SyntaxMistake | undefined {
  const open: Open[] = []
  let at = 0
  let pointer = ''

  const skip = (): string => {
    while (' \t\n\r'.includes(text[at] ?? '-')) at += 1
    return text[at] ?? ''
  }
  const mistake = (expected: string): SyntaxMistake => {
    const ends = at >= text.length ? ', and the text ends here' : ''
    return { at: Math.min(at, text.length), message: `${expected}${ends}` }
  }
  /** Moves behind a name and its colon. */
  const readName = ({ pointer: parent }: Open): SyntaxMistake | undefined => {
    if (skip() !== '"') return mistake('a name in double quotes must stand here')
    const end = readString(text, at)
    if (typeof end !== 'number') return end
    const name = JSON.parse(text.slice(at, end)) as string
    pointer = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    at = end
    if (skip() !== ':') return mistake('a colon must stand behind the name')
    at += 1
    return undefined
  }

  for (;;) {
    const first = skip()
    onValue(pointer, at)
    let isOpened = false
    if (first === '{' || first === '[') {
      at += 1
      const container: Open = { pointer, index: first === '[' ? 0 : undefined }
      if (skip() === (first === '[' ? ']' : '}')) at += 1
      else {
        open.push(container)
        isOpened = true
        if (first === '[') pointer = `${container.pointer}/0`
        else {
          const wrong = readName(container)
          if (wrong !== undefined) return wrong
        }
      }
    } else {
      const end = first === '"' ? readString(text, at) : endOfWord(text, at)
      if (end === undefined) return mistake('a value must stand here')
      if (typeof end !== 'number') return end
      at = end
    }
    if (isOpened) continue

    for (;;) {
      const next = skip()
      const container = open.at(-1)
      if (container === undefined) return next === '' ? undefined : mistake('nothing more may follow')
      const isArray = container.index !== undefined
      if (next === (isArray ? ']' : '}')) {
        at += 1
        open.pop()
        continue
      }
      if (next !== ',') return mistake(`a comma or ${isArray ? ']' : '}'} must stand here`)
      at += 1
      if (isArray) {
        container.index = (container.index ?? 0) + 1
        pointer = `${container.pointer}/${container.index}`
      } else {
        const wrong = readName(container)
        if (wrong !== undefined) return wrong
      }
      break
    }
  }
}

/** The index behind the string that begins at `start`, or what is wrong with it. */
function readString(text: string, start: number): number | SyntaxMistake {
  let at = start + 1
  for (;;) {
    const char = text[at]
    if (char === '"') return at + 1
    if (char === undefined) return { at: start, message: 'the double quotes that begin here never end' }
    if (char < ' ')
      return { at, message: 'a line break or another control character stands in a text; write \\n or the like' }
    if (char === '\\') {
      if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at + 1, at + 6))) {
        return { at, message: 'there is no such escape behind the backslash' }
      }
      at += 1
    }
    at += 1
  }
}

/** The index behind the number, `true`, `false` or `null` that begins at `start`. */
function endOfWord(text: string, start: number): number | undefined {
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
  word.lastIndex = start
  return word.test(text) ? word.lastIndex : undefined
}

/** The line and the column of an index. */
export function positionAt(text: string, index: number): Position {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { line, column: index - start + 1 }
}

/**
 * Where the values are that JSON pointers name, in a text that is JSON. For a value that is not there, its nearest
 * ancestor that is.
 */
export function locate(text: string, pointers: readonly string[]): Map<string, Position> {
  const wanted = new Set(pointers.flatMap(withAncestors))
  const found = new Map<string, number>()
  scanJson(text, (pointer, at) => {
    if (wanted.has(pointer)) found.set(pointer, at)
  })
  return new Map(
    pointers.map((pointer) => {
      const nearest = withAncestors(pointer).find((one) => found.has(one)) ?? ''
      return [pointer, positionAt(text, found.get(nearest) ?? 0)]
    }),
  )
}

/** A pointer, then those of what it stands in: the nearest first. */
function withAncestors(pointer: string): string[] {
  const parts = pointer.split('/')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
}
