import type { ClauseId } from '../spec/clauses.ts'

const pet = ['pet.fields', 'pet.id', 'pet.name', 'pet.category-id', 'pet.status'] as const
const form = ['http.media-type', 'http.json-body'] as const
const error = ['error.body', 'error.code', 'error.message', 'error.status'] as const

/**
 * Which requirement presupposes which others: where one of those is violated as well, it is the probable cause. Reports
 * show both under the cause.
 */
export const dependsOn: Readonly<Partial<Record<ClauseId, readonly ClauseId[]>>> = {
  'http.media-type': ['service.base-path'],
  'http.json-body': ['service.base-path'],
  'error.body': form,
  'error.code': ['error.body'],
  'error.message': ['error.body'],
  'error.status': ['error.body'],
  'error.status-repeats-http': ['error.body', 'error.status'],
  'list.401': error,
  'create.401': [...error, 'list.401'],
  'get.401': [...error, 'list.401', 'create.401'],
  'create.required-fields': error,
  'create.body-required': error,
  'create.invalid-values': error,
  'pet.fields': form,
  'pet.status': ['create.invalid-values'],
  'pet.id.unique': ['create.id-assigned'],
  'list.success': [...form, ...pet, 'auth.bearer', 'service.base-path'],
  'list.parameters-optional': ['list.success'],
  'list.limit.honoured': ['list.success'],
  'list.limit.min': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.limit.max': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.limit.default': ['list.success', 'list.limit.honoured', 'list.page-full'],
  'list.status.filter': ['list.success', 'pet.fields', 'pet.status'],
  'list.status.default': ['list.success', 'list.limit.honoured', 'list.status.filter'],
  'list.page-full': ['list.limit.honoured', 'list.status.filter', 'list.status.default', 'pet.id.unique'],
  'list.status.complete': ['list.status.filter', 'list.page-full'],
  'create.success': [...form, ...pet, 'auth.bearer', 'http.json-request', 'create.exact', 'create.id-assigned'],
  'create.status-optional': ['create.success'],
  'create.status': ['create.success', 'list.status.filter', 'create.stored'],
  'create.stored': ['create.success', 'pet.id.unique', 'get.by-id'],
  'create.listed': [
    'create.stored',
    'list.page-full',
    'list.limit.default',
    'list.status.filter',
    'list.status.complete',
  ],
  'get.until-removal': [...form, 'auth.bearer'],
  'get.success': [...form, ...pet, 'auth.bearer', 'get.until-removal', 'create.stored'],
  'get.not-found': [...error, 'get.by-id', 'get.success'],
  'get.by-id': ['pet.id.unique'],
  'state.reads-change-nothing': ['create.stored'],
  'service.catalogue': ['create.listed', 'list.status.complete', 'state.reads-change-nothing'],
}
