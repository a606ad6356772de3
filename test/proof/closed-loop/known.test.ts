/** A baseline accepts what its deployment does, whichever check sees it first, and in whichever response. */
import { describe, expect, test } from 'vitest'
import { toBaseline } from '../../../src/contract/report/baseline.ts'
import { createMock, defaultKey, type DefectId, defects } from '../../../src/mock/index.ts'
import { sample } from '../../support/level.ts'
import { carryOutAt, dispatcherOf, withJitter } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** Defects that show in other ways by chance, or once the pets of the first runs are there. */
const showsAnew: ReadonlySet<DefectId> = new Set([
  'auth.cached-list',
  'auth.one-in-ten-rejected',
  'list.sometimes-empty',
  'list.filter-remembered',
  'list.hides-sold',
  'list.limit-before-filter',
  'filter.pages-of-10',
  'filter.leaks-last',
  'filter.sold-as-pending',
  'filter.pending-empty',
  'filter.skips-every-other',
  'create.same-name-forgotten',
  'create.same-name-overwrites',
  'create.returns-other-id',
  'create.expires',
  'create.forgets-previous',
  'create.replica-lacks-pet',
  'create.large-id-lost',
  'create.parallel-lost',
  'create.id-rounded-in-list',
  'create.never-listed',
  'get.removes',
  'get.list-recategorizes',
  'reject.second-try-accepted',
])

const steady = defects.filter(({ id }) => !showsAnew.has(id))

/** Those whose runs differed in the check, in the names of pets, or in the pets of the run before. */
const unsteadyOnce: ReadonlySet<DefectId> = new Set([
  'list.limit-plus-one',
  'pet.status-upper-case',
  'pet.name-object',
  'http.cut',
])

describe('the runs that follow find nothing new with', () => {
  const others = sample(steady, { usual: 80, slow: 16, all: 1 })
  const again = sample([...unsteadyOnce], { usual: 2, slow: 1, all: 1 })
  const chosen = steady.filter((one) => again.includes(one.id) || others.includes(one))
  test.concurrent.each(chosen)('$id', async ({ id, pets = 130 }) => {
    const clock = new VirtualClock()
    const mock = createMock({ now: () => new Date(clock.now()), pets, defects: [id] })
    const verifyAs = (runId: string, jitter: number, more = {}) => {
      const dispatcher = withJitter(dispatcherOf(mock.handle, clock), jitter)
      const target = { baseUrl: 'http://localhost:1/v1', apiKey: defaultKey, dispatcher }
      return carryOutAt(clock, { ...target, runId, observations: false, ...more })
    }
    const baseline = toBaseline(await verifyAs('Bcdfgh', 1), { reason: 'known' })
    for (const [runId, jitter] of [
      ['Cdfghj', 2],
      ['Dfghjk', 3],
    ] as const) {
      const { findings, exitCode } = await verifyAs(runId, jitter, { baseline })
      expect(findings.filter(({ known }) => known === undefined)).toEqual([])
      expect(exitCode).not.toBe(1)
    }
  })
})
