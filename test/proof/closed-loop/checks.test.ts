import { describe, expect, test } from 'vitest'
import { checks } from '../../../src/contract/index.ts'
import { type DeviationId, deviations } from '../../../src/mock/index.ts'
import { sample } from '../../support/level.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

/** For each check, a deviation that only this check finds. */
const onlyFoundBy: Record<string, DeviationId> = {
  'list-pets.answers': 'service.without-version',
  'list-pets.maximum-limit': 'list.maximum-refused',
  'list-pets.minimum-limit': 'list.minimum-refused',
  'list-pets.limit': 'list.middle-refused',
  'list-pets.status-filter': 'filter.pending-refused',
  'list-pets.status-and-limit': 'list.both-refused',
  'get-pet.listed': 'list.renumbered',
  'get-pet.unknown': 'get.missing-is-200-null',
  'create-pet.ordinary': 'create.redirects',
  'create-pet.names': 'create.name-escaped',
  'create-pet.int64': 'create.category-double',
  'create-pet.json-spelling': 'create.charset-refused',
  'create-pet.client-id': 'create.client-id-adopted',
  'refuse.required-fields': 'refuse.name-missing-accepted',
  'refuse.invalid-values': 'refuse.name-null-accepted',
  'refuse.no-object': 'refuse.absent-accepted',
  'access.list-pets': 'auth.parameters-first',
  'access.get-pet': 'auth.lookup-first',
  'access.create-pet': 'auth.validation-first',
  'list-pets.default-limit': 'list.default-10',
  'list-pets.full-page': 'list.capped-at-50',
  'list-pets.complete': 'list.hides-sold',
  'create-pet.listed': 'create.lists-cached',
  'answers.agree': 'create.renames-first',
  'create-pet.stays': 'get.removes',
  'refuse.leaves-nothing': 'refuse.stored-anyway',
  'undescribed.list-parameters': 'list.zero-is-all',
  'undescribed.pet-id': 'get.text-id-html',
  'undescribed.scheme-case': 'auth.lower-case-empty',
  'open-points.creation': 'create.text-plain-html',
}

/** Checks that only observe options have no clauses. */
const verifying = checks.filter(({ clauses }) => clauses.length > 0).map(({ id }) => id)

test('each check with clauses has its deviation', () => {
  expect(Object.keys(onlyFoundBy).toSorted()).toEqual(verifying.toSorted())
})

describe('without a check, its deviation escapes', () => {
  test.concurrent.each(sample(Object.entries(onlyFoundBy), { usual: 4, slow: 1, all: 1 }))(
    '%s: %s',
    async (check, id) => {
      const deviation = deviations.find((one) => one.id === id)
      // deviations.test.ts covers that the whole suite finds it.
      const report = await verifyMock(
        { pets: deviation?.pets ?? 130, deviations: [id] },
        {},
        checks.filter((one) => one.id !== check),
      )
      const result = report.clauses.find(({ id: clause }) => clause === deviation?.clause)
      const others = result?.checks.filter((one) => one !== check)
      expect(result?.verdict === 'violated' ? others : []).toEqual([])
    },
  )
})
