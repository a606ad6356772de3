import { defineConfig } from 'vitest/config'

/** `npm run test:all` runs these, too: what takes registries and tools of others. */
export default defineConfig({
  test: {
    name: 'release',
    include: ['test/release/*.test.ts'],
    globalSetup: ['scripts/words.mjs', 'scripts/validators.mjs'],
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    expect: { poll: { timeout: 300_000 } },
  },
})
