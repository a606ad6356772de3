import { describe, expect, test } from 'vitest'

import { createMock, type DeviationId, deviations } from '../../../src/mock/index.ts'
import { type Clause, clauses } from '../../../src/spec/clauses.ts'
import { sampleRequests } from './sample-requests.ts'

const table = deviations

/** What a mock answers to the sample requests. */
async function answersOf(pets: number, ids: DeviationId[]): Promise<string[]> {
  const mock = createMock({ pets, deviations: ids, now: '2026-11-20' })
  const answers: string[] = []
  for (const request of sampleRequests) answers.push(JSON.stringify(await mock.handle(request)))
  return answers
}

test('there are at least 125 deviations, each with an id of its own', () => {
  expect(new Set(table.map(({ id }) => id)).size).toBe(table.length)
  expect(table.length).toBeGreaterThanOrEqual(125)
})

test('every clause that can be tested is broken by one', () => {
  const testable = (clauses as readonly Clause[]).filter(({ untestable }) => untestable === undefined)
  const broken = new Set<string>(table.map(({ clause }) => clause))
  expect(testable.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})

describe('each shows in what the mock answers', () => {
  const conforming = new Map(
    [...new Set([100, ...table.map(({ pets = 100 }) => pets)])].map((pets) => [pets, answersOf(pets, [])]),
  )
  test.each(deviations.map(({ id }) => id))('%s', async (id) => {
    const pets = table.find((deviation) => deviation.id === id)?.pets ?? 100
    expect(await answersOf(pets, [id])).not.toEqual(await conforming.get(pets))
  })
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
