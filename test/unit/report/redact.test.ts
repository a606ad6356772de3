import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as credentials from '../../../src/contract/http/credentials.ts'
import { Sanitizer } from '../../../src/proxy/sanitizer.ts'
import { credentialsOf, hideInUrls, publicTexts } from '../../../src/report/credentials.ts'
import { isInstant } from '../../../src/validate.ts'
import { createRedactor } from '../../../src/report/redact.ts'
import { encodings, holds, pieceOf, randomKey } from '../contract/leaks.ts'
import { cpuOf } from '../../support/cpu.ts'
import { runs } from '../../support/level.ts'

const placeholder = '$PETSTORE_API_KEY'
const redactorOf = (...keys: string[]) => createRedactor({ [placeholder]: keys })

const keys = [
  'Kit-Test_key.7aB',
  'a+b/c==.$1(x)[y]{2}^|?*\\d',
  `q"uo'te<&>\`~`,
  'A1-B2%41-\\u00-7',
  'k'.repeat(64),
  '0123456789',
]

describe.each(keys)('the key %s', (key) => {
  const clean = redactorOf(key, credentials.wrongKey.header(key)?.slice('Bearer '.length) ?? '')

  test.each(Object.keys(encodings))('%s', (name) => {
    const spelled = encodings[name]?.(key) ?? ''
    const text = `before ${spelled} after, ${spelled}`
    expect(clean(text)).not.toContain(spelled)
    expect(holds(clean(text), key)).toBe(false)
    expect(clean(text)).toMatch(/^before [^]*\$PETSTORE_API_KEY[^]* after, [^]*\$PETSTORE_API_KEY/)
  })

  test.each(Object.keys(encodings))('%s, cut off anywhere', (name) => {
    const spelled = encodings[name]?.(key) ?? ''
    if (/base64|hexadecimal(?! ref)|Buffer|bytes/.test(name)) return // only complete codes are recognized
    // An ellipsis marks truncated text; without one, the end may be an ordinary word with the same beginning.
    const half = Math.max(7, Math.min(16, Math.ceil(key.length / 2)))
    for (let at = 1; at <= spelled.length; at += Math.ceil(spelled.length / 40)) {
      for (const end of ['...', '…'])
        expect(holds(clean(`x ${spelled.slice(0, at)}${end}`), key, 7)).toBe(false)
      expect(holds(clean(`x ${spelled.slice(0, at)}`), key, half)).toBe(false)
    }
  })

  test.each(Object.values({ ...credentials }).filter((one) => typeof one === 'object'))(
    '$name',
    (credential) => {
      const echoed = clean(`You sent: ${credential.header(key)}.`)
      expect(holds(echoed, key)).toBe(false)
      if (credential === credentials.wrongKey && /[a-z]/i.test(key)) {
        expect(echoed).not.toContain(credential.header(key)?.slice('Bearer '.length))
      }
    },
  )
})

describe('the shortest secrets', () => {
  test('of six characters are redacted within a word, those of five only as a word', () => {
    expect(redactorOf('s3cRet')('xs3cRetx')).toBe(`x${placeholder}x`)
    expect(redactorOf('s3cRe')('xs3cRex s3cRe')).toBe(`xs3cRex ${placeholder}`)
  })

  test('a part of six characters of a key that a query splits is redacted', () => {
    expect(redactorOf('k3y&s3cRet')('?x=s3cRet!')).toBe(`?x=${placeholder}!`)
    expect(redactorOf('k3y&s3cRe')('?x=s3cRe!')).toBe('?x=s3cRe!')
  })

  test('five characters beside an ellipsis are redacted, four are not', () => {
    expect(redactorOf('Kit-Test')('starts with Kit-T...')).toBe(`starts with ${placeholder}...`)
    expect(redactorOf('Kit-Test')('starts with Kit-...')).toBe('starts with Kit-...')
  })

  test('a secret that escapes make longer is redacted where they decode to six characters', () => {
    expect(redactorOf('s3cR%65t')('xs3cRetx')).toBe(`x${placeholder}x`)
  })
})

test.each([20, 21, 27, 31, 32, 40, 64])('both halves of a key of %i characters', (length) => {
  const key = Array.from({ length }, (_, at) => 'q7Rt-Zw2_Lm9'[(at * 5 + (at >> 2)) % 12]).join('')
  const clean = redactorOf(key)
  for (const middle of [Math.floor(length / 2), Math.ceil(length / 2)]) {
    const halves = [key.slice(0, middle), key.slice(middle)]
    const text = clean(JSON.stringify({ code: halves[0], message: `${halves[1]} it says` }))
    for (const half of halves) expect(text).not.toContain(half)
  }
})

test('random keys in random encodings and text are redacted', () => {
  fc.assert(
    fc.property(
      randomKey,
      fc.constantFrom(...Object.keys(encodings)),
      fc.string(),
      fc.string(),
      (key, name, a, b) => {
        const cleaned = redactorOf(key)(`${a} ${encodings[name]?.(key)} ${b}`)
        const piece = pieceOf(key)
        // Skip cases in which the random text or the placeholder contains the piece by chance.
        fc.pre(!holds(`${a} $PETSTORE_API_KEY ${b}`, key, piece))
        expect(holds(cleaned, key, piece)).toBe(false)
      },
    ),
    { numRuns: runs(400) },
  )
})

test('each character may have a different encoding', () => {
  const key = 'Kit-Test_key.7aB'
  const spellings = [
    (char: string) => char,
    ...Object.entries(encodings).flatMap(([name, encode]) =>
      !/hexadecimal(?! ref)/.test(name) &&
      /^.{1,7}$/.test(encode('a')) &&
      encode('ab') === encode('a') + encode('b')
        ? [encode]
        : [],
    ),
  ]
  fc.assert(
    fc.property(
      fc.array(fc.nat(spellings.length - 1), { minLength: key.length, maxLength: key.length }),
      (picks) => {
        const spelled = picks.map((pick, index) => spellings[pick]?.(key[index] ?? '')).join('')
        expect(redactorOf(key)(`<${spelled}>`)).toBe('<$PETSTORE_API_KEY>')
      },
    ),
  )
})

describe('other text is unchanged', () => {
  const clean = redactorOf('petstore-test-key')

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

  test('placeholders are not redacted', () => {
    for (const key of ['PETSTORE', 'api_key', 'header', 'k', '$']) {
      expect(
        createRedactor({ [placeholder]: [key], '[value of --header]': ['a-gateway-token'] })(
          '$PETSTORE_API_KEY [value of --header]',
        ),
      ).toBe('$PETSTORE_API_KEY [value of --header]')
    }
  })
})

test('a short key is redacted, but no similar text', () => {
  expect(redactorOf('k3y')('{"a":"k3y","b":"K3Y","c":"k3","d":"\\u006b3y","e":"k3yboard"}')).toBe(
    '{"a":"$PETSTORE_API_KEY","b":"$PETSTORE_API_KEY","c":"k3","d":"$PETSTORE_API_KEY","e":"k3yboard"}',
  )
  expect(redactorOf('a')('the target answered "a"')).toBe('the target answered "$PETSTORE_API_KEY"')
})

test.each([
  'k/v1/pets',
  '/k/v1/pets',
  '/v1/pets/k',
  '/v1/pets/k/',
  '/v1/pets?v1=k',
  '/v1/pets',
  'pets',
  '?pets',
])('the secret %s is redacted if more of it than separators is beside a public text', (secret) => {
  const clean = createRedactor({ [placeholder]: [secret] }, publicTexts(['v1', 'pets']))
  const shown = secret.includes('k') ? placeholder : secret
  expect(clean(`<${secret}> of /v1/pets`)).toBe(`<${shown}> of /v1/pets`)
})

test.each([1, 2, 3, 4, 5])('a key of %i characters is redacted at any place', (length) => {
  const key = 'k3y9z'.slice(0, length)
  expect(redactorOf(key)(`${key} (${key}) ${key}`)).toBe(
    `${placeholder} (${placeholder}) ${placeholder}`,
  )
})

test.each([
  [7, 5, 5],
  [15, 10, 8],
  [24, 12, 12],
  [40, 16, 16],
])(
  'of a key of %i characters, %i are redacted anywhere, and %i at the end of a text',
  (length, anywhere, atEnd) => {
    const key = 'abcdefghijklmnopqrstuvwxyz0123456789-_~+'.slice(0, length)
    const clean = redactorOf(key)
    const isShown = (text: string): boolean => clean(text) === text
    expect([anywhere - 1, anywhere].map((some) => isShown(`${key.slice(0, some)} x`))).toEqual([
      true,
      false,
    ])
    expect([atEnd - 1, atEnd].map((some) => isShown(`x ${key.slice(0, some)}`))).toEqual([
      true,
      false,
    ])
  },
)

test.each([
  [5, true],
  [6, false],
])('a key that is escaped %i times is redacted: %s', (times, isRedacted) => {
  const escaped = Buffer.from('Kit-Test_key')
    .toString('hex')
    .replaceAll(/../g, (code) => `%${'25'.repeat(times - 1)}${code}`)
  expect(redactorOf('Kit-Test_key')(escaped)).toBe(isRedacted ? placeholder : escaped)
})

test.each<[name: string, encode: (bytes: Buffer) => string]>([
  ['base64', (bytes) => bytes.toString('base64')],
  ['hexadecimal', (bytes) => bytes.toString('hex')],
  ['decimal bytes', (bytes) => bytes.join()],
])('of a key in %s, as much is redacted as anywhere', (_, encode) => {
  const key = 'abcdefghijklmnopqrstuvwx'
  expect(redactorOf(key)(`<${encode(Buffer.from(key.slice(0, 12)))}>`)).toBe(`<${placeholder}>`)
})

test('values of custom headers are redacted', () => {
  const clean = createRedactor({
    [placeholder]: ['Kit-Test_key.7aB'],
    '[value of --header]': ['gateway token/7'],
  })
  expect(clean('x-gate: gateway token/7; Kit-Test_key.7aB; "gateway token\\/7"')).toBe(
    'x-gate: [value of --header]; $PETSTORE_API_KEY; "[value of --header]"',
  )
})

test('overlapping secrets are redacted', () => {
  const clean = redactorOf('first-secret-1', 'first-secret-1-and-more', 'more-and-other-9')
  expect(
    clean('first-secret-1 first-secret-1-and-more first-secret-1-and-more-and-other-9 x'),
  ).toBe(`${placeholder} ${placeholder} ${placeholder} x`)
})

test('with a short secret, words of a long one are not redacted', () => {
  expect(redactorOf('petstore-test-key', 'abc123')('petstore-client/1.0 of abc123')).toBe(
    `petstore-client/1.0 of ${placeholder}`,
  )
})

describe('time is linear', () => {
  const secret = `${'a1'.repeat(100)}b`
  const hostile: Record<string, string> = {
    'the beginning of a secret': 'a1',
    'a secret without its end': secret.slice(0, -1),
    'the secret': secret,
    backslashes: '\\',
    'escaped percent signs': '%25',
    'escaped ampersands': '&amp;',
    'zeros of a reference': '&#0',
    spaces: ' ',
    'line breaks': ' \n',
    'hexadecimal digits': '4',
    'beginnings of instants': 'T+',
    'digits far apart': '4   ',
    'decimal codes': '97, ',
    base64: 'YTFh',
    dots: '...a1a1a1...',
    parameters: '?key=&token=x://@',
    placeholders: '$PETSTORE_API_KEY',
  }
  const clean = redactorOf(secret)
  const read = (text: string) => () => {
    clean(text)
    hideInUrls(text, placeholder)
    credentialsOf({ target: text, headers: { 'x-key': text, 'x-token': `x${text}` } })
    new Sanitizer('/v1').requestHeaders({ authorization: `x y${text}x` })
    isInstant(text)
  }

  test.each(Object.entries(hostile))('for text of %s', { retry: 3 }, async (_, unit) => {
    const repeated = (length: number) => read(unit.repeat(Math.ceil(length / unit.length)))
    const least = async (task: () => void) => Math.min(await cpuOf(task), await cpuOf(task))
    await least(repeated(5_000))
    // Twelve times the text takes about twelve times as long; quadratic time would take 144 times as long.
    expect(
      (await least(repeated(60_000))) / Math.max(await least(repeated(5_000)), 1),
    ).toBeLessThan(60)
  })
})

test.each<[string, (at: number) => string, string]>([
  ['four characters', (at) => `aaa${at.toString(36)}`.slice(-4), 'aaaa '],
  ['many lengths', (at) => `abcdef${'%41'.repeat(at % 100)}`, 'abcdefA'],
])('many secrets of %s in a long text are redacted in acceptable time', async (_, toKey, text) => {
  const clean = redactorOf(...Array.from({ length: 3_000 }, (_, at) => toKey(at)))
  expect(await cpuOf(() => clean(text.repeat(40_000 / text.length)))).toBeLessThan(1_000)
})

test('a key of 8,000 characters in a long text is redacted in acceptable time', async () => {
  const key = Array.from({ length: 1_000 }, (_, index) => `${index}a-${index * 7}`).join('.')
  const text = `${'\\'.repeat(50_000)}${key.slice(0, 4_000).repeat(5)}${key}`
  expect(
    await cpuOf(() => expect(redactorOf(key)(text)).toMatch(/\$PETSTORE_API_KEY$/)),
  ).toBeLessThan(3_000)
})
