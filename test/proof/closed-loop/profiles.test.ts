import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultProfile, readProfile, varyProfile } from '../../../src/mock/index.ts'
import { choices } from '../../../src/spec/choices.ts'
import type { Choice, Profile } from '../../../src/spec/choices.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

const observe = (profile: Partial<Profile>) => verifyMock({ pets: 60, profile })

/** What a run cannot tell is `unknown`; all else is what the mock does. */
const told = (profile: Readonly<Record<string, string>>): Partial<Profile> =>
  Object.fromEntries(Object.entries(profile).filter(([, option]) => option !== 'unknown'))

test(
  'verifying a mock that runs a random profile observes that profile and finds no violation',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
        const profile = varyProfile(seed)
        const report = await observe(profile)
        expect(report.findings).toEqual([])
        expect(profile).toMatchObject(told(report.profile))
        // Only the removal lies in the future; the rest can be told on a catalog of 60 pets.
        expect(Object.keys(told(report.profile)).length).toBeGreaterThanOrEqual(choices.length - 2)
      }),
      { numRuns: 4, seed: 4, endOnFailure: true },
    )
  },
)

test('each option of each choice is observed', { timeout: 300_000 }, async () => {
  const rows = (choices as readonly Choice[]).flatMap(({ id, options }) => options.map(({ value }) => ({ id, value })))
  const missed: string[] = []
  for (const { id, value } of rows.filter((row) => row.id !== 'get.after-removal')) {
    const { findings, profile } = await observe({ ...defaultProfile, [id]: value })
    if (findings.length > 0 || profile[id as keyof Profile] !== value) missed.push(`${id}=${value}`)
  }
  expect(missed).toEqual([])
})

test('a mock adopts the profile of a report', async () => {
  const report = await observe(varyProfile(7))
  const { profile, leftOut } = readProfile(structuredClone(report), 'report.json')
  expect(leftOut).toEqual([])
  const again = await observe(profile)
  expect(told(again.profile)).toEqual(told(report.profile))
})
