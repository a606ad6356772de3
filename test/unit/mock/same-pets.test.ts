/** A test sees the same pets with any worker, retry, project, title and order: nothing depends on the name of its sandbox. */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createMock, type MockOptions, type Sandbox, varyProfile } from '../../../src/mock/index.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { runs } from '../../support/level.ts'
import { create, rex, sendTo } from './ask.ts'

const options: fc.Arbitrary<MockOptions> = fc
  .record({
    seed: fc.integer(),
    pets: fc.integer({ min: 0, max: 40 }),
    ids: fc.constantFrom('small', 'large'),
    vary: fc.option(fc.integer(), { nil: undefined }),
    rules: fc.constantFrom<NonNullable<MockOptions['rules']>>(
      [],
      [{ delayMs: { from: 0, to: 1_000 } }],
    ),
  })
  .map(({ vary, ...others }) => ({
    ...others,
    ...(vary !== undefined && { profile: varyProfile(vary) }),
    now: () => new Date('2026-11-20'),
  }))

const shown = async (sent: ReturnType<typeof sendTo>) => {
  const { status, body, delayMs } = await sent
  return { status, body, delayMs }
}

/** What a test does and sees in its sandbox. */
type Step = (mock: { handle: ReturnType<typeof createMock>['handle'] }, own: Sandbox) => unknown

const steps: fc.Arbitrary<Step> = fc.constantFrom<Step[]>(
  (mock, { key }) => shown(sendTo(mock, 'GET', '/v1/pets', { key })),
  (mock, { key }) => shown(sendTo(mock, 'GET', '/v1/pets?limit=100&status=sold', { key })),
  (mock, { key }) => shown(sendTo(mock, 'GET', '/v1/pets/7', { key })),
  (mock, { key }) => shown(create(mock, rex, key)),
  (_, own) => own.catalog.export(),
  (_, own) => own.catalog.add([rex]),
  (_, own) => own.snapshots.save('one'),
  (_, own) => own.snapshots.restore('one'),
  (_, own) => own.reset(),
  (_, own) => own.reset({ seed: 5 }),
  (_, own) => own.use({ delayMs: { from: 0, to: 1_000 } }),
  (_, own) => ({ ...own.settings, keys: undefined, now: undefined }),
)

/** Text of any kind: a title, a worker, a project, a retry. */
const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 })

test('every sandbox sees what the sandbox of the mock’s own keys would see', async () => {
  const property = fc.asyncProperty(
    options,
    names,
    fc.array(steps, { maxLength: 12 }),
    fc.array(fc.nat(), { maxLength: 60 }),
    async (given, titles, program, order) => {
      const alone = createMock(given)
      const expected: unknown[] = []
      for (const step of program) expected.push(await step(alone, alone))

      const mock = createMock(given)
      const tests = titles.map((title) => ({ title, seen: [] as unknown[] }))
      const next = async ({ title, seen }: (typeof tests)[number]): Promise<void> => {
        const step = program[seen.length]
        if (step !== undefined) seen.push(await step(mock, mock.sandboxes.get(title)))
      }
      // In any order, then each to its end.
      for (const place of order) await next(tests[place % tests.length] as (typeof tests)[number])
      for (const one of tests) while (one.seen.length < program.length) await next(one)
      for (const { seen } of tests) expect(seen).toEqual(expected)
    },
  )
  await fc.assert(property, { numRuns: runs(100) })
})

test('a sandbox goes on with the same pets from its saved state', async () => {
  const property = fc.asyncProperty(
    options,
    fc.array(steps, { maxLength: 6 }),
    fc.array(steps, { maxLength: 6 }),
    async (given, before, after) => {
      const alone = createMock(given)
      for (const step of before) await step(alone, alone)
      const [first, second] = [1, 2].map(() =>
        createInnerMock(readSettings(given, []), { loaded: { defects: [] } }),
      ) as [ReturnType<typeof createInnerMock>, ReturnType<typeof createInnerMock>]
      for (const step of before) await step(first.mock, first.mock.sandboxes.get('worker-1'))
      second.findOrCreate('worker-3').machine.restore(first.findOrCreate('worker-1').machine.save())
      for (const step of after)
        expect(await step(second.mock, second.mock.sandboxes.get('worker-3'))).toEqual(
          await step(alone, alone),
        )
    },
  )
  await fc.assert(property, { numRuns: runs(50) })
})
