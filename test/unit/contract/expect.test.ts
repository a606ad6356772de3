import { describe, expect, test } from 'vitest'
import { errorMismatches, petMismatches, show } from '../../../src/contract/judge/shapes.ts'
import { compareShown } from '../../../src/contract/judge/expect.ts'
import { parseJson } from '../../../src/json.ts'
import { toExchange } from './exchange.ts'

const summary = (mismatches: { requirement: string; pointer?: string }[]) =>
  mismatches.map(({ requirement, pointer = '' }) => `${requirement} at ${pointer}`)

test.each([
  ['/pets?status=sold', ['list.status.filter']],
  ['/pets?limit=5&status=sold&_=7', ['list.status.filter']],
  // A target that does not understand the limit may ignore the filter, too.
  ['/pets?limit=1.5&status=sold', []],
  ['/pets?limit=05&status=sold', []],
])('the filter of %s demands %j', (path, requirements) => {
  const pets = [{ id: 1, name: 'a', categoryId: 1, status: 'pending' }]
  const shown = compareShown(toExchange(`GET ${path}`, 200, pets))
  expect(shown.map(({ requirement }) => requirement)).toEqual(requirements)
})

describe('a Pet', () => {
  test.each([
    ['the minimum', '{"id":1,"name":"","categoryId":0}'],
    ['each status', '{"id":1,"name":"a","categoryId":1,"status":"sold"}'],
    ['an integer in another spelling', '{"id":7.0,"name":"a","categoryId":70e-1}'],
    [
      'the ends of int64',
      '{"id":9223372036854775807,"name":"a","categoryId":-9223372036854775808}',
    ],
    ['fields beyond the specification', '{"id":1,"name":"a","categoryId":1,"tags":[null]}'],
  ])('may be %s', (_, text) => {
    expect(petMismatches(parseJson(text), '/3')).toEqual([])
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
    ['{"id":1,"name":"a","tag":null}', ['pet.fields at /3/categoryId']],
    ['{"id":1,"name":"a","categoryId":1,"status":"Sold"}', ['pet.status at /3/status']],
    ['{"id":1,"name":"a","categoryId":1,"status":null}', ['pet.status at /3/status']],
    ['{"id":1,"name":"a","categoryId":1,"status":""}', ['pet.status at /3/status']],
    [
      '{"__proto__":{"id":1,"name":"a","categoryId":1}}',
      ['pet.fields at /3/id', 'pet.fields at /3/name', 'pet.fields at /3/categoryId'],
    ],
  ])('may not be %s', (text, mismatches) => {
    expect(summary(petMismatches(parseJson(text), '/3'))).toEqual(mismatches)
  })
})

describe('an Error body', () => {
  test.each([
    ['{"code":"","message":"","status":404}'],
    ['{"code":"a","message":"b","status":404.0,"details":[]}'],
    ['{"code":"a","message":"b","status":4.04e2}'],
  ])('may be %s', (text) => {
    expect(errorMismatches(parseJson(text), 404)).toEqual([])
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
    [
      '{"code":"a","message":"b","status":12345678901234567890}',
      ['error.status-repeats-http at /status'],
    ],
    [
      '{"error":{"code":"a","message":"b","status":404}}',
      ['error.body at /code', 'error.body at /message', 'error.body at /status'],
    ],
  ])('may not be %s', (text, mismatches) => {
    expect(summary(errorMismatches(parseJson(text), 404))).toEqual(mismatches)
  })
})

test('a status that differs from the HTTP status is shown with it', () => {
  expect(errorMismatches(parseJson('{"code":"a","message":"b","status":0}'), 404)).toMatchObject([
    { message: 'Error body: `status` is 0, HTTP status is 404.' },
  ])
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

  test('is short at any depth', () => {
    const deep = parseJson('{"a":'.repeat(100_000) + '1'.concat('}'.repeat(100_000)))
    expect(show(deep)).toHaveLength(163)
    expect(petMismatches(deep, '')).toHaveLength(3)
    expect(errorMismatches(deep, 400)).toHaveLength(3)
  })
})
