import { configDefaults, defineConfig } from 'vitest/config'

// The settings of whoever runs the tests must not reach what they start.
for (const name of Object.keys(process.env)) if (name.startsWith('PETSTORE_')) delete process.env[name]

/** Tests that take minutes: `npm run test:slow` runs them. */
export const slow = 'test/**/*.slow.test.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'scripts/validators.mjs',
    exclude: [...configDefaults.exclude, slow],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    // Most of the time is spent waiting for servers.
    maxWorkers: 2,
  },
})
