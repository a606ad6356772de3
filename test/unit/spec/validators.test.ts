/** The compiled schemas: they agree with the published ones, for all representations of numbers. */
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { JsonNumber, parseJson } from '../../../src/json.ts'
import { schemas } from '../../../src/mock/schemas/schemas.ts'
import { validators } from '../../../src/mock/schemas/validators.gen.ts'
import * as kit from '../../../src/validate.ts'
import { issuesOf, toSentence, type Validator } from '../../../src/validate.ts'
import { cpuOf } from '../../support/cpu.ts'
import { runs } from '../../support/level.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { compile, toCompiled } = await import(join(root, 'scripts/validators.mjs'))

/** The validator of a published schema, as the build writes it. */
function validatorOf(published: object): Validator {
  const code = `const { ${Object.keys(kit).join(', ')} } = kit; ${compile({ One: published })}`
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('kit', `${code}; return toValidator(validateOne)`)(kit) as Validator
}

const sentences = (name: keyof typeof validators, value: unknown) =>
  issuesOf(validators[name], value, { quotes: true }).map((issue) => toSentence(issue, 'The body'))

test('there is a validator for each top-level schema', () => {
  const referred = JSON.stringify(schemas, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const names = Object.keys(schemas).filter((name) => !referred.includes(`/${name}"`))
  expect(Object.keys(validators)).toEqual(names)
})

describe('a validator agrees with ajv on the published schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const published = JSON.stringify(schemas, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  ajv.addSchema({ $id: 'published', components: { schemas: JSON.parse(published) } })
  const wild = fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1.5,
    204,
    404,
    1e13,
    'x',
    '499',
    'Content-Length',
    [],
    {},
  )

  interface Published {
    $ref?: string
    type?: string
    properties?: Readonly<Record<string, Published>>
    required?: readonly string[]
    additionalProperties?: boolean | Published
    oneOf?: readonly Published[]
    anyOf?: readonly Published[]
    enum?: readonly unknown[]
    items?: Published
  }

  /** Values that are valid or nearly valid for a schema. */
  function near(schema: Published): fc.Arbitrary<unknown> {
    const valid = nearly(schema)
    return fc.oneof({ weight: 25, arbitrary: valid }, { weight: 1, arbitrary: wild })
  }
  function nearly(schema: Published): fc.Arbitrary<unknown> {
    const { $ref, type, properties = {}, required = [], additionalProperties, items = {} } = schema
    if ($ref !== undefined) return near(schemas[basename($ref) as keyof typeof schemas] as object)
    const anyOf = schema.anyOf ?? schema.oneOf
    if (anyOf !== undefined) return fc.oneof(...anyOf.map(near))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (type === 'array') return fc.array(near(items), { maxLength: 2 })
    if (type === 'boolean') return fc.boolean()
    if (type === 'integer' || type === 'number') return fc.integer({ min: 0, max: 700 })
    if (type !== 'object') return fc.constantFrom('x', 'sold', '5', '422')
    const others = typeof additionalProperties === 'object' ? near(additionalProperties) : wild
    const more = fc.dictionary(fc.constantFrom('x-a', 'a b', 'upgrade', 'TRAILER'), others, {
      maxKeys: 1,
    })
    const names = Object.keys(properties)
    // One wrong field among forty would leave hardly a valid value.
    const some = fc.subarray(names, { maxLength: Math.min(names.length, 4) })
    const fields = some.chain((chosen) =>
      fc.record(
        Object.fromEntries(
          [...new Set([...chosen, ...required])].map((name) => [
            name,
            near(properties[name] ?? {}),
          ]),
        ),
      ),
    )
    return fc
      .tuple(fields, fc.oneof(fc.constant({}), fc.constant({}), more))
      .map((parts) => Object.assign({}, ...parts))
  }

  test.each(Object.entries(validators))('%s', (name, validate) => {
    const isValid = ajv.getSchema(`published#/components/schemas/${name}`)!
    const seen = { right: 0, wrong: 0 }
    const agrees = (value: unknown): void => {
      const isRight = isValid(value)
      seen[isRight ? 'right' : 'wrong'] += 1
      expect(validate(value).length === 0).toBe(isRight)
    }
    const { [name as keyof typeof schemas]: schema } = schemas
    fc.assert(fc.property(near(schema as object), agrees), { numRuns: runs(1_000) })
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(0)
  })
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
    expect(issuesOf(validators.NewPet, { name: 'Rex', categoryId: parseJson(text) })).toHaveLength(
      isValid ? 0 : 1,
    )
  })
})

test.each([
  ['date', ['2027-01-31', '2028-02-29'], ['2027-02-29', '2027-1-31', '2027-01-31T00:00Z', 'soon']],
  [
    'date-time',
    ['2027-01-31T00:00:00.5Z', '2027-01-31T00:00:00+02:00'],
    ['2027-01-31', '2027-01-31T00:00', '7'],
  ],
  [
    'uri',
    ['https://pets.example/v1', 'http://127.0.0.1:4010'],
    ['pets.example', '/v1', 'http://a b', 'http://'],
  ],
])('a string of format %s', (format, right, wrong) => {
  const validate = validatorOf({ type: 'string', format, 'x-expected': 'one' })
  expect([...right, ...wrong, 7].filter((value) => validate(value).length === 0)).toEqual(right)
})

describe('issues', () => {
  test('contain all mistakes with their paths', () => {
    expect(issuesOf(validators.NewPet, { categoryId: 1.5, status: 'lost' })).toEqual([
      { code: 'required', pointer: '/name', path: 'name', message: 'is required.' },
      {
        code: 'value',
        pointer: '/categoryId',
        path: 'categoryId',
        message: 'must be an integer within int64.',
      },
      {
        code: 'value',
        pointer: '/status',
        path: 'status',
        message: 'must be one of available, pending, sold.',
      },
    ])
  })

  test.each([[[]], ['Rex'], [null], [7n], [new JsonNumber('1e999')]])(
    '%s is not an object',
    (value) => {
      expect(issuesOf(validators.NewPet, value)).toEqual([
        { code: 'value', pointer: '', path: '', message: 'must be a NewPet object.' },
      ])
    },
  )

  test('become sentences', () => {
    expect(sentences('NewPet', { name: ['Rex'], categoryId: 'x'.repeat(100) })).toEqual([
      'name must be a string, but was an array.',
      `categoryId must be an integer within int64, but was "${'x'.repeat(60)}...".`,
    ])
    expect(sentences('NewPet', new JsonNumber('1e999'))).toEqual([
      'The body must be a NewPet object, but was 1e999.',
    ])
  })

  test('are at most twenty, and validation stops there', async () => {
    const schema = {
      type: 'array',
      items: { type: 'object', required: ['id'], properties: { id: {} } },
    }
    const wrong = Array.from({ length: 100_000 }, () => ({}))
    expect(issuesOf(validatorOf(schema), wrong)).toHaveLength(20)
    const profile = Object.fromEntries(wrong.map((_, index) => [`list.unknown-${index}`, '400']))
    const read = () => expect(issuesOf(validators.SettingsPatch, { profile })).toHaveLength(20)
    expect(await cpuOf(read)).toBeLessThan(500)
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
])('%j has the message "must be %s"', (schema, expected) => {
  expect(issuesOf(validatorOf(schema), {})).toMatchObject([{ message: `must be ${expected}.` }])
})

test.each([
  [{ type: 'string', pattern: '^a$' }, 'needs x-expected'],
  [{ type: 'string', maxLength: 1 }, 'do not read maxLength'],
])(
  '%j is rejected: validators have no message for it, or would ignore a keyword',
  (schema, message) => {
    expect(() => toCompiled(schema)).toThrow(message)
  },
)
