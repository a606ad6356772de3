import { expect, test } from 'vitest'
import { printJson } from '../../../src/json.ts'
import { createMock, defects } from '../../../src/mock/index.ts'
import { createInnerMock } from '../../../src/mock/sandbox/mock.ts'
import { readSettings } from '../../../src/mock/sandbox/settings.ts'
import { type Requirement, requirements } from '../../../src/spec/requirements.ts'
import { sendTo, create } from './ask.ts'
import { sampleRequests } from './sample-requests.ts'

test('every testable requirement is violated by at least one defect', () => {
  const testable = (requirements as readonly Requirement[]).filter(
    ({ untestable }) => untestable === undefined,
  )
  const broken = new Set<string>(defects.map(({ requirement }) => requirement))
  expect(testable.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})

test('a defect reads a parameter whatever way it is escaped', async () => {
  const mock = createMock({ pets: 100, defects: ['list.limit-plus-one'] })
  const list = async (query: string): Promise<number> =>
    JSON.parse((await mock.handle({ ...sampleRequests[0]!, target: `/v1/pets${query}` })).body)
      .length
  expect([await list('?limit=2'), await list('?limit=%32'), await list('?li%6Dit=2')]).toEqual([
    3, 3, 3,
  ])
})

test('reset clears the memory of defects', async () => {
  const mock = createMock({ defects: ['list.limit-remembered'] })
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
    const settings = readSettings({ defects: [id] }, defects)
    const { mock, findOrCreate } = createInnerMock(settings, { loaded: { defects } })
    const { machine } = findOrCreate(null)
    const large = { id: 1, name: 'x'.repeat(1_000_000), categoryId: 1 }
    for (let round = 10; round < 20; round += 1) {
      if (toPet) await create(mock, toPet(round))
      mock.catalog.import(toPet ? [] : [large])
      await sendTo(mock, 'GET', `/v1/pets?limit=${round}`)
    }
    mock.catalog.import([])
    const { length } = printJson(machine.save().defects)
    expect([length > 2 ** 21, length < 2 ** 22 + 1_000, machine.bytes > 2 ** 21]).toEqual([
      true,
      true,
      true,
    ])
  },
)

test.each([[defects], [defects.toReversed()]])(
  'all defects can be active together',
  async (all) => {
    const mock = createMock({ defects: all.map(({ id }) => id) })
    const replies = await Promise.all(sampleRequests.map((request) => mock.handle(request)))
    expect(replies.filter(({ body }) => body.includes('The mock failed'))).toEqual([])
  },
)
