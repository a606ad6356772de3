/** Reports on full journals and on many sandboxes do not block other requests. */
import { beforeAll, expect, test } from 'vitest'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import { cpuOf } from '../../support/cpu.ts'
import { bodyOf, controlInProcess } from './control.ts'

const requests = 6_000
const sandboxes = 2_000
const { mock, get } = controlInProcess()

beforeAll(async () => {
  const send = (key: string) =>
    mock.handle({
      method: 'GET',
      target: '/v1/pets?limit=0',
      headers: { authorization: `Bearer ${key}` },
      body: '',
    })
  for (let sent = 0; sent < requests; sent += 1) await send(defaultKey)
  for (let made = 0; made < sandboxes; made += 1) await send(sandboxKey(`team-${made}`))
})

/** The longest turn of the event loop during some work, in CPU milliseconds. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0
  const done = work.then(() => true)
  const turn = () => new Promise<false>((resolve) => void setImmediate(resolve, false))
  for (;;) {
    const passed: { isDone?: boolean } = {}
    const ms = await cpuOf(async () => {
      passed.isDone = await Promise.race([done, turn()])
    })
    longest = Math.max(longest, ms)
    if (passed.isDone) break
  }
  return longest
}

test.each(['/scorecard', '/sandboxes?scores=true', '/sandboxes/team-1', '/journal/5000'])(
  '%s',
  async (path) => {
    await bodyOf(await get(path))
    // Slices take 5 ms, in place of more than a second. The garbage collector and tests in other threads add to it.
    expect(await longestTurn(get(path).then(bodyOf))).toBeLessThan(300)
  },
)

test('the scores of all sandboxes take time in proportion to their number', async () => {
  const listed = JSON.parse(await bodyOf(await get('/sandboxes?scores=true')))
  expect(listed.sandboxes).toHaveLength(sandboxes)
  const last = { name: `team-${sandboxes - 1}`, score: 0 }
  expect(listed.sandboxes).toContainEqual(expect.objectContaining(last))
  const all = await cpuOf(async () => bodyOf(await get('/sandboxes?scores=true')))
  const cards = await cpuOf(async () => bodyOf(await get('/scorecard')))
  expect(all).toBeLessThan(3 * cards + 200)
})

test('a long report is sent in pieces', async () => {
  const reply = await get('/scorecard')
  expect(reply).toHaveProperty('stream')
  expect(JSON.parse(await bodyOf(reply)).scorecards).toHaveLength(sandboxes + 1)
})
