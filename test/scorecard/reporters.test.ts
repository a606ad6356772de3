/** What holds for each reporter of scorecards, and what only one of them does. */
import { HtmlValidate } from 'html-validate'
import { describe, expect, test } from 'vitest'
import { scorecardReporters } from '../../src/mock/scorecard/reporters.ts'
import type { Scorecard } from '../../src/mock/scorecard/types.ts'
import { clean, echoing, faulty, hostile, silent } from './cards.ts'

const { text, json, markdown, html } = scorecardReporters
const scenes: [string, Scorecard[]][] = [
  ['clean', [clean()]],
  ['faulty', [faulty()]],
  ['silent', [silent()]],
  ['mixed', [clean(), silent(), faulty()]],
  ['empty', []],
  ['hostile', [echoing(hostile)]],
]

describe.each(Object.entries(scorecardReporters))('%s', (name, render) => {
  test.each(scenes)('%s scorecards give the same bytes each time, and are left as they were', (_, cards) => {
    const before = structuredClone(cards)
    expect(render(cards)).toBe(render(before))
    expect(cards).toEqual(before)
    expect(render(cards)).toMatch(/[^\n]\n$/)
  })

  test('no character that is obeyed, hidden or turned reaches the reader', () => {
    const shown = render([echoing(hostile)])
    expect(
      shown.match(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Co}\p{DI}\u2800]/gu),
    ).toBeNull()
    expect(shown).toContain('\\u001b')
  })

  test('text of a client begins no line', () => {
    const injected = /^\s*(::error title=x|##\[|# heading|---$|\* item)/m
    expect(render([echoing(hostile)])).not.toMatch(injected)
  })

  test('who did well can be told from who did not', () => {
    expect(new Set([clean(), faulty(), silent()].map((card) => render([card]))).size).toBe(3)
    if (name !== 'json') expect(render([faulty()])).toContain('97 of 100')
  })

  // The scorecards of a mock are bounded where they are made, and JSON shows all of them.
  test.skipIf(name === 'json')('enormous texts make no enormous report', () => {
    const cards = Array.from({ length: 30 }, () => echoing('x'.repeat(300_000)))
    const most: Record<string, number> = { markdown: 65_536, html: 2_200_000 }
    expect(Buffer.byteLength(render(cards))).toBeLessThan(most[name] ?? 3_000_000)
  })
})

describe('text', () => {
  test('shows an issue with its sentence, its request and its remedy', () => {
    expect(text([faulty()])).toContain(`key 2  97 of 100
214 requests, 2026-11-20 12:00:00 to 12:04:10 UTC

Violations
  1. 3 requests with a limit outside 1 to 100  limit.out-of-range
     "limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return."  (clause list.limit.honoured)
     limit was 500.
       GET /v1/pets?limit=500
     To fix it: Request 1 to 100 pets, and send \`Authorization: Bearer <API_KEY>\` with it.

Warnings
  1. 1 request of createPet with fields that NewPet does not have  members.extra
`)
  })

  test('shows what was asked, and what never was', () => {
    expect(text([faulty()])).toContain(`
Asked
                 requests  responses         parameters
  listPets       200       200: 198, 401: 2  limit: 40, status: 5
  createPet      14        201: 14           name: 14, categoryId: 14
  getPet         0         -                 -
  anything else  2         404: 1, reset: 1  -

Never tried
  listPets: status=sold
  createPet: a response 400, a response 401
`)
  })

  test('names those who did nothing in one line', () => {
    expect(text([clean(), silent()])).toMatch(/\n\n1 client without a request: key 3\.\n$/)
    expect(text([])).toBe('No scorecards.\n')
  })

  test('has colours where they are wanted', () => {
    expect(text([faulty()], { color: true })).toContain('\u001b[31m97 of 100\u001b[0m')
    expect(text([faulty()])).not.toContain('\u001b')
  })
})

test('json is what the control API returns', () => {
  expect(JSON.parse(json([faulty(), silent()]))).toEqual({ scorecards: [faulty(), silent()] })
})

describe('markdown', () => {
  /** What is left of a document without its code, in which nothing has a meaning. */
  const withoutCode = (document: string): string =>
    document.replace(/^(`{3,})\w*\n[^]*?\n\1$/gm, '').replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')

  test('an issue', () => {
    expect(markdown([faulty()])).toContain(`### ❌ key 2: 97 of 100
- 3 requests with a limit outside 1 to 100 (\`limit.out-of-range\`): limit was 500. `)
  })

  const parts = [
    hostile,
    ...hostile.split(' '),
    '- x',
    '1. x',
    '===',
    '> x',
    ' x',
    '_x_',
    'a_b',
    '`',
    'x`',
    '`x``y`',
    'a `<b>` c',
    '',
    ' ',
  ]
  test.each(parts.map((part) => [JSON.stringify(part).slice(0, 60), part]))('%s has no meaning', (_, part) => {
    const left = withoutCode(markdown([echoing(part)]))
    expect(left.replace(/^> /gm, '')).not.toMatch(/[<>@[\]!~$]/)
    expect(left).not.toMatch(/https?:|www\.|\bGH-\d|:tada:|`/i)
    expect(left.match(/^#+ .*$/gm)?.map((line) => line.replace(/ ❌.*$/, ''))).toEqual([
      '## Scorecard of the clients of the Pet Store Service',
      '###',
    ])
  })
})

describe('html', () => {
  const all = (source: string, pattern: RegExp): string[] =>
    Array.from(source.matchAll(pattern), ([, group = '']) => group)

  describe.each(scenes)('%s scorecards', (_, cards) => {
    const source = html(cards)

    test('are valid and accessible as far as a validator can tell', async () => {
      const validator = new HtmlValidate({
        extends: ['html-validate:recommended', 'html-validate:a11y'],
        rules: { 'void-style': 'off', 'no-trailing-whitespace': 'off', 'long-title': 'off' },
      })
      const { results } = await validator.validateString(source)
      const found = results.flatMap(({ messages }) => messages)
      expect(found.map(({ ruleId, message, line }) => `${ruleId} ${line} ${message}`)).toEqual([])
    })

    test('need nothing but themselves', () => {
      expect(source).not.toMatch(/<(script|link|img|iframe|object|embed|form|base|style )/i)
      expect(source).not.toMatch(/<[^>]*\s(on\w+|style|src)=/i)
      expect(all(source, /\shref="([^"]*)"/g).filter((link) => !link.startsWith('#'))).toEqual([])
    })

    test('every link leads somewhere, and headings follow one another', () => {
      const ids = all(source, /\sid="([^"]*)"/g)
      expect(new Set(ids).size).toBe(ids.length)
      for (const link of all(source, /\shref="#([^"]*)"/g)) expect(ids).toContain(link)
      const levels = all(source, /<h(\d)/g).map(Number)
      expect(levels.filter((level) => level === 1)).toHaveLength(1)
      for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
    })
  })

  test('words of the kit that are code are shown as code', () => {
    expect(html([faulty()])).toContain('send <code>Authorization: Bearer &#60;API_KEY&#62;</code> with it.')
  })
})
