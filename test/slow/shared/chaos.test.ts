/** One minute of chaos. Longer: `npm run chaos -- --seconds 600`. */
import { expect, test } from 'vitest'

import { chaos, summary } from '../../../scripts/chaos.ts'
import { engineCommand, noEngine } from '../../../scripts/chaos/machines.ts'
import { byLevel } from '../../support/level.ts'

const seconds = byLevel({ usual: 10, slow: 60, all: 1_200 })

if (engineCommand === undefined) process.stdout.write(`Skipped: ${noEngine}\n`)

test.skipIf(engineCommand === undefined)(
  `every history of ${seconds} seconds is linearizable while mocks, engine and wires fail`,
  async () => {
    const report = await chaos({ seed: Math.floor(Math.random() * 1e6), seconds })
    process.stdout.write(`${summary(report)}\n`)
    expect(report.faults, summary(report)).toEqual([])
    expect(report.notChecked).toBe(0)
    expect(report.linearizable).toBeGreaterThanOrEqual(report.episodes)
  },
)
