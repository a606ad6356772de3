import { defineConfig } from '@playwright/test'

const { CHROMIUM = '', CHROMIUM_ARGS = '[]' } = process.env

export default defineConfig({
  fullyParallel: true,
  use: {
    // A browser of your own, in place of the one that `npx playwright install chromium` fetches.
    launchOptions:
      CHROMIUM === ''
        ? {}
        : { executablePath: CHROMIUM, args: JSON.parse(CHROMIUM_ARGS) as string[] },
  },
})
