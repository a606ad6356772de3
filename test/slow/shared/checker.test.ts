/** The checker of histories: it says what a search of all orders says, and what is known of recorded ones. */
import { Agent } from 'undici'
import { expect, test } from 'vitest'

import { createDraw, type History, play, send } from './clients.ts'
import { MockProcess } from '../../support/machines.ts'

import { judge, type Recorded } from './linearizable.ts'
import { infer, type Operation, sandboxModel, startState, type State } from './register.ts'
import { Random } from '../../../src/mock/seed.ts'
import { runs } from '../../support/level.ts'

const start = startState('[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]')
const judged = (history: readonly Recorded<Operation>[], budget?: number) =>
  judge(sandboxModel, start, infer(history), budget)

/**
 * Operations that overlap, each of which takes effect between its call and its return.
 *
 * @param lost one in so many gets no response, and half of those have no effect
 * @param forgets whether one creation is acknowledged and never happens; all pets are read at the end
 */
function makeHistory(seed: number, count: number, lost: number, forgets = false): Recorded<Operation>[] {
  const random = new Random(seed)
  const happens = (oneIn: number): boolean => random.next() * oneIn < 1
  let state = start
  let isForgotten = false
  const draw = createDraw(seed, 'c', () => state.pets.length)
  return Array.from({ length: count }, (_, at): Recorded<Operation> => {
    const drawn = draw()
    // What takes pets back would explain one that is lost.
    const isLeftOut = at === count - 1 || (forgets && /^(end|reset|restore)$/.test(drawn.kind))
    const op: Operation = isLeftOut ? { kind: 'export' } : drawn
    const { state: after, result } = sandboxModel.step(state, op)
    const times = { call: at - 3 * random.next(), return: at + 3 * random.next(), by: 'a client' }
    if (happens(lost) && op.kind !== 'export') {
      if (happens(2)) state = after
      return { ...times, op, return: Infinity, result: undefined }
    }
    const isNow = forgets && !isForgotten && at > count / 2 && result.startsWith('201 {')
    if (isNow) isForgotten = true
    else state = after
    return { ...times, op, result }
  })
}

/** The same question, answered without any cleverness: all orders are tried. */
function judgeByForce(history: readonly Recorded<Operation>[], state: State = start): boolean {
  const closed = history.filter((one) => one.return !== Infinity)
  if (closed.length === 0) return true
  const earliest = Math.min(...closed.map((one) => one.return))
  return history.some((one) => {
    if (one.call > earliest) return false
    const after = sandboxModel.step(state, one.op)
    if (one.result !== undefined && one.result !== after.result) return false
    const others = history.filter((other) => other !== one)
    return judgeByForce(others, after.state)
  })
}

test('it says what a search of all orders says', () => {
  const verdicts = { true: 0, false: 0 }
  for (let seed = 1; seed <= runs(3_000); seed += 1) {
    const history = makeHistory(seed, 6, 4)
    const [one, other] = [history[seed % 6], history[(seed * 5 + 1) % 6]]
    // Results change places, which is right now and then.
    const isMixed = one?.op.kind === other?.op.kind && one?.result !== undefined && other?.result !== undefined
    const mixed = history.map((each) => (each === one && isMixed ? { ...each, result: other.result } : each))
    const isRight = judgeByForce(mixed)
    verdicts[`${isRight}`] += 1
    expect(judged(mixed).verdict, JSON.stringify(mixed)).toBe(isRight ? 'linearizable' : 'not linearizable')
  }
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(runs(3_000) / 100)
})

test('long histories: right ones, where responses are lost, too, and a creation that is', () => {
  for (let seed = 1; seed <= runs(5); seed += 1) {
    for (const lost of [Infinity, 30])
      expect(judged(makeHistory(seed, 400, lost)), String(seed)).toMatchObject({ verdict: 'linearizable' })
    const wrong = makeHistory(seed, 300, Infinity, true)
    expect(judged(wrong), String(seed)).toMatchObject({ verdict: 'not linearizable' })
  }
})

test('a budget that runs out is not checked, and the last place is shown', () => {
  const { verdict, stuck } = judged(makeHistory(1, 300, Infinity, true), 250)
  expect(verdict).toBe('not checked')
  expect(stuck?.done).toBeLessThanOrEqual(250)
  const found = judged(makeHistory(1, 300, Infinity, true)).stuck
  expect(found?.at.result).not.toBe(found?.expected)
})
/** What concurrent clients of one mock in memory write down. */
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
    const goesOn = (operations: number): boolean => operations < 1_500
    await play({ dispatcher, targets: [mock], clients: 6, seed, goesOn, history })
    const start = startState('result' in exported ? exported.result.slice(4) : '')
    return judge(sandboxModel, start, infer(history.operations))
  } finally {
    await mock.end('SIGTERM')
    await dispatcher.destroy()
  }
}

test.each([1, 2, 3])('what clients of a mock in memory see is linearizable, draw %s', async (seed) => {
  expect(await recorded(seed)).toMatchObject({ verdict: 'linearizable' })
})

test.each(['create.not-stored', 'create.parallel-same-id'])(
  'what clients of a mock with the deviation %s see is not',
  async (deviation) => {
    expect(await recorded(1, '--deviate', deviation)).toMatchObject({ verdict: 'not linearizable' })
  },
)
