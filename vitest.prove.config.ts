import { defineConfig } from 'vitest/config'

/** `npm run prove`: runs the suite against every deviation and every lawful twin, and writes docs/proof.md. */
export default defineConfig({ test: { include: ['test/prove/prove.ts'], testTimeout: 900_000 } })
