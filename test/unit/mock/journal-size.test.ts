/** How many requests a journal keeps, and that those that have left it still count. */
import { expect, test } from 'vitest'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import { Deque } from '../../../src/mock/journal/deque.ts'
import { loadScorecards } from '../../../src/mock/sandbox/sandbox.ts'

const headers = { authorization: `Bearer ${defaultKey}` }

test('keeps the latest requests, and counts all', async () => {
  const mock = createMock({ journal: 100 })
  await loadScorecards()
  for (let number = 1; number <= 2_500; number += 1)
    await mock.handle({ method: 'GET', target: `/v1/pets?limit=${number % 50}`, headers, body: '' })
  expect(mock.journal.range).toMatchObject({ first: 2_401, last: 2_500 })
  expect(mock.journal.list().map(({ number }) => number)).toEqual(
    Array.from({ length: 100 }, (_, index) => 2_401 + index),
  )
  expect(mock.journal.list({ before: 2_403 })).toHaveLength(2)
  expect(mock.journal.last()?.request.target).toBe('/v1/pets?limit=0')
  const [card] = await mock.scorecards()
  expect([card?.requests, card?.journal]).toEqual([
    2_500,
    { kept: 100, received: 2_500, counted: 2_500 },
  ])
})

test('keeps 10,000 by default, and what is no count is rejected', async () => {
  expect(createMock().settings.journal).toBe(10_000)
  for (const journal of [99, 100_001, 1.5, '200'])
    expect(() => createMock({ journal: journal as number })).toThrow(
      'journal must be an integer from 100 to 100000',
    )
})

test('a deque shows what an array does', () => {
  const deque = new Deque<number>()
  const array: number[] = []
  for (let step = 0; step < 10_000; step += 1) {
    deque.push(step)
    array.push(step)
    if (step > 300) expect(deque.shift()).toBe(array.shift())
    if (step % 997 === 0) {
      deque.replace(array.slice(5))
      array.splice(0, 5)
    }
    expect([deque.length, deque.at(0), deque.at(7), deque.at(-1)]).toEqual([
      array.length,
      array.at(0),
      array.at(7),
      array.at(-1),
    ])
  }
  expect(deque.toArray()).toEqual(array)
  expect(new Deque().shift()).toBeUndefined()
  expect(new Deque().at(-1)).toBeUndefined()
})
