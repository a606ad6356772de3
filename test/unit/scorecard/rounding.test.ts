/** Numbers that a client passed through a double, though the mock had shown the true one. */
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'

const true_ = 9_007_199_254_740_993n
const data = [
  { id: true_, name: 'Max', categoryId: 72_057_594_037_927_937n },
  { id: 4n, name: 'Rex', categoryId: 123_456_789_012_345_678n },
]

const certain = (kinds: string[]): string[] =>
  kinds.filter((id) => ['pet-id.rounded', 'category-id.shown-rounded'].includes(id))

describe('an id', () => {
  test('that was shown, and asked for as its double', async () => {
    const { send, card, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await send('GET', '/v1/pets/9007199254740992')
    expect(certain(await kinds())).toEqual(['pet-id.rounded'])
    const found = (await card()).issues.find(({ id }) => id === 'pet-id.rounded')
    expect(found).toMatchObject({
      severity: 'violation',
      count: 1,
      message: 'petId was 9007199254740992, and the mock had shown 9007199254740993.',
    })
    expect((await card()).score).toBe(50)
  })

  test.each([
    ['is the true one', '9007199254740993'],
    ['is another one that no double is', '9007199254740995'],
    ['is another double', '9007199254740998'],
  ])('not where it %s', async (_, id) => {
    const { send, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await send('GET', `/v1/pets/${id}`)
    expect(certain(await kinds())).toEqual([])
  })

  test('not where nothing was shown, nor where both are there, nor to another client', async () => {
    const { send, kinds } = createClient({ data })
    await send('GET', '/v1/pets/9007199254740992')
    expect(certain(await kinds())).toEqual([])
    const both = createClient({ data: [...data, { id: true_ - 1n, name: 'Tom', categoryId: 1 }] })
    await both.send('GET', '/v1/pets')
    await both.send('GET', '/v1/pets/9007199254740992')
    expect(certain(await both.kinds())).toEqual([])
    const two = createClient({ data, keys: ['key-one', 'key-two'] })
    await two.send('GET', '/v1/pets', { key: 'key-two' })
    await two.send('GET', '/v1/pets/9007199254740992')
    expect(certain(await two.kinds())).toEqual([])
  })
})

describe('a categoryId', () => {
  test.each(['72057594037927940', '72057594037927936', '123456789012345680'])('sent back as %s', async (sent) => {
    const { send, create, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await create(`{"name":"Tom","categoryId":${sent}}`)
    expect(certain(await kinds())).toEqual(['category-id.shown-rounded'])
  })

  test('not as it is', async () => {
    const { send, create, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await create('{"name":"Tom","categoryId":72057594037927937}')
    await create('{"name":"Tom","categoryId":9007199254740992}')
    expect(certain(await kinds())).toEqual([])
  })
})
