import { expect, test } from 'vitest'

import { createMock, type Mock } from '../../../src/mock/index.ts'
import { sendTo, create, rex } from './ask.ts'

const idsOf = async (mock: Mock, query = '?limit=100'): Promise<number[]> =>
  (await sendTo(mock, 'GET', `/v1/pets${query}`)).json.map((pet: { id: number }) => pet.id)

// test/proof/closed-loop/profiles.test.ts covers the other options through the suite.
test.each([
  ['error.code.400', (mock: Mock) => create(mock, '{}')],
  ['error.code.401', (mock: Mock) => sendTo(mock, 'GET', '/v1/pets', { headers: {} })],
  ['error.code.404', (mock: Mock) => sendTo(mock, 'GET', '/v1/pets/999')],
] as const)('%s accepts any text', async (id, send) => {
  expect((await send(createMock({ profile: { [id]: 'E_OTHER' } }))).json.code).toBe('E_OTHER')
})

test('names are sorted by code points, equal names by age', async () => {
  const mock = createMock({ pets: 0, profile: { 'list.order': 'by-name' } })
  for (const name of ['b', '\u{1F43E}', '\uFFFD', 'a', 'b', 'é', 'ab', 'B'])
    await create(mock, { name, categoryId: 1 })
  expect(
    (await sendTo(mock, 'GET', '/v1/pets')).json.map((pet: any) => `${pet.name}${pet.id}`),
  ).toEqual(['B8', 'a4', 'ab7', 'b1', 'b5', 'é6', '\uFFFD3', '\u{1F43E}2'])
})

test('a lone surrogate is sorted as a code point', async () => {
  const mock = createMock({ pets: 0, profile: { 'list.order': 'by-name' } })
  for (const name of ['\u{1F43E}', '\uD83D\uFFFD']) await create(mock, { name, categoryId: 1 })
  expect((await sendTo(mock, 'GET', '/v1/pets')).json).toMatchObject([{ id: 2 }, { id: 1 }])
})

test('a duplicate name is rejected also before the first pet is visible', async () => {
  const mock = createMock({
    profile: { 'create.visibility': 'delayed', 'create.name.duplicate': '409' },
  })
  expect((await create(mock, rex)).status).toBe(201)
  expect((await create(mock, rex)).status).toBe(409)
})

test('a shuffled list is the same on every machine', async () => {
  const profile = { 'list.order': 'shuffled' } as const
  const [one, other] = [createMock({ profile }), createMock({ profile })]
  const first = await idsOf(one)
  expect(await idsOf(other)).toEqual(first)
  expect([...first].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
  await idsOf(one)
  one.reset()
  expect(await idsOf(one)).toEqual(first)
})
