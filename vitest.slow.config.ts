import { configDefaults, defineConfig } from 'vitest/config'
import { slow } from './vitest.config.ts'

/** Tables of which `npm test` runs a sample. */
const sampled = [
  'test/broken/{broken,hostile,silence}.test.ts',
  'test/closed-loop/{deviations,over-sockets}.test.ts',
  'test/contract/twins.test.ts',
]

/** `npm run test:slow`: what takes minutes; `npm run test:all` sets TEST_LEVEL and takes whole tables. */
export default defineConfig({
  test: {
    name: 'slow',
    include: [...slow, ...sampled],
    exclude: configDefaults.exclude,
    env: { TEST_LEVEL: process.env['TEST_LEVEL'] ?? 'slow' },
    globalSetup: 'scripts/validators.mjs',
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
