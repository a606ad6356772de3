import type { ClauseId } from '../spec/clauses.ts'

/**
 * Written by `npm run prove`: the checks through which a violation of each requirement was seen, or without which it was
 * not, over all deliberate defects of the mock and all broken servers of the tests. `every-response` stands beside the
 * check whose request it judged. A partial run verifies a requirement only where all of them ran.
 */
export const seenBy: Readonly<Partial<Record<ClauseId, string>>> = {
  'service.catalogue':
    'answers.agree create-pet.client-id get-pet.unknown list-pets.complete list-pets.default-limit list-pets.full-page list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit',
  'service.base-path': 'list-pets.answers',
  'pet.fields':
    'access.get-pet access.list-pets answers.agree create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.required-fields undescribed.http undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
  'pet.id':
    'access.list-pets answers.agree create-pet.ordinary every-response list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'pet.id.unique':
    'access.list-pets answers.agree create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.listed create-pet.names create-pet.ordinary every-response list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.status-and-limit list-pets.status-filter open-points.creation undescribed.http',
  'pet.name':
    'access.list-pets answers.agree create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter refuse.leaves-nothing undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'pet.category-id':
    'access.list-pets answers.agree create-pet.int64 create-pet.names create-pet.ordinary every-response get-pet.listed get-pet.unknown list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter refuse.leaves-nothing undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'pet.status':
    'access.get-pet access.list-pets answers.agree create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter refuse.invalid-values refuse.leaves-nothing refuse.required-fields undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'state.reads-change-nothing':
    'access.list-pets answers.agree create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays open-points.creation',
  'create.status':
    'create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.listed create-pet.names create-pet.ordinary list-pets.maximum-limit list-pets.status-and-limit open-points.creation',
  'http.media-type':
    'access.create-pet access.get-pet access.list-pets answers.agree create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.http undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
  'http.json-body':
    'access.create-pet access.get-pet access.list-pets answers.agree create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.answers list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.status-and-limit list-pets.status-filter open-points.creation refuse.invalid-values refuse.no-object refuse.required-fields undescribed.http undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
  'http.json-request': 'create-pet.json-spelling',
  'auth.required': 'access.create-pet access.get-pet access.list-pets refuse.leaves-nothing undescribed.http',
  'auth.bearer':
    'access.create-pet access.get-pet access.list-pets answers.agree create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.listed create-pet.names create-pet.ordinary create-pet.stays get-pet.listed get-pet.unknown list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.http undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
  'auth.missing-key': 'access.create-pet access.get-pet access.list-pets undescribed.http',
  'auth.invalid-key': 'access.create-pet access.get-pet access.list-pets list-pets.minimum-limit',
  'list.success':
    'access.list-pets answers.agree create-pet.listed every-response get-pet.listed list-pets.answers list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit list-pets.status-filter refuse.invalid-values refuse.leaves-nothing undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'list.parameters-optional': 'list-pets.answers list-pets.status-and-limit',
  'list.limit.honoured':
    'access.list-pets answers.agree every-response list-pets.complete list-pets.full-page list-pets.limit list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit undescribed.http undescribed.list-parameters undescribed.scheme-case',
  'list.limit.min': 'list-pets.full-page list-pets.maximum-limit list-pets.minimum-limit list-pets.status-and-limit',
  'list.limit.max':
    'every-response list-pets.full-page list-pets.maximum-limit list-pets.status-and-limit undescribed.list-parameters',
  'list.limit.default':
    'every-response get-pet.listed list-pets.answers list-pets.default-limit list-pets.status-filter undescribed.list-parameters',
  'list.page-full': 'list-pets.default-limit list-pets.full-page list-pets.minimum-limit',
  'list.status.filter':
    'access.list-pets answers.agree create-pet.listed every-response get-pet.listed list-pets.complete list-pets.default-limit list-pets.full-page list-pets.limit list-pets.status-and-limit list-pets.status-filter undescribed.http undescribed.list-parameters',
  'list.status.complete':
    'get-pet.unknown list-pets.complete list-pets.default-limit list-pets.full-page list-pets.maximum-limit list-pets.status-and-limit',
  'list.status.default': 'list-pets.complete list-pets.full-page',
  'list.401': 'access.list-pets undescribed.http',
  'create.success':
    'create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary every-response open-points.creation refuse.invalid-values refuse.required-fields',
  'create.exact': 'answers.agree create-pet.int64 list-pets.maximum-limit list-pets.status-and-limit',
  'create.status-optional': 'create-pet.ordinary',
  'create.id-assigned': 'create-pet.client-id',
  'create.stored':
    'answers.agree create-pet.int64 create-pet.json-spelling create-pet.listed create-pet.names create-pet.ordinary create-pet.stays open-points.creation',
  'create.listed': 'create-pet.listed list-pets.maximum-limit list-pets.status-and-limit',
  'create.required-fields': 'refuse.required-fields',
  'create.body-required': 'refuse.no-object',
  'create.invalid-values': 'refuse.invalid-values',
  'create.refused-leaves-nothing': 'create-pet.int64 refuse.leaves-nothing',
  'create.401': 'access.create-pet',
  'get.success':
    'access.get-pet create-pet.int64 create-pet.json-spelling create-pet.listed create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.complete open-points.creation refuse.invalid-values refuse.leaves-nothing undescribed.pet-id',
  'get.by-id':
    'access.get-pet access.list-pets create-pet.client-id create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.complete open-points.creation refuse.leaves-nothing undescribed.pet-id undescribed.scheme-case',
  'get.not-found':
    'access.get-pet create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.complete open-points.creation refuse.leaves-nothing undescribed.pet-id',
  'get.401': 'access.get-pet undescribed.http',
  'get.until-removal':
    'create-pet.int64 create-pet.json-spelling create-pet.names create-pet.ordinary create-pet.stays get-pet.listed open-points.creation',
  'error.body':
    'access.create-pet access.get-pet access.list-pets create-pet.client-id create-pet.int64 create-pet.stays every-response get-pet.listed get-pet.unknown list-pets.answers open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.http undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
  'error.code':
    'access.create-pet access.get-pet access.list-pets create-pet.client-id every-response get-pet.unknown open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.list-parameters undescribed.pet-id',
  'error.message':
    'access.create-pet access.get-pet access.list-pets create-pet.client-id every-response get-pet.unknown open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.list-parameters undescribed.pet-id',
  'error.status':
    'access.create-pet access.get-pet access.list-pets create-pet.client-id every-response get-pet.unknown open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.list-parameters undescribed.pet-id',
  'error.status-repeats-http':
    'access.create-pet access.get-pet access.list-pets every-response get-pet.unknown open-points.creation refuse.invalid-values refuse.leaves-nothing refuse.no-object refuse.required-fields undescribed.list-parameters undescribed.pet-id undescribed.scheme-case',
}
