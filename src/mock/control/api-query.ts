import { UsageError } from '../../errors.ts'
import { operations, type OperationId } from '../../spec/operations.ts'
import type { JournalFilter } from '../sandbox.ts'
import type { RouteParameter } from './api-route.ts'

/** The highest number of an entry that a filter takes: fifteen digits, all of which a double holds. */
export const highestEntry = 999_999_999_999_999
/** The method of a request, in any letter case. */
export const methodName = /^[A-Za-z-]{1,20}$/

type Query = Readonly<Record<string, string | undefined>>

/**
 * The parameters of a query.
 *
 * @throws {UsageError} that tells of all that the route does not have, and all that came twice.
 */
export function readQuery(query: string, parameters: readonly RouteParameter[] = []): Query {
  const names = parameters.filter((parameter) => parameter.in === undefined).map(({ name }) => name)
  const found = new Map<string, string>()
  const mistakes: string[] = []
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) {
      const there = names.length === 0 ? 'There is none here.' : `There are ${names.join(', ')}.`
      mistakes.push(`There is no parameter ${JSON.stringify(name.slice(0, 60))}. ${there}`)
    } else if (found.has(name)) mistakes.push(`${name} came more than once.`)
    found.set(name, value)
  }
  if (mistakes.length > 0) throw new UsageError([...new Set(mistakes)].join('\n'))
  return Object.fromEntries(found)
}

/**
 * Which entries of the journal are asked for.
 *
 * @throws {UsageError} that tells all mistakes.
 */
export function readJournalFilter({ operation, status, method, after, limit }: Query): JournalFilter {
  const mistakes: string[] = []
  const integer = (name: string, text: string, least: number, most: number): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
    if (value < least || value > most) mistakes.push(`${name} must be an integer from ${least} to ${most}.`)
    return value
  }
  const filter: JournalFilter = {}
  if (operation !== undefined) {
    if (isOperation(operation)) filter.operation = operation
    else mistakes.push(`operation must be one of ${Object.keys(operations).join(', ')}.`)
  }
  if (status !== undefined) filter.status = integer('status', status, 100, 599)
  if (method !== undefined) {
    if (methodName.test(method)) filter.method = method.toUpperCase()
    else mistakes.push('method must be an HTTP method, such as POST.')
  }
  if (after !== undefined) filter.after = integer('after', after, 0, highestEntry)
  if (limit !== undefined) filter.limit = integer('limit', limit, 1, 1_000)
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return filter
}

/**
 * Whether a parameter is `true`.
 *
 * @throws {UsageError} when it is neither `true` nor `false`.
 */
export function readSwitch(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw new UsageError(`${name} must be true or false.`)
}

function isOperation(text: string): text is OperationId {
  return Object.hasOwn(operations, text)
}
