import { describe, expect, test } from 'vitest'
import { checks } from '../../../src/contract/index.ts'
import { type DefectId, defects } from '../../../src/mock/index.ts'
import { sample } from '../../support/level.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

/** For each check, a defect that only this check finds. */
const onlyFoundBy: Record<string, DefectId> = {
  'list-pets.responses': 'service.without-version',
  'list-pets.maximum-limit': 'list.maximum-rejected',
  'list-pets.minimum-limit': 'list.minimum-rejected',
  'list-pets.limit': 'list.middle-rejected',
  'list-pets.status-filter': 'filter.pending-rejected',
  'list-pets.status-and-limit': 'list.both-rejected',
  'get-pet.listed': 'list.renumbered',
  'get-pet.unknown': 'get.missing-is-200-null',
  'create-pet.ordinary': 'create.redirects',
  'create-pet.names': 'create.name-escaped',
  'create-pet.int64': 'create.category-double',
  'create-pet.json-spelling': 'create.charset-rejected',
  'create-pet.client-id': 'create.client-id-adopted',
  'reject.required-fields': 'reject.name-missing-accepted',
  'reject.invalid-values': 'reject.name-null-accepted',
  'reject.no-object': 'reject.absent-accepted',
  'access.list-pets': 'auth.parameters-first',
  'access.get-pet': 'auth.lookup-first',
  'access.create-pet': 'auth.validation-first',
  'list-pets.default-limit': 'list.default-10',
  'list-pets.full-page': 'list.capped-at-50',
  'list-pets.complete': 'list.hides-sold',
  'create-pet.listed': 'create.lists-cached',
  'responses.agree': 'create.renames-first',
  'create-pet.stays': 'get.removes',
  'reject.leaves-nothing': 'reject.stored-anyway',
  'undescribed.list-parameters': 'list.zero-is-all',
  'undescribed.pet-id': 'get.text-id-html',
  'undescribed.scheme-case': 'auth.lower-case-empty',
  'open-points.creation': 'create.text-plain-html',
}

/** Checks that only observe options have no requirements. */
const verifying = checks.filter(({ requirements }) => requirements.length > 0).map(({ id }) => id)

test('each check with requirements has its defect', () => {
  expect(Object.keys(onlyFoundBy).toSorted()).toEqual(verifying.toSorted())
})

describe('without a check, its defect escapes', () => {
  test.concurrent.each(sample(Object.entries(onlyFoundBy), { usual: 8, slow: 1, all: 1 }))(
    '%s: %s',
    async (check, id) => {
      const defect = defects.find((one) => one.id === id)
      // defects.test.ts covers that the whole suite finds it.
      const report = await verifyMock(
        { pets: defect?.pets ?? 130, defects: [id] },
        {},
        checks.filter((one) => one.id !== check),
      )
      const result = report.requirements.find(
        ({ id: requirement }) => requirement === defect?.requirement,
      )
      const others = result?.checks.filter((one) => one !== check)
      expect(result?.verdict === 'violated' ? others : []).toEqual([])
    },
  )
})
