import type { JsonValue } from '../../json.ts'
import type { Int64 } from '../../spec/types.ts'
import { isInt64 } from '../../validate.ts'

/** Converts counts to ids: unchanged, or odd and beyond 2^53, which no double can represent. */
export const idSchemes = {
  small: (count: number): Int64 => count,
  large: (count: number): Int64 => 2n ** 53n - 1n + 2n * BigInt(count),
}

/** A JSON value as an int64, or undefined. `7.0` and `7e0` are 7. */
export function toInt64(value: JsonValue | undefined): Int64 | undefined {
  return isInt64(value) ? normalizeInt64(value) : undefined
}

export function readInteger(text: string): Int64 | 'beyond-int64' | 'not-an-integer' {
  if (!/^-?\d+$/.test(text)) return 'not-an-integer'
  if (text.length < 16) return Number(text) + 0
  // Parsing a megabyte of digits as a BigInt takes seconds.
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1')
  if (digits.length > 20) return 'beyond-int64'
  const value = BigInt(digits)
  return isInt64(value) ? normalizeInt64(value) : 'beyond-int64'
}

export function normalizeInt64(value: Int64): Int64 {
  const number = Number(value) + 0 // -0 becomes 0
  return Number.isSafeInteger(number) ? number : value
}
