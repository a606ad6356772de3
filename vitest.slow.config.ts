import { configDefaults, defineConfig } from 'vitest/config'
import { sampled } from './test/support/sampled.ts'
import { Skipped } from './test/support/skipped.ts'

/** `npm run test:slow`: what takes minutes; `npm run test:all` sets TEST_LEVEL and takes whole tables. */
export default defineConfig({
  test: {
    name: 'slow',
    include: ['test/slow/**/*.test.ts', ...sampled],
    exclude: configDefaults.exclude,
    env: { TEST_LEVEL: process.env['TEST_LEVEL'] ?? 'slow' },
    globalSetup: ['scripts/words.mjs', 'scripts/validators.mjs'],
    setupFiles: 'test/support/seed.ts',
    reporters: ['default', new Skipped()],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 300_000 } },
    maxWorkers: 3,
  },
})
