import { expect, test } from 'vitest'
import { toHtml } from '../../../src/contract/index.ts'
import type { Report } from '../../../src/contract/index.ts'
import { echoing, hostile, violating } from './reports.ts'

const all = (html: string, pattern: RegExp): string[] =>
  Array.from(html.matchAll(pattern), ([, group = '']) => group)

test('a cause begins with its sentence and its command; all but the first three are folded, and whatever explains them', () => {
  const ids = [
    'list.limit.respected',
    'list.401',
    'create.required-fields',
    'create.body-required',
    'create.invalid-values',
  ] as const
  const html = toHtml(violating(ids.map((requirement) => ({ requirement }))))
  const articles = html.split('<article').slice(1)
  expect(
    articles.map((text) =>
      /^[^]*?<p class="message">(.*?)<\/p>\s*<pre class="copied"[^>]*>curl/.test(text),
    ),
  ).toEqual(ids.map(() => true))
  const main = html.slice(html.indexOf('<main'))
  expect(main.match(/<summary class=""><span class="id">/g)).toHaveLength(2)
  expect(html).not.toMatch(/<details [^>]*open/)
  expect(html).toContain('<summary class="">54 requirements</summary>')
})

test('a cause is copied for an issue as a few lines of Markdown, whatever the target has sent', () => {
  const linesIn = (report: Report): string[] => {
    const [, text = ''] =
      /Copy for an issue<\/summary>\s*<pre class="copied"[^>]*>([^]*?)<\/pre>/.exec(
        toHtml(report),
      ) ?? []
    return text.split('\n')
  }
  expect(linesIn(violating([{ more: 2 }]))).toEqual([
    '**list.limit.respected**: &#96;GET /pets?limit=2 returns 20 pets, at most 2 allowed&#96;',
    '&#62; limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return.',
    // What follows would belong to the quote.
    '',
    'Expected &#96;at most 2 pets&#96;, actual &#96;20 pets&#96; (in 3 responses)',
    '&#96;&#96;&#96;sh',
    'curl -sS -i &#39;http://127.0.0.1:4010/v1/pets?limit=2&#39; -H &#34;Authorization: Bearer $PETSTORE_API_KEY&#34;',
    '&#96;&#96;&#96;',
    '&#96;petstore-kit 1.2.3, http://127.0.0.1:4010/v1, 2026-11-20 12:00:00 UTC&#96;',
  ])
  const hostileLines = linesIn(echoing(hostile))
  expect(hostileLines).toHaveLength(8)
  // What the target has sent stands in code alone.
  for (const line of hostileLines.toSpliced(5, 1))
    expect(line.replaceAll(/(&#96;)+.*\1/g, '')).not.toContain('evil')
  expect(hostileLines.slice(4, 7)).toEqual([
    '&#96;&#96;&#96;sh',
    expect.stringMatching(/^curl /),
    '&#96;&#96;&#96;',
  ])
})

test('a finding of two requests shows and copies both commands', () => {
  const [finding] = violating().findings
  const exchange = finding?.exchanges[0]
  if (exchange === undefined) throw new Error('no exchange')
  const other = { ...exchange, curl: 'curl -sS -i http://127.0.0.1:4010/v1/pets/7' }
  const html = toHtml(violating([{ exchanges: [exchange, other] }]))
  const shown = all(html, /<pre class="copied"[^>]*>([^]*?)<\/pre>/g)
  const both = /^curl .*limit=2.*\ncurl .*pets\/7$/m
  expect(shown).toHaveLength(2)
  for (const text of shown) expect(text).toMatch(both)
})

test('only scrollable text is a tab stop', () => {
  const [finding] = violating().findings
  const exchange = finding?.exchanges[0]
  if (exchange === undefined) throw new Error('no exchange')
  expect(toHtml(violating())).not.toContain('tabindex="0"')
  const long = { ...exchange, response: { ...exchange.response, body: 'x\n'.repeat(30) } }
  expect(
    toHtml(violating([{ exchanges: [long] }])).match(/<pre class="tall" tabindex="0">/g),
  ).toHaveLength(1)
})

test('the row of a requirement links to its cause, whose consequences each have a sentence', () => {
  const html = toHtml(violating([{ alsoBreaks: ['list.success'] }]))
  for (const id of ['list.limit.respected', 'list.success']) {
    const row = html.slice(html.indexOf(`<li id="requirement-${id}"`)).split('</li>')[0]
    expect(row).toContain('<span>Violated</span>')
    expect(row).toContain('<a href="#found-list.limit.respected">')
    expect(html).not.toContain(`href="#requirement-${id}"`)
  }
  const [, consequences = ''] =
    /Probably also breaks[^]*?<\/summary>([^]*?)<\/details>/.exec(html) ?? []
  expect(consequences).toMatch(/list\.<wbr>success<\/span> \w.*\.<\/p>/)
})

test('an exchange is shown with escaped invisible characters', () => {
  const html = toHtml(echoing('a\u202eb\n<b>'))
  expect(html).toContain('x-came: a\\u202eb\\u000a&#60;b&#62;')
  expect(html).toContain('\n\na\\u202eb\n&#60;b&#62;\n(The body is longer.)</pre>')
})
