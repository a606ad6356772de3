import fc from 'fast-check'
import { expect, test } from 'vitest'

import { compileRegex } from '../../../src/mock/rules/regex.ts'
import { cpuOf } from '../../support/cpu.ts'
import { runs, seed } from '../../support/level.ts'

const match = (pattern: string, text: string): boolean => {
  const regex = compileRegex(pattern)
  if (typeof regex === 'string') throw new Error(regex)
  return regex.test(text)
}

test.each([
  ['^Rex$', 'Rex', true],
  ['^Rex$', 'Rexy', false],
  ['ex', 'Rexy', true],
  ['', '', true],
  ['^(?:cat|dog)s?$', 'dogs', true],
  ['^a{2,3}$', 'aaaa', false],
  ['^a{2,}?$', 'aaaa', true],
  ['^[^a-c\\]]+$', 'xyz', true],
  ['^[^a-c\\]]+$', 'x]', false],
  ['\\bfoo\\b', 'a foo b', true],
  ['\\bfoo\\b', 'afoo', false],
  ['^\\p{L}+$', 'Zoë', true],
  ['^.$', '🐶', true],
  ['^\\u{1F436}$', '🐶', true],
  ['^\\ud83d\\udc36$', '🐶', true],
  ['^(?<id>\\d+)-\\x41$', '12-A', true],
  ['a.b', 'a\nb', false],
  ['(?:a*)*$', 'b', true],
] as const)('/%s/ on %j: %j, as in JavaScript', (pattern, text, expected) => {
  expect(match(pattern, text)).toBe(expected)
  expect(new RegExp(pattern, 'u').test(text)).toBe(expected)
})

const atoms = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\W',
  '^',
  '$',
  '\\b',
  '\\B',
  '\\n',
  'é',
  '🐶',
]
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...atoms),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}', '*?'))
      .map(([one, sign]) => `(?:${one})${sign}`),
  ),
  part: fc.constant(''),
}))

/** By the standard, a match begins at a character. V8 also finds an empty one within a pair of surrogates. */
function matchesAnywhere(source: string, text: string): boolean {
  const sticky = new RegExp(source, 'uy')
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    sticky.lastIndex = at
    if (sticky.test(text)) return true
  }
  return false
}

test('matches as the expressions of JavaScript do', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', 'é', '🐶'), maxLength: 8 })
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      fc.pre(source.length <= 200)
      const regex = compileRegex(source)
      fc.pre(typeof regex !== 'string')
      expect(regex.test(subject)).toBe(matchesAnywhere(source, subject))
    }),
    { numRuns: runs(2_000), seed },
  )
})

test.each([
  ['(', 'must be a regular expression: Unterminated group'],
  ['a{2,1}', 'must be a regular expression: numbers out of order in {} quantifier'],
  ['x'.repeat(201), 'must be a regular expression of at most 200 characters'],
  ['(?=a)', 'must be a regular expression without lookaround and modifiers'],
  ['(?<!a)b', 'must be a regular expression without lookaround and modifiers'],
  ['(a)\\1', 'must be a regular expression without backreferences'],
  ['(?<x>a)\\k<x>', 'must be a regular expression without backreferences'],
  ['(?:a{100}){100}', /^must be a smaller regular expression/],
  ['(?:(?:(?:){1000}){1000}){1000000000}', /^must be a smaller regular expression/],
])('rejects /%s/', (source, message) => {
  expect(compileRegex(source)).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  )
})

test.each([
  '^(a+)+$',
  '(a|aa)+$',
  '(a*)*b',
  '.*.*.*.*x',
  '(?:a?){150}a{150}b',
  '(?:\\w\\p{L}?){20}!',
])('cannot be made to backtrack: /%s/', async (source) => {
  const text = `${'a'.repeat(1_999)}é`
  // A backtracking engine takes years; this one takes about 20 ms.
  expect(await cpuOf(() => expect(match(source, text)).toBe(false))).toBeLessThan(2_000)
})

test('a text beyond 2,000 characters does not match', () => {
  expect(match('a', 'a'.repeat(2_000))).toBe(true)
  expect(match('a', 'a'.repeat(2_001))).toBe(false)
})
