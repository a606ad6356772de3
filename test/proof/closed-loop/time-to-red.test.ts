import { expect, test } from 'vitest'
import { defects, type DefectId } from '../../../src/mock/index.ts'
import { verifyMock } from '../../support/verify-in-process.ts'

/**
 * A defect, and how many seconds a run may wait for what may be late: none but the window where one is certain. Where pets
 * change, another window shows whether reads change a new one.
 */
const sample: [DefectId, mostWaits: number][] = [
  ['list.limit-minus-one', 5],
  ['list.hides-sold', 5],
  ['list.lacks-one', 5],
  ['filter.pending-empty', 5],
  ['filter.echoes-status', 10],
  ['create.forgets-previous', 5],
  ['get.removes', 5],
  ['list.renumbered', 5],
  ['auth.list-open', 0],
]

test.concurrent.each(sample)(
  'a run against %s waits at most %i s, and sends at most 500 requests',
  async (id, most) => {
    const pets = defects.find((one) => one.id === id)?.pets ?? 130
    const waits: number[] = []
    const onProgress = (line: string): void => {
      const [, seconds] = /^waiting (\d+) s/.exec(line) ?? []
      if (seconds !== undefined) waits.push(Number(seconds))
    }
    const report = await verifyMock({ pets, defects: [id] }, { onProgress })
    expect(report.exitCode).toBe(1)
    expect(waits.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(most)
    expect(report.counts.requests).toBeLessThanOrEqual(500)
  },
)
