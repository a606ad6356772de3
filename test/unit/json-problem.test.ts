import { expect, test } from 'vitest'
import { jsonProblem } from '../../src/json-problem.ts'
import { runLimited } from '../support/limited.ts'

test.each([
  ['{"name":"Rex","categoryId":1,}', '"}" after a comma at line 1, column 30'],
  ['{"a":NaN}', 'unexpected "NaN" at line 1, column 6'],
  ['{"a":1 // c\n}', 'a comment at line 1, column 8'],
  ["{'a':1}", 'a single quote instead of a double quote at line 1, column 2'],
  ['{"a":007}', 'a number with a leading zero at line 1, column 6'],
  [
    '{"a":"x\ny"}',
    'the control character U+000A, which must be escaped in a string, at line 1, column 8',
  ],
  ['{"a":"\\x"}', 'the unknown escape "\\x" in a string at line 1, column 7'],
  ['{"a":1}\n{}', '"{" after the end of the value at line 2, column 1'],
  ['\ufeff{}', 'it begins with a byte order mark (U+FEFF)'],
  [' ', 'it has no value at line 1, column 2'],
  ['{"a":[1', 'it ends before "[" is closed, at line 1, column 8'],
  ['{"a":1]', 'unexpected "]" at line 1, column 7'],
  ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
  ['{a:1}', 'unexpected "a" at line 1, column 2'],
  ['{"a":"b"c"}', 'unexpected "c" at line 1, column 9'],
  ['{"a":"b', 'a string without an end at line 1, column 6'],
  ['{"a":"b\\', 'the unknown escape "\\" in a string at line 1, column 8'],
  ['{"a":"b\\u12"}', 'the unknown escape "\\u" in a string at line 1, column 8'],
  ['{"a":“x”}', 'unexpected U+201C at line 1, column 6'],
  ['[object Object]', 'unexpected "object" at line 1, column 2'],
  ['name=Rex&categoryId=1', 'unexpected "name" at line 1, column 1'],
  [`{"a":${'b'.repeat(99)}}`, `unexpected "${'b'.repeat(20)}…" at line 1, column 6`],
])('%j', (text, problem) => {
  expect(jsonProblem(text)).toBe(problem)
})

test('the place is the one of JSON.parse', () => {
  const valid = '{"a": [1, -2.5e+3, "x\\n\\u00e9", true, null], "b": {}}'
  let compared = 0
  for (let at = 0; at <= valid.length; at += 1) {
    for (const put of ['', '}', ']', ',', ':', '"', '0', 'x', '{', '\n', '\\', '-', '.']) {
      for (const cut of [0, 1]) {
        const text = valid.slice(0, at) + put + valid.slice(at + cut)
        const expected = positionOf(text)
        if (expected === undefined) continue
        const [, line, column] = / line (\d+), column (\d+)$/.exec(jsonProblem(text)) ?? []
        const before = text.split('\n').slice(0, Number(line) - 1)
        const position = before.reduce((sum, { length }) => sum + length + 1, Number(column) - 1)
        // Within wrong words and numbers, JSON.parse names a later character.
        expect(position, text).toBeLessThanOrEqual(expected)
        if (position === expected) compared += 1
      }
    }
  }
  expect(compared).toBeGreaterThan(300)
})

function positionOf(text: string): number | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const [, position] = / position (\d+)/.exec((error as Error).message) ?? []
    return position === undefined ? undefined : Number(position)
  }
}

test('no broken string takes long, whoever reads it', async () => {
  expect(await runLimited(new URL('broken-strings.ts', import.meta.url), 2)).toEqual([])
})
