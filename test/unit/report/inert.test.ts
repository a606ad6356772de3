import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clip, inert, inertJson, inertLines } from '../../../src/report/text.ts'

describe('is written as an escape', () => {
  test.each([
    ['a terminal escape', '\u001b[2J', String.raw`\u001b[2J`],
    ['a control character of 8 bits', '\u009b', String.raw`\u009b`],
    ['a line break', '\n', String.raw`\u000a`],
    ['a direction override', '\u202e', String.raw`\u202e`],
    ['a Hangul filler', '\u3164', String.raw`\u3164`],
    ['an initial Hangul filler', '\u115f', String.raw`\u115f`],
    ['a braille blank', '\u2800', String.raw`\u2800`],
    ['a variation selector, also of an emoji', '❤\ufe0f', String.raw`❤\ufe0f`],
    ['a variation selector beyond 16 bits', '\u{e0100}', String.raw`\u{e0100}`],
    ['a private use character', '\ue000', String.raw`\ue000`],
    ['a tag', '\u{e0041}', String.raw`\u{e0041}`],
    ['a GitHub command', 'a ##[error]b', String.raw`a \u0023#[error]b`],
    [
      'an Azure Pipelines command',
      'a ###vso[task.complete]b',
      String.raw`a #\u0023#vso[task.complete]b`,
    ],
    ['a lone surrogate', '\ud800', String.raw`\ud800`],
  ])('%s', (_, text, shown) => {
    expect(inert(text)).toBe(shown)
  })
})

test('names of pets are unchanged', () => {
  for (const name of [
    'Bella',
    'Żółw',
    'Жучка',
    '小白',
    '🐶',
    "D'Artagnan",
    'नन्ही',
    'ガーフィールド',
    '한글',
    'a b',
  ]) {
    expect(inert(name)).toBe(name)
  }
})

test('line breaks are kept', () => {
  expect(inertLines('a\n\tb\u001b\r\n')).toBe('a\n\tb\\u001b\\u000d\n')
})

test('escaped JSON has the same value', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant('##[')),
      (value, text) => {
        const json = inertJson(JSON.stringify([value, text], null, 2))
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([value, text])))
        expect(inertLines(json)).toBe(json)
      },
    ),
  )
})

test('clip does not split a character', () => {
  expect(clip('ab🐶cd', 3)).toBe('ab… (4 more characters)')
})
