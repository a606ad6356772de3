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

/** The set of each of them alone. */
export const only = Object.fromEntries(parameterNames.map((name, bit) => [name, 1 << bit])) as Record<
  ParameterName,
  ParameterSet
>

const statusSets: Readonly<Record<PetStatus, ParameterSet>> = {
  available: only.status | only['status=available'],
  pending: only.status | only['status=pending'],
  sold: only.status | only['status=sold'],
}

/** The set of a status with this value; undefined stands for any other. */
export function onlyStatus(status: PetStatus | undefined): ParameterSet {
  return status === undefined ? only.status : statusSets[status]
}

/** The names of the values of status. */
export const statusNames = petStatuses.map((status) => `status=${status}` as const)
