import fc from 'fast-check'
import { parse as peerParse, stringify as peerPrint } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import { JsonNumber, parseJson, printJson, readNumber } from '../../src/json.ts'

describe('int64', () => {
  test.each([
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '-9007199254740993',
    '9223372036854775808',
  ])('%s survives parse and print', (text) => {
    expect(parseJson(text)).toBe(BigInt(text))
    expect(printJson(parseJson(`{"id":[${text}]}`))).toBe(`{"id":[${text}]}`)
  })

  test.each([
    ['7', 7],
    ['7.0', 7],
    ['7e0', 7],
    ['70E-1', 7],
    ['0.7e+1', 7],
    ['-0', -0],
    ['0e999999999', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9007199254740993000e-3', 9007199254740993n],
    ['1e3', 1000],
    ['1.5', 1.5],
    ['15e-1', 1.5],
  ])('%s is %s', (text, value) => {
    expect(parseJson(text)).toBe(value)
  })

  test.each(['7.0000000000000000001', '123456789.0000000001', '1e999', '1E999999999', '1e-999'])(
    '%s is not representable as a number or bigint, and is kept as text',
    (text) => {
      expect(parseJson(`[${text}]`)).toEqual([new JsonNumber(text)])
      expect(printJson(parseJson(text))).toBe(text)
    },
  )
})

test('invalid JSON is rejected', () => {
  for (const text of [
    '',
    'NaN',
    '01',
    '{1234567890123456789:1}',
    '[1234567890123456789,]',
    '"\\x"',
    '\uFEFF1e5',
    '1e5 x',
  ])
    expect(() => parseJson(text), text).toThrow(SyntaxError)
})

test('deep nesting does not exhaust the stack', () => {
  const text = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`
  let value = parseJson(text)
  while (Array.isArray(value)) value = value[0] as typeof value
  expect(value).toBe(12345678901234567890n)
})

test('__proto__ is an ordinary field', () => {
  const value = parseJson('{"__proto__":{"a":12345678901234567890}}') as Record<string, unknown>
  expect(Object.keys(value)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('indentation is the same as that of JSON.stringify', () => {
  const value = { a: [1, { b: [] }], c: {}, d: 'x', e: undefined }
  expect(printJson(value, 2)).toBe(JSON.stringify(value, null, 2))
  expect(printJson(value)).toBe(JSON.stringify(value))
})

describe('properties', () => {
  const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })

  test('values without rounding are parsed like by JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 0, max: 3 }), (text, indent) => {
        const expected = JSON.parse(text) as unknown
        const exactly = parseJson(`[1e1,${JSON.stringify(expected, null, indent)}]`)
        expect(JSON.parse(printJson(exactly))).toEqual(JSON.parse(JSON.stringify([10, expected])))
        expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(JSON.stringify(expected)))
      }),
    )
  })

  test('integers of any size agree with lossless-json', () => {
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        integer,
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value
    fc.assert(
      fc.property(value, (tree) => {
        const text = peerPrint(tree) as string
        expect(printJson(tree as object)).toBe(text)
        if (text.includes('__proto__')) return // lossless-json sets the prototype there
        const asBigInt = (number: string) => BigInt(number)
        const ours = parseJson(text)
        expect(printJson(ours)).toBe(text)
        expect(peerPrint(peerParse(text, undefined, asBigInt))).toBe(printJson(ours))
      }),
    )
  })

  test('every spelling of an integer reads as that integer', () => {
    fc.assert(
      fc.property(integer, fc.integer({ min: 0, max: 30 }), (value, zeros) => {
        const spelled = [
          `${value}.${'0'.repeat(zeros + 1)}`,
          `${value}${'0'.repeat(zeros)}e-${zeros}`,
          `${value}E+0`,
        ]
        for (const text of spelled) expect(BigInt(readNumber(text) as number)).toBe(value)
      }),
    )
  })
})
