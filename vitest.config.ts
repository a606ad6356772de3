import { configDefaults, defineConfig } from 'vitest/config'

// The environment of the caller must not reach what the tests start.
for (const name of Object.keys(process.env)) if (name.startsWith('PETSTORE_')) delete process.env[name]

const exclude = [...configDefaults.exclude, 'test/slow/**']
const project = (name: string, more: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], exclude, ...more },
})

/** `npm test`: what a contributor runs. test/README.md explains the projects. */
export default defineConfig({
  test: {
    globalSetup: 'scripts/validators.mjs',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    maxWorkers: 2,
    // All files of a worker import src once: no test may leave anything behind.
    isolate: false,
    // A run of the proof takes the processor and waits for nothing; io waits most of the time.
    projects: [project('unit'), project('proof', { maxConcurrency: 4 }), project('io', { maxConcurrency: 10 })],
  },
})
