import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parseJson, printJson, type JsonValue } from '../../../src/json.ts'
import { requirements } from '../../../src/spec/requirements.ts'
import { int64, operations } from '../../../src/spec/operations.ts'
import { resources } from '../../../src/spec/schemas.gen.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8'))
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
const [isPet, isNewPet, isError] = [
  ajv.compile(resources.Pet),
  ajv.compile(resources.NewPet),
  ajv.compile(resources.Error),
]

const pets = read('pets.json') as Record<string, unknown>[]
const validBodies = read('valid-bodies.json') as { name: string; body: string; why: string }[]
const invalidBodies = read('invalid-bodies.json') as {
  name: string
  body: string
  requirement: string
  why: string
}[]
const errorBodies = read('error-bodies.json') as {
  name: string
  operations: string[]
  body: { status: number }
}[]

/** ajv cannot check the int64 range: its numbers are doubles. */
function fitsInt64(body: JsonValue): boolean {
  const { categoryId } = body as Record<string, JsonValue>
  const exact = BigInt(categoryId as number | bigint)
  return exact >= int64.minimum && exact <= int64.maximum
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

test.each([
  ['valid-bodies.json', validBodies],
  ['invalid-bodies.json', invalidBodies],
  ['error-bodies.json', errorBodies],
])('%s names each case once', (_, cases) => {
  const names = cases.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

describe('pets.json', () => {
  test.each(pets)('$name is a Pet with only the fields of the specification', (pet) => {
    expect(isPet(pet), ajv.errorsText(isPet.errors)).toBe(true)
    expect(Object.keys(resources.Pet.properties)).toEqual(expect.arrayContaining(Object.keys(pet)))
  })

  test('has unique ids, every status, and a pet without one', () => {
    expect(new Set(pets.map(({ id }) => id)).size).toBe(pets.length)
    expect(new Set(pets.map(({ status }) => status))).toEqual(
      new Set(['available', 'pending', 'sold', undefined]),
    )
  })
})

describe('valid-bodies.json', () => {
  test.each(validBodies)('$name', ({ body }) => {
    expect(isNewPet(JSON.parse(body)), ajv.errorsText(isNewPet.errors)).toBe(true)
    expect(fitsInt64(parseJson(body))).toBe(true)
    expect(parseJson(printJson(parseJson(body)))).toEqual(parseJson(body))
  })
})

describe('invalid-bodies.json', () => {
  test.each(invalidBodies)('$name', ({ body, requirement }) => {
    const parsed = parseOrNothing(body)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    expect(requirement === 'create.body-required').toBe(!isObject)
    if (!isObject) return
    const fits = isNewPet(JSON.parse(body))
    expect(fits && fitsInt64(parsed)).toBe(false)
    const isMissing = isNewPet.errors?.some(({ keyword }) => keyword === 'required') ?? false
    expect(requirement === 'create.required-fields').toBe(isMissing)
  })

  test('names a requirement in each case', () => {
    const ids = new Set<string>(requirements.map(({ id }) => id))
    expect(invalidBodies.filter(({ requirement }) => !ids.has(requirement))).toEqual([])
  })
})

describe('error-bodies.json', () => {
  test.each(errorBodies)('$name', ({ body, operations: named }) => {
    expect(isError(body), ajv.errorsText(isError.errors)).toBe(true)
    expect(Object.keys(operations)).toEqual(expect.arrayContaining(named))
  })

  test('has each status of the specification', () => {
    expect(new Set(errorBodies.map(({ body }) => body.status))).toEqual(new Set([400, 401, 404]))
  })
})
