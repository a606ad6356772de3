import { petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'

/** What a request may carry, as the coverage counts it. `other` is what the interface does not have. */
export const parameterNames = [
  'limit',
  'status',
  'status=available',
  'status=pending',
  'status=sold',
  'name',
  'categoryId',
  'id',
  'other',
] as const

export type ParameterName = (typeof parameterNames)[number]

/** A set of them in one number, a bit for each: there is one for every request that was ever seen. */
export type ParameterSet = number

const sets = new Map<string, ParameterSet>(parameterNames.map((name, bit) => [name, 1 << bit]))

/** The set of one of them. */
export function setOf(name: ParameterName): ParameterSet {
  return sets.get(name) ?? 0
}

/** The set of a status with this value; undefined stands for any other. */
export function setOfStatus(status: PetStatus | undefined): ParameterSet {
  return status === undefined ? setOf('status') : setOf('status') | setOf(`status=${status}`)
}

/** The names of the values of status. */
export const statusNames = petStatuses.map((status) => `status=${status}` as const)
