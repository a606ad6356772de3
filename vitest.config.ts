import { defineConfig } from 'vitest/config'

// The environment of the caller must not reach what the tests start.
for (const name of Object.keys(process.env)) if (name.startsWith('PETSTORE_')) delete process.env[name]

/** `npm test`: what a contributor runs. test/README.md explains the folders. */
export default defineConfig({
  test: {
    include: ['test/{unit,proof,io}/**/*.test.ts'],
    // `npm test` has built just now.
    globalSetup: process.env['npm_lifecycle_event'] === 'test' ? [] : ['scripts/validators.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    maxWorkers: 2,
    // All files of a worker import src once: no test may leave anything behind.
    isolate: false,
    // What is concurrent waits for sockets, or for a virtual clock.
    maxConcurrency: 8,
  },
})
