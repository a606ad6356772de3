import { expect, test } from 'vitest'
import { printJson } from '../../../src/json.ts'
import { createMock, deviations } from '../../../src/mock/index.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { type Clause, clauses } from '../../../src/spec/clauses.ts'
import { sendTo, create } from './ask.ts'
import { sampleRequests } from './sample-requests.ts'

test('every testable clause is violated by at least one deviation', () => {
  const testable = (clauses as readonly Clause[]).filter(
    ({ untestable }) => untestable === undefined,
  )
  const broken = new Set<string>(deviations.map(({ clause }) => clause))
  expect(testable.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})

test('reset clears the memory of deviations', async () => {
  const mock = createMock({ deviations: ['list.limit-remembered'] })
  const list = async (query: string): Promise<number> =>
    JSON.parse((await mock.handle({ ...sampleRequests[0]!, target: `/v1/pets${query}` })).body)
      .length
  await list('?limit=3')
  expect(await list('')).toBe(3)
  mock.reset()
  expect(await list('')).toBe(20)
})

test.each([
  [
    'create.same-name-forgotten',
    (round: number) => ({ name: `${round}`.repeat(400_000), categoryId: 1 }),
  ],
  ['auth.cached-list', undefined],
] as const)(
  '%s remembers at most 4 MiB, which count toward the capacity of the sandbox',
  async (id, toPet) => {
    const settings = readSettings({ deviations: [id] }, deviations)
    const { mock, enter } = createInnerMock(settings, { table: { deviations } })
    const { machine } = enter(null)
    const large = { id: 1, name: 'x'.repeat(1_000_000), categoryId: 1 }
    for (let round = 10; round < 20; round += 1) {
      if (toPet) await create(mock, toPet(round))
      mock.catalog.import(toPet ? [] : [large])
      await sendTo(mock, 'GET', `/v1/pets?limit=${round}`)
    }
    mock.catalog.import([])
    const { length } = printJson(machine.save().deviations)
    expect([length > 2 ** 21, length < 2 ** 22 + 1_000, machine.bytes > 2 ** 21]).toEqual([
      true,
      true,
      true,
    ])
  },
)

test.each([[deviations], [deviations.toReversed()]])(
  'all deviations can be active together',
  async (all) => {
    const mock = createMock({ deviations: all.map(({ id }) => id) })
    const replies = await Promise.all(sampleRequests.map((request) => mock.handle(request)))
    expect(replies.filter(({ body }) => body.includes('The mock failed'))).toEqual([])
  },
)
