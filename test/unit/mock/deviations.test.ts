import { expect, test } from 'vitest'

import { createMock, deviations } from '../../../src/mock/index.ts'
import { type Clause, clauses } from '../../../src/spec/clauses.ts'
import { sampleRequests } from './sample-requests.ts'

const table = deviations

test('there are at least 125 deviations, each with an id of its own', () => {
  expect(new Set(table.map(({ id }) => id)).size).toBe(table.length)
  expect(table.length).toBeGreaterThanOrEqual(125)
})

test('every clause that can be tested is broken by one', () => {
  const testable = (clauses as readonly Clause[]).filter(({ untestable }) => untestable === undefined)
  const broken = new Set<string>(table.map(({ clause }) => clause))
  expect(testable.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})

test('creations at the same time are told from those one after the other', async () => {
  const mock = createMock({ deviations: ['create.parallel-same-id'] })
  const create = async (name: string): Promise<number> => {
    const reply = await mock.handle({
      ...sampleRequests.at(-3)!,
      method: 'POST',
      target: '/v1/pets',
      body: `{"name":"${name}","categoryId":1}`,
    })
    return JSON.parse(reply.body).id
  }
  expect(new Set(await Promise.all([create('A'), create('B'), create('C')])).size).toBe(1)
})

test('reset makes them forget', async () => {
  const mock = createMock({ deviations: ['list.limit-remembered'] })
  const list = async (query: string): Promise<number> =>
    JSON.parse((await mock.handle({ ...sampleRequests[0]!, target: `/v1/pets${query}` })).body).length
  await list('?limit=3')
  expect(await list('')).toBe(3)
  mock.reset()
  expect(await list('')).toBe(20)
})
