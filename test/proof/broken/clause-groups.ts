import type { ClauseId } from '../../../src/spec/clauses.ts'

export const success: ClauseId[] = ['list.success', 'get.success', 'create.success']

/** That a created pet is there, and stays. */
export const stored: ClauseId[] = [
  'create.stored',
  'create.listed',
  'service.catalogue',
  'get.by-id',
  'get.success',
  'list.status.default',
  'list.status.complete',
  'create.status',
  'state.reads-change-nothing',
]

/** That a list has all that it should have. */
export const lists: ClauseId[] = [
  'list.page-full',
  'list.status.default',
  'list.status.complete',
  'create.listed',
  'service.catalogue',
  'list.limit.default',
  'list.limit.max',
  'list.limit.min',
  'create.status',
]

/** That all answers show the same pet, which is the one that was sent. */
export const same: ClauseId[] = [
  'get.by-id',
  'create.stored',
  'create.success',
  'state.reads-change-nothing',
  'service.catalogue',
  'list.status.filter',
]

export const leavesNothing: ClauseId[] = ['create.refused-leaves-nothing', 'service.catalogue']
