import createClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, test } from 'vitest'

import { createFetch, createMock, defaultKey } from '../../../src/mock/adapters/fetch.ts'
import { buildNewPet, buildPet, buildPets } from '../../../src/mock/pets/fixtures.ts'
import document from '../../../src/spec/openapi.json' with { type: 'json' }
import type {
  components,
  ErrorBody,
  ExactNewPet,
  ExactPet,
  NewPet,
  operations,
  paths,
  Pet,
  Pets,
  PetStatus,
} from '../../../src/types.ts'

type Schemas = components['schemas']

describe('openapi-fetch with the type of the paths', () => {
  const baseUrl = 'https://api.example.com/v1'
  const fetch = createFetch({ pets: 3 }, { baseUrl })
  const client = createClient<paths>({
    baseUrl,
    fetch,
    headers: { authorization: `Bearer ${defaultKey}` },
  })

  test('listPets', async () => {
    const { data, error, response } = await client.GET('/pets', {
      params: { query: { limit: 2, status: 'sold' } },
    })
    expect(data?.map(({ name }) => name)).toEqual(['Archie the Mini Lop', 'Tuffy the Chartreux'])
    expect([error, response.status]).toEqual([undefined, 200])
    expectTypeOf(data).toEqualTypeOf<Schemas['Pets'] | undefined>()
    expectTypeOf(error).toEqualTypeOf<Schemas['Error'] | undefined>()
  })

  test('createPet', async () => {
    const { data } = await client.POST('/pets', { body: { name: 'Rex', categoryId: 1 } })
    expect(data).toEqual({ id: 4, name: 'Rex', categoryId: 1, status: 'available' })
    expectTypeOf(data).toEqualTypeOf<Schemas['Pet'] | undefined>()
    const wrong = await client.POST('/pets', {
      body: { name: 'Rex' } as NewPet & { categoryId: number },
    })
    expect(wrong.error).toMatchObject({ code: 'invalid_request', status: 400 })
  })

  test('getPet', async () => {
    const found = await client.GET('/pets/{petId}', { params: { path: { petId: 2 } } })
    expect(found.data?.id).toBe(2)
    const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 4711 } } })
    expect(missing.error).toMatchObject({ code: 'pet_not_found', status: 404 })
    expect(missing.error?.status).toBe(404)
  })

  test('the types reject invalid calls', () => {
    // Never called, only compiled.
    const forbidden = [
      // @ts-expect-error -- there is no such path.
      () => client.GET('/orders'),
      // @ts-expect-error -- there is no such method.
      () => client.DELETE('/pets'),
      // @ts-expect-error -- there is no such status.
      () => client.GET('/pets', { params: { query: { status: 'gone' } } }),
      // @ts-expect-error -- there is no such parameter.
      () => client.GET('/pets', { params: { query: { offset: 5 } } }),
      // @ts-expect-error -- the path needs its parameter.
      () => client.GET('/pets/{petId}'),
      // @ts-expect-error -- categoryId is required.
      () => client.POST('/pets', { body: { name: 'Rex' } }),
    ]
    expect(forbidden).toHaveLength(6)
  })
})

test('the types of the paths and of the kit are equal', () => {
  expectTypeOf<Schemas['Pet']>().toEqualTypeOf<Pet>()
  expectTypeOf<Schemas['NewPet']>().toEqualTypeOf<NewPet>()
  expectTypeOf<Schemas['Pets']>().toEqualTypeOf<Pets>()
  expectTypeOf<Schemas['PetStatus']>().toEqualTypeOf<PetStatus>()
  expectTypeOf<Schemas['Error']>().toEqualTypeOf<ErrorBody>()
})

describe('integers', () => {
  const mock = createMock({ pets: 2 })

  test('are numbers in parsed responses, so that arithmetic works', async () => {
    const client = createClient<paths>({
      baseUrl: 'https://api.example.com/v1',
      fetch: createFetch(mock),
      headers: { authorization: `Bearer ${defaultKey}` },
    })
    const newPet: NewPet = { name: 'Rex', categoryId: 1 }
    const { data } = await client.POST('/pets', { body: newPet })
    const pets: Pets = [...buildPets(2), ...(data === undefined ? [] : [data])]
    expect(Math.max(...pets.map(({ id }) => id)) + 1).toBe(4)
  })

  test('are exact where the kit parses JSON; a Pet is an ExactPet, but not vice versa', () => {
    expectTypeOf<ExactPet['id']>().toEqualTypeOf<number | bigint>()
    expectTypeOf<Pet>().toExtend<ExactPet>()
    expectTypeOf<NewPet>().toExtend<ExactNewPet>()
    expectTypeOf<ExactPet>().not.toExtend<Pet>()
    expectTypeOf(mock.catalog.export()).toEqualTypeOf<ExactPet[]>()
    expect(
      createMock({ data: [buildPet(), { id: 2n ** 60n, name: 'Max', categoryId: 1 }] }).catalog
        .size,
    ).toBe(2)
  })

  test('a catalog accepts fixtures and its own export', () => {
    const { catalog } = createMock({ pets: 0 })
    catalog.import(buildPets(2))
    catalog.import(catalog.export())
    expect(catalog.add([buildNewPet()])).toMatchObject([{ id: 3 }])
  })

  test('a fixture can be the body of a rule', async () => {
    const one = createMock()
    one.use(
      { reply: { status: 200, body: [buildPet()] }, times: 1 },
      { reply: { status: 201, body: buildPet() } },
    )
    const created = await one.handle({
      method: 'GET',
      target: '/v1/pets',
      headers: { authorization: `Bearer ${defaultKey}` },
      body: '',
    })
    expect(created).toMatchObject({ status: 201, body: expect.stringContaining('"id":1') })
  })
})

test('the types of the paths and the document have the same names', () => {
  expectTypeOf<keyof paths>().toEqualTypeOf<keyof typeof document.paths>()
  expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof typeof document.components.schemas>()
  expectTypeOf<keyof components['responses']>().toEqualTypeOf<
    keyof typeof document.components.responses
  >()
  expectTypeOf<keyof Schemas['Pet']>().toEqualTypeOf<
    keyof typeof document.components.schemas.Pet.properties
  >()
  expectTypeOf<keyof Schemas['Error']>().toEqualTypeOf<
    keyof typeof document.components.schemas.Error.properties
  >()
  expectTypeOf<
    `${Extract<keyof operations['createPet']['responses'], number>}` | 'default'
  >().toEqualTypeOf<keyof (typeof document.paths)['/pets']['post']['responses']>()
})
