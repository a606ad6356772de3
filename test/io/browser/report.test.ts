/** The HTML report in a real browser: printing, scrolling. */
import type { Browser, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { comparisonReporters, toHtml } from '../../../src/contract/index.ts'
import { historyHtml } from '../../../src/contract/reporters/history.ts'
import { histories } from '../../unit/reporters/histories.ts'
import { comparisons } from '../../unit/reporters/comparisons.ts'
import { scorecardReporters } from '../../../src/mock/scorecard/reporters.ts'
import { faulty } from '../../unit/scorecard/cards.ts'
import { launchChromium, violations } from './drivers.ts'
import { verifyMock } from '../../support/verify-in-process.ts'
import { sample } from '../../support/level.ts'

const many = [
  'auth.any-value',
  'list.minimum-rejected',
  'filter.leaks-last',
  'pet.status-upper-case',
  'create.status-200',
  'create.category-32-bit',
  'reject.name-missing-accepted',
  'reject.status-unknown-stored',
  'reject.malformed-is-500',
  'get.missing-is-400',
  'error.no-code',
  'http.text-media-type',
  'create.name-cut',
  'list.default-10',
  'reject.null-accepted',
] as const

let browser: Browser
let tab: Tab
let page: string

beforeAll(async () => {
  const defects = ['list.limit-ignored', 'create.same-id', 'error.status-zero'] as const
  const report = await verifyMock({ pets: 130, defects: [...defects] })
  browser = await launchChromium()
  tab = await browser.newPage()
  page = toHtml(report)
})

beforeEach(async () => {
  await tab.setViewportSize({ width: 390, height: 844 })
  await tab.emulateMedia({ colorScheme: null, media: null })
  // In the same document, the scripts of the page could not run again.
  await tab.goto('about:blank')
  await tab.setContent(page)
})

afterAll(async () => browser?.close())

test.each([
  [1280, 800],
  [390, 844],
])(
  'at %i x %i, the first 400 pixels have the verdict and the cause with its command',
  async (width, height) => {
    await tab.setViewportSize({ width, height })
    const [article] = await tab.locator('article').all()
    const parts = [
      tab.locator('h1'),
      ...['.message', 'pre.copied', 'button'].map((one) => article?.locator(one).first()),
    ]
    for (const part of parts) {
      const box = await part?.boundingBox()
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(400)
    }
  },
)

test.each([1280, 360])('at %i px, a line below the verdict leads to each cause', async (width) => {
  await tab.setViewportSize({ width, height: 740 })
  for (const [index, link] of (await tab.locator('header a').all()).entries()) {
    expect((await link.boundingBox())?.height).toBeLessThan(30)
    await link.click()
    expect(await tab.locator('article').nth(index).boundingBox()).toMatchObject({
      y: expect.closeTo(16, -1),
    })
    await tab.evaluate('scrollTo(0, 0)')
  }
  expect(await tab.locator('header a').count()).toBe(3)
})

test('buttons copy the command and the lines for an issue', async () => {
  const copied = (): Promise<string> => tab.evaluate('getSelection().toString()')
  await tab.locator('article button').first().click()
  await tab.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copied()).toMatch(/^curl .*\$PETSTORE_API_KEY/)
  await tab.getByRole('button', { name: 'Copy for an issue' }).first().click()
  await tab.getByRole('button', { name: 'Copied' }).nth(1).waitFor()
  expect((await copied()).split('\n').filter((line) => line.startsWith('curl '))).toHaveLength(2)
})

test('twelve causes take at most six screens of a desk or a phone', async () => {
  const report = await verifyMock({ pets: 130, defects: [...many] })
  const other = await browser.newContext().then((context) => context.newPage())
  await other.setContent(toHtml(report))
  expect(await other.locator('article').count()).toBeGreaterThanOrEqual(12)
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await other.setViewportSize({ width, height })
    const whole = await other.evaluate<number>('document.documentElement.scrollHeight')
    expect(whole / height).toBeLessThanOrEqual(6)
  }
  await other.evaluate(
    `location.hash = 'found-' + [...document.querySelectorAll('details > article')].at(-1).id.slice(6)`,
  )
  await other.locator('details > article').last().locator('.message').waitFor()
})

test('three violations print on at most six pages, each with its usual cause', async () => {
  const shown = () => tab.getByText('Usual cause').filter({ visible: true }).count()
  expect(await shown()).toBe(0)
  await tab.emulateMedia({ media: 'print' })
  expect(await shown()).toBe(3)
  await tab.emulateMedia({ media: null })
  const pdf = await tab.pdf({ format: 'A4' })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(6)
})

test('every scrollable block is a tab stop with a shadow, and nothing is wider than a phone', async () => {
  const found = await tab.evaluate(`({
    unreachable: [...document.querySelectorAll('pre')].filter(
      (pre) => pre.checkVisibility() && pre.scrollHeight > pre.clientHeight + 1 && pre.tabIndex < 0,
    ).length,
    unshaded: [...document.querySelectorAll('pre[tabindex]')].filter(
      (pre) => !getComputedStyle(pre).backgroundAttachment.includes('scroll'),
    ).length,
    wider: document.documentElement.scrollWidth - innerWidth,
  })`)
  expect(found).toEqual({ unreachable: 0, unshaded: 0, wider: 0 })
})

const pages: Record<string, () => string | undefined> = {
  'the report': () => page,
  'the scorecard': () =>
    scorecardReporters.html(
      [60, 70, 80, 90].map((score) => ({ ...faulty(), subject: `${score}`, score })),
    ),
  'the history': () => historyHtml([...histories.mixed, ...histories.two.slice(1)]),
  'the comparison': () => comparisonReporters['html']?.(comparisons.differing),
}

test.each(sample(Object.entries(pages), { usual: 2, slow: 1, all: 1 }))(
  '%s: axe finds no violations, light and dark, desktop and phone',
  async (_, toPage) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await tab.setViewportSize({ width, height: 844 })
      await tab.emulateMedia({ colorScheme })
      await tab.setContent(toPage() ?? '')
      await tab.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
      const found = await violations(tab)
      const wider = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect({ found, wider: Math.max(0, wider) }).toEqual({ found: [], wider: 0 })
    }
  },
)
