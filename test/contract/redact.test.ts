import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as credentials from '../../src/contract/credentials.ts'
import { createRedactor, mapStrings } from '../../src/contract/redact.ts'
import { encodings, holds } from './leaks.ts'

const keys = [
  'Kit-Test_key.7aB',
  'a+b/c==.$1(x)[y]{2}^|?*\\d',
  `q"uo'te<&>\`~`,
  'A1-B2%41-\\u00-7',
  'k'.repeat(64),
  '0123456789',
]

describe.each(keys)('the key %s', (key) => {
  const clean = createRedactor(key)

  test.each(Object.keys(encodings))('%s', (name) => {
    const spelled = encodings[name]?.(key) ?? ''
    const text = `before ${spelled} after, ${spelled}`
    expect(clean(text)).not.toContain(spelled)
    expect(holds(clean(text), key)).toBe(false)
    expect(clean(text)).toMatch(/^before .*\$PETSTORE_API_KEY.* after, .*\$PETSTORE_API_KEY/)
  })

  test.each(Object.keys(encodings))('%s, cut off anywhere', (name) => {
    const spelled = encodings[name]?.(key) ?? ''
    if (name.includes('base64')) return // a beginning of it tells as little as its length
    for (let at = 1; at <= spelled.length; at += Math.ceil(spelled.length / 40)) {
      for (const end of ['', '...']) expect(holds(clean(`x ${spelled.slice(0, at)}${end}`), key, 7)).toBe(false)
    }
  })

  test.each(Object.values({ ...credentials }).filter((one) => typeof one === 'object'))('$name', (credential) => {
    const echoed = clean(`You sent: ${credential.header(key)}.`)
    expect(holds(echoed, key)).toBe(false)
    if (credential === credentials.wrongKey && /[a-z]/i.test(key)) {
      expect(echoed).not.toContain(credential.header(key)?.slice('Bearer '.length))
    }
  })
})

test('random keys, echoed in random encodings amid random text, never survive', () => {
  const randomKey = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((char) => String.fromCharCode(char)),
    minLength: 8,
    maxLength: 40,
  })
  fc.assert(
    fc.property(randomKey, fc.constantFrom(...Object.keys(encodings)), fc.string(), fc.string(), (key, name, a, b) => {
      const cleaned = createRedactor(key)(`${a} ${encodings[name]?.(key)} ${b}`)
      // What the random text, or the words that take the key's place, hold by themselves is no echo.
      fc.pre(!holds(`${a} $PETSTORE_API_KEY ${b}`, key))
      expect(holds(cleaned, key)).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test('each character may be spelled in its own way', () => {
  const key = 'Kit-Test_key.7aB'
  const spellings = [
    (char: string) => char,
    ...Object.values(encodings).filter(
      (encode) => /^.{1,7}$/.test(encode('a')) && encode('ab') === encode('a') + encode('b'),
    ),
  ]
  fc.assert(
    fc.property(fc.array(fc.nat(spellings.length - 1), { minLength: key.length, maxLength: key.length }), (picks) => {
      const spelled = picks.map((pick, index) => spellings[pick]?.(key[index] ?? '')).join('')
      expect(createRedactor(key)(`<${spelled}>`)).toBe('<$PETSTORE_API_KEY>')
    }),
  )
})

describe('what is no key stays', () => {
  const clean = createRedactor('petstore-test-key')

  test.each([
    ['http://127.0.0.1:4010/v1/pets?limit=5'],
    ['petstore-kit verified the petstore, with a test-key of its own'],
    ['curl -H "Authorization: Bearer $PETSTORE_API_KEY"'],
    ['a Pet'],
    [`${'\\'.repeat(10_000)}u0070`],
    ['100% &amp; \\u0041 %70'],
  ])('%s', (text) => {
    expect(clean(text)).toBe(text)
  })

  test('the words that take its place are not taken apart', () => {
    for (const key of ['PETSTORE', 'api_key', 'header', 'k', '$']) {
      expect(createRedactor(key, ['a-gateway-token'])('$PETSTORE_API_KEY [value of --header]')).toBe(
        '$PETSTORE_API_KEY [value of --header]',
      )
    }
  })
})

test('a short key is taken out as well, but nothing that only resembles it', () => {
  expect(createRedactor('k3y')('{"a":"k3y","b":"K3Y","c":"k3","d":"\\u006b3y","e":"k3yboard"}')).toBe(
    '{"a":"$PETSTORE_API_KEY","b":"$PETSTORE_API_KEY","c":"k3","d":"$PETSTORE_API_KEY","e":"k3yboard"}',
  )
  expect(createRedactor('a')('the target answered "a"')).toBe('the target answered "$PETSTORE_API_KEY"')
})

test('the values of headers that the user gave are taken out, too', () => {
  const clean = createRedactor('Kit-Test_key.7aB', ['gateway token/7', 'short'])
  expect(clean('x-gate: gateway token/7; short; "gateway token\\/7"')).toBe(
    'x-gate: [value of --header]; short; "[value of --header]"',
  )
})

test('a key of 8,000 characters, and a long text, take no time', { timeout: 5_000 }, () => {
  const key = Array.from({ length: 1_000 }, (_, index) => `${index}a-${index * 7}`).join('.')
  const text = `${'\\'.repeat(50_000)}${key.slice(0, 4_000).repeat(5)}${key}`
  expect(createRedactor(key)(text)).toMatch(/\$PETSTORE_API_KEY$/)
})

test('every string of a value is treated, names included', () => {
  const clean = createRedactor('Kit-Test_key.7aB')
  expect(mapStrings({ 'kit-test_key.7ab': ['Kit-Test_key.7aB', 1, null, { a: true }] }, clean)).toEqual({
    $PETSTORE_API_KEY: ['$PETSTORE_API_KEY', 1, null, { a: true }],
  })
})
