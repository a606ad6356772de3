import { expect, test } from 'vitest'
import { toText } from '../../src/contract/index.ts'
import { excused, violating } from './reports.ts'

test('a violation is shown with all that helps to see it', () => {
  expect(toText(violating())).toContain(`
Violated
  1. list.limit.honoured  Endpoints / List animals
     "| limit | integer | minimum 1, maximum 100 | 20 | Maximum number of animals to return. |"
     GET /pets?limit=2 answered 200: at most 2 pets expected.
       expected  at most 2 pets
       actual    20 pets
       curl -sS -i 'http://127.0.0.1:4010/v1/pets?limit=2' -H "Authorization: Bearer $PETSTORE_API_KEY"

Not verified
  list.limit.max
    the catalogue has fewer than 101 pets
`)
})

test('a known failure stands apart, and the baseline is told what can go', () => {
  const text = toText(excused())
  expect(text).not.toContain('\nViolated\n')
  expect(text).toContain('0 violated, 1 known failure, 1 not verified')
  expect(text).toContain('     It is known until 2027-01-31: Being mended (PET-42).')
  expect(text).toContain('  The baseline excused list.success until 2026-01-31, which is over.')
})
