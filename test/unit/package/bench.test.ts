import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createMock } from '../../../src/mock/index.ts'

const contestants = join(import.meta.dirname, '../../../bench/contestants.mjs')

// The benchmark scripts are not type-checked.
test('the peers of the benchmark get the pets of the mock', async () => {
  const { firstPets, key } = (await import(contestants)) as {
    firstPets: (count: number) => unknown[]
    key: string
  }
  const mock = createFetch(createMock({ pets: 20, profile: { 'list.order': 'oldest-first' } }))
  const response = await mock('http://localhost/v1/pets', {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await response.json()).toEqual(firstPets(20))
})
