import { Buffer, isUtf8 } from 'node:buffer'

import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'

import { type Issue, UsageError } from '../errors.ts'
import { type JsonValue, parseJson } from '../json.ts'
import { escaped } from '../validate.ts'
import { decode, readBytes } from './files.ts'

export type JsonFile = Awaited<ReturnType<typeof readJsonFile>>

/** @throws {UsageError} with `missing` when there is no file, and with line and column when it is no JSON */
export async function readJsonFile(file: string, what: string, missing = '') {
  const text = toText(await readBytes(file, what, missing), file, what)
  return {
    value: parse(text, file, what),
    /** The position of the value at a JSON pointer, or of its nearest ancestor: `pets.json:3:17`. */
    place: createLocator(text, file),
    /** An issue for each field that its object has already; JSON readers take the last one. */
    repeated: () => findRepeated(text, file),
  }
}

/** Rejects what is not a text, which would silently change names. */
function toText(bytes: Uint8Array, file: string, what: string): string {
  try {
    return decode(bytes, true)
  } catch (cause) {
    const lines = Buffer.from(bytes).toString('latin1').split('\n')
    const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, 'latin1'))) + 1
    throw new UsageError(`${file}:${line}: ${what} is not UTF-8`, { cause })
  }
}

/** The messages do not quote the text, which may be a key in the wrong place. */
function parse(text: string, file: string, what: string): JsonValue {
  try {
    return parseJson(text)
  } catch (cause) {
    scan(text, {
      onError(code, _offset, _length, line, column) {
        const words = printParseErrorCode(code).replaceAll(/\B[A-Z]/g, ' $&')
        const place = `${file}:${line + 1}:${column + 1}`
        throw new UsageError(`${place}: ${what} is not JSON: ${words.toLowerCase()}`, { cause })
      },
    })
    throw new UsageError(`${file}: ${what} is not JSON`, { cause })
  }
}

/** Stops without an error where nesting exceeds the call stack: such values have no position. */
function scan(text: string, visitor: JSONVisitor): void {
  try {
    visit(text, visitor, { disallowComments: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/** Finds positions. The values of the outermost array or object are located once, so that many take no longer than one. */
function createLocator(text: string, file: string): (pointer: string) => string {
  let startOf: ReturnType<typeof findStarts> | undefined
  return (pointer) => {
    const [, first, ...rest] = pointer.split('/')
    startOf ??= findStarts(text)
    const start = first === undefined ? undefined : startOf(first)
    const offset =
      start === undefined
        ? Math.max(0, text.search(/\S/))
        : start + locate(text.slice(start), rest.map((name) => `/${name}`).join(''))
    const lines = text.slice(0, offset).split(/\r\n|\r|\n/)
    return `${file}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`
  }
}

/** Where the values of the outermost array or object begin, by index or name. */
function findStarts(text: string): (name: string) => number | undefined {
  const ofArray: number[] = []
  const ofObject = new Map<string, number>()
  let depth = 0
  let name: string | undefined
  const note = (offset: number): void => {
    if (depth !== 1) return
    if (name === undefined) ofArray.push(offset)
    else ofObject.set(name, offset)
  }
  const begin = (offset: number): void => {
    note(offset)
    depth += 1
  }
  const end = (): void => void (depth -= 1)
  scan(text, {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(property) {
      if (depth === 1) name = escaped(property)
    },
    onLiteralValue: (_value, offset) => note(offset),
  })
  return (own) => ofObject.get(own) ?? (/^\d+$/.test(own) ? ofArray[Number(own)] : undefined)
}

/** The offset of the value at a JSON pointer, or of its nearest ancestor. */
function locate(text: string, pointer: string): number {
  let at = 0
  let longest = -1
  const depth = pointer.split('/').length - 1
  const note = (
    offset: number,
    _length: number,
    _line: number,
    _column: number,
    path: () => JSONPath,
  ): void => {
    const names = path()
    if (names.length > depth) return
    const found = names.map((name) => `/${escaped(String(name))}`).join('')
    if (found.length < longest || (found !== pointer && !pointer.startsWith(`${found}/`))) return
    longest = found.length
    at = offset
  }
  scan(text, {
    onObjectBegin: note,
    onArrayBegin: note,
    onLiteralValue: (_value, ...where) => note(...where),
  })
  return at
}

function findRepeated(text: string, file: string): Issue[] {
  const known = new Set<string>()
  const repeated: Issue[] = []
  scan(text, {
    onObjectProperty(name, _offset, _length, line, column, path) {
      const own = JSON.stringify([...path(), name])
      if (known.has(own))
        repeated.push({
          path: `${file}:${line + 1}:${column + 1}`,
          message: `"${name}" is defined twice`,
        })
      known.add(own)
    },
  })
  return repeated
}
