/** Common properties of all HTML pages of the kit. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { html, toPage, words } from '../../../src/report/html.ts'
import { script, scriptHash, style, styleHash } from '../../../src/report/style.gen.ts'

test('the content security policy of a page allows only its own style, and the script of a page with texts to copy', () => {
  const empty = { title: '', skip: '', kind: '', heading: '', main: [], footer: '' }
  const page = toPage(empty)
  const hash = (text: string): string =>
    `sha256-${createHash('sha256').update(text).digest('base64')}`
  const [, source = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
  expect(styleHash).toBe(hash(source))
  expect(page).not.toContain('<script')
  const copying = toPage({ ...empty, copies: true })
  expect(copying.match(/<script>[^]*?<\/script>/g)).toEqual([`<script>${script}</script>`])
  expect(scriptHash).toBe(hash(script))
  expect(copying).toContain(
    `style-src '${styleHash}'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'"`,
  )
  expect(page).toContain(
    `content="default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'"`,
  )
  expect(style).not.toMatch(/url\(|@import/)
})

test('strings are escaped, fragments are not', () => {
  expect(html`<p title="${'"x"'}">${'<b>\u202e`'}${[html`<br />`]}${undefined}</p>`.source).toBe(
    '<p title="&#34;x&#34;">&#60;b&#62;\\u202e&#96;<br /></p>',
  )
  expect(words('send `<x>`').source).toBe('send <code>&#60;x&#62;</code>')
})

describe('contrast', () => {
  const both = [...style.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
  const light = Object.fromEntries(both.map(([, name = '', color = '']) => [name, color]))
  const dark = Object.fromEntries(both.map(([, name = '', , color = '']) => [name, color]))
  const [, inPrint = ''] = style.split('@media print')
  const printed = [...inPrint.matchAll(/--([\w-]+): (#\w+);/g)]
  const print = Object.fromEntries(printed.map(([, name = '', color = '']) => [name, color]))
  test.each<[string, Record<string, string>]>([
    ['light', light],
    ['dark', dark],
    ['print', { ...light, ...print }],
  ])('%s', (_, colors) => {
    expect(Object.keys(colors)).toHaveLength(19)
    const pairs = [
      ...['ink', 'soft', 'accent', 'good', 'bad', 'warn', 'note'].flatMap((ink) =>
        ['paper', 'sheet', 'raised'].map((ground) => [ink, ground] as const),
      ),
      ...['good', 'bad', 'warn', 'note'].map((ink) => [ink, `${ink}-tint`] as const),
      ['ink', 'mark'] as const,
      ['ink', 'tint'] as const,
      ['on-accent', 'accent'] as const,
    ]
    for (const [ink, ground] of pairs) {
      const ratio = contrast(colors[ink] ?? '', colors[ground] ?? '')
      expect(ratio, `${ink} on ${ground}`).toBeGreaterThan(4.5)
    }
  })
})

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const long = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(long.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
