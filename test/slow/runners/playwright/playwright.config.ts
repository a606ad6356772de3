import { defineConfig } from '@playwright/test'
import type { PetstoreFixtures, PetstoreWorkerFixtures } from 'petstore-kit/playwright'

/** Configuration for test/slow/runners/playwright.test.ts: one worker, and a browser from an npm package. */
export default defineConfig<PetstoreFixtures, PetstoreWorkerFixtures>({
  testMatch: /\.spec\.ts$/,
  workers: 1,
  fullyParallel: true,
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: 'json',
  outputDir: process.env['PLAYWRIGHT_OUTPUT'] ?? 'test-results',
  use: {
    petstoreOptions: { rules: [{ when: { operation: 'createPet' }, delayMs: 1 }] },
    launchOptions: {
      executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '',
      args: JSON.parse(process.env['PLAYWRIGHT_ARGS'] ?? '[]') as string[],
    },
  },
})
