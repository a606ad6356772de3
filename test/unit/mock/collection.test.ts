import { beforeEach, expect, test, vi } from 'vitest'

import { createMock, type Mock } from '../../../src/mock/index.ts'
import { sendTo, create } from './ask.ts'

let mock: Mock

beforeEach(async () => {
  mock = createMock({ pets: 10, profile: { 'list.order': 'oldest-first' } })
  await mock.pets.settled()
})

const idsInReply = async (): Promise<number[]> =>
  (await sendTo(mock, 'GET', '/v1/pets?limit=100')).json.map((pet: { id: number }) => pet.id)
const idsInCollection = (): unknown[] => mock.pets.all().map((pet) => pet.id)

test('an int64 beyond 2^53 is a bigint', async () => {
  await create(mock, '{"name":"Big","categoryId":9223372036854775807}')
  expect(mock.pets.findFirst((query) => query.where({ name: 'Big' }))?.categoryId).toBe(
    9223372036854775807n,
  )
})

test('clear emits a delete event for each pet', () => {
  const deleted = vi.fn<() => void>()
  mock.pets.hooks.on('delete', deleted)
  mock.pets.clear()
  expect(deleted).toHaveBeenCalledTimes(10)
})

test('one of two concurrent creations with the same id is rejected', async () => {
  const both = [1, 2].map(() => mock.pets.create({ id: 77, name: 'Twin', categoryId: 1 }))
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
  ])
  expect(idsInCollection()).toEqual(await idsInReply())
  expect(mock.pets.count()).toBe(11)
})

test('an invalid record is rejected, and nothing is stored', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  await expect(mock.pets.create({ name: 7 } as never)).rejects.toThrow('name must be a string.')
  const toNonsense = {
    data(pet: object) {
      Object.assign(pet, { status: 'gone' })
    },
  }
  await expect(mock.pets.update((query) => query.where({ id: 1 }), toNonsense)).rejects.toThrow(
    'schema',
  )
  quiet.mockRestore()
  expect(await idsInReply()).toEqual(idsInCollection())
  expect(mock.pets.count()).toBe(10)
})

test('a listener can prevent a deletion', async () => {
  mock.pets.hooks.on('delete', (event) => event.preventDefault())
  mock.pets.delete((query) => query.where({ id: 1 }))
  expect((await sendTo(mock, 'GET', '/v1/pets/1')).status).toBe(200)
})

test('stored extra fields survive an update', async () => {
  mock.configure({ profile: { 'create.extra-fields': 'store' } })
  const { id } = (await create(mock, '{"name":"Rex","categoryId":1,"tags":[9007199254740993]}'))
    .json
  await mock.pets.update((query) => query.where({ id }), {
    data(pet) {
      pet.name = 'Max'
    },
  })
  expect((await sendTo(mock, 'GET', `/v1/pets/${id}`)).body).toBe(
    `{"id":${id},"name":"Max","categoryId":1,"status":"available","tags":[9007199254740993]}`,
  )
})
