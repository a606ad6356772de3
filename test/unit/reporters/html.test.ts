import { expect, test } from 'vitest'
import { toHtml } from '../../../src/contract/index.ts'
import { echoing, violating } from './reports.ts'

const all = (html: string, pattern: RegExp): string[] =>
  Array.from(html.matchAll(pattern), ([, group = '']) => group)

test('the last exchange of the first case of each requirement is open, and passed requirements are folded by section', () => {
  const exchanges = [1, 2].flatMap(() =>
    violating().findings.flatMap((finding) => finding.exchanges),
  )
  const html = toHtml(violating([{ exchanges }, { message: 'Another case.' }]))
  const [, found = ''] = /<article([^]*)<\/article>/.exec(html) ?? []
  expect(all(found, /<details([^>]*)>/g).map((tag) => tag.trim())).toEqual(['', '', 'open', '', ''])
  expect(found).toContain('Common causes and fix')
  const summaries = all(html, /<summary>(\d+ (?:verified|not applicable)[^<]*)<\/summary>/g)
  expect(summaries.slice(0, 2)).toEqual(['6 verified, 2 not applicable', '12 verified'])
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

test('the row of a requirement links to its cases or its cause, and back', () => {
  const html = toHtml(violating([{ alsoBreaks: ['list.success'] }]))
  for (const id of ['list.limit.respected', 'list.success']) {
    const row = html.slice(html.indexOf(`<li id="requirement-${id}"`)).split('</li>')[0]
    expect(row).toContain('<span>Violated</span>')
    expect(row).toContain('<a href="#found-list.limit.respected">')
    expect(html).toContain(`href="#requirement-${id}"`)
  }
})

test('requirements can be filtered without a script', () => {
  const html = toHtml(violating())
  expect(all(html, /<input type="radio" name="show" id="show-(\w+)"/g)).toEqual([
    'all',
    'bad',
    'warn',
    'good',
    'off',
  ])
})

test('an exchange is shown with escaped invisible characters', () => {
  const html = toHtml(echoing('a\u202eb\n<b>'))
  expect(html).toContain('x-came: a\\u202eb\\u000a&#60;b&#62;')
  expect(html).toContain('\n\na\\u202eb\n&#60;b&#62;\n(The body is longer.)</pre>')
})
