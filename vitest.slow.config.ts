import { configDefaults, defineConfig } from 'vitest/config'

/** Tables of which `npm test` runs a sample, and properties that it tries less often. */
const sampled = [
  'test/io/browser/console.test.ts',
  'test/io/contract/secrecy.test.ts',
  'test/io/hostile/hostile.test.ts',
  'test/io/over-sockets.test.ts',
  'test/proof/broken/broken.test.ts',
  'test/proof/broken/silence.test.ts',
  'test/proof/closed-loop/compare.test.ts',
  'test/proof/closed-loop/{checks,defects,traffic}.test.ts',
  'test/proof/variants/{conforming,one-mistake}.test.ts',
  'test/unit/control/{hostile,pets,state}.test.ts',
  'test/unit/mock/{chaos,list-of-pets,deterministic,operations,read-rule,sandbox-key,store}.test.ts',
  'test/unit/report/{redact,requests}.test.ts',
  'test/unit/scorecard/conforming.test.ts',
]

/** `npm run test:slow`: what takes minutes; `npm run test:all` sets TEST_LEVEL and takes whole tables. */
export default defineConfig({
  test: {
    name: 'slow',
    include: ['test/slow/**/*.test.ts', ...sampled],
    exclude: configDefaults.exclude,
    env: { TEST_LEVEL: process.env['TEST_LEVEL'] ?? 'slow' },
    globalSetup: ['scripts/words.mjs', 'scripts/validators.mjs'],
    setupFiles: 'test/support/seed.ts',
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 3,
  },
})
