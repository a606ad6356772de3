import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { locate, positionAt, scanJson } from '../../src/cli/json-positions.ts'

const at = (text: string, pointer: string) => locate(text, [pointer]).get(pointer)

describe('where a value stands', () => {
  const text = ['[', '  { "id": 1, "a/b~": [true, {"x": null}] },', '  {"id" :', '    2}', ']'].join('\n')

  test.each([
    ['', 1, 1],
    ['/0', 2, 3],
    ['/0/id', 2, 11],
    ['/0/a~1b~0/1/x', 2, 35],
    ['/1/id', 4, 5],
  ])('%s', (pointer, line, column) => {
    expect(at(text, pointer)).toEqual({ line, column })
  })

  test('what is not there is found at what it should stand in', () => {
    expect(at(text, '/1/name')).toEqual({ line: 3, column: 3 })
    expect(at(text, '/7/name')).toEqual({ line: 1, column: 1 })
  })

  test('of two members with one name, the last is the one that counts', () => {
    expect(at('{"a": 1, "a": 2}', '/a')).toEqual({ line: 1, column: 15 })
  })

  test('each value of any JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const seen = new Map<string, number>()
        expect(scanJson(text, (pointer, index) => seen.set(pointer, index))).toBeUndefined()
        for (const [pointer, index] of seen) {
          const printed = JSON.stringify(valueAt(value, pointer), undefined, indent)
          const begins = text.slice(index, index + 1)
          expect(begins, pointer).toBe(printed.slice(0, 1))
        }
      }),
    )
  })
})

describe('why a text is no JSON', () => {
  test.each([
    ['[{"id": 1,}]', 1, 11, 'a name in double quotes must stand here'],
    ['[1, 2,\n]', 2, 1, 'a value must stand here'],
    ['[1 2]', 1, 4, 'a comma or ] must stand here'],
    ['{"a" 1}', 1, 6, 'a colon must stand behind the name'],
    ["{'a': 1}", 1, 2, 'a name in double quotes must stand here'],
    ['[1]\n[2]', 2, 1, 'nothing more may follow'],
    ['[1', 1, 3, 'a comma or ] must stand here, and the text ends here'],
    ['', 1, 1, 'a value must stand here, and the text ends here'],
    ['["abc]', 1, 2, 'the double quotes that begin here never end'],
    ['["a\tb"]', 1, 4, 'a line break or another control character stands in a text; write \\n or the like'],
    ['["\\x"]', 1, 3, 'there is no such escape behind the backslash'],
    ['[01]', 1, 3, 'a comma or ] must stand here'],
    ['[NaN]', 1, 2, 'a value must stand here'],
    ['// pets\n[]', 1, 1, 'a value must stand here'],
  ])('%j', (text, line, column, message) => {
    const mistake = scanJson(text)
    expect(mistake?.message).toBe(message)
    expect(positionAt(text, mistake?.at ?? -1)).toEqual({ line, column })
  })

  test('a mistake is found where, and only where, JSON.parse finds one', () => {
    const piece = fc.constantFrom(...'[]{},:"\\ \n019.-e+tfn', 'true', 'null', '"a"', '\\u00e9', '"a":1')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        expect(scanJson(text) === undefined, text).toBe(isJson(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('nesting of any depth', () => {
    expect(scanJson('['.repeat(200_000))?.at).toBe(200_000)
    expect(scanJson('['.repeat(200_000) + ']'.repeat(200_000))).toBeUndefined()
  })
})

function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce((parent: any, name) => parent[name.replaceAll('~1', '/').replaceAll('~0', '~')], value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
