import { JsonNumber, type JsonValue } from '../json.ts'

/** Levels of what a mock keeps. Whoever reads deeper JSON back may not be able to. */
const deepest = 100

/**
 * A frozen copy of JSON that somebody gave, so that what is done to it later changes nothing.
 *
 * @returns undefined when it is no JSON: a function, NaN, a Date, a circle, more than 100 levels.
 */
export function copyJson(value: unknown, level = 0): JsonValue | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'bigint')
    return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || level > deepest) return undefined
  if (value instanceof JsonNumber) return value
  const isArray = Array.isArray(value)
  if (!isArray && Object.prototype.toString.call(value) !== '[object Object]') return undefined
  const copies: [string, JsonValue][] = []
  for (const [name, member] of Object.entries(value)) {
    // JSON leaves such members out, too.
    if (member === undefined && !isArray) continue
    const copy = copyJson(member, level + 1)
    if (copy === undefined) return undefined
    copies.push([name, copy])
  }
  return Object.freeze(isArray ? copies.map(([, copy]) => copy) : Object.fromEntries(copies)) as JsonValue
}
