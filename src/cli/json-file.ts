import { Buffer, isUtf8 } from 'node:buffer'

import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'

import { type Issue, UsageError } from '../errors.ts'
import { type JsonValue, parseJson } from '../json.ts'
import { decode, readBytes } from './files.ts'

export type JsonFile = Awaited<ReturnType<typeof readJsonFile>>

/** @throws {UsageError} with `missing` when there is no file, and with line and column when it is no JSON */
export async function readJsonFile(file: string, what: string, missing = '') {
  const text = toText(await readBytes(file, what, missing), file, what)
  return {
    value: parse(text, file, what),
    /** The position of the value at a JSON pointer, or of its nearest ancestor: `pets.json:3:17`. */
    place: (pointer: string) => locate(text, file, pointer),
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

function locate(text: string, file: string, pointer: string): string {
  let place = file
  let longest = -1
  const depth = pointer.split('/').length - 1
  const note = (
    _offset: number,
    _length: number,
    line: number,
    column: number,
    path: () => JSONPath,
  ): void => {
    const names = path()
    if (names.length > depth) return
    const found = names
      .map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('')
    if (found.length < longest || (found !== pointer && !pointer.startsWith(`${found}/`))) return
    longest = found.length
    place = `${file}:${line + 1}:${column + 1}`
  }
  scan(text, {
    onObjectBegin: note,
    onArrayBegin: note,
    onLiteralValue: (_value, ...at) => note(...at),
  })
  return place
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
          message: `"${name}" is there twice`,
        })
      known.add(own)
    },
  })
  return repeated
}
