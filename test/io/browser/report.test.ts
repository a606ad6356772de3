/** The HTML report in a real browser: printing, scrolling, filters. */
import type { Browser, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparisonReporters, toHtml } from '../../../src/contract/index.ts'
import { historyHtml } from '../../../src/contract/reporters/history.ts'
import { histories } from '../../unit/reporters/histories.ts'
import { comparisons } from '../../unit/reporters/comparisons.ts'
import { launchChromium, violations } from './drivers.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

let browser: Browser
let tab: Tab

beforeAll(async () => {
  const defects = ['list.limit-ignored', 'create.same-id', 'error.status-zero'] as const
  const report = await verifyMock({ pets: 130, defects: [...defects] })
  browser = await launchChromium()
  tab = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await tab.setContent(toHtml(report))
})

afterAll(async () => browser?.close())

test('three violations print on at most six pages, each with its usual cause', async () => {
  const shown = () => tab.getByText('Usual cause').filter({ visible: true }).count()
  expect(await shown()).toBe(0)
  await tab.emulateMedia({ media: 'print' })
  expect(await shown()).toBe(3)
  await tab.emulateMedia({ media: null })
  const pdf = await tab.pdf({ format: 'A4' })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(6)
})

test('every scrollable block is a tab stop, and nothing is wider than a phone', async () => {
  const found = await tab.evaluate(`({
    unreachable: [...document.querySelectorAll('pre')].filter(
      (pre) => pre.checkVisibility() && pre.scrollHeight > pre.clientHeight + 1 && pre.tabIndex < 0,
    ).length,
    wider: document.documentElement.scrollWidth - innerWidth,
  })`)
  expect(found).toEqual({ unreachable: 0, wider: 0 })
})

test('the filter shows the requirements with one verdict, including folded ones', async () => {
  await tab.check('#show-good')
  const shown = await tab.evaluate<string[]>(
    `[...document.querySelectorAll('.requirements li')].filter((row) => row.checkVisibility()).map((row) => row.className)`,
  )
  expect(new Set(shown)).toEqual(new Set(['is-good']))
  expect(shown.length).toBeGreaterThan(30)
})

const pages: Record<string, () => string | undefined> = {
  'the history': () => historyHtml([...histories.mixed, ...histories.two.slice(1)]),
  'the comparison': () => comparisonReporters['html']?.(comparisons.differing),
}

test.each(Object.entries(pages))(
  '%s: axe finds no violations, light and dark, desktop and phone',
  async (_, page) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await tab.setViewportSize({ width, height: 844 })
      await tab.emulateMedia({ colorScheme })
      await tab.setContent(page() ?? '')
      await tab.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
      const found = await violations(tab)
      const wider = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect({ found, wider: Math.max(0, wider) }).toEqual({ found: [], wider: 0 })
    }
  },
)
