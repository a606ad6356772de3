import { describe, expect, test, vi } from 'vitest'
import { createFetch } from '../../../src/mock/adapters/fetch.ts'
import { createHandlers } from '../../../src/mock/adapters/msw.ts'
import { createDispatcher } from '../../../src/mock/adapters/undici.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import type { ExactNewPet } from '../../../src/types.ts'

const generate = (n: number): ExactNewPet => ({ name: `Haustier ${n}`, categoryId: n * 10 })
/** What a caller without types may pass. */
const wrong = (value: unknown): never => value as never

describe('generate', () => {
  test('makes the initial pets of each sandbox, which a reset restores', () => {
    const spy = vi.fn<typeof generate>(generate)
    const mock = createMock({ generate: spy, pets: 3 })
    const sandbox = mock.sandboxes.get('team-a')
    const initial = [1, 2, 3].map((n) => ({ id: n, name: `Haustier ${n}`, categoryId: n * 10 }))
    expect(mock.catalog.export()).toEqual(initial)
    expect(sandbox.catalog.export()).toEqual(initial)
    for (const { catalog, reset } of [mock, sandbox]) {
      catalog.delete(2)
      reset()
      expect(catalog.export()).toEqual(initial)
    }
    expect(spy.mock.calls).toEqual([[1], [2], [3]])
    expect(mock.settings.pets).toBe(3)
    expect(() => mock.reset({ seed: 2 })).toThrow('seed has no effect here')
  })

  test('keeps a status, other fields and exact integers, and assigns ids of the chosen size', () => {
    const categoryId = 9_223_372_036_854_775_807n
    const own = { name: 'Zoë', categoryId, status: 'sold', born: { year: 2020 } } as const
    expect(createMock({ generate: () => own, pets: 1 }).catalog.export()).toEqual([
      { id: 1, ...own },
    ])
    const large = createMock({ generate, pets: 2, ids: 'large' })
    expect(large.catalog.export().map(({ id }) => id)).toEqual([
      9_007_199_254_740_993n,
      9_007_199_254_740_995n,
    ])
  })

  test('makes 100 pets by default, and none for 0', () => {
    expect(createMock({ generate }).catalog.size).toBe(100)
    expect(createMock({ generate, pets: 0 }).catalog.size).toBe(0)
  })

  test('works in each adapter', async () => {
    const options = { generate, pets: 1 }
    const reply = await createFetch(options)('http://localhost/v1/pets', {
      headers: { authorization: `Bearer ${defaultKey}` },
    })
    expect(await reply.json()).toEqual([{ id: 1, name: 'Haustier 1', categoryId: 10 }])
    expect(createHandlers(options)).toHaveLength(1)
    expect(createDispatcher(options).mock.catalog.size).toBe(1)
  })

  test('reports each mistake with its pet and field', () => {
    const pets: Record<number, unknown> = {
      2: { name: 5, categoryId: 2 ** 60, status: 'gone' },
      3: undefined,
      4: [],
      5: { id: 5, name: 'Rex', categoryId: 1 },
      6: Promise.resolve(generate(6)),
      7: { categoryId: 1 },
      8: { name: 'Rex', categoryId: 1, born: new Date(0) },
    }
    const making = (): unknown =>
      createMock({ generate: (n) => wrong(n in pets ? pets[n] : generate(n)) })
    expect(making).toThrow(
      [
        'generate(2)/name: name must be a string.',
        'generate(2)/categoryId: categoryId must be an integer within int64. Beyond 2^53, JavaScript rounds numbers: use a bigint, such as 9007199254740993n.',
        'generate(2)/status: status must be one of available, pending, sold.',
        "generate(3) must be a NewPet such as { name: 'Rex', categoryId: 1 }, but was undefined.",
        "generate(4) must be a NewPet such as { name: 'Rex', categoryId: 1 }, but was a list.",
        'generate(5) must not have an id: the mock assigns the ids, in the order of n.',
        'generate(6) must be a NewPet, but was a promise: the function must be synchronous.',
        'generate(7)/name: name is required.',
        'generate(8): Further fields must be JSON, of at most 100 levels.',
      ].join('\n'),
    )
  })

  test('stops at an exception, and after twenty mistakes', () => {
    const broken = vi.fn<() => never>(() => {
      throw new TypeError('no word is left')
    })
    expect(() => createMock({ generate: broken })).toThrow(
      /^generate\(1\) throws an exception: no word is left$/,
    )
    expect(broken).toHaveBeenCalledOnce()
    const empty = vi.fn<() => never>(() => wrong(null))
    expect(() => createMock({ generate: empty })).toThrow(
      /generate\(21\): This pet and later ones were not checked\.$/,
    )
    expect(empty).toHaveBeenCalledTimes(20)
  })

  test.each([
    [{ generate: 5 }, /^generate must be a function that returns a NewPet, but was 5\.$/],
    [
      { generate, data: [] },
      /^data and generate cannot be combined: both make the initial pets\.$/,
    ],
    [
      { generate, seed: 1 },
      /^seed and generate cannot be combined: the pets are those that generate makes\.$/,
    ],
    [{ generate, pets: -1 }, /^pets must be an integer from 0 to 100000, but was -1\.$/],
  ])('rejects %o', (options, message) => {
    expect(() => createMock(wrong(options))).toThrow(message)
  })
})
