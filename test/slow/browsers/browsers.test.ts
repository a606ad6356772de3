/**
 * Tasks in the console, and the MSW adapter in a page, in each installed browser. `npm run test:browsers` writes a
 * row for each to docs/project/matrix.md.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type * as Suites from '../../../src/cli/verify/suite.ts'
import type * as Kit from '../../../src/mock/index.ts'
import { addBigPet } from '../../io/adapters/in-process.ts'
import {
  type Browser,
  driveTab,
  launchChromium,
  launchFirefox,
  launchWebKit,
} from '../../io/browser/drivers.ts'
import { faultsIn, servePage } from '../../io/browser/page-server.ts'
import { ConsolePage, tasks } from '../../io/browser/tasks.ts'

const dist = new URL('../../../dist/', import.meta.url).href
const page = join(import.meta.dirname, '../../../docs/project/matrix.md')
const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
const elsewhere = 'http://petstore.test'

const installed = (...names: string[]): string | undefined =>
  names.find((name) => spawnSync(name, ['--version']).error === undefined)
const firefox = installed('firefox-esr', 'firefox')
/** In the Debian package `webkit2gtk-driver`; the virtual screen needs `xvfb`. */
const miniBrowser = installed('WebKitWebDriver')
  ? ['4.1', '4.0', '6.0']
      .map((abi) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${abi}/MiniBrowser`)
      .find((path) => existsSync(path))
  : undefined

const browsers: Readonly<Record<string, () => Promise<Browser>>> = {
  async Chromium() {
    const browser = await launchChromium()
    const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    return {
      ...driveTab(tab),
      title: `Chromium ${browser.version()}`,
      close: () => browser.close(),
    }
  },
  Firefox: () => launchFirefox(firefox ?? ''),
  WebKitGTK: () => launchWebKit(miniBrowser ?? ''),
}
const missing = [
  ...(firefox === undefined ? ['Firefox'] : []),
  ...(miniBrowser === undefined ? ['WebKitGTK'] : []),
]
if (missing.length > 0) console.log(`Skipped, because not installed: ${missing.join(', ')}.`)

/** Number of passed tests in each browser, in the console and with MSW. */
const rows = new Map<string, { console: number; msw: number }>()

describe.each(Object.entries(browsers).filter(([name]) => !missing.includes(name)))(
  '%s',
  (_name, launch) => {
    let kit: typeof Kit
    let suite: ReturnType<typeof Suites.createSuite>
    let browser: Browser
    let folder: string
    const count = (part: 'console' | 'msw'): void => {
      onTestFinished(({ task }) => {
        const row = rows.get(browser.title) ?? { console: 0, msw: 0 }
        rows.set(browser.title, {
          ...row,
          [part]: row[part] + (task.result?.state === 'pass' ? 1 : 0),
        })
      })
    }

    beforeAll(async () => {
      kit = (await import(`${dist}mock/index.js`)) as typeof Kit
      const { createSuite } = (await import(`${dist}cli/verify/suite.js`)) as typeof Suites
      suite = createSuite({ folder: '/', env: {} } as Parameters<typeof createSuite>[0], false)
      folder = mkdtempSync(join(tmpdir(), 'petstore-browsers-'))
      browser = await launch()
    })
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true })
    })

    test.each(Object.entries(tasks))('%s', async (_, task) => {
      count('console')
      const mock = await kit.startMock({ pets: 30, suite: async () => suite })
      onTestFinished(() => mock.close())
      await task({ kit, mock, folder, page: new ConsolePage(browser, mock.consoleUrl ?? '') })
      await browser.goto('about:blank')
    })

    test.each([
      [
        'with the server, through CORS',
        (url: string) => `runCases("${url}", ["GET", "HEAD", "POST", "OPTIONS"])`,
      ],
      ['through the worker', () => 'runThroughWorker("/v1")'],
      ['through the worker, at another origin', () => `runThroughWorker("${elsewhere}/v1")`],
      ['faults, through the worker', () => 'runFaults("/v1")'],
    ])('the common cases of all adapters, %s', async (part, codeFor) => {
      count('msw')
      const mock = await kit.startMock({ pets: 3 })
      onTestFinished(() => mock.close())
      addBigPet(mock)
      const server = await servePage([elsewhere, new URL(mock.url).origin])
      onTestFinished(() => server.close())
      await browser.goto(server.url)
      const found = await browser.call(`globalThis.page.${codeFor(mock.url)}`)
      expect(found).toEqual(part.startsWith('faults') ? faultsIn(browser.title) : [])
    })
  },
)

test.runIf(process.env['npm_lifecycle_event'] === 'test:browsers')(
  'writes the rows of the page',
  () => {
    const lines = [...rows].map(
      ([title, { console, msw }]) =>
        `| ${title} | ${console} of ${Object.keys(tasks).length} | ${msw} of 4 |`,
    )
    const nameOf = (line: string): string => /^\| (\w+)/.exec(line)?.[1] ?? ''
    const text = readFileSync(page, 'utf8')
    // Keep the rows of browsers that are not installed.
    const written = text.replace(
      /(\| browser \|.*\n\| --- .*\n)((?:\|.*\n)*)/,
      (_, head: string, old: string) => {
        const kept = old
          .split('\n')
          .filter((line) => line !== '' && lines.every((row) => nameOf(row) !== nameOf(line)))
        return [head.trimEnd(), ...[...lines, ...kept].toSorted(), ''].join('\n')
      },
    )
    writeFileSync(page, written)
  },
)
