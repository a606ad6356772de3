import { configDefaults, defineConfig } from 'vitest/config'

// The environment of the caller must not reach what the tests start.
for (const name of Object.keys(process.env)) if (name.startsWith('PETSTORE_')) delete process.env[name]

/** Sets of minutes, and all that starts other test runners or programs: `npm run test:slow`. */
export const slow = [
  'test/**/*.slow.test.ts',
  'test/docs/blocks.test.ts',
  'test/mock/sandbox-bounds.test.ts',
  'test/{examples,fuzz,isolation,runners,soak}/**/*.test.ts',
]
/** The suite against everything that it must catch, and everything that it must pass: in process and in virtual time. */
const proof = [
  'test/broken/{broken,silence}.test.ts',
  'test/closed-loop/{checks,conforms,deviations,profiles}.test.ts',
  'test/contract/twins.test.ts',
  'test/twins/*.test.ts',
]
/** Sockets, files, processes, the browser. */
const io = [
  'test/{adapters,browser,cli,contract-io,faces}/**/*.test.ts',
  'test/broken/hostile.test.ts',
  'test/closed-loop/over-sockets.test.ts',
  'test/contract/{ending,interim-responses,secrecy,transport,verify}.test.ts',
  'test/mock/{server,wire,raw}*.test.ts',
]

const exclude = [...configDefaults.exclude, ...slow]

/** `npm test`: what a contributor runs. test/README.md explains the projects. */
export default defineConfig({
  test: {
    globalSetup: 'scripts/validators.mjs',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...exclude, ...proof, ...io] },
      },
      // One run takes the processor, and waits for nothing.
      { extends: true, test: { name: 'proof', include: proof, exclude, maxConcurrency: 4 } },
      // Most of the time is spent waiting.
      { extends: true, test: { name: 'io', include: io, exclude, maxConcurrency: 10 } },
    ],
  },
})
