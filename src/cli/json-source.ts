import { UsageError } from '../errors.ts'
import { type JsonValue, parseJson } from '../json.ts'
import { readBytes } from './files.ts'
import { locate, positionAt, scanJson } from './json-positions.ts'

/** A JSON file whose mistakes can be told with the place where they stand. */
export interface JsonSource {
  value: JsonValue
  /** Where the values are that these JSON pointers name: `pets.json:3:17`. */
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
  return {
    value: parse(text, file, what),
    places: (pointers) =>
      new Map(
        Array.from(locate(text, pointers), ([pointer, { line, column }]) => [pointer, `${file}:${line}:${column}`]),
      ),
  }
}

/** Bytes that are no UTF-8 would silently become other names. */
function decode(bytes: Uint8Array, file: string, what: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    return decoder.decode(bytes)
  } catch (error) {
    let line = 1
    let start = 0
    for (
      let end = bytes.indexOf(10);
      end !== -1 && isText(bytes.subarray(start, end));
      end = bytes.indexOf(10, start)
    ) {
      line += 1
      start = end + 1
    }
    throw new UsageError(`${file}:${line}: ${what} is not UTF-8`, { cause: error })
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function parse(text: string, file: string, what: string): JsonValue {
  try {
    return parseJson(text)
  } catch (error) {
    const mistake = scanJson(text)
    if (mistake === undefined) throw new UsageError(`${what} ${file} is no JSON`, { cause: error })
    const { line, column } = positionAt(text, mistake.at)
    throw new UsageError(`${file}:${line}:${column}: ${what} is no JSON: ${mistake.message}`, { cause: error })
  }
}
