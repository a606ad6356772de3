import { describe, expect, test } from 'vitest'
import { checks } from '../../../src/contract/checks/index.ts'
import { select } from '../../../src/contract/selection.ts'

const chosen = (only: string[], skip: string[] = []): string[] =>
  select(only, skip).checks.map(({ id }) => id)
const all = checks.map(({ id }) => id)
const of = (clause: string): string[] =>
  checks.filter((check) => check.clauses.some((one) => one === clause)).map(({ id }) => id)

test('no pattern selects everything', () => {
  expect(chosen([])).toEqual(all)
  expect(chosen(['*'])).toEqual(all)
  expect(() => chosen([], ['*'])).toThrow('--only and --skip leave nothing to verify')
})

test('a clause selects every check that can verify it or find it violated', () => {
  expect(chosen(['create.401'])).toEqual(of('create.401'))
  expect(of('create.401').length).toBeGreaterThan(0)
  expect(of('list.limit.honoured')).not.toContain('list-pets.full-page')
  expect(chosen(['list.limit.honoured'])).toEqual(
    expect.arrayContaining([...of('list.limit.honoured'), 'list-pets.full-page']),
  )
})

test('a check is selected by its id', () => {
  expect(chosen(['access.get-pet'])).toEqual(['access.get-pet'])
  expect(chosen([], ['access.get-pet'])).toEqual(all.filter((id) => id !== 'access.get-pet'))
})

test('a check without clauses can be selected and skipped', () => {
  const observing = checks.find(({ clauses }) => clauses.length === 0)?.id ?? ''
  expect(chosen([observing])).toEqual([observing])
  expect(chosen(['create.401'])).not.toContain(observing)
  expect(chosen([], [observing])).toEqual(all.filter((id) => id !== observing))
})

describe('* matches any text', () => {
  test.each<[pattern: string, example: string, counterexample: string]>([
    ['access.*', 'access.list-pets', 'list-pets.answers'],
    ['************************.401', 'access.create-pet', 'create-pet.ordinary'],
    ['*', 'answers.agree', ''],
  ])('%s', (pattern, example, counterexample) => {
    expect(chosen([pattern])).toContain(example)
    expect(chosen([pattern])).not.toContain(counterexample)
  })

  test('a full stop matches only itself', () => {
    expect(() => select(['access.list.pets'], [])).toThrow(
      /there is no requirement or check "access\.list\.pets"/,
    )
    expect(() => select([], ['list(401)'])).toThrow(/requirement or check "list\(401\)"/)
  })
})

test('only the selected clauses of a check are verified', () => {
  const { isSelected } = select(['list.*'], ['list.limit.*'])
  expect(isSelected('access.list-pets', 'list.401')).toBe(true)
  expect(isSelected('access.list-pets', 'auth.missing-key')).toBe(false)
  expect(isSelected('list-pets.default-limit', 'list.limit.default')).toBe(false)
})

test('the checks of every response can be selected by their id', () => {
  expect(select(['every-response'], []).isSelected('every-response', 'pet.id')).toBe(true)
  expect(select([], ['every-response']).isSelected('every-response', 'pet.id')).toBe(false)
})
