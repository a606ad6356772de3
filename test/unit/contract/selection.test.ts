import { describe, expect, test } from 'vitest'
import { checks } from '../../../src/contract/suite/checks.ts'
import { select } from '../../../src/contract/suite/selection.ts'
import {
  type Requirement,
  requirements,
  type RequirementId,
} from '../../../src/spec/requirements.ts'

const testable = (requirements as readonly Requirement[]).flatMap(({ id, untestable }) =>
  untestable === undefined ? [id as RequirementId] : [],
)
const selected = (only: string[], skip: string[] = []): RequirementId[] => {
  const { isSelected } = select(only, skip)
  return testable.filter((id) => isSelected(id))
}
const requirementsOf = (check: string): RequirementId[] =>
  testable.filter((id) =>
    checks.some(
      (one) => one.id === check && one.requirements.some((requirement) => requirement === id),
    ),
  )

test('no pattern selects every requirement', () => {
  expect(selected([])).toEqual(testable)
  expect(selected(['*'])).toEqual(testable)
})

test('a selection that leaves nothing is rejected', () => {
  const nothing = '--only and --skip leave no requirement to verify'
  expect(() => select([], ['*'])).toThrow(nothing)
  expect(() => select(['list.401'], ['list.*'])).toThrow(nothing)
  // It only observes options.
  expect(() => select(['undescribed.http'], [])).toThrow(nothing)
  // It cannot be tested.
  expect(() => select(['version.stability'], [])).toThrow(nothing)
})

test('a check stands for its requirements', () => {
  expect(selected(['access.get-pet'])).toEqual(requirementsOf('access.get-pet'))
  expect(selected(['access.get-pet', 'list.success'])).toEqual(
    testable.filter((id) => id === 'list.success' || requirementsOf('access.get-pet').includes(id)),
  )
  expect(selected(['every-response'])).toContain('pet.id')
})

test('a skipped check skips only requirements that no other check verifies', () => {
  const left = selected([], ['access.get-pet'])
  expect(left).not.toContain('get.401')
  expect(left).toContain('auth.missing-key')
  expect(selected([], ['access.*'])).not.toContain('auth.missing-key')
  expect(selected([], ['every-response'])).not.toContain('pet.id')
})

test('a check stands for what it shows violated, too', () => {
  const only = select(['responses.agree'], [])
  expect(only.isSelected('get.by-id')).toBe(false)
  expect(only.isSelected('get.by-id', ['responses.agree'])).toBe(true)
  // Other checks show it as well.
  expect(select([], ['get-pet.listed']).isSelected('get.by-id')).toBe(false)
  expect(select([], ['get-pet.listed']).isSelected('get.by-id', ['get-pet.listed'])).toBe(false)
  expect(select([], ['get-pet.listed']).isSelected('get.by-id', ['responses.agree'])).toBe(true)
})

describe('* matches any text', () => {
  test.each<[pattern: string, example: string, counterexample: string]>([
    ['list.*', 'list.401', 'create.401'],
    ['************************.401', 'create.401', 'list.success'],
    ['reject.*', 'create.body-required', 'create.exact'],
  ])('%s', (pattern, example, counterexample) => {
    expect(selected([pattern])).toContain(example)
    expect(selected([pattern])).not.toContain(counterexample)
  })

  test('a full stop matches only itself', () => {
    expect(() => select(['access.list.pets'], [])).toThrow(
      /there is no requirement or check "access\.list\.pets"/,
    )
    expect(() => select([], ['list(401)'])).toThrow(/requirement or check "list\(401\)"/)
  })
})

test('a smoke run needs a requirement that it tries', () => {
  expect(() => select(['create.exact'], [], 'smoke')).toThrow(
    '--depth smoke tries none of the selected requirements',
  )
  expect(select(['list.success', 'create.exact'], [], 'smoke').isSelected('create.exact')).toBe(
    true,
  )
})
