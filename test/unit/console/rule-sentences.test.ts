import { expect, test } from 'vitest'
import { kindOf, kinds, ofKind, withOperation } from '../../../src/console/screens/rules/kinds.ts'
import { durationWords, sentenceOf } from '../../../src/console/screens/rules/words.ts'
import { readDuration } from '../../../src/duration.ts'
import { createMock } from '../../../src/mock/index.ts'
import type { Rule } from '../../../src/mock/schemas/schemas.gen.ts'

const rows: readonly [sentence: string, rule: Rule][] = [
  ['Fail every request with 503', { reply: { status: 503 } }],
  [
    'Fail one getPet request (petId "7") with 404',
    { when: { operation: 'getPet', petId: '7' }, reply: { status: 404 }, times: 1 },
  ],
  [
    'Fail 2 listPets or getPet requests (limit "5" and header x-a containing "b") with 429, delayed by 1.5 s',
    {
      when: {
        operation: ['listPets', 'getPet'],
        query: { limit: '5' },
        headers: { 'x-a': { contains: 'b' } },
      },
      reply: { status: 429 },
      delayMs: 1_500,
      times: 2,
    },
  ],
  [
    'Respond 200 to every request, with truncated-body',
    { reply: { status: 200, body: [] }, fault: 'truncated-body' },
  ],
  [
    'Delay every createPet request by 100 ms to 300 ms',
    { when: { operation: 'createPet' }, delayMs: { from: 100, to: 300 } },
  ],
  [
    'Delay every request by 80 ms at the median, and 900 ms for 1 in 100',
    { delayMs: { median: 80, p99: 900 } },
  ],
  ['Never respond to 3 requests, after 2 others', { fault: 'silence', times: 3, skip: 2 }],
  ['Send the response body slowly to every request, over 5 s', { fault: { slowBodyMs: 5_000 } }],
  [
    'Respond to 3 requests (limit absent and body /name matching "^a") in sequence: 503, reset delayed by 20 ms, as usual',
    {
      when: { query: { limit: { absent: true } }, body: { '/name': { regex: '^a' } } },
      sequence: [{ reply: { status: 503 } }, { fault: 'reset', delayMs: 20 }, {}],
    },
  ],
  [
    'Allow 3 of all listPets requests in 1 s, and respond 429 to others',
    { when: { operation: 'listPets' }, rateLimit: { requests: 3, windowMs: 1_000 } },
  ],
  [
    'Fail every request with 503, for 5 s, from 60 s on',
    { reply: { status: 503 }, during: { forMs: 5_000, afterMs: 60_000 } },
  ],
]

test.each(rows)('%s', (sentence, rule) => {
  // A number stays on the line of its unit.
  const spaced = sentence.replaceAll(/(?<=\d) (?=m?s\b)/g, '\u00a0')
  expect(sentenceOf(rule)).toBe(spaced)
  // It is a rule of a mock, too.
  createMock().use(rule)
})

test('a function has its name in its sentence', () => {
  const [rule] = createMock().use(function flaky() {
    return undefined
  })
  expect(sentenceOf(rule ?? {})).toBe('Let the function flaky decide about every request')
})

test.each(Object.entries(kinds))('%s starts with a valid rule of its kind', (kind, { first }) => {
  const when = { operation: 'getPet', petId: '7' } as const
  const rule = ofKind(kind as keyof typeof kinds, { when, times: 5 })
  expect(rule).toEqual({ when, ...first })
  expect(kindOf(rule)).toBe(kind)
  expect(createMock().use(rule)).toHaveLength(1)
})

test.each<[string, object]>([
  ['a body', { reply: { status: 503, body: {} } }],
  ['a status that is a text', { reply: { status: '503' } }],
  ['two effects', { reply: { status: 503 }, delayMs: 5 }],
  ['several operations', { when: { operation: ['listPets', 'getPet'] }, delayMs: 5 }],
  ['a later outage', { reply: { status: 503 }, during: { afterMs: 1, forMs: 5 } }],
  ['no effect', {}],
  ['an unknown field', { reply: { status: 503 }, toString: 1 }],
  ['a step with a delay', { sequence: [{ delayMs: 5 }] }],
  ['no step', { sequence: [] }],
  ['a condition that is null', { when: null, delayMs: 5 }],
  ['a query that is a list', { when: { query: [] }, delayMs: 5 }],
  ['a reply that is null', { reply: null }],
  ['a list', []],
])('no sentence shows %s', (_, rule) => {
  expect(kindOf(rule as Rule)).toBeUndefined()
})

test('another operation keeps the rest of the condition', () => {
  const rule = { when: { operation: 'listPets', query: { limit: '5' } }, delayMs: 5 } as const
  expect(withOperation(rule, 'getPet')).toEqual({
    ...rule,
    when: { ...rule.when, operation: 'getPet' },
  })
  expect(withOperation(rule, '')).toEqual({ ...rule, when: { query: { limit: '5' } } })
  expect(withOperation({ when: { operation: 'getPet' }, delayMs: 5 }, '')).toEqual({ delayMs: 5 })
})

test.each([0, 20, 999, 1_000, 1_500, 1_510, 60_000, 600_000])('%s ms is written and read', (ms) => {
  expect(readDuration(durationWords(ms))).toBe(ms)
})
