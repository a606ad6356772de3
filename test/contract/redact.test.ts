import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as credentials from '../../src/contract/credentials.ts'
import { createRedactor, mapStrings } from '../../src/contract/redact.ts'

const code = (char: string, radix: number): string => char.charCodeAt(0).toString(radix)
const each = (key: string, spell: (char: string) => string): string => [...key].map(spell).join('')
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** How a server may write down what it was sent. */
const encodings: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'in upper case': (key) => key.toUpperCase(),
  'in lower case': (key) => key.toLowerCase(),
  'in JSON': (key) => JSON.stringify(key),
  'in JSON in JSON': (key) => JSON.stringify(JSON.stringify(key)),
  'in JSON in JSON in JSON': (key) => JSON.stringify(JSON.stringify(JSON.stringify(key))),
  'with slashes escaped': (key) => JSON.stringify(key).replaceAll('/', '\\/'),
  'in \\u escapes': (key) => each(key, (char) => `\\u${code(char, 16).padStart(4, '0')}`),
  'in \\u escapes of upper case': (key) => each(key, (char) => `\\u00${code(char, 16).toUpperCase()}`),
  'in \\u escapes in JSON': (key) => each(key, (char) => `\\\\u${code(char, 16).padStart(4, '0')}`),
  'in \\x escapes': (key) => each(key, (char) => `\\x${code(char, 16)}`),
  'as a part of a URL': encodeURIComponent,
  'in percent signs': (key) => each(key, (char) => `%${code(char, 16)}`),
  'in percent signs twice': (key) => each(key, (char) => `%25${code(char, 16).toUpperCase()}`),
  'in HTML': (key) => each(key, (char) => entities[char] ?? char),
  'in decimal references': (key) => each(key, (char) => `&#${code(char, 10)};`),
  'in padded decimal references': (key) => each(key, (char) => `&#0${code(char, 10)};`),
  'in hexadecimal references': (key) => each(key, (char) => `&#x${code(char, 16)};`),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64 with its scheme': (key) => Buffer.from(`Bearer ${key}`).toString('base64'),
  'in base64 as a password': (key) => Buffer.from(`pets:${key}`).toString('base64'),
  'in base64 as a user': (key) => Buffer.from(`${key}:`).toString('base64'),
  'in base64 amid a text': (key) => Buffer.from(`{"a":"${key}"}`).toString('base64'),
  'in base64 for URLs': (key) => Buffer.from(`{"authorization":"Bearer ${key}"}`).toString('base64url'),
}

const decodings: ((text: string) => string)[] = [
  (text) => text,
  (text) =>
    text.replace(/\\+(?:u00|x)([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replace(/\\+(.)/g, '$1'),
  (text) => text.replace(/%(?:25)?([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replace(/&#(\d+);/g, (_, decimal: string) => String.fromCharCode(Number(decimal))),
  (text) => text.replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replace(/&[a-z]+;/g, (name) => Object.keys(entities).find((char) => entities[char] === name) ?? name),
  (text) => text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(part, 'base64').toString('latin1')),
  (text) => text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(`A${part}`, 'base64').toString('latin1')),
  (text) => text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(`AA${part}`, 'base64').toString('latin1')),
  (text) => text.replace(/[\w+/-]{8,}=*/g, (part) => Buffer.from(`AAA${part}`, 'base64').toString('latin1')),
]

/** Whether a reader can make so many neighbouring characters of the key out of a text. */
function holds(text: string, key: string, length = key.length - 1): boolean {
  const parts = Array.from({ length: key.length - length + 1 }, (_, at) => key.slice(at, at + length).toLowerCase())
  return decodings.some((decode) => parts.some((part) => decode(text).toLowerCase().includes(part)))
}

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
  expect(createRedactor('k3y')('{"a":"k3y","b":"K3Y","c":"k3","d":"\\u006b3y"}')).toBe(
    '{"a":"$PETSTORE_API_KEY","b":"$PETSTORE_API_KEY","c":"k3","d":"$PETSTORE_API_KEY"}',
  )
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
