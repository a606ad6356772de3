/** What an id of the header Petstore-Explain stands for. */
import { createHash } from 'node:crypto'
import { HtmlValidate } from 'html-validate'
import { describe, expect, test } from 'vitest'
import { type Choice, choices } from '../../src/spec/choices.ts'
import { type Clause, clauses } from '../../src/spec/clauses.ts'
import { defaultKey } from '../../src/mock/index.ts'
import { ask, startControlled } from './control.ts'

const htmlFirst = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test.each([
  ['clause', clauses],
  ['choice', choices],
])('each %s is told', async (kind, table) => {
  const { call } = await startControlled()
  for (const entry of table) {
    expect((await call('GET', `/explain/${entry.id}`)).json).toMatchObject({ kind, ...entry })
  }
})

const allClauses: readonly Clause[] = clauses
const allChoices: readonly Choice[] = choices
test.each([
  ['a clause', allClauses.find(({ untestable }) => untestable === undefined)?.id],
  ['a clause that stands in several places', allClauses.find(({ restates }) => restates !== undefined)?.id],
  ['a clause that cannot be tested', allClauses.find(({ untestable }) => untestable !== undefined)?.id],
  ['a choice', allChoices.find(({ free }) => free === undefined)?.id],
  ['a choice that takes any text', allChoices.find(({ free }) => free !== undefined)?.id],
  ['an option', 'list.order=newest-first'],
])('the page of %s is valid and accessible', async (_, id) => {
  const { call } = await startControlled()
  const { text } = await call('GET', `/explain/${id}`, { headers: htmlFirst })
  const { results } = await new HtmlValidate({
    extends: ['html-validate:recommended', 'html-validate:a11y'],
    rules: { 'no-trailing-whitespace': 'off', 'long-title': 'off' },
  }).validateString(text)
  expect(results.flatMap(({ messages }) => messages)).toEqual([])
})

test('an answer that is explained leads to its words', async () => {
  const { mock, call } = await startControlled({ explain: true })
  const { headers } = await ask(mock.port, 'GET', '/v1/pets?limit=0', {
    headers: { authorization: `Bearer ${defaultKey}` },
  })
  const link = /<\/_petstore(\/explain\/[^>]+)>/.exec(headers['link'] ?? '')?.[1] as string
  expect((await call('GET', link)).json).toMatchObject({ kind: 'choice', id: 'list.limit.below-minimum' })
  const taken = await call('GET', `/explain/${headers['petstore-explain']}`)
  expect(taken.json).toMatchObject({ kind: 'choice', chosen: '400' })
  const { text } = await call('GET', `/explain/${headers['petstore-explain']}`, { headers: htmlFirst })
  expect(text).toContain('taken here')
})

describe('the page', () => {
  test('runs nothing, loads nothing, and its policy allows its own style alone', async () => {
    const { call } = await startControlled()
    const { headers, text } = await call('GET', '/explain/list.order=newest-first', { headers: htmlFirst })
    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(text).not.toMatch(/<script|<link|<img|<iframe|<form|src=|url\(|style=|\son\w+=|javascript:/i)
  })

  test('shows what an id holds as text', async () => {
    const { call } = await startControlled()
    const id = encodeURIComponent('error.code.400=<img src=x onerror=alert(1)>&"\'')
    const { status, text } = await call('GET', `/explain/${id}`, { headers: htmlFirst })
    expect(status).toBe(200)
    expect(text).not.toContain('<img')
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;&#38;&#34;&#39;')
  })
})

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/html', 'text/html; charset=utf-8'],
  ['text/html;q=0', 'application/json'],
  ['application/json, text/html;q=0.5', 'application/json'],
  ['application/json;q=0.5, text/html', 'text/html; charset=utf-8'],
])('Accept: %s gets %s', async (accept, type) => {
  const { call } = await startControlled()
  const { headers } = await call('GET', '/explain/list.order', { headers: { accept } })
  expect(headers['content-type']).toBe(type)
})

test.each(['nothing', 'list.order=upside-down', 'toString', '__proto__', 'rule-1', 'list.order='])(
  '%s stands for nothing',
  async (id) => {
    const { call } = await startControlled()
    expect((await call('GET', `/explain/${id}`, { headers: htmlFirst })).status).toBe(404)
  },
)
