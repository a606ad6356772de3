/** Specifics of each reporter of scorecards; test/unit/reporters has the common properties. */
import { describe, expect, test } from 'vitest'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import { clean, faulty, silent } from './cards.ts'

const { text, json, markdown, html } = scorecardReporters

describe('text', () => {
  test('shows an issue with its sentence, request and fix', () => {
    expect(text([faulty()])).toContain(`key 2  97 of 100
214 requests, 2026-11-20 12:00:00 to 12:04:10 UTC
97% of the requests right (only warnings: half), coverage 80%

Violations
  1. 3 requests with a limit outside 1 to 100  limit.out-of-range
     "limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return."  (requirement list.limit.respected)
     limit was 500.
       GET /v1/pets?limit=500
     To fix it: Request 1 to 100 pets, and send \`Authorization: Bearer <API_KEY>\` with it.

Warnings
  1. 1 request of createPet with fields that NewPet does not have  fields.extra
`)
  })

  test('shows the requests, and what was never tried', () => {
    expect(text([faulty()])).toContain(`
Coverage
                 requests  responses         parameters
  listPets       200       200: 198, 401: 2  limit: 40, status: 5
  createPet      14        201: 14           name: 14, categoryId: 14
  getPet         0         -                 -
  anything else  2         404: 1, reset: 1  -

Never tried
  listPets: status=sold
  createPet: a 400 response, a 401 response
`)
  })

  test('lists clients without requests in one line', () => {
    expect(text([clean(), silent()])).toMatch(/\n\nNo requests yet: key 3\.\n$/)
    expect(text([])).toBe('No scorecards.\n')
  })

  test('has optional colors', () => {
    expect(text([faulty()], { color: true })).toContain('\u001b[33m97 of 100\u001b[0m')
    expect(text([faulty()])).not.toContain('\u001b')
  })
})

test('json equals the response of the control API', () => {
  expect(JSON.parse(json([faulty(), silent()]))).toEqual({ scorecards: [faulty(), silent()] })
})

test('markdown is a heading for the worst client, and the text', () => {
  const shown = markdown([clean(), faulty()])
  expect(shown).toMatch(
    /^## ⚠ Scorecard of the clients of the Pet Store Service\n\n```text\nkey 1 {2}100 of 100\n/,
  )
  expect(shown).toContain('  1. 3 requests with a limit outside 1 to 100  limit.out-of-range\n')
  expect(markdown([clean(), silent()])).toMatch(/^## ✅/)
  expect(markdown([])).toBe(
    '## ➖ Scorecard of the clients of the Pet Store Service\n\n```text\nNo scorecards.\n```\n',
  )
})

test('html formats code in texts of the kit', () => {
  expect(html([faulty()])).toContain(
    'send <code>Authorization: Bearer &#60;API_KEY&#62;</code> with it.',
  )
})

test('html of many clients begins with a table, the lowest score first, and folds all but three', () => {
  const one = (subject: string, score: number) => ({ ...faulty(), subject, score })
  const page = html([clean(), one('b', 70), one('c', 40), one('d', 90), silent()])
  const [table = ''] = page.match(/<table class="clients">[^]*?<\/table>/) ?? []
  expect(
    Array.from(table.matchAll(/href="#(card-\d)">([^<]*)/g), ([, id, name]) => [id, name]),
  ).toEqual([
    ['card-1', 'c'],
    ['card-2', 'b'],
    ['card-3', 'd'],
    ['card-4', 'key 1'],
  ])
  expect(Array.from(table.matchAll(/<span class="badge (\w+)"/g), ([, tone]) => tone)).toEqual([
    'bad',
    'warn',
    'warn',
    'good',
  ])
  expect(page.match(/<summary class="">([^<]*)/g)).toEqual(['<summary class="">key 1: 100 of 100'])
  expect(page.slice(page.indexOf('<nav'), page.indexOf('</nav'))).not.toContain('card-')
  expect(html([faulty()])).not.toContain('class="clients"')
})
