/** The history checker finds planted faults, agrees with a search of all orders, and reports an exhausted budget. */
import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'

import { type History, play, send } from './clients.ts'
import { MockProcess } from '../../support/machines.ts'

import { judge, type Recorded } from './linearizable.ts'
import { infer, type Operation, sandboxModel, startState } from './register.ts'
import { Random } from '../../../src/mock/pets/seed.ts'
import { runs } from '../../support/level.ts'
import { judgeByForce, makeHistory, type PlantedFault, plantedFaults, start } from './histories.ts'

const judged = (history: readonly Recorded<Operation>[], budget?: number) =>
  judge(sandboxModel, start, infer(history), budget)

const seeds = Array.from({ length: runs(5) }, (_, index) => index + 1)

test('a history with a valid order is linearizable, also with lost responses', () => {
  for (const seed of seeds) {
    const history = makeHistory({ seed, clients: 6, operations: 400, oneLostIn: 30 }) ?? []
    expect(judged(history), String(seed)).toMatchObject({ verdict: 'linearizable' })
  }
})

describe.each(Object.keys(plantedFaults) as PlantedFault[])('%s', (fault) => {
  test.each([undefined, 15])('is found with one lost response in %s', (oneLostIn) => {
    let planted = 0
    for (const seed of seeds) {
      const history = makeHistory({ seed, clients: 5, operations: 300, oneLostIn, fault })
      if (history === undefined) continue
      planted += 1
      expect(judged(history), String(seed)).toMatchObject({ verdict: 'not linearizable' })
    }
    expect(planted).toBeGreaterThan(0)
  })
})

test('the checker agrees with a search of all orders', () => {
  const verdicts = { true: 0, false: 0 }
  for (let seed = 1; seed <= runs(600); seed += 1) {
    const random = new Random(seed)
    const history = makeHistory({ seed, clients: 4, operations: 5, oneLostIn: 4 }) ?? []
    // Swap two results, which is sometimes still linearizable.
    const [a, b] = [
      Math.floor(random.next() * history.length),
      Math.floor(random.next() * history.length),
    ]
    const [one, other] = [history[a], history[b]]
    const mixed = history
      .map((each) => {
        if (seed % 3 === 0 || each.result === undefined || one?.op.kind !== other?.op.kind)
          return each
        return each === one ? { ...each, result: other?.result } : each
      })
      .filter((each) => each.return === Infinity || each.result !== undefined)
    const isRight = judgeByForce(mixed)
    verdicts[`${isRight}`] += 1
    expect(judged(mixed).verdict, JSON.stringify(mixed)).toBe(
      isRight ? 'linearizable' : 'not linearizable',
    )
  }
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(runs(600) / 100)
})

test('an exhausted budget gives "not checked" with the last position', () => {
  const history =
    makeHistory({ seed: 1, clients: 6, operations: 300, fault: 'an id that is given twice' }) ?? []
  const { verdict, stuck } = judged(history, 250)
  expect(verdict).toBe('not checked')
  const found = judged(history).stuck
  expect(found?.at.result).not.toBe(found?.expected)
  expect(stuck?.done).toBeLessThanOrEqual(250)
})

/** Checks the history of concurrent clients of one mock without shared state. */
async function recorded(seed: number, ...flags: string[]) {
  const mock = new MockProcess('the mock', ['--pets', '3', ...flags])
  await mock.start()
  const dispatcher = new Agent()
  try {
    const origin = mock.origin() ?? ''
    await send(dispatcher, origin, 'recorded', { kind: 'list', limit: 1 })
    const exported = await send(dispatcher, origin, 'recorded', { kind: 'export' })
    const history: History = {
      sandbox: 'recorded',
      operations: [],
      unavailable: { count: 0, longestMs: 0, wrong: [] },
    }
    const goesOn = (operations: number): boolean => operations < 600
    await play({ dispatcher, targets: [mock], clients: 6, seed, goesOn, history })
    const start = startState('result' in exported ? exported.result.slice(4) : '')
    return judge(sandboxModel, start, infer(history.operations))
  } finally {
    await mock.end('SIGTERM')
    await dispatcher.destroy()
  }
}

test.each([1, 2, 3])(
  'the history of a mock without shared state is linearizable, seed %s',
  async (seed) => {
    expect(await recorded(seed)).toMatchObject({ verdict: 'linearizable' })
  },
)

test.each(['create.not-stored', 'create.parallel-same-id'])(
  'the history of a mock with the defect %s is not',
  async (defect) => {
    expect(await recorded(1, '--defect', defect)).toMatchObject({ verdict: 'not linearizable' })
  },
)
