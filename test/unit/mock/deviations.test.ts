import { expect, test } from 'vitest'
import { createMock, deviations } from '../../../src/mock/index.ts'
import { type Clause, clauses } from '../../../src/spec/clauses.ts'
import { sampleRequests } from './sample-requests.ts'

test('every clause that can be tested is broken by one', () => {
  const testable = (clauses as readonly Clause[]).filter(({ untestable }) => untestable === undefined)
  const broken = new Set<string>(deviations.map(({ clause }) => clause))
  expect(testable.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
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

test.each([[deviations], [deviations.toReversed()]])('together, each applies to what the others leave', async (all) => {
  const mock = createMock({ deviations: all.map(({ id }) => id) })
  const replies = await Promise.all(sampleRequests.map((request) => mock.handle(request)))
  expect(replies.filter(({ body }) => body.includes('The mock failed'))).toEqual([])
})
