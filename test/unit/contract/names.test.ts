import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Names } from '../../../src/contract/session/names.ts'

const free = (): boolean => false

test('names are recognized and unique', () => {
  const names = new Names('Bkqwzt')
  const made = Array.from({ length: 2_000 }, () => names.next(free))
  expect(made.slice(0, 2)).toEqual(['Petkit Bkqwzt Aa', 'Petkit Bkqwzt Ab'])
  expect(new Set(made).size).toBe(2_000)
  expect(made.every((name) => names.owns(name))).toBe(true)
  expect(names.owns('Rex')).toBe(false)
})

test.each([
  [['Rex'], /^[A-Z][a-z]{2}$/],
  [['Rex', 'Bella the Whippet', 'Tom'], /^[A-Z][a-z]{4} [a-z]{3} [A-Z][a-z]{6}$/],
  [['rex-12', 'x'], /^[a-z]{3}-12$/],
  [['REX'], /^[A-Z]{3}$/],
  [['"Rexi"', 'a\\bcd', '名前'], undefined],
  [['Zoë'], /^[A-Z][a-z]ë$/],
  [['Барсик', 'Мурка', 'Шарик'], /^[БМШ][аркуси]{5}$/],
  [['たまさぶろう', 'ぽちえもん', 'みけ', 'Q'], /^[たまさぶろうぽちえもんみけ]{6}$/],
  [['A-1001', 'B-1002'], /^[A-Z]-\d{4}$/],
  [['001234'], /^\d{6}$/],
  [[], undefined],
])('names imitate the form of %j', (shown, form) => {
  const names = new Names('Bkqwzt')
  expect(names.imitate(shown)).toBe(form !== undefined)
  const made = Array.from({ length: 40 }, () => names.next((name) => shown.includes(name)))
  for (const name of made) expect(name).toMatch(form ?? /^Petkit Bkqwzt [A-Z][a-z]$/)
  expect(new Set([...made, ...shown]).size).toBe(40 + shown.length)
  expect(made.every((name) => names.owns(name))).toBe(true)
})

test('runs whose ids differ in one character make other names, in each form', () => {
  const makeAll = (runId: string, shown: string): string[] => {
    const names = new Names(runId)
    names.imitate([shown], /\d/)
    return Array.from({ length: 80 }, () => names.next(free))
  }
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{0,11}$/), fc.nat(8), (beginning, digit) => {
      const [one, other] = [`${beginning}${digit}`, `${beginning}${digit + 1}`]
      expect(new Names(one).number).not.toBe(new Names(other).number)
      const all = [...makeAll(one, 'PET-0001'), ...makeAll(other, 'PET-0001')]
      expect(new Set(all).size).toBe(all.length)
    }),
  )
})

test('names of another run with the same id are left out', () => {
  const names = new Names('Bkqwzt')
  expect(names.next((name) => /A[a-c]$/.test(name))).toBe('Petkit Bkqwzt Ad')
})

test('an imitated name keeps length, capitals and non-letters for any run id', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z0-9 '.-]{3,40}$/),
      fc.stringMatching(/^[\w-]+$/),
      (shown, runId) => {
        const names = new Names(runId)
        if (!names.imitate([shown])) return
        const name = names.next(free)
        const form = (text: string): string =>
          text.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/\d/g, '0')
        expect(form(name)).toBe(form(shown))
      },
    ),
  )
})
