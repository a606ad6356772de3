/** `compare` of two mocks with different profiles reports exactly the options that differ. */
import { expect, test } from 'vitest'
import type { VerifyInput } from '../../../src/contract/index.ts'
import { compareBy } from '../../../src/contract/suite/compare.ts'
import {
  createMock,
  defaultKey,
  type Mock,
  type MockOptions,
  varyProfile,
} from '../../../src/mock/index.ts'
import { behaviors as allBehaviors, type Profile } from '../../../src/spec/behaviors.ts'
import { drawn } from '../../support/level.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const pairs = drawn({ usual: 2, slow: 12, all: 200 }).map(
  (nth) => [2 * nth + 1, 2 * nth + 2] as const,
)

/** A mock in process, as one side of a comparison. */
function sideAt(
  clock: VirtualClock,
  options: MockOptions,
  more: Partial<VerifyInput> = {},
): VerifyInput {
  const mock = createMock({ now: () => new Date(clock.now()), pets: 60, ...options })
  const dispatcher = dispatcherOf((request) => mock.handle(request), clock)
  return { baseUrl: 'http://localhost:1/v1', apiKey: defaultKey, dispatcher, ...more }
}

const withWrites: Partial<VerifyInput> = { readOnly: false, allowWrites: true }

test.concurrent.each(pairs)(
  'reports the differences of the profiles of seeds %i and %i',
  async (seed, other) => {
    // Without write permission, options that need creations are not observed.
    const drawn = (from: number): Profile => ({
      ...varyProfile(from),
      'auth.write-permission': 'granted',
    })
    const [one, two] = [drawn(seed), drawn(other)]
    const clock = new VirtualClock()
    const sides = [one, two].map((profile) => sideAt(clock, { profile }, withWrites)) as [
      VerifyInput,
      VerifyInput,
    ]
    const { verdict, requirements, behaviors } = await compareBy(clock, ...sides)
    const expected = allBehaviors
      .map(({ id }) => ({ id, before: one[id], after: two[id] }))
      // Not observable before the removal date.
      .filter(({ id, before, after }) => id !== 'get.after-removal' && before !== after)
    expect(behaviors.differing.map(({ id, before, after }) => ({ id, before, after }))).toEqual(
      expected,
    )
    expect([verdict, requirements.regressed, requirements.fixed, behaviors.varying]).toEqual([
      'differ',
      [],
      [],
      [],
    ])
    for (const { id, exchanges, safe } of behaviors.differing) {
      expect([id, exchanges.before?.curl, exchanges.after?.curl, safe]).toEqual([
        id,
        ...Array(3).fill(expect.any(String)),
      ])
    }
  },
)

test('two equal mocks are the same, with and without creations', async () => {
  for (const more of [withWrites, {}]) {
    const clock = new VirtualClock()
    const result = await compareBy(clock, sideAt(clock, {}, more), sideAt(clock, {}, more))
    expect(result).toMatchObject({ verdict: 'same', behaviors: { differing: [], varying: [] } })
    expect([result.before.counts.writes > 0, result.after.counts.writes > 0]).toEqual(
      Array(2).fill(more === withWrites),
    )
  }
})

test('without creations, an option differs if one side excludes the option of the other', async () => {
  const clock = new VirtualClock()
  const [newest, byName] = (['newest-first', 'by-name'] as const).map((order) =>
    sideAt(clock, { profile: { 'list.order': order } }),
  ) as [VerifyInput, VerifyInput]
  const { verdict, behaviors } = await compareBy(clock, newest, byName)
  expect([verdict, behaviors.oneSided]).toEqual(['differ', []])
  expect(behaviors.differing).toMatchObject([
    {
      id: 'list.order',
      before: 'newest-first',
      after: 'by-name',
      exchanges: { before: { curl: expect.any(String) }, after: { curl: expect.any(String) } },
    },
  ])
  const rejecting = sideAt(clock, { pets: 12, profile: { 'list.limit.above-maximum': '422' } })
  const few = sideAt(clock, { pets: 12, profile: { 'list.limit.above-maximum': 'clamp' } })
  expect((await compareBy(clock, rejecting, few)).behaviors.differing).toMatchObject([
    { id: 'list.limit.above-maximum', before: '422', after: 'clamp or default' },
  ])
})

test('an option that one side has too few pets to show is neither a difference nor the same', async () => {
  const clock = new VirtualClock()
  const profile = { 'list.limit.above-maximum': 'clamp', 'list.order': 'by-name' } as const
  const [few, many] = [2, 60].map((pets) => sideAt(clock, { pets, profile })) as [
    VerifyInput,
    VerifyInput,
  ]
  const { verdict, requirements, behaviors } = await compareBy(clock, few, many)
  expect([verdict, requirements.regressed, behaviors.differing]).toEqual(['no-difference', [], []])
  expect(behaviors.oneSided).toMatchObject([
    { id: 'list.order', before: 'unknown', after: 'by-name' },
    { id: 'list.limit.above-maximum', before: 'unknown', after: 'clamp', exchanges: { after: {} } },
  ])
})

test('an option that varies on one side is not a difference', async () => {
  const clock = new VirtualClock()
  const [first, second] = (['400', 'clamp'] as const).map((option) =>
    createMock({
      now: () => new Date(clock.now()),
      pets: 60,
      profile: { 'list.limit.above-maximum': option },
    }),
  ) as [Mock, Mock]
  let runs = 0
  const changing: VerifyInput = {
    ...sideAt(clock, {}),
    dispatcher: dispatcherOf((request) => (runs === 1 ? first : second).handle(request), clock),
    onProgress: (line) => void (runs += Number(line.includes('; creates '))),
  }
  const other = sideAt(clock, { profile: { 'list.limit.above-maximum': '422' } })
  const { verdict, behaviors } = await compareBy(clock, changing, other)
  expect([verdict, behaviors.differing]).toEqual(['same', []])
  expect(behaviors.varying).toEqual([
    { id: 'list.limit.above-maximum', before: ['400', 'clamp'], after: ['422'] },
  ])
})

test('an unreachable side is inconclusive', async () => {
  const clock = new VirtualClock()
  const dead = {
    ...sideAt(clock, {}),
    dispatcher: dispatcherOf(() => Promise.reject(new Error('gone')), clock),
  }
  const result = await compareBy(clock, sideAt(clock, { defects: ['list.default-10'] }), dead)
  expect(result).toMatchObject({
    verdict: 'not-verified',
    reason: expect.stringContaining('could not be verified'),
  })
})
