import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { createMock, defaultKey, type Mock, type RunningMock, startMock } from '../../../src/mock/index.ts'

let mock: RunningMock
const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }

const start = () => startMock({ pets: 10, profile: { 'list.order': 'oldest-first' } })

beforeEach(async () => {
  mock = await start()
  await mock.pets.settled()
})
afterEach(async () => {
  await mock.close()
})

async function create(pet: object): Promise<{ id: number }> {
  const reply = await fetch(`${mock.url}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) })
  return (await reply.json()) as { id: number }
}
async function read(path: string): Promise<{ status: number; body: any }> {
  const reply = await fetch(mock.url + path, { headers })
  return { status: reply.status, body: await reply.json() }
}
const idsOverHttp = async (): Promise<number[]> =>
  (await read('/pets?limit=100')).body.map((pet: { id: number }) => pet.id)
const idsInCollection = (): unknown[] => mock.pets.all().map((pet) => pet.id)

describe('what HTTP does shows in the collection', () => {
  test('an int64 beyond 2^53 is a bigint', async () => {
    const body = '{"name":"Big","categoryId":9223372036854775807}'
    await fetch(`${mock.url}/pets`, { method: 'POST', headers, body })
    expect(mock.pets.findFirst((query) => query.where({ name: 'Big' }))?.categoryId).toBe(9223372036854775807n)
  })
})

describe('what is done to the collection shows over HTTP', () => {
  test('create, with and without an id', async () => {
    expect(await mock.pets.create({ name: 'Next', categoryId: 1 })).toMatchObject({ id: 11 })
    await mock.pets.create({ id: 5000, name: 'Far', categoryId: 1, status: 'pending' })
    expect((await read('/pets/5000')).body).toEqual({ id: 5000, name: 'Far', categoryId: 1, status: 'pending' })
    expect((await create({ name: 'After', categoryId: 1 })).id).toBe(12)
    expect(await idsOverHttp()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 5000, 12])
  })

  test('an id that was chosen is not assigned later', async () => {
    await mock.pets.create({ id: 12, name: 'Chosen', categoryId: 1 })
    expect([(await create({ name: 'A', categoryId: 1 })).id, (await create({ name: 'B', categoryId: 1 })).id]).toEqual([
      11, 13,
    ])
  })

  test('clear, and ids go on behind those that were used', async () => {
    const deleted = vi.fn<() => void>()
    mock.pets.hooks.on('delete', deleted)
    mock.pets.clear()
    expect(deleted).toHaveBeenCalledTimes(10)
    expect((await read('/pets')).body).toEqual([])
    expect((await read('/pets/1')).status).toBe(404)
    expect((await create({ name: 'First', categoryId: 1 })).id).toBe(11)
    expect(idsInCollection()).toEqual([11])
  })
})

describe('an id is never there twice', () => {
  test('create', async () => {
    await expect(mock.pets.create({ id: 5, name: 'Twin', categoryId: 1 })).rejects.toThrow('id 5 already')
    const both = [1, 2].map(() => mock.pets.create({ id: 77, name: 'Twin', categoryId: 1 }))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(idsInCollection()).toEqual(await idsOverHttp())
    expect(mock.pets.count()).toBe(11)
  })

  test('update and updateMany', async () => {
    const toFive = {
      data(pet: { id: number | bigint }) {
        pet.id = 5
      },
    }
    await expect(mock.pets.update((query) => query.where({ id: 6 }), toFive)).rejects.toThrow('id 5 already')
    const toNinety = {
      data(pet: { id: number | bigint }) {
        pet.id = 90
      },
    }
    await expect(mock.pets.updateMany((query) => query.where({ id: (id) => id > 8 }), toNinety)).rejects.toThrow(
      'id 90 already',
    )
    expect(await idsOverHttp()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 90, 10])
    expect(idsInCollection()).toEqual(await idsOverHttp())
  })
})

test('a record that is no pet is refused, and nothing is stored', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  await expect(mock.pets.create({ name: 7 } as never)).rejects.toThrow('does not match the schema')
  const toNonsense = {
    data(pet: object) {
      Object.assign(pet, { status: 'gone' })
    },
  }
  await expect(mock.pets.update((query) => query.where({ id: 1 }), toNonsense)).rejects.toThrow('schema')
  quiet.mockRestore()
  expect(await idsOverHttp()).toEqual(idsInCollection())
  expect(mock.pets.count()).toBe(10)
})

test('a listener that refuses a deletion is obeyed', async () => {
  mock.pets.hooks.on('delete', (event) => event.preventDefault())
  mock.pets.delete((query) => query.where({ id: 1 }))
  expect((await read('/pets/1')).status).toBe(200)
})

test('members that a deployment stores stay through an update', async () => {
  const storing: Mock = createMock({ pets: 0, profile: { 'create.extra-members': 'store' } })
  const request = { target: '/v1/pets', headers }
  await storing.handle({ ...request, method: 'POST', body: '{"name":"Rex","categoryId":1,"tags":[9007199254740993]}' })
  await storing.pets.update((query) => query.where({ id: 1 }), {
    data(pet) {
      pet.name = 'Max'
    },
  })
  const reply = await storing.handle({ ...request, method: 'GET', body: '' })
  expect(reply.body).toBe('[{"id":1,"name":"Max","categoryId":1,"status":"available","tags":[9007199254740993]}]')
})
