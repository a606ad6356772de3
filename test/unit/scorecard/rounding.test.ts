/** Integers that a client rounded to a double after the mock had shown the exact ones. */
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
  test('that was shown, and requested as its double', async () => {
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
    ['is exact', '9007199254740993'],
    ['is another exact integer', '9007199254740995'],
    ['is another double', '9007199254740998'],
  ])('is not reported if it %s', async (_, id) => {
    const { send, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await send('GET', `/v1/pets/${id}`)
    expect(certain(await kinds())).toEqual([])
  })

  test('is not reported if it was not shown, both exist, or another client got it', async () => {
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

describe('an id that was cut or rounded further', () => {
  const large = [
    { id: 9_007_203_549_708_293n, name: 'Max', categoryId: 1n },
    { id: true_, name: 'Rex', categoryId: 1n },
    { id: true_ + 2n, name: 'Tom', categoryId: 1n },
    { id: true_ + 1_000_000n, name: 'Kim', categoryId: 1n },
  ]
  test.each([
    ['to 32 bits', ['1000001'], 1],
    ['to 32 bits, with small results', ['1', '3'], 1],
    ['to 32 bits with a sign', ['-2147483643'], 0],
    ['to a float', ['9007203549708288'], 1],
    ['by chance', ['1'], 0],
    ['by chance, twice', ['1', '1'], 0],
    ['not at all', ['77', '1000002'], 0],
  ])('%s', async (_, ids, count) => {
    const { send, card } = createClient({ data: large })
    await send('GET', '/v1/pets')
    for (const id of ids) await send('GET', `/v1/pets/${id}`)
    const found = (await card()).issues.find(({ id }) => id === 'pet-id.rounded')
    expect(found?.count ?? 0).toBe(count)
  })
})

test('a category that was rounded once counts each time, although creations echo it', async () => {
  const { send, create, card } = createClient({ data })
  await send('GET', '/v1/pets')
  for (let sent = 0; sent < 5; sent += 1) {
    await create(`{"name":"Tom ${sent}","categoryId":72057594037927936}`)
    await send('GET', '/v1/pets')
  }
  const found = (await card()).issues.find(({ id }) => id === 'category-id.shown-rounded')
  expect(found?.count).toBe(5)
})

describe('a categoryId', () => {
  test.each(['72057594037927940', '72057594037927936', '123456789012345680'])(
    'is reported as %s',
    async (sent) => {
      const { send, create, kinds } = createClient({ data })
      await send('GET', '/v1/pets')
      await create(`{"name":"Tom","categoryId":${sent}}`)
      expect(certain(await kinds())).toEqual(['category-id.shown-rounded'])
    },
  )

  test('is not reported if exact', async () => {
    const { send, create, kinds } = createClient({ data })
    await send('GET', '/v1/pets')
    await create('{"name":"Tom","categoryId":72057594037927937}')
    await create('{"name":"Tom","categoryId":9007199254740992}')
    expect(certain(await kinds())).toEqual([])
  })
})

describe('with large ids', () => {
  const odd = (digits: string): boolean => BigInt(digits) > 2n ** 53n && BigInt(digits) % 2n === 1n
  const idsIn = (body: string): string[] =>
    [...body.matchAll(/"(?:id|categoryId)":(\d+)/g)].map(([, digits = '']) => digits)

  test('all ids and categories exceed double precision, and new ids continue', async () => {
    const { mock, send, create } = createClient({ ids: 'large', pets: 3 })
    const ids: string[] = []
    const kept = '{"name":"Rex","categoryId":9007199254740993}'
    for (const again of [() => undefined, () => mock.reset()]) {
      again()
      const { body } = await send('GET', '/v1/pets')
      expect(idsIn(body)).toHaveLength(6)
      expect(idsIn(body).filter((digits) => !odd(digits))).toEqual([])
      mock.snapshots.save('before')
      await create(kept)
      mock.snapshots.restore('before')
      for (const _ of [1, 2]) ids.push(idsIn((await create(kept)).body)[0] ?? '')
      expect((await send('GET', `/v1/pets/${ids.at(-1)}`)).body).toContain(`"id":${ids.at(-1)},`)
    }
    expect(ids).toEqual([
      '9007199254740999',
      '9007199254741001',
      '9007199254740999',
      '9007199254741001',
    ])
    expect(await mock.pets.create({ name: 'Max', categoryId: 1 })).toMatchObject({
      id: 9007199254741003n,
    })
    mock.catalog.import([
      { id: 5, name: 'Rex', categoryId: 1 },
      { id: 9007199254741005n, name: 'Max', categoryId: 1 },
    ])
    for (const id of ['9007199254741003', '9007199254741007'])
      expect(idsIn((await create(kept)).body)[0]).toBe(id)
  })

  test('a client that parses into doubles is reported for each pet, an exact one is not', async () => {
    const { mock, send, create, kinds } = createClient({ ids: 'large' })
    const exact = /"id":(\d+).*?"categoryId":(\d+)/.exec(
      (await send('GET', '/v1/pets?limit=1')).body,
    )
    await send('GET', `/v1/pets/${exact?.[1]}`)
    await create(`{"name":"Rex","categoryId":${exact?.[2]}}`)
    expect(certain(await kinds())).toEqual([])
    for (const status of ['available', 'pending', 'sold']) {
      mock.reset()
      const [pet] = JSON.parse((await send('GET', `/v1/pets?status=${status}`)).body) as {
        id: number
        categoryId: number
      }[]
      expect((await send('GET', `/v1/pets/${pet?.id}`)).status).toBe(404)
      await create({ name: 'Rex', categoryId: pet?.categoryId })
      expect(certain(await kinds()).toSorted()).toEqual([
        'category-id.shown-rounded',
        'pet-id.rounded',
      ])
    }
  })
})
