import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// The environment of the caller must not reach what the tests start.
for (const name of Object.keys(process.env)) if (name.startsWith('PETSTORE_')) delete process.env[name]

/** The proof, which takes longest, begins. */
class ProofFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (moduleId.includes('/test/proof/') ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const adapters = 'test/io/adapters/**/*.test.ts'

/** `npm test`: what a contributor runs. test/README.md explains the folders. */
export default defineConfig({
  test: {
    // `npm test` has built just now.
    globalSetup: process.env['npm_lifecycle_event'] === 'test' ? [] : ['scripts/validators.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    maxWorkers: 2,
    sequence: { sequencer: ProofFirst },
    // What is concurrent waits for sockets, or for a virtual clock.
    maxConcurrency: 8,
    projects: [
      // All files of a worker import src once: no test may leave anything behind.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/{unit,proof,io}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, adapters],
          isolate: false,
        },
      },
      // Libraries patch the globals of their process here.
      { extends: true, test: { name: 'adapters', include: [adapters] } },
    ],
  },
})
