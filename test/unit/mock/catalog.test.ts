import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { UsageError } from '../../../src/errors.ts'
import { parseJson, printJson } from '../../../src/json.ts'
import { createMock, type Mock } from '../../../src/mock/index.ts'
import type { Pet } from '../../../src/spec/types.ts'
import { sendTo, create, rex } from './ask.ts'

let mock: Mock
beforeEach(() => void (mock = createMock({ pets: 5 })))

describe('import', () => {
  test('reports every mistake with its JSON pointer, and changes nothing', () => {
    const before = mock.catalog.export()
    const pets = [
      rex,
      { id: 1, ...rex },
      { id: '1', name: 5, categoryId: 1.5, status: 'gone' },
      null,
      { id: 9223372036854775808n, ...rex },
      { id: 1, ...rex },
      { id: 2, ...rex, deep: parseJson('['.repeat(200) + ']'.repeat(200)) },
      { id: 3, ...rex, code: (() => 1) as never },
      { id: Number.NaN, ...rex, status: null },
      { id: 2 ** 53, ...rex, categoryId: -(2 ** 60) },
    ]
    const importing = (): void => mock.catalog.import(pets)
    expect(importing).toThrow(UsageError)
    expect(importing).toThrow(
      [
        '/0/id: id is required.',
        '/2/id: id must be an integer within int64.',
        '/2/name: name must be a string.',
        '/2/categoryId: categoryId must be an integer within int64.',
        '/2/status: status must be one of available, pending, sold.',
        '/3: The pet must be a Pet object.',
        '/4/id: id must be an integer within int64.',
        '/5/id: The id 1 is also the id of pet /1.',
        '/6: Further fields must be JSON, of at most 100 levels.',
        '/7: Further fields must be JSON, of at most 100 levels.',
        '/8/id: id must be an integer within int64.',
        '/8/status: status must be one of available, pending, sold.',
        '/9/id: id must be an integer within int64. Beyond 2^53, JavaScript rounds numbers: use a bigint, such as 9007199254740993n.',
        '/9/categoryId: categoryId must be an integer within int64. Beyond 2^53, JavaScript rounds numbers: use a bigint, such as 9007199254740993n.',
      ].join('\n'),
    )
    expect(mock.catalog.export()).toEqual(before)
    expect(() => createMock({ data: pets as never })).toThrow('data/0/id: id is required.')
    expect(() => createMock({ data: [], pets: 3 })).toThrow('pets and data cannot be combined.')
  })

  test.each([[{}], ['[]'], [null], [undefined], [7]])(
    'rejects %o, which is not an array',
    (pets) => {
      expect(() => mock.catalog.import(pets as never)).toThrow('data: The pets must be an array.')
    },
  )

  test('reports only the first twenty mistakes', () => {
    const pets = Array.from({ length: 5_000 }, () => ({}))
    const error: unknown = (() => {
      try {
        return mock.catalog.import(pets)
      } catch (thrown) {
        return thrown
      }
    })()
    expect((error as UsageError).message.split('\n')).toHaveLength(22)
    expect((error as UsageError).message).toMatch(
      /\ndata: The pets from \/7 on were not checked\.$/,
    )
  })

  test('copies the pets, so later changes to the input have no effect', async () => {
    const pet = { id: 1, ...rex, tags: ['a'] }
    const pets = [pet]
    mock.catalog.import(pets)
    pet.name = 'Max'
    pet.tags.push('b')
    pets.pop()
    expect((await sendTo(mock, 'GET', '/v1/pets')).body).toBe(
      '[{"id":1,"name":"Rex","categoryId":1,"tags":["a"]}]',
    )
  })

  test('keeps fields named like properties of Object.prototype', async () => {
    const text =
      '[{"id":1,"name":"Rex","categoryId":1,"__proto__":{"status":"sold"},"constructor":7,"toJSON":null}]'
    mock.catalog.import(parseJson(text) as never)
    expect((await sendTo(mock, 'GET', '/v1/pets')).body).toBe(text)
    expect(printJson(mock.catalog.export())).toBe(text)
  })
})

describe('export', () => {
  test('pets survive a round trip through JSON text', async () => {
    const int64 = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
    const pet = fc.record(
      {
        id: int64,
        name: fc.string({ unit: 'binary' }),
        categoryId: int64,
        status: fc.constantFrom('available', 'pending', 'sold'),
        tags: fc.json({ maxDepth: 3 }).map(parseJson),
      },
      { requiredKeys: ['id', 'name', 'categoryId'] },
    )
    const pets = fc.uniqueArray(pet, { selector: ({ id }) => BigInt(id), maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(pets, async (pets) => {
        mock.catalog.import(pets)
        const text = printJson(mock.catalog.export())
        expect(text).toBe(printJson(pets))
        mock.catalog.import(parseJson(text) as never)
        expect(printJson(mock.catalog.export())).toBe(text)
        const { id } = (await create(mock, rex)).json
        expect(pets.map(({ id }) => BigInt(id))).not.toContain(BigInt(id))
        expect(mock.catalog.size).toBe(pets.length + 1)
        expect(mock.catalog.export()).toHaveLength(pets.length + 1)
      }),
    )
  })
})

describe('change and delete', () => {
  test.each([['gone'], [''], [7], [5n], [{ toString: 1 }]])('rejects %o as a status', (status) => {
    expect(() => mock.catalog.change(1, { status: status as never })).toThrow(
      'status must be one of available, pending, sold',
    )
  })

  test('changing a name and a category keeps the other fields and the position', async () => {
    mock.catalog.import([1, 2, 3].map((id) => ({ id, ...rex, tag: 'x' })))
    expect(mock.catalog.change(2, { name: 'Ünï', categoryId: 9_007_199_254_740_993n })).toEqual({
      id: 2,
      name: 'Ünï',
      categoryId: 9_007_199_254_740_993n,
      tag: 'x',
    })
    expect(mock.catalog.export().map(({ id }) => id)).toEqual([1, 2, 3])
    expect(() => mock.catalog.change(2, { name: 7 as never, categoryId: 1.5 })).toThrow(
      /^name.*categoryId/,
    )
    expect(mock.catalog.change(2, { id: 9 } as never)?.id).toBe(2)
    expect(() => mock.catalog.delete('3' as never)).toThrow(
      'The id of a pet is an integer, not "3".',
    )
  })
})

describe('with delayed visibility of created pets', () => {
  const lagging = (): Mock => createMock({ pets: 3, profile: { 'create.visibility': 'delayed' } })

  test('a created pet is counted, exported, changed and deleted at once, and is in the collection', async () => {
    const mock = lagging()
    for (const id of [4, 5]) expect((await create(mock, rex)).json.id).toBe(id)
    expect(mock.catalog.size).toBe(5)
    expect(mock.catalog.export().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
    await create(mock, rex)
    expect([mock.catalog.change(6, { status: 'sold' })?.status, mock.catalog.delete(5)]).toEqual([
      'sold',
      true,
    ])
    await create(mock, rex)
    await mock.pets.settled()
    expect(mock.pets.all().map(({ id }) => id)).toEqual([1, 2, 3, 4, 6, 7])
    await create(mock, rex)
    mock.snapshots.save('with')
    mock.reset()
    mock.snapshots.restore('with')
    expect(mock.catalog.size).toBe(7)
  })

  test('import and restore also discard pets that are not visible yet', async () => {
    const mock = lagging()
    mock.snapshots.save('before')
    await create(mock, rex)
    mock.catalog.import([{ id: 4, name: 'Given', categoryId: 1 }])
    await create(mock, rex)
    mock.snapshots.restore('before')
    const { id } = (await create(mock, rex)).json
    expect(id).toBe(4)
    while ((await sendTo(mock, 'GET', '/v1/pets/4')).status === 404)
      await new Promise((resolve) => setImmediate(resolve))
    expect((await sendTo(mock, 'GET', '/v1/pets')).json.map(({ id }: Pet) => id)).toEqual([
      4, 3, 2, 1,
    ])
    mock.configure({ explain: true })
    expect((await sendTo(mock, 'GET', '/v1/pets')).status).toBe(200)
  })

  test('a pet inserted with the id of one that is not visible yet replaces it', async () => {
    const mock = lagging()
    const { pets } = mock
    expect((await create(mock, rex)).json.id).toBe(4)
    await pets.create({ id: 4, name: 'Max', categoryId: 1 })
    mock.configure({ explain: true })
    expect((await sendTo(mock, 'GET', '/v1/pets/4')).json.name).toBe('Max')
  })
})
