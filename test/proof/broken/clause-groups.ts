import type { ClauseId } from '../../../src/spec/clauses.ts'

export const success: ClauseId[] = ['list.success', 'get.success', 'create.success']

/** A created pet exists, and stays. */
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

/** Lists are complete. */
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

/** All responses show the same pet as it was sent. */
export const same: ClauseId[] = [
  'get.by-id',
  'create.stored',
  'create.success',
  'state.reads-change-nothing',
  'service.catalogue',
  'list.status.filter',
]

export const leavesNothing: ClauseId[] = ['create.refused-leaves-nothing', 'service.catalogue']
