import { defineConfig } from 'vitest/config'
import { external, isBuilt, plugins } from './test/support/built.ts'
import { longestFirst } from './test/support/longest-first.ts'
import { sampled } from './test/support/sampled.ts'
import { LastWords } from './test/support/last-words.ts'

/** What takes longest begins, so that nobody waits for one file at the end. */
const longest = [
  'docs/blocks',
  'proof/thorough',
  'examples/partners',
  'hostile/hostile.test',
  'closed-loop/defects',
  'variants/',
  'mock/state-kill',
  'proof/',
]

/** `npm run test:slow`: what takes minutes; `npm run test:all` sets TEST_LEVEL and takes whole tables. */
export default defineConfig({
  plugins,
  test: {
    env: { TEST_LEVEL: process.env['TEST_LEVEL'] ?? 'slow' },
    globalSetup: isBuilt ? [] : ['scripts/words.mjs', 'scripts/validators.mjs'],
    setupFiles: ['test/support/seed.ts', 'test/support/processor-time.ts'],
    server: { deps: { external } },
    reporters: ['default', new LastWords()],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 300_000 } },
    maxWorkers: 3,
    sequence: { sequencer: longestFirst(longest) },
    projects: [
      { extends: true, test: { name: 'slow', include: ['test/slow/**/*.test.ts'] } },
      // As in `npm test`, all of them of a worker import src once.
      { extends: true, test: { name: 'sampled', include: sampled, isolate: false } },
    ],
  },
})
