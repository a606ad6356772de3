import { expect, type Page, test as base } from '@playwright/test'
import { defaultKey } from 'petstore-kit/mock'
import {
  petstore,
  type PetstoreFixtures,
  type PetstoreWorkerFixtures,
} from 'petstore-kit/playwright'

/** Tests that end, or end something, while a page still sends requests: all of them pass. */
const test = base.extend<PetstoreFixtures, PetstoreWorkerFixtures>(petstore)

// The mock of this file is its own, because a test closes it.
test.use({ petstoreOptions: { pets: 5 } })

const authorization = `Bearer ${defaultKey}`

/** The page sends a request, or one after each interval, without waiting for responses. */
const send = (page: Page, url: string, everyMs = 0): Promise<void> =>
  page.evaluate(
    ({ url, everyMs, authorization }) => {
      const one = (): void =>
        void fetch(`${url}/pets`, { headers: { authorization } }).catch(() => {})
      one()
      if (everyMs > 0) setInterval(one, everyMs)
    },
    { url, everyMs, authorization },
  )

for (const petstoreBaseUrl of ['https://api.example.com/v1', undefined]) {
  test.describe(`at ${petstoreBaseUrl ?? 'the mock'},`, () => {
    test.use({ petstoreBaseUrl, petstoreStrictRules: false })

    for (const [index, everyMs] of [10, 10, 50, 50].entries()) {
      test(`polls every ${everyMs} ms (${index})`, async ({ page, petstore: own }) => {
        await send(page, petstoreBaseUrl ?? own.url, everyMs)
        await expect.poll(() => own.journal.list().length).toBeGreaterThan(1)
      })
    }

    test('polls in a popup', async ({ page, petstore: own }) => {
      const opened = page.waitForEvent('popup')
      await page.evaluate(`void open(${JSON.stringify(own.url)})`)
      const popup = await opened
      await popup.waitForLoadState()
      await send(popup, petstoreBaseUrl ?? own.url, 20)
      await expect.poll(() => own.journal.list().length).toBeGreaterThan(1)
    })

    test.describe('without a response,', () => {
      test.beforeEach(async ({ page, petstore: own }) => {
        own.use({ fault: 'silence' })
        await send(page, petstoreBaseUrl ?? own.url, 20)
        await expect.poll(() => own.journal.list().length).toBeGreaterThan(1)
      })

      test('ends', () => {})
      test('closes its page, and goes on', async ({ page, context, petstore: own }) => {
        await page.close()
        own.reset()
        await send(await context.newPage(), petstoreBaseUrl ?? own.url)
        await expect.poll(() => own.journal.last()?.response.status).toBe(200)
      })
      test('closes its context', async ({ context }) => context.close())
      test('leaves its page', async ({ page }) => void (await page.goto('data:,')))
    })

    test('aborts before, in and after the tick', async ({ page, petstore: own }) => {
      own.use({ delayMs: 60_000 })
      const ends = await page.evaluate(
        async ({ url, authorization }) => {
          const abortAfter = async (ms: number): Promise<string> => {
            const aborting = new AbortController()
            if (ms < 0) aborting.abort()
            const { signal } = aborting
            const sent = fetch(`${url}/pets`, { headers: { authorization }, signal })
            if (ms === 0) aborting.abort()
            else setTimeout(() => aborting.abort(), ms)
            return sent.then(
              ({ status }) => String(status),
              ({ name }: Error) => name,
            )
          }
          return Promise.all([-1, 0, 1, 2, 5, 10, 20, 50, 100].map(abortAfter))
        },
        { url: petstoreBaseUrl ?? own.url, authorization },
      )
      expect(ends).toEqual(ends.map(() => 'AbortError'))
    })
  })
}

test.describe('a short limit of actions', () => {
  test.use({ petstoreBaseUrl: 'https://api.example.com/v1', actionTimeout: 100 })
  test('does not apply to the network', async ({ page, petstore: own }) => {
    own.use({ delayMs: 1_000 })
    await send(page, 'https://api.example.com/v1')
    await page.waitForEvent('requestfinished', { timeout: 60_000 })
  })
})

test('no sandbox of an earlier test is left', ({ petstore: own }) => {
  expect(own.mock.sandboxes.list().map(({ name }) => name)).toEqual([own.name])
})

for (const petstoreBaseUrl of ['https://api.example.com/v1', undefined]) {
  test.describe(`at ${petstoreBaseUrl ?? 'the mock'}, last`, () => {
    test.use({ petstoreBaseUrl })
    test('closes the mock', async ({ page, petstore: own }) => {
      await send(page, petstoreBaseUrl ?? own.url, 20)
      await page.waitForTimeout(100)
      await own.mock.close()
      await page.waitForTimeout(100)
    })
  })
}
