/** `npm run chaos`; TEST_KEEP=FOLDER saves each history there in the format for Porcupine. */
import { expect, test } from 'vitest'

import { longRun } from '../../support/level.ts'
import { describeWithEngine } from '../../support/redis.ts'
import { chaos, summary } from './chaos.ts'

const { seconds, seed } = longRun({ usual: 10, slow: 30, all: 1_200 })

describeWithEngine(`every history of ${seconds} s from seed ${seed}`, () => {
  test('is linearizable while mocks, engine and wires fail', async () => {
    const report = await chaos({ seed, seconds, keep: process.env['TEST_KEEP'] })
    process.stdout.write(`${summary(report)}\n`)
    expect(report.faults, summary(report)).toEqual([])
    expect(report.notChecked).toBe(0)
    expect(report.linearizable).toBeGreaterThanOrEqual(report.episodes)
  })
})
