/**
 * Regular expressions whose time is linear in the length of the text. Those of JavaScript may backtrack for hours, which
 * would stop the mock for everybody. The syntax is that of JavaScript with the flag `u`, without lookaround and
 * backreferences; a pattern matches anywhere in a text unless `^` and `$` bind it.
 */

const maxPattern = 200
/** Characters of a text: a longer one does not match. */
const maxText = 2_000
/** The most instructions of one expression; a counted repetition repeats those of its part. */
export const maxRegexSize = 500

export interface Regex {
  /** The number of instructions: a measure of the time for each character. */
  readonly size: number
  readonly test: (text: string) => boolean
}

type Node =
  | { type: 'character'; fits: (character: string) => boolean }
  | { type: 'assertion'; holds: (text: string, at: number) => boolean }
  | { type: 'sequence' | 'alternatives'; parts: Node[] }
  | { type: 'repetition'; part: Node; least: number; most: number }

/** `next` and `other` are indices of instructions; -1 is a match. */
interface Instruction {
  fits?: (character: string) => boolean
  holds?: (text: string, at: number) => boolean
  next: number
  other?: number
}

class Unsupported extends Error {}

/** Returns a message when the pattern is invalid, or not supported. */
export function compileRegex(pattern: string): Regex | string {
  if (pattern.length > maxPattern)
    return `must be a regular expression of at most ${maxPattern} characters`
  try {
    toNative(pattern)
  } catch (error) {
    return `must be a regular expression: ${(error as Error).message.replace(/^.*\/u: /s, '')}`
  }
  try {
    const program = toProgram(parse(pattern))
    return {
      size: program.length,
      test: (text) => text.length <= maxText && isMatch(program, text),
    }
  } catch (error) {
    if (error instanceof Unsupported) return error.message
    throw error
  }
}

const toNative = (source: string): RegExp => new RegExp(source, 'u')

/** Reads one character, class or escape of a valid pattern. */
const atom =
  /\[(?:\\.|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|.)|./suy
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y
const group = /\((?:\?:|\?<\w+>)?(?!\?)/y

/** Parses a valid pattern. */
function parse(pattern: string): Node {
  let at = 0
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at
    const found = expression.exec(pattern)
    at += found?.[0].length ?? 0
    return found
  }

  function parseAlternatives(): Node {
    const parts = [parseSequence()]
    while (pattern[at] === '|') {
      at += 1
      parts.push(parseSequence())
    }
    return { type: 'alternatives', parts }
  }

  function parseSequence(): Node {
    const parts: Node[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      const part = parsePart()
      const [, sign, low = '', comma = '', high = ''] = take(quantifier) ?? []
      if (sign !== undefined)
        parts.push({
          type: 'repetition',
          part,
          least: sign === '+' ? 1 : 0,
          most: sign === '?' ? 1 : Infinity,
        })
      else if (low !== '') {
        const most = high === '' ? (comma === '' ? Number(low) : Infinity) : Number(high)
        parts.push({ type: 'repetition', part, least: Number(low), most })
      } else parts.push(part)
    }
    return { type: 'sequence', parts }
  }

  function parsePart(): Node {
    if (pattern[at] === '(') {
      if (take(group) === null)
        throw new Unsupported('must be a regular expression without lookaround and modifiers')
      const inner = parseAlternatives()
      at += 1
      return inner
    }
    const [source = ''] = take(atom) ?? []
    const holds = assertions[source]
    if (holds !== undefined) return { type: 'assertion', holds }
    if (/^\\[1-9k]/.test(source))
      throw new Unsupported('must be a regular expression without backreferences')
    return { type: 'character', fits: toTest(source) }
  }

  return parseAlternatives()
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /^\w$/.test(character)
const isBoundary = (text: string, at: number): boolean => isWord(text[at - 1]) !== isWord(text[at])

const assertions: Readonly<Record<string, (text: string, at: number) => boolean>> = {
  '^': (_text, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': isBoundary,
  '\\B': (text, at) => !isBoundary(text, at),
}

/** Tests one character by the source of an atom. */
function toTest(source: string): (character: string) => boolean {
  if (source !== '.' && !/^[[\\]/.test(source)) return (character) => character === source
  const native = toNative(`^${source}$`)
  // Copies of a repeated atom test the same character one after another.
  let latest: string | undefined
  let isIn = false
  return (character) => {
    if (character !== latest) isIn = native.test(character)
    latest = character
    return isIn
  }
}

/** Thompson's construction, from the end: each instruction knows the next one. The last instruction is the first to run. */
function toProgram(root: Node): Instruction[] {
  const program: Instruction[] = []
  let steps = 0
  const add = (instruction: Instruction): number => program.push(instruction) - 1

  function compile(node: Node, next: number): number {
    // Counts the copies of an empty part, too.
    steps += 1
    if (steps > 4 * maxRegexSize || program.length >= maxRegexSize) {
      throw new Unsupported(
        `must be a smaller regular expression: its repetitions make more than ${maxRegexSize} steps`,
      )
    }
    switch (node.type) {
      case 'character':
        return add({ fits: node.fits, next })
      case 'assertion':
        return add({ holds: node.holds, next })
      case 'sequence':
        return node.parts.reduceRight((after, part) => compile(part, after), next)
      case 'alternatives':
        return node.parts
          .map((part) => compile(part, next))
          .reduce((first, second) => add({ next: first, other: second }))
      case 'repetition':
        return repeat(node, next)
    }
  }

  function repeat({ part, least, most }: Node & { type: 'repetition' }, next: number): number {
    let start = next
    if (most === Infinity) {
      start = add({ next: -1, other: next })
      ;(program[start] as Instruction).next = compile(part, start)
    } else {
      for (let copy = least; copy < most; copy += 1)
        start = add({ next: compile(part, start), other: next })
    }
    for (let copy = 0; copy < least; copy += 1) start = compile(part, start)
    return start
  }

  const start = compile(root, -1)
  add({ next: start })
  return program
}

/** Follows all ways through the program at once: each instruction is visited once for a character. */
function isMatch(program: readonly Instruction[], text: string): boolean {
  const visited = new Int32Array(program.length).fill(-1)
  let waiting: Instruction[] = []
  let at = 0

  /** Collects the instructions that read the next character; returns whether a match is reached. */
  function follow(from: number, found: Instruction[]): boolean {
    const stack = [from]
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (index === -1) return true
      if (visited[index] === at) continue
      visited[index] = at
      const instruction = program[index] as Instruction
      if (instruction.fits !== undefined) found.push(instruction)
      else if (instruction.holds?.(text, at) !== false) {
        if (instruction.other !== undefined) stack.push(instruction.other)
        stack.push(instruction.next)
      }
    }
    return false
  }

  const start = program.length - 1
  if (follow(start, waiting)) return true
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) as number)
    at += character.length
    const found: Instruction[] = []
    for (const { fits, next } of waiting) if (fits?.(character) && follow(next, found)) return true
    if (follow(start, found)) return true
    waiting = found
  }
  return false
}
