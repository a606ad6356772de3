/** Pets that rejected creations leave behind: no creation is repeated but one that must be rejected and has no name of the run. */
import { expect, test } from 'vitest'
import { judgeStray } from '../../../src/contract/claims/strays.ts'
import { addTo, creating, invalid, logOf, type Row } from './log-of.ts'

const nameless = { creation: { names: [], mustFail: true } }
const error = (status: number) => ({ code: 'x', message: 'x', status })
const pet = { id: 99, name: 'Petkit a', categoryId: 7 }
const body = '{"status":"sold","categoryId":7}'

/** The question that follows from these rows, and its violation once lists show pets with a category. */
function judge(rows: readonly Row[], found: number) {
  const log = logOf(...rows)
  const look = {
    log,
    assumptions: { windowMs: 5_000, getRemoved: false, isSmoke: false },
    key: 'look',
    earlier: [],
  }
  const judging = judgeStray(900, look)
  const question = judging.next()
  if (question.done === true) throw new Error('There is no question.')
  const { purpose, resend = [] } = question.value
  for (const { headers: _, ...plan } of resend)
    addTo(log, ['POST /pets', 400, error(400), { ...plan, purpose }])
  addTo(log, ['GET /pets?limit=100', 200, [{ ...pet, categoryId: found }], { purpose }])
  log.posed.add(purpose)
  const { done, value: violation } = judging.next()
  if (done !== true) throw new Error('There is a question left.')
  return { resend: resend.map((plan) => plan.body), violation }
}

test.each<[what: string, row: Row, isRepeated: boolean]>([
  ['a rejected one without a name', ['POST /pets', 400, error(400), { ...nameless, body }], true],
  ['an accepted one', ['POST /pets', 201, pet, { ...nameless, body }], false],
  ['one that may succeed', ['POST /pets', 400, error(400), { ...creating('x'), body }], false],
  [
    'one without a name that may succeed',
    ['POST /pets', 400, error(400), { creation: { names: [], mustFail: false }, body }],
    false,
  ],
  ['one with a name of the run', ['POST /pets', 400, error(400), { ...invalid('x'), body }], false],
  [
    'one without a category',
    ['POST /pets', 400, error(400), { ...nameless, body: '{"status":"sold"}' }],
    false,
  ],
  [
    'one of another question',
    ['POST /pets', 400, error(400), { ...nameless, body, purpose: 'another' }],
    false,
  ],
  ['one that failed', ['POST /pets', 500, error(500), { ...nameless, body }], false],
])('%s', (_, row, isRepeated) => {
  const { resend, violation } = judge([row], 900)
  expect(resend).toEqual(isRepeated ? ['{"status":"sold","categoryId":900}'] : [])
  expect(violation?.requirement).toBe(isRepeated ? 'create.rejected-leaves-nothing' : undefined)
})

test('each repetition has its own category, which shows what left the pet', () => {
  const rows: Row[] = [
    ['POST /pets', 400, error(400), { ...nameless, body }],
    ['POST /pets', 401, error(401), { ...nameless, body: '{"categoryId":7}' }],
  ]
  const { resend, violation } = judge(rows, 901)
  expect(resend).toEqual(['{"status":"sold","categoryId":900}', '{"categoryId":901}'])
  expect(violation?.exchanges[0]?.plan.body).toBe('{"categoryId":901}')
  expect(judge(rows, 7).violation).toBeUndefined()
})
