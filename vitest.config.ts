import { configDefaults, defineConfig } from 'vitest/config'
import { external, isBuilt, plugins } from './test/support/built.ts'
import { longestFirst } from './test/support/longest-first.ts'
import { sampled } from './test/support/sampled.ts'
import { LastWords } from './test/support/last-words.ts'

// The environment of the caller must not reach what the tests start.
for (const name of Object.keys(process.env))
  if (name.startsWith('PETSTORE_')) delete process.env[name]

/** `.ci/run` sets TEST_SAMPLED=slow: it runs the larger samples of `npm run test:slow` anyway. */
const left = process.env['TEST_SAMPLED'] === 'slow' ? sampled : []
/** Files in which libraries patch the globals of their process, or which need modules that no other has loaded. */
const apart = 'test/{io/adapters/{dom,every-adapter},unit/mock/scored-early}.test.ts'

/** `npm test`: what a contributor runs. test/README.md explains the folders. */
export default defineConfig({
  plugins,
  test: {
    globalSetup: isBuilt ? [] : ['scripts/words.mjs', 'scripts/validators.mjs'],
    setupFiles: ['test/support/seed.ts', 'test/support/processor-time.ts'],
    server: { deps: { external } },
    reporters: ['default', new LastWords()],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    expect: { poll: { timeout: 300_000 } },
    // One more than cores: a third of the time of the files is waiting.
    maxWorkers: 3,
    // The proof takes longest; what waits for sockets follows.
    sequence: { sequencer: longestFirst(['/test/proof/', '/test/io/']) },
    // What is concurrent waits for sockets, or for a virtual clock.
    maxConcurrency: 8,
    projects: [
      // All files of a worker import src once: no test may leave anything behind.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/{unit,proof,io}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, apart, ...left],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: [apart] } },
    ],
  },
})
