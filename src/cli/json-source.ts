import { Buffer, isUtf8 } from 'node:buffer'

import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'

import { UsageError } from '../errors.ts'
import { type JsonValue, parseJson } from '../json.ts'
import { readBytes } from './files.ts'

/** A JSON file, with the places of its values. */
export interface JsonSource {
  value: JsonValue
  /** Where the values of JSON pointers are, or their nearest ancestors: `pets.json:3:17`. */
  places: (pointers: readonly string[]) => Map<string, string>
}

/**
 * Reads a JSON file.
 *
 * @param what what the user calls it: "the pets file"
 * @param missing what to add when it is not there
 * @throws {UsageError} when it cannot be read, or is no JSON: then with line and column
 */
export async function readJsonSource(file: string, what: string, missing: string): Promise<JsonSource> {
  const text = decode(await readBytes(file, what, missing), file, what)
  return { value: parse(text, file, what), places: (pointers) => locate(text, file, pointers) }
}

/** Bytes that are not UTF-8 would silently become other names. */
function decode(bytes: Uint8Array, file: string, what: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, 'latin1'))) + 1
  throw new UsageError(`${file}:${line}: ${what} is not UTF-8`)
}

function parse(text: string, file: string, what: string): JsonValue {
  try {
    return parseJson(text)
  } catch (cause) {
    const mistakes: UsageError[] = []
    scan(text, {
      onError(code, _offset, _length, line, column) {
        const words = printParseErrorCode(code)
          .replaceAll(/\B[A-Z]/g, ' $&')
          .toLowerCase()
        mistakes.push(new UsageError(`${file}:${line + 1}:${column + 1}: ${what} is no JSON: ${words}`, { cause }))
      },
    })
    throw mistakes[0] ?? new UsageError(`${file}: ${what} is no JSON`, { cause })
  }
}

/** Calls a visitor as far as the call stack goes: nesting may be deeper, and has no places then. */
function scan(text: string, visitor: JSONVisitor): void {
  try {
    visit(text, visitor, { disallowComments: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

function locate(text: string, file: string, pointers: readonly string[]): Map<string, string> {
  const wanted = new Set(pointers.flatMap(withAncestors))
  const found = new Map<string, string>()
  const note = (line: number, column: number, path: JSONPath): void => {
    const names = path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    const pointer = names.join('')
    if (wanted.has(pointer)) found.set(pointer, `${file}:${line + 1}:${column + 1}`)
  }
  scan(text, {
    onObjectBegin: (_offset, _length, line, column, path) => note(line, column, path()),
    onArrayBegin: (_offset, _length, line, column, path) => note(line, column, path()),
    onLiteralValue: (_value, _offset, _length, line, column, path) => note(line, column, path()),
  })
  const placeOf = (pointer: string): string | undefined => withAncestors(pointer).find((one) => found.has(one))
  return new Map(pointers.map((pointer) => [pointer, found.get(placeOf(pointer) ?? '') ?? file]))
}

/** A pointer, then those of what it is in: the nearest first. */
function withAncestors(pointer: string): string[] {
  const parts = pointer.split('/')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
}
