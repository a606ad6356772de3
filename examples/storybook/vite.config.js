import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const { CHROMIUM = '', CHROMIUM_ARGS = '[]' } = process.env

export default defineConfig({
  plugins: [storybookTest()],
  test: {
    browser: {
      enabled: true,
      headless: true,
      instances: [{ browser: 'chromium' }],
      // A browser of your own, in place of the one that `npx playwright install chromium` fetches.
      provider: playwright({
        launchOptions:
          CHROMIUM === '' ? {} : { executablePath: CHROMIUM, args: JSON.parse(CHROMIUM_ARGS) },
      }),
    },
  },
})
