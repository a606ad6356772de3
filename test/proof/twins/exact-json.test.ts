import { expect, test } from 'vitest'
import {
  JsonNumber,
  plainSpelling,
  readJson,
  toInt64,
  writeJson,
  type Spelling,
} from '../../support/twins/exact-json.ts'

test.each([
  ['7', 7n],
  ['-0', 0n],
  ['7.0', 7n],
  ['7e0', 7n],
  ['70e-1', 7n],
  ['0.7E+1', 7n],
  ['0e999999999999', 0n],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['-9.223372036854775808E+18', -9223372036854775808n],
  ['9223372036854775808', undefined],
  ['-9223372036854775809', undefined],
  ['1.5', undefined],
  ['7e-1', undefined],
  ['1e400', undefined],
  ['1e999999999999', undefined],
])('the number %s denotes %s', (text, integer) => {
  expect(toInt64(new JsonNumber(text))).toBe(integer)
})

test.each(['', '{', '{"a":1,}', '01', '1 2', '\uFEFF{}', 'NaN', "{'a':1}", '"\n"'])('%j is not JSON', (text) => {
  expect(() => readJson(text)).toThrow(SyntaxError)
})

test('members keep their names, and strings that look like numbers stay strings', () => {
  const read = readJson('{"__proto__":"n7","s":["-1",-1,"a\\"1\\\\",{"":null}]}')
  const list = ['-1', new JsonNumber('-1'), 'a"1\\', new Map([['', null]])]
  expect(read).toEqual(
    new Map<string, unknown>([
      ['__proto__', 'n7'],
      ['s', list],
    ]),
  )
})

const spellings: Spelling[] = [
  plainSpelling,
  { integers: 'fraction', layout: 'indented', memberOrder: 'reversed', escapes: 'non-ascii', padding: 'none' },
  { integers: 'exponent', layout: 'tabs', memberOrder: 'alphabetical', escapes: 'slash', padding: 'outer-whitespace' },
  { integers: 'scientific', layout: 'spread', memberOrder: 'declared', escapes: 'everything', padding: 'none' },
]

test.each(spellings)('$escapes, $integers, $layout is a spelling of the same value', (spelling) => {
  const name = 'Zoë 🐾 </b> \u0000\u2028\\"'
  const text = writeJson(
    new Map<string, string | bigint | never[]>([
      ['name', name],
      ['id', -10n],
      ['tags', []],
    ]),
    spelling,
  )
  expect(JSON.parse(text)).toEqual({ name, id: -10, tags: [] })
})
