/**
 * JSON whose integers keep their value. `JSON.parse` rounds what does not fit into a double: the id 9007199254740993
 * would become 9007199254740992, which is another pet. Here such an integer becomes a `bigint`, as the type `Int64` of
 * petstore-kit says, and all others stay a `number`.
 */
import { isInteger, isSafeNumber, parse, stringify } from 'lossless-json'

export function parseExactly(text: string): unknown {
  return parse(text, undefined, (digits) =>
    isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits),
  )
}

export function printExactly(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** The integer that somebody typed: a `number` where that is exact, or else a `bigint`. */
export function toInteger(digits: string): number | bigint | undefined {
  if (!/^-?\d+$/.test(digits)) return undefined
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits)
}
