import { describe, expect, test } from 'vitest'
import type { Report } from '../../../src/contract/index.ts'
import type { RequirementId } from '../../../src/spec/requirements.ts'
import { target } from './target.ts'

const pets = 1_000
const result = ({ requirements }: Report, wanted: RequirementId) =>
  requirements.find(({ id }) => id === wanted)
const isFull = /^the lists of each status are full/i

describe('a catalog with more pets of each status than a list shows', () => {
  test.each([
    ['newest-first', ['list.status.complete']],
    ['oldest-first', ['create.listed', 'list.status.complete']],
  ] as const)('passes a strict run if it shows pets %s', async (order, beyond) => {
    const report = await target({ pets, profile: { 'list.order': order } }).run({ strict: true })
    expect(report).toMatchObject({ verdict: 'conforms', exitCode: 0 })
    expect(report.counts.notVerified).toBe(0)
    expect(report.counts).not.toHaveProperty('partlyOpen')
    for (const id of beyond) {
      expect(result(report, id)).toMatchObject({ verdict: 'not-applicable', checks: [] })
      expect(result(report, id)?.reason).toMatch(isFull)
      expect(result(report, id)).not.toHaveProperty('open')
    }
    expect(report.notes).toContainEqual(expect.stringMatching(isFull))
    // Its creation is also confirmed by the response and by getPet.
    expect(result(report, 'create.status')?.verdict).toBe('verified')
  })

  test('leaves as many requirements applicable as can be checked', async () => {
    const [few, many] = await Promise.all([target().run(), target({ pets }).run()])
    expect(many.counts.notApplicable).toBe(few.counts.notApplicable + 1)
    expect(many.counts.verified).toBe(few.counts.verified - 1)
    expect(few.notes).not.toContainEqual(expect.stringMatching(isFull))
  })

  test('hides no violation', async () => {
    const report = await target({ pets, defects: ['list.limit-ignored'] }).run()
    expect(report).toMatchObject({ verdict: 'violates' })
  })

  test('is verified by no smoke run', async () => {
    const report = await target({ pets }).run({ depth: 'smoke' })
    expect(result(report, 'list.status.complete')?.verdict).toBe('not-verified')
  })
})

test('what a run that creates pets could show is not verified', async () => {
  const oneStatus = Array.from({ length: 150 }, (_, index) => ({
    id: index + 1,
    name: `pet ${index + 1}`,
    categoryId: 1,
    status: 'available' as const,
  }))
  const report = await target({ data: oneStatus }).run({ strict: true, readOnly: true })
  expect(report).toMatchObject({ verdict: 'not-verified', exitCode: 3 })
  for (const id of ['list.status.complete', 'list.status.default'] as const)
    expect(result(report, id)?.verdict).toBe('not-verified')
})
