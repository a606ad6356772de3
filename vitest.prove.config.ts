import { defineConfig } from 'vitest/config'

/** `npm run prove`: runs the suite against every defect and conforming variant, and each part of it against every defect. */
export default defineConfig({
  test: { include: ['test/proof/prove/prove.ts'], testTimeout: 7_200_000 },
})
