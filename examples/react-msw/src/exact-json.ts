/**
 * JSON with exact integers. `JSON.parse` rounds 9007199254740993 to 9007199254740992, the id of another pet. Here,
 * integers that a `number` cannot hold become a `bigint`, like the type `Int64` of petstore-kit.
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

/** The integer in a text field: a `number` if that is exact, otherwise a `bigint`. */
export function toInteger(digits: string): number | bigint | undefined {
  if (!/^-?\d+$/.test(digits)) return undefined
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits)
}
