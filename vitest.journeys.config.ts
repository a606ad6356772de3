import { defineConfig } from 'vitest/config'

/** `npm run test:journeys`: weeks of three users, in real time, from the packed package. */
export default defineConfig({
  test: {
    name: 'journeys',
    include: ['test/journeys/*.test.ts'],
    globalSetup: 'test/journeys/install.ts',
    testTimeout: 1_200_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 300_000 } },
    // They wait most of the time, for rate limits and consistency windows.
    maxWorkers: 4,
  },
})
