import type { RequirementId } from '../../../src/spec/requirements.ts'

export const success: RequirementId[] = ['list.success', 'get.success', 'create.success']

/** A created pet exists, and stays. */
export const stored: RequirementId[] = [
  'create.stored',
  'create.listed',
  'service.catalog',
  'get.by-id',
  'get.success',
  'list.status.default',
  'list.status.complete',
  'create.status',
  'state.reads-change-nothing',
]

/** Lists are complete. */
export const lists: RequirementId[] = [
  'list.page-full',
  'list.status.default',
  'list.status.complete',
  'create.listed',
  'service.catalog',
  'list.limit.default',
  'list.limit.max',
  'list.limit.min',
  'create.status',
]

/** All responses show the same pet as it was sent. */
export const same: RequirementId[] = [
  'get.by-id',
  'create.stored',
  'create.success',
  'state.reads-change-nothing',
  'service.catalog',
  'list.status.filter',
]

export const leavesNothing: RequirementId[] = ['create.rejected-leaves-nothing', 'service.catalog']
