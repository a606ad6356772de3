import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorDefects, petDefects, show } from '../../../src/contract/shapes.ts'
import { type JsonValue, parseJson } from '../../../src/json.ts'
import { resources } from '../../../src/spec/schemas.gen.ts'
import { runs } from '../../support/level.ts'

const told = (defects: { clause: string; pointer?: string }[]) =>
  defects.map(({ clause, pointer = '' }) => `${clause} at ${pointer}`)

describe('a Pet', () => {
  test.each([
    ['the least there is', '{"id":1,"name":"","categoryId":0}'],
    ['each status', '{"id":1,"name":"a","categoryId":1,"status":"sold"}'],
    ['an integer in another spelling', '{"id":7.0,"name":"a","categoryId":70e-1}'],
    ['the ends of int64', '{"id":9223372036854775807,"name":"a","categoryId":-9223372036854775808}'],
    ['fields beyond the specification', '{"id":1,"name":"a","categoryId":1,"tags":[null]}'],
  ])('may be %s', (_, text) => {
    expect(petDefects(parseJson(text), '/3')).toEqual([])
  })

  test.each([
    ['{}', ['pet.fields at /3/id', 'pet.fields at /3/name', 'pet.fields at /3/categoryId']],
    ['null', ['pet.fields at /3']],
    ['[]', ['pet.fields at /3']],
    ['7', ['pet.fields at /3']],
    ['12345678901234567890e-25', ['pet.fields at /3']],
    ['{"id":"1","name":"a","categoryId":1}', ['pet.id at /3/id']],
    ['{"id":1.5,"name":"a","categoryId":1}', ['pet.id at /3/id']],
    ['{"id":1.00000000000000000001,"name":"a","categoryId":1}', ['pet.id at /3/id']],
    ['{"id":null,"name":"a","categoryId":1}', ['pet.id at /3/id']],
    ['{"id":9223372036854775808,"name":"a","categoryId":1}', ['pet.id at /3/id']],
    ['{"id":1,"name":null,"categoryId":1}', ['pet.name at /3/name']],
    ['{"id":1,"name":"a","categoryId":-9223372036854775809}', ['pet.category-id at /3/categoryId']],
    ['{"id":1,"name":"a","categoryId":{"id":1}}', ['pet.category-id at /3/categoryId']],
    ['{"id":1,"name":"a","category_id":1}', ['pet.fields at /3/categoryId']],
    ['{"id":1,"name":"a","categoryId":1,"status":"Sold"}', ['pet.status at /3/status']],
    ['{"id":1,"name":"a","categoryId":1,"status":null}', ['pet.status at /3/status']],
    ['{"id":1,"name":"a","categoryId":1,"status":""}', ['pet.status at /3/status']],
    [
      '{"__proto__":{"id":1,"name":"a","categoryId":1}}',
      ['pet.fields at /3/id', 'pet.fields at /3/name', 'pet.fields at /3/categoryId'],
    ],
  ])('may not be %s', (text, defects) => {
    expect(told(petDefects(parseJson(text), '/3'))).toEqual(defects)
  })
})

describe('an Error body', () => {
  test.each([
    ['{"code":"","message":"","status":404}'],
    ['{"code":"a","message":"b","status":404.0,"details":[]}'],
    ['{"code":"a","message":"b","status":4.04e2}'],
  ])('may be %s', (text) => {
    expect(errorDefects(parseJson(text), 404)).toEqual([])
  })

  test.each([
    ['[]', ['error.body at ']],
    ['"not found"', ['error.body at ']],
    ['{}', ['error.body at /code', 'error.body at /message', 'error.body at /status']],
    ['{"code":404,"message":"b","status":404}', ['error.code at /code']],
    ['{"code":"a","message":null,"status":404}', ['error.message at /message']],
    ['{"code":"a","message":"b","status":"404"}', ['error.status at /status']],
    ['{"code":"a","message":"b","status":404.5}', ['error.status at /status']],
    ['{"code":"a","message":"b","status":400}', ['error.status-repeats-http at /status']],
    ['{"code":"a","message":"b","status":12345678901234567890}', ['error.status-repeats-http at /status']],
    [
      '{"error":{"code":"a","message":"b","status":404}}',
      ['error.body at /code', 'error.body at /message', 'error.body at /status'],
    ],
  ])('may not be %s', (text, defects) => {
    expect(told(errorDefects(parseJson(text), 404))).toEqual(defects)
  })
})

test('a status that does not repeat the one of HTTP is told apart from it', () => {
  expect(errorDefects(parseJson('{"code":"a","message":"b","status":0}'), 404)).toMatchObject([
    { message: 'Error body: `status` is 0, HTTP status is 404.' },
  ])
})

describe('a second opinion by JSON Schema', () => {
  const ajv = formats.default(new Ajv2020({ strict: false }))
  const [isPet, isError] = [ajv.compile(resources.Pet), ajv.compile(resources.Error)]
  // Integers that a double holds exactly: all that ajv can judge.
  const scalar = fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom<JsonValue>(0.5, -1.25, 404, 400, null, true, 'available', 'sold', 'Sold', '', '1'),
    fc.string(),
  )
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(fc.string(), scalar, { maxKeys: 2 }))
  const objectOf = (names: string[]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }) },
      { weight: 1, arbitrary: value },
    )
  const read = (random: unknown): JsonValue => parseJson(JSON.stringify(random))

  test('agrees about Pets', () => {
    const likely = fc.record(
      { id: fc.maxSafeInteger(), name: fc.string(), categoryId: fc.maxSafeInteger(), status: scalar },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(likely, objectOf(['id', 'name', 'categoryId', 'status', 'extra'])), (random) => {
        expect(petDefects(read(random), '').length === 0).toBe(isPet(random))
      }),
      { numRuns: runs(500) },
    )
  })

  test('agrees about Error bodies', () => {
    const likely = fc.record({ code: fc.string(), message: scalar, status: scalar }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.oneof(likely, objectOf(['code', 'message', 'status', 'extra'])), (random) => {
        const shape = errorDefects(read(random), 404).filter(({ clause }) => clause !== 'error.status-repeats-http')
        expect(shape.length === 0).toBe(isError(random))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a value in a report', () => {
  test.each([
    [undefined, 'nothing'],
    [9007199254740993n, '9007199254740993'],
    [{ id: 1, name: 'Bella' }, '{"id":1,"name":"Bella"}'],
    ['x'.repeat(200), `"${'x'.repeat(159)}...`],
    [Array.from({ length: 100_000 }, () => 1), `[${'1,'.repeat(79)}1...`],
  ])('%o is %s', (value, text) => {
    expect(show(value)).toBe(text)
  })

  test('is short however deep it is', () => {
    const deep = parseJson('{"a":'.repeat(100_000) + '1'.concat('}'.repeat(100_000)))
    expect(show(deep)).toHaveLength(163)
    expect(petDefects(deep, '')).toHaveLength(3)
    expect(errorDefects(deep, 400)).toHaveLength(3)
  })
})
