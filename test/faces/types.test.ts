import createClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, test } from 'vitest'

import { createFetch, defaultKey } from '../../src/mock/adapters/fetch.ts'
import document from '../../src/spec/openapi.json' with { type: 'json' }
import type { components, ErrorBody, NewPet, operations, paths, Pet, Pets, PetStatus } from '../../src/types.ts'

type Schemas = components['schemas']

describe('openapi-fetch with the type of the paths', () => {
  const baseUrl = 'https://api.example.com/v1'
  const fetch = createFetch({ pets: 3 }, { baseUrl })
  const client = createClient<paths>({ baseUrl, fetch, headers: { authorization: `Bearer ${defaultKey}` } })

  test('listPets', async () => {
    const { data, error, response } = await client.GET('/pets', { params: { query: { limit: 2, status: 'sold' } } })
    expect(data?.map(({ name }) => name)).toEqual(['Tuffy the Bombay', 'Archie the Lionhead'])
    expect([error, response.status]).toEqual([undefined, 200])
    expectTypeOf(data).toEqualTypeOf<Schemas['Pets'] | undefined>()
    expectTypeOf(error).toEqualTypeOf<Schemas['Error'] | undefined>()
  })

  test('createPet', async () => {
    const { data } = await client.POST('/pets', { body: { name: 'Rex', categoryId: 1 } })
    expect(data).toEqual({ id: 4, name: 'Rex', categoryId: 1, status: 'available' })
    expectTypeOf(data).toEqualTypeOf<Schemas['Pet'] | undefined>()
    const wrong = await client.POST('/pets', { body: { name: 'Rex' } as NewPet & { categoryId: number } })
    expect(wrong.error).toMatchObject({ code: 'invalid_request', status: 400 })
  })

  test('getPet', async () => {
    const found = await client.GET('/pets/{petId}', { params: { path: { petId: 2 } } })
    expect(found.data?.id).toBe(2)
    const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 4711 } } })
    expect(missing.error).toMatchObject({ code: 'pet_not_found', status: 404 })
    expect(missing.error?.status).toBe(404)
  })

  test('what the types forbid', () => {
    // They are not called: the compiler alone judges them.
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

test('the types of the paths and those of the kit agree, but for integers beyond 2^53', () => {
  expectTypeOf<Schemas['Pet']>().toExtend<Pet>()
  expectTypeOf<Schemas['NewPet']>().toExtend<NewPet>()
  expectTypeOf<Schemas['Pets']>().toExtend<Pets>()
  expectTypeOf<Schemas['PetStatus']>().toEqualTypeOf<PetStatus>()
  expectTypeOf<Schemas['Error']>().toEqualTypeOf<ErrorBody>()
  expectTypeOf<Pet['id']>().toEqualTypeOf<number | bigint>()
})

test('the types of the paths and the document have the same names', () => {
  expectTypeOf<keyof paths>().toEqualTypeOf<keyof typeof document.paths>()
  expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof typeof document.components.schemas>()
  expectTypeOf<keyof components['responses']>().toEqualTypeOf<keyof typeof document.components.responses>()
  expectTypeOf<keyof Schemas['Pet']>().toEqualTypeOf<keyof typeof document.components.schemas.Pet.properties>()
  expectTypeOf<keyof Schemas['Error']>().toEqualTypeOf<keyof typeof document.components.schemas.Error.properties>()
  expectTypeOf<`${Extract<keyof operations['createPet']['responses'], number>}` | 'default'>().toEqualTypeOf<
    keyof (typeof document.paths)['/pets']['post']['responses']
  >()
})
