import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createMock,
  defaultKey,
  defaultProfile,
  readProfile,
  varyProfile,
} from '../../../src/mock/index.ts'
import {
  type Behavior,
  type BehaviorId,
  behaviors,
  type Profile,
} from '../../../src/spec/behaviors.ts'
import { carryOutAt, dispatcherOf, verifyMock } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const observe = (profile: Partial<Profile>) => verifyMock({ pets: 60, profile })

/** The observed options of a profile, without `unknown`. */
const known = (profile: Readonly<Record<string, string>>): Partial<Profile> =>
  Object.fromEntries(Object.entries(profile).filter(([, option]) => option !== 'unknown'))

test('verifying a mock with a random profile observes that profile and finds no violation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
      const profile = varyProfile(seed)
      const report = await observe(profile)
      expect(report.findings).toEqual([])
      expect(profile).toMatchObject(known(report.profile))
      // All options except the removal can be observed on a catalog of 60 pets.
      expect(Object.keys(known(report.profile)).length).toBeGreaterThanOrEqual(behaviors.length - 2)
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

test('each option of each behavior is observed', async () => {
  const all = (behaviors as readonly Behavior[]).filter(
    ({ id, options }) => id !== 'get.after-removal' && options.length > 0,
  )
  const seen = new Set<string>()
  const collect = async (profile: Profile): Promise<void> => {
    const report = await observe(profile)
    if (report.findings.length > 0) return
    for (const [id, value] of Object.entries(known(report.profile))) {
      expect([id, value]).toEqual([id, profile[id as BehaviorId]])
      seen.add(`${id}=${value}`)
    }
  }
  const most = Math.max(...all.map(({ options }) => options.length))
  for (let turn = 0; turn < most; turn += 1) {
    const mixed = all.map(({ id, options }) => [id, options[turn % options.length]?.value])
    await collect({ ...defaultProfile, ...Object.fromEntries(mixed) })
  }
  const rows = all.flatMap(({ id, options }) =>
    options.map(({ value }) => ({ id, value, row: `${id}=${value}` })),
  )
  const isMissed = ({ row }: { row: string }): boolean => !seen.has(row)
  // An option hidden by others is observed in a profile with only this change.
  for (const { id, value } of rows.filter(isMissed))
    await collect({ ...defaultProfile, [id]: value })
  expect(
    rows.filter(isMissed),
    'Send a request that shows it in src/contract/checks/unspecified.ts, and read it from the response in src/contract/judge/observe.ts.',
  ).toEqual([])
})

test('the default status is unknown if creations without status are rejected', async () => {
  const { profile } = await verifyMock({ pets: 60, defects: ['create.status-required'] })
  expect(profile['create.default-status']).toBe('unknown')
})

test('a mock can use the profile of a report', async () => {
  const report = await observe(varyProfile(7))
  const { profile, leftOut } = readProfile(structuredClone(report), 'report.json')
  expect(leftOut).toEqual([])
  const again = await observe(profile)
  expect(known(again.profile)).toEqual(known(report.profile))
})

test('a duplicate name of an earlier run is not mistaken for another option', async () => {
  const { handle } = createMock({ profile: { 'create.name.duplicate': '409' } })
  const run = async () => {
    const clock = new VirtualClock()
    const target = {
      baseUrl: 'http://localhost:1/v1',
      apiKey: defaultKey,
      dispatcher: dispatcherOf(handle, clock),
    }
    return (await carryOutAt(clock, target)).profile
  }
  const first = await run()
  expect(await run()).toEqual({
    ...first,
    'create.name.empty': 'unknown',
    'create.name.blank': 'unknown',
  })
})
