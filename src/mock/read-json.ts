import { type JsonValue, parseJson } from '../json.ts'

let lastText: string | undefined
let lastValue: JsonValue

/**
 * Parses one JSON text. The operation and the scorecard read the same body one after the other, so the last value is
 * kept: whoever gets it must not change it.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function readJson(text: string): JsonValue {
  if (text !== lastText) {
    lastValue = parseJson(text)
    lastText = text
  }
  return lastValue
}
