import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { createMock, type Mock } from '../../../src/mock/index.ts'
import { sendTo, create } from './ask.ts'
import { rejectedBodies } from './sample-requests.ts'
import { runs } from '../../support/level.ts'

let mock: Mock
beforeEach(() => void (mock = createMock()))

describe('listPets', () => {
  test('the first page shows several kinds of animal and all three statuses', async () => {
    const { json: pets } = await sendTo(mock, 'GET', '/v1/pets')
    expect(new Set(pets.map((pet: any) => pet.categoryId)).size).toBeGreaterThan(4)
    expect(new Set(pets.map((pet: any) => pet.status))).toEqual(
      new Set(['available', 'pending', 'sold']),
    )
  })

  test('the first page shows a new pet in a full catalog', async () => {
    const { json } = await create(mock, { name: 'Rex', categoryId: 1 })
    for (const query of ['', '?limit=1', '?status=available']) {
      expect((await sendTo(mock, 'GET', `/v1/pets${query}`)).json[0]).toEqual(json)
    }
  })

  test.each(['+5', '5.0', '%205', '0x5', '', '5e0', '%D9%A5', '1_0'])(
    'limit=%s is not an integer',
    async (limit) => {
      const { json } = await sendTo(mock, 'GET', `/v1/pets?limit=${limit}`)
      expect(json).toMatchObject({
        status: 400,
        message: expect.stringContaining('must be an integer'),
      })
    },
  )

  test.each(['0', '-1', '101', '99999999999999999999999', '-99999999999999999999999'])(
    'limit=%s is out of range',
    async (limit) => {
      const { json } = await sendTo(mock, 'GET', `/v1/pets?limit=${limit}`)
      expect(json).toMatchObject({ status: 400, message: expect.stringContaining('from 1 to 100') })
    },
  )

  test('parameters may be percent-encoded; an invalid percent sign is an error', async () => {
    expect((await sendTo(mock, 'GET', '/v1/pets?%6Cimit=%33')).json).toHaveLength(3)
    for (const query of ['limit=%zz', 'x=%ff', '%']) {
      expect((await sendTo(mock, 'GET', `/v1/pets?${query}`)).status).toBe(400)
    }
  })

  test.each(['/v1/pets?status=ü', '/v1/pets?limit=%zz', '/v1/pets/%zz', '/v1/pets/1 2'])(
    'without a key, the malformed target %s is a 401',
    async (target) => {
      const statusWith = async (headers?: Record<string, string>): Promise<number> =>
        (await sendTo(mock, 'GET', target, headers && { headers })).status
      expect([await statusWith({}), await statusWith()]).toEqual([401, 400])
    },
  )

  test('a query evicted from the cache is parsed again', async () => {
    for (let index = 0; index < 500; index += 1)
      await sendTo(mock, 'GET', `/v1/pets?x=${index}&limit=${(index % 100) + 1}`)
    expect((await sendTo(mock, 'GET', '/v1/pets?x=7&limit=8')).json).toHaveLength(8)
  })
})

describe('createPet', () => {
  test('any name and any int64 are returned exactly', async () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), int64, async (name, categoryId) => {
        const sent = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`
        const { json, body } = await create(mock, sent)
        expect(json.name).toBe(name)
        expect(body).toContain(`"categoryId":${categoryId},`)
        expect((await sendTo(mock, 'GET', `/v1/pets/${json.id}`)).body).toBe(body)
      }),
      { numRuns: runs(100) },
    )
  })

  test('a lone surrogate stays escaped', async () => {
    const { body } = await create(mock, String.raw`{"name":"\ud800x","categoryId":1}`)
    expect(body).toContain(String.raw`"name":"\ud800x"`)
  })

  test.each([
    ['7.0', '7'],
    ['7e0', '7'],
    ['70e-1', '7'],
    ['0.7E+1', '7'],
    ['-0', '0'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775807', '9223372036854775807'],
  ])('categoryId %s is the integer %s', async (sent, shown) => {
    expect((await create(mock, `{"name":"Rex","categoryId":${sent}}`)).body).toContain(
      `"categoryId":${shown},`,
    )
  })

  test.each(rejectedBodies)(
    '%j is rejected with 400, and nothing is stored',
    async (body, message) => {
      const { status, json } = await create(mock, body)
      expect(status).toBe(400)
      expect(json).toEqual({
        code: 'invalid_request',
        message: expect.stringContaining(message),
        status: 400,
      })
      expect((await sendTo(mock, 'GET', '/v1/pets/101')).status).toBe(404)
    },
  )

  test('the last of duplicate fields counts', async () => {
    const { json } = await create(mock, '{"name":7,"categoryId":"x","name":"Rex","categoryId":1}')
    expect(json).toMatchObject({ name: 'Rex', categoryId: 1 })
  })

  test('fields named like properties of Object.prototype are safe', async () => {
    const storing = createMock({ profile: { 'create.extra-fields': 'store' } })
    const body =
      '{"name":"Rex","categoryId":1,"__proto__":{"name":"x"},"constructor":7,"toString":null}'
    for (const each of [mock, storing]) expect((await create(each, body)).status).toBe(201)
    expect((await sendTo(storing, 'GET', '/v1/pets/101')).body).toBe(
      '{"id":101,"name":"Rex","categoryId":1,"status":"available","__proto__":{"name":"x"},"constructor":7,"toString":null}',
    )
    expect((await create(mock, '{"__proto__":{"name":"Rex","categoryId":1}}')).status).toBe(400)
    expect(({} as { name?: string }).name).toBeUndefined()
  })

  test('deep and wide bodies get a response', async () => {
    const deep = `{"name":"Rex","categoryId":1,"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const storing = createMock({ profile: { 'create.extra-fields': 'store' } })
    expect((await create(mock, deep)).status).toBe(201)
    expect((await create(mock, deep.replace('1', '1e0'))).status).toBe(201)
    expect((await create(storing, deep)).status).toBe(400)
    expect(
      (await create(mock, `{"name":"Rex","categoryId":1,"x":[${'0,'.repeat(400_000)}0]}`)).status,
    ).toBe(201)
  })

  test('a body of more than 1 MiB is rejected, counted in bytes', async () => {
    expect((await create(mock, `{"name":"${'x'.repeat(1_048_500)}","categoryId":1}`)).status).toBe(
      201,
    )
    expect((await create(mock, `{"name":"${'é'.repeat(600_000)}","categoryId":1}`)).status).toBe(
      413,
    )
  })
})
