/** `petstore-kit/playwright`: fixtures for `test.extend`. One mock for each worker, one sandbox for each test. */

import type { Fixtures, PlaywrightTestArgs, PlaywrightTestOptions, Route } from '@playwright/test'

import { UsageError } from '../../errors.ts'
import { printJson } from '../../json.ts'
import type { StartOptions, RunningMock } from '../start.ts'
import { sandboxKey, sandboxName } from '../service/sandbox-key.ts'
import type { Sandbox } from '../sandbox/types.ts'
import { startMock } from '../index.ts'

/** The sandbox of a test: rules, journal, clock, pets, snapshots, and how to reach it. */
export interface Petstore extends Sandbox {
  /** The base URL of the mock. */
  readonly url: string
  /** The API key of this test's sandbox. */
  readonly key: string
  readonly mock: RunningMock
}

/** Options and fixtures of a test. */
export interface PetstoreFixtures {
  /**
   * The base URL that the page calls: `https://api.example.com/v1`, or relative to `baseURL`: `/v1`. Its requests go to the
   * mock. Default: the URL of the mock, which the page must then be given.
   */
  petstoreBaseUrl: string | undefined
  /**
   * The API key that the page sends, which the key of the test's sandbox replaces. null for a page that sends none, because
   * its own server adds one: then the fixture adds the key. Any other key stays and gets 401, and so does a missing one.
   * Default: the keys of the mock.
   */
  petstorePageKey: string | null | undefined
  /** Whether a test fails when a rule that it has added was never used. Default: true. */
  petstoreStrictRules: boolean
  petstore: Petstore
}

/** Options and fixtures of a worker. */
export interface PetstoreWorkerFixtures {
  /** What `startMock` takes. Default: 100 pets on a free port. */
  petstoreOptions: StartOptions
  petstoreMock: RunningMock
}

/** The sandboxes of the ended tests of each mock: requests that were on their way at the end may have created them again. */
const endedTests = new WeakMap<RunningMock, Set<string>>()

/**
 * Fixtures for `test.extend`. In requests of the page to the mock, the key of the test's sandbox replaces the key of the
 * mock. When a test fails, its journal and rules are attached to the report. A service worker responds before Playwright sees a request: set
 * `serviceWorkers: 'block'` where the page registers one.
 *
 * @example
 * import { test as base } from '@playwright/test'
 * import { petstore, type PetstoreFixtures, type PetstoreWorkerFixtures } from 'petstore-kit/playwright'
 *
 * export const test = base.extend<PetstoreFixtures, PetstoreWorkerFixtures>(petstore)
 *
 * test('shows an error', async ({ page, petstore }) => {
 *   petstore.use({ when: { operation: 'listPets' }, reply: { status: 503 }, times: 1 })
 *   await page.goto('/')
 * })
 */
export const petstore: Fixtures<
  PetstoreFixtures,
  PetstoreWorkerFixtures,
  PlaywrightTestArgs & PlaywrightTestOptions
> = {
  petstoreBaseUrl: [undefined, { option: true }],
  petstorePageKey: [undefined, { option: true }],
  petstoreStrictRules: [true, { option: true }],
  petstoreOptions: [{}, { option: true, scope: 'worker' }],
  petstoreMock: [
    async ({ petstoreOptions }, use) => {
      const mock = await startMock(petstoreOptions)
      await use(mock)
      await mock.close()
    },
    { scope: 'worker' },
  ],
  petstore: [
    async (
      {
        petstoreMock: mock,
        petstoreBaseUrl: url = mock.url,
        petstorePageKey: pageKey,
        petstoreStrictRules,
        baseURL,
        context,
      },
      use,
      testInfo,
    ) => {
      const key = sandboxKey(
        // The title is what the console shows of it.
        `${testInfo.title} ${testInfo.testId}-${testInfo.retry}-${testInfo.repeatEachIndex}`,
      )
      const name = sandboxName(key) ?? ''
      const ended = endedTests.get(mock) ?? new Set()
      for (const one of ended) mock.sandboxes.delete(one)
      const sandbox = mock.sandboxes.get(name)
      const before = mock.journal.last()?.number ?? 0
      const initial = new Set(sandbox.rules().map(({ id }) => id))
      if (!URL.canParse(url, baseURL)) {
        const hint = 'give an absolute URL, or set baseURL'
        throw new UsageError(`petstoreBaseUrl ${JSON.stringify(url)} is not a URL: ${hint}.`)
      }
      const base = new URL(url, baseURL).href.replace(/(?<!\/)\/+$/, '')
      let isOver = false
      await context.route(
        ({ href }) => href.startsWith(base) && /^([/?]|$)/.test(href.slice(base.length)),
        async (route, request) => {
          try {
            const headers = await request.allHeaders()
            // The page may send requests until its context is closed, after the test.
            if (isOver) return await route.abort()
            const replaces = pageKey === undefined ? mock.settings.keys : [pageKey]
            useKey(headers, key, replaces)
            return await forward(route, request.url().replace(base, mock.url), headers)
          } catch {
            // The mock gave no response, or the page, its context or the request has gone and needs none.
            return route.abort('connectionreset').catch(() => {})
          }
        },
      )
      const own = { url: mock.url, key, mock }
      // Copy descriptors: a spread would trigger the lazy `pets` getter.
      await use(
        Object.defineProperties(own, Object.getOwnPropertyDescriptors(sandbox)) as typeof own &
          Sandbox,
      )
      isOver = true

      const pending = sandbox.pendingRules().filter(({ id }) => !initial.has(id))
      if (testInfo.status !== testInfo.expectedStatus) {
        const attach = (what: string, value: object): Promise<void> =>
          testInfo.attach(`petstore ${what}`, {
            // Integers of pets may be bigints.
            body: printJson(value, 2),
            contentType: 'application/json',
          })
        await attach('journal', sandbox.journal.list())
        await attach('rules', sandbox.rules())
        // Requests with no key or a wrong one belong to no sandbox.
        const others = mock.journal.list({ after: before })
        if (others.length > 0) await attach('requests without its key', others)
      }
      mock.sandboxes.delete(name)
      endedTests.set(mock, ended.add(name))
      // An unused rule makes a test fail, also one that is expected to.
      if (petstoreStrictRules && testInfo.status === 'passed' && pending.length > 0) {
        const { withNearest } = await import('../journal/nearest.ts')
        const reasons = (await withNearest(sandbox, pending)).map(
          ({ id, nearest }) => `${id}${nearest === undefined ? '' : `. ${nearest.message}`}`,
        )
        throw new UsageError(`Rules that no request used: ${reasons.join(', ')}.`)
      }
    },
    { auto: true },
  ],
}

/**
 * Replaces those keys by the key of the sandbox; null stands for no key. Any other key stays, so that the page gets the 401
 * that the service would send.
 */
function useKey(
  headers: Record<string, string>,
  key: string,
  replaced: readonly (string | null)[],
): void {
  const { authorization } = headers
  const [, scheme = 'Bearer ', sent = null] = /^(bearer +)([^]*)$/i.exec(authorization ?? '') ?? []
  const isForeign = authorization !== undefined && sent === null
  if (!isForeign && replaced.includes(sent)) headers['authorization'] = scheme + key
}

async function forward(route: Route, url: string, headers: Record<string, string>): Promise<void> {
  // The browser's own network stack shows delays, resets and truncated bodies exactly, but cannot change the scheme.
  if (new URL(route.request().url()).protocol === 'http:') return route.continue({ url, headers })
  // The limit of Playwright's actions does not hold for the network.
  const response = await route.fetch({ url, headers, timeout: 0 })
  return route.fulfill({ response })
}
