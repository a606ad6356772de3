import { defineConfig } from '@playwright/test'

/** The run of test/slow/runners/playwright.test.ts: one worker, and a browser from a package of npm. */
export default defineConfig({
  testMatch: /\.spec\.ts$/,
  workers: 1,
  fullyParallel: true,
  reporter: 'json',
  outputDir: process.env['PLAYWRIGHT_OUTPUT'] ?? 'test-results',
  use: {
    launchOptions: {
      executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '',
      args: JSON.parse(process.env['PLAYWRIGHT_ARGS'] ?? '[]') as string[],
    },
  },
})
