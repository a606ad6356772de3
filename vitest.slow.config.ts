import { defineConfig } from 'vitest/config'
import { slow } from './vitest.config.ts'

/** `npm run test:slow`: whole tables of which `npm test` runs the rows that tell most. */
export default defineConfig({ test: { include: [slow], maxWorkers: 2 } })
