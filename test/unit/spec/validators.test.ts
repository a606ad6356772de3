/** The compiled schemas: what is published is what judges, whatever a number is held in. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

import { JsonNumber, parseJson } from '../../../src/json.ts'
import { schemas } from '../../../src/mock/schemas.ts'
import { validators } from '../../../src/mock/validators.gen.ts'
import * as validate from '../../../src/validate.ts'
import { issuesOf, toSentence, type Validator } from '../../../src/validate.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { compile, expectedOf } = await import(join(root, 'scripts/validators.mjs'))

/** The validators of schemas, compiled here and now. */
async function validatorsOf(compiled: Record<string, object>): Promise<Record<string, Validator>> {
  const code: string = await compile(compiled, '')
  const plain = code.replaceAll(/^import type .*$/gm, '').replace(/: Record<.*> =/, ' =')
  const runtime = 'globalThis.partsOfValidators'
  Object.assign(globalThis, { partsOfValidators: validate })
  const module = await import(
    `data:text/javascript,${encodeURIComponent(plain.replace(/^import (.*) from .*$/m, `const $1 = ${runtime}`))}`
  )
  Reflect.deleteProperty(globalThis, 'partsOfValidators')
  return module.validators
}

const sentences = (name: keyof typeof validators, value: unknown) =>
  issuesOf(validators[name], value, { quotes: true }).map((issue) => toSentence(issue, 'The body'))

test('there is a validator for each schema that no other refers to', () => {
  const referred = JSON.stringify(schemas, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const names = Object.keys(schemas).filter((name) => !referred.includes(`/${name}"`))
  expect(Object.keys(validators)).toEqual(names)
})

test('what is compiled needs nothing of ajv, and compiles nothing at run time', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.gen.ts'),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const code = readFileSync(join(root, 'src', file), 'utf8')
    expect(code, file).not.toMatch(/\brequire\b|new Function|\beval\b|["']ajv/)
    const imported = [...code.matchAll(/^import (?!type\b).*from ["'](.+)["']/gm)]
    expect(
      imported.every(([, path]) => /(json|validate)\.ts$/.test(path!)),
      file,
    ).toBe(true)
  }
})

describe('an integer of format int64', () => {
  test.each([
    ['7', true],
    ['7.0', true],
    ['7e0', true],
    ['-0', true],
    ['9007199254740993', true],
    ['9223372036854775807', true],
    ['-9223372036854775808', true],
    ['9223372036854775808', false],
    ['-9223372036854775809', false],
    ['1.5', false],
    ['9007199254740993.5', false],
    ['1e999', false],
    ['"7"', false],
    ['null', false],
  ])('%s: %s', (text, isValid) => {
    expect(issuesOf(validators.NewPet, { name: 'Rex', categoryId: parseJson(text) })).toHaveLength(isValid ? 0 : 1)
  })

  test('may have narrower bounds, beyond those of a double', async () => {
    const { Id } = await validatorsOf({
      Id: { type: 'integer', format: 'int64', minimum: 1n, maximum: 9_007_199_254_740_993n },
    })
    expect([0, 0n, 1, 9_007_199_254_740_993n, 9_007_199_254_740_994n].map((value) => Id!(value))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ])
  })
})

test.each([
  ['date', ['2027-01-31', '2028-02-29'], ['2027-02-29', '2027-1-31', '2027-01-31T00:00Z', 'soon']],
  ['date-time', ['2027-01-31T00:00:00.5Z', '2027-01-31T00:00:00+02:00'], ['2027-01-31', '2027-01-31T00:00', '7']],
  ['uri', ['https://pets.example/v1', 'http://127.0.0.1:4010'], ['pets.example', '/v1', 'http://a b', 'http://']],
])('a text of format %s', async (format, right, wrong) => {
  const { Text } = await validatorsOf({ Text: { type: 'string', format, 'x-expected': 'one' } })
  expect([...right, ...wrong, 7].filter((value) => Text!(value))).toEqual(right)
})

describe('issues', () => {
  test('tell all mistakes at once, each with its path', () => {
    expect(issuesOf(validators.NewPet, { categoryId: 1.5, status: 'lost' })).toEqual([
      { code: 'required', pointer: '/name', path: 'name', message: 'is required.' },
      { code: 'one', pointer: '/categoryId', path: 'categoryId', message: 'must be an integer within int64.' },
      { code: 'one', pointer: '/status', path: 'status', message: 'must be one of available, pending, sold.' },
    ])
  })

  test.each([[[]], ['Rex'], [null], [7n], [new JsonNumber('1e999')]])('%s is no object, and lacks nothing', (value) => {
    expect(issuesOf(validators.NewPet, value)).toEqual([
      { code: 'object', pointer: '', path: '', message: 'must be a NewPet object.' },
    ])
  })

  test('become sentences', () => {
    expect(sentences('NewPet', { name: ['Rex'], categoryId: 'x'.repeat(100) })).toEqual([
      'name must be a string, but was an array.',
      `categoryId must be an integer within int64, but was "${'x'.repeat(60)}...".`,
    ])
    expect(sentences('NewPet', new JsonNumber('1e999'))).toEqual(['The body must be a NewPet object, but was 1e999.'])
  })

  test('are twenty at most', async () => {
    const schema = { type: 'array', items: { type: 'object', required: ['id'], properties: { id: {} } } }
    const { List } = await validatorsOf({ List: schema })
    const wrong = Array.from({ length: 100_000 }, () => ({}))
    expect(issuesOf(List!, wrong)).toHaveLength(20)
  })
})

test.each([
  [{ type: 'integer', minimum: 1, maximum: 100 }, 'an integer from 1 to 100'],
  [{ type: 'integer', minimum: 0 }, 'an integer from 0 on'],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 9 }, 'a number above 0, and at most 9'],
  [{ type: 'string' }, 'a string'],
  [{ type: 'boolean' }, 'true or false'],
  [{ enum: ['a', 'b'] }, 'one of a, b'],
  [{ type: 'string', pattern: '^a$', 'x-expected': 'an a' }, 'an a'],
])('%j says that it must be %s', (schema, expected) => {
  expect(expectedOf(schema)).toBe(expected)
})

test('a schema that says nothing in words is not compiled', () => {
  expect(() => expectedOf({ type: 'string', pattern: '^a$' })).toThrow('x-expected')
})
