import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode } from '../../src/contract/decode.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('a body is one JSON text in UTF-8', () => {
  test.each<[what: string, body: Uint8Array, problem: RegExp]>([
    ['bytes that are no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), /not valid UTF-8/],
    ['Latin-1', Buffer.from('["Zoë"]', 'latin1'), /not valid UTF-8/],
    ['a surrogate as three bytes', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /not valid UTF-8/],
    ['UTF-16', Buffer.from('[]', 'utf16le'), /not a JSON text/],
    ['a byte order mark', bytes('\uFEFF[]'), /byte order mark/],
    ['text behind it', bytes('[] []'), /not a JSON text/],
    ['a comma behind the last element', bytes('[1,]'), /not a JSON text/],
    ['NaN', bytes('[NaN]'), /not a JSON text/],
    ['Infinity', bytes('{"id":-Infinity}'), /not a JSON text/],
    ['a leading zero', bytes('[01]'), /not a JSON text/],
    ['single quotes', bytes("['a']"), /not a JSON text/],
    ['a comment', bytes('[] // none'), /not a JSON text/],
    ['a raw line break in a string', bytes('["a\nb"]'), /not a JSON text/],
    ['half of it', bytes('[{"id":1},{"id'), /not a JSON text/],
    ['white space alone', bytes(' \n'), /not a JSON text/],
    ['a page of HTML', bytes('<!doctype html><title>502</title>'), /not a JSON text/],
    ['a member twice', bytes('{"id":1,"id":1}'), /member "id" twice/],
    ['a member twice, deep inside', bytes('[{"a":[{"b":1,"c":{},"b":2}]}]'), /member "b" twice/],
    ['a member twice in two spellings', bytes('{"id":1,"\\u0069d" :2}'), /member "id" twice/],
  ])('%s is not', (_, body, problem) => {
    expect(decode(body)).toMatchObject({ kind: 'broken', problem: expect.stringMatching(problem) })
  })

  test.each<[what: string, body: string, value: unknown]>([
    ['white space around it', '\t\r\n [1] \n', [1]],
    ['the same member in two objects', '[{"id":1},{"id":1}]', [{ id: 1 }, { id: 1 }]],
    ['a member called like a string value', '{"a":"b","b":"a"}', { a: 'b', b: 'a' }],
    ['quotes and brackets in strings', '{"a\\"{":"}]\\\\","b":"[\\"a\\":"}', { 'a"{': '}]\\', b: '["a":' }],
    ['an id beyond 2^53', '{"id":9007199254740993}', { id: 9007199254740993n }],
    ['a surrogate that stands alone, escaped', '"\\ud800"', '\ud800'],
    ['__proto__ as a member', '{"__proto__":1}', JSON.parse('{"__proto__":1}')],
  ])('%s is', (_, body, value) => {
    expect(decode(bytes(body))).toEqual({ kind: 'json', text: body, value })
  })

  test('no bytes are an empty body', () => {
    expect(decode(new Uint8Array())).toEqual({ kind: 'empty' })
  })

  test('whatever JSON.parse accepts from JSON.stringify is read as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const content = decode(bytes(text))
        expect(content.kind).toBe('json')
        if (/\d{16}|[eE][+-]?\d/.test(text)) return // what JSON.parse rounds
        expect(content).toHaveProperty('value', JSON.parse(text))
      }),
    )
  })

  test('whatever JSON.parse refuses is broken', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 2 }), (text, at, noise) => {
        const place = at % (text.length + 1)
        const spoilt = text.slice(0, place) + noise + text.slice(place)
        let isJson = true
        try {
          JSON.parse(spoilt)
        } catch {
          isJson = false
        }
        if (!isJson) expect(decode(bytes(spoilt))).toHaveProperty('kind', 'broken')
      }),
    )
  })
})

describe('no body makes it slow or ends the run', () => {
  test.each([
    ['175,000 escapes', `["${String.raw`\u0000`.repeat(175_000)}"]`],
    ['8 million backslashes', `["${'\\'.repeat(8_000_000)}"]`],
    ['a million quotes', `["${String.raw`\"`.repeat(1_000_000)}",1e5]`],
    ['100,000 arrays in each other', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 objects in each other', `${'{"a":'.repeat(100_000)}1e1${'}'.repeat(100_000)}`],
    ['white space between members', `{"a"${' '.repeat(500_000)}:1,${' '.repeat(500_000)}"b":2}`],
    ['200,000 strings', `[${'"a" ,'.repeat(200_000)}""]`],
  ])('%s', { timeout: 5_000 }, (_, body) => {
    expect(decode(bytes(body))).toHaveProperty('kind', 'json')
  })
})

test('what the parser says does not quote the body, which may hold the key', () => {
  const content = decode(bytes('{"echo": s3cret-key-of-the-deployment}'))
  expect(content).toMatchObject({ problem: expect.not.stringMatching(/s3c|deploy|key/) })
})
