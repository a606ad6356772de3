import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode } from '../../../src/contract/http/response-body.ts'
import { cpuOf } from '../../support/cpu.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('a body is one JSON text in UTF-8', () => {
  test.each<[what: string, body: Uint8Array, problem: RegExp]>([
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), /not valid UTF-8/],
    ['Latin-1', Buffer.from('["Zoë"]', 'latin1'), /not valid UTF-8/],
    ['a surrogate as three bytes', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /not valid UTF-8/],
    ['UTF-16', Buffer.from('[]', 'utf16le'), /not valid JSON/],
    ['a byte order mark', bytes('\uFEFF[]'), /byte order mark/],
    ['trailing text', bytes('[] []'), /not valid JSON/],
    ['a trailing comma', bytes('[1,]'), /not valid JSON/],
    ['NaN', bytes('[NaN]'), /not valid JSON/],
    ['Infinity', bytes('{"id":-Infinity}'), /not valid JSON/],
    ['a leading zero', bytes('[01]'), /not valid JSON/],
    ['single quotes', bytes("['a']"), /not valid JSON/],
    ['a comment', bytes('[] // none'), /not valid JSON/],
    ['a raw line break in a string', bytes('["a\nb"]'), /not valid JSON/],
    ['half of it', bytes('[{"id":1},{"id'), /^the JSON text is cut short after 14 bytes$/],
    [
      'half of it, not in ASCII',
      bytes('["ë",'),
      /^the JSON text is cut short after 6 bytes \(does Content-Length/,
    ],
    ['only white space', bytes(' \n'), /not valid JSON/],
    ['a page of HTML', bytes('<!doctype html><title>502</title>'), /not valid JSON/],
    ['a field twice', bytes('{"id":1,"id":1}'), /field "id" twice/],
    ['a field twice, deep inside', bytes('[{"a":[{"b":1,"c":{},"b":2}]}]'), /field "b" twice/],
    ['a field twice after an escape', bytes('{"name":"x\\n","id":1,"id":1}'), /field "id" twice/],
    ['a field twice in two spellings', bytes('{"id":1,"\\u0069d" :2}'), /field "id" twice/],
  ])('%s is not', (_, body, problem) => {
    expect(decode(body)).toMatchObject({ kind: 'broken', problem: expect.stringMatching(problem) })
  })

  test.each([
    ['a missing comma', '{"id":96 "name":"b"}'],
    ['NaN', '{"id":96,"categoryId":NaN}'],
    ['a raw tab', '{"id":96,"name":"a\tb"}'],
  ])('the text around %s is shown, wherever it is', (_, wrong) => {
    const pets = Array.from({ length: 50 }, (__, id) => `{"id":${id},"name":"Rex"}`)
    const content = decode(bytes(`[${[...pets, wrong, ...pets].join()}]`))
    const near = content.kind === 'broken' ? content.near : undefined
    expect(near).toMatch(/^….*…$/)
    expect(near).toContain(wrong)
    expect(decode(bytes(`[${wrong}]`))).not.toHaveProperty('near')
  })

  test.each<[what: string, body: string, value: unknown]>([
    ['white space around it', '\t\r\n [1] \n', [1]],
    ['the same field in two objects', '[{"id":1},{"id":1}]', [{ id: 1 }, { id: 1 }]],
    ['a field called like a string value', '{"a":"b","b":"a"}', { a: 'b', b: 'a' }],
    [
      'quotes and brackets in strings',
      '{"a\\"{":"}]\\\\","b":"[\\"a\\":"}',
      { 'a"{': '}]\\', b: '["a":' },
    ],
    ['an id beyond 2^53', '{"id":9007199254740993}', { id: 9007199254740993n }],
    ['an escaped lone surrogate', '"\\ud800"', '\ud800'],
    ['__proto__ as a field', '{"__proto__":1}', JSON.parse('{"__proto__":1}')],
  ])('%s is', (_, body, value) => {
    expect(decode(bytes(body))).toEqual({
      kind: 'json',
      text: body,
      value,
      size: expect.any(Number),
    })
  })

  test('zero bytes are an empty body', () => {
    expect(decode(new Uint8Array())).toEqual({ kind: 'empty' })
  })

  test('any value printed by JSON.stringify is parsed like by JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const content = decode(bytes(text))
        expect(content.kind).toBe('json')
        if (/\d{16}|[eE][+-]?\d/.test(text)) return // rounded by JSON.parse
        expect(content).toHaveProperty('value', JSON.parse(text))
      }),
    )
  })

  test('text rejected by JSON.parse is broken', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 2 }),
        (text, at, noise) => {
          const place = at % (text.length + 1)
          const spoilt = text.slice(0, place) + noise + text.slice(place)
          let isJson = true
          try {
            JSON.parse(spoilt)
          } catch {
            isJson = false
          }
          if (!isJson) expect(decode(bytes(spoilt))).toHaveProperty('kind', 'broken')
        },
      ),
    )
  })
})

describe('any body is parsed in acceptable time', () => {
  test.each([
    ['175,000 escapes', `["${String.raw`\u0000`.repeat(175_000)}"]`],
    ['8 million backslashes', `["${'\\'.repeat(8_000_000)}"]`],
    ['a million quotes', `["${String.raw`\"`.repeat(1_000_000)}",1e5]`],
    ['1,000 arrays in each other', '['.repeat(1_000) + ']'.repeat(1_000)],
    ['1,000 objects in each other', `${'{"a":'.repeat(1_000)}1e1${'}'.repeat(1_000)}`],
    ['white space between fields', `{"a"${' '.repeat(500_000)}:1,${' '.repeat(500_000)}"b":2}`],
    ['200,000 strings', `[${'"a" ,'.repeat(200_000)}""]`],
  ])('%s', async (_, body) => {
    expect(
      await cpuOf(() => expect(decode(bytes(body))).toHaveProperty('kind', 'json')),
    ).toBeLessThan(3_000)
  })
})

describe('a body that would take far more memory than its bytes is not parsed', () => {
  test.each<[what: string, body: string, problem: RegExp, elements: number | undefined]>([
    [
      '1,001 arrays in each other',
      '['.repeat(1_001) + ']'.repeat(1_001),
      /more than 1,000 levels deep/,
      undefined,
    ],
    [
      '1,001 objects in each other',
      `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`,
      /more than 1,000 levels/,
      undefined,
    ],
    [
      'a deep field of the second pet',
      `[{"id":1},${'['.repeat(1_001)}${']'.repeat(1_001)}]`,
      /levels deep/,
      2,
    ],
    ['300,000 empty arrays', `[${'[],'.repeat(300_000)}[]]`, /more than 250,000 values/, 300_001],
    ['300,000 numbers', `[${'1,'.repeat(300_000)}1]`, /more than 250,000 values/, 300_001],
    [
      'an object of 300,000 numbers',
      `{"a":[${'1,'.repeat(300_000)}1]}`,
      /more than 250,000 values/,
      undefined,
    ],
  ])('%s', (_, body, problem, elements) => {
    const content = decode(bytes(body))
    expect(content).toMatchObject({
      kind: 'unjudged',
      problem: expect.stringMatching(problem),
      size: body.length,
    })
    expect(content).toHaveProperty('elements', elements)
    expect(content).toHaveProperty('text', body.slice(0, 64_000))
  })

  test('brackets, commas and quotes inside of strings do not count', () => {
    const text = `["${'[{,'.repeat(300_000)}\\\\", "\\"${'['.repeat(2_000)}"]`
    expect(decode(bytes(text))).toMatchObject({
      kind: 'json',
      value: JSON.parse(text),
      size: expect.any(Number),
    })
  })

  test('only the beginning of a long text is kept', () => {
    expect(decode(bytes(JSON.stringify(['x'.repeat(100_000)])))).toMatchObject({
      kind: 'json',
      text: `["${'x'.repeat(63_998)}`,
      value: ['x'.repeat(100_000)],
    })
  })
})

test('the message of the parser does not quote the body, which may contain the key', () => {
  const content = decode(bytes('{"echo": s3cret-key-of-the-deployment}'))
  expect(content).toMatchObject({ problem: expect.not.stringMatching(/s3c|deploy|key/) })
})
