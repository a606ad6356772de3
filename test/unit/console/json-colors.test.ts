import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokensOf } from '../../../src/console/screens/requests/detail/body.ts'

const textOf = (text: string): string =>
  tokensOf(text)
    .map(([part]) => part)
    .join('')

test('each kind of value has a color of its own, and other text has none', () => {
  expect(tokensOf('{"a": ["b\\"", -1.5e3, null]}').filter(([, kind]) => kind)).toEqual([
    ['"a"', 'j-name'],
    ['"b\\""', 'j-text'],
    ['-1.5e3', 'j-number'],
    ['null', 'j-word'],
  ])
  expect(tokensOf('a "text"')).toEqual([['a "text"']])
})

test('colors add and lose nothing of a text', () => {
  const part = fc.constantFrom(
    '"',
    '\\',
    '\n',
    '{',
    '[',
    ':',
    ',',
    'true',
    '-1',
    ' ',
    'é',
    '\u2028',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string())), (parts) => {
      const text = `{${parts.join('')}`
      expect(textOf(text)).toBe(text)
    }),
  )
})
