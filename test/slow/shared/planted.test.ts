/** Planted faults of a shared log, each of which the histories of concurrent clients show. */
import { afterEach, expect, test, vi } from 'vitest'

import { audit, type History, play, send } from './clients.ts'
import { judge } from './linearizable.ts'
import { pause } from '../../support/machines.ts'
import { describeWithEngine } from '../../support/redis.ts'
import { infer, type Operation, sandboxModel, startState } from './register.ts'
import { SharedEngine } from '../../../src/mock/shared/engine.ts'
import { SandboxLog } from '../../../src/mock/shared/log.ts'
import { type ReplyUse, runAll, type Task } from '../../../src/mock/shared/queue.ts'
import { scripts } from '../../../src/mock/shared/scripts.ts'
import { together } from './together.ts'

type Together = Awaited<ReturnType<typeof together>>
type Fields = Awaited<ReturnType<Together['join']>>[]

/** The methods of logs that tests replace. */
const log = SandboxLog.prototype as unknown as {
  follows: () => boolean
  call: (...call: unknown[]) => Promise<unknown>
  useReply: (batch: unknown, reply: unknown) => Promise<ReplyUse>
}
const { useReply } = log
const { appendEntry } = scripts
afterEach(() => {
  vi.restoreAllMocks()
  scripts.appendEntry = appendEntry
})

/** Changes the script of mocks that join later. */
function rewrite(part: RegExp | string, text = ''): void {
  const changed = scripts.appendEntry.replace(part, text)
  expect(changed).not.toBe(scripts.appendEntry)
  scripts.appendEntry = changed
}

const noPreviousId = () => {
  rewrite(/^.*-- previous id$/m)
  vi.spyOn(log, 'follows').mockReturnValue(true)
}

/** Makes a call also serve reads that arrived after it was sent. */
const sharedTooLate = () =>
  vi.spyOn(log, 'useReply').mockImplementation(async function (this: any, batch, reply) {
    const outcome = await useReply.call(this, batch, reply)
    const later: Task[] = [
      ...this.sent.slice(1).flatMap(({ tasks }: { tasks: Task[] }) => tasks),
      ...this.waiting,
    ]
    const late = outcome === 'taken' ? later.filter((task) => !task.isDone && task.isRead()) : []
    runAll(
      late,
      { at: this.replica.at, number: this.replica.sandbox.journal.progress.number },
      true,
    )
    return outcome
  })

/** Runs clients during an event, and returns the verdict of the checker. */
async function verdictOf(
  all: Together,
  members: Fields,
  sandbox: string,
  happen: () => Promise<unknown>,
  isPlain = false,
) {
  const history: History = {
    sandbox,
    operations: [],
    unavailable: { count: 0, longestMs: 0, wrong: [] },
  }
  const start = startState(await all.exported(members[0] as Fields[0], sandbox))
  let isOver = false
  const seed = Number(sandbox.replaceAll(/\D/g, ''))
  const { dispatcher } = all
  const playing = play({
    dispatcher,
    targets: members,
    clients: 6,
    seed,
    goesOn: () => !isOver,
    history,
    isPlain,
  })
  await happen().finally(() => (isOver = true))
  await playing
  await audit(dispatcher, members, history)
  return judge(sandboxModel, start, infer(history.operations)).verdict
}

/** Loses responses of the engine. */
const withLosses = (all: Together, members: Fields, sandbox: string) =>
  verdictOf(all, members, sandbox, async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      members[turn % members.length]?.wire.loseNext()
      await pause(60)
    }
  })

/** Delays each response of the engine. */
const whileSlow = (all: Together, members: Fields, sandbox: string) =>
  verdictOf(all, members, sandbox, async () => {
    for (const { wire } of members) wire.delayMs = 5
    await pause(800)
  })

/**
 * Restarts the engine without its last entries, as after a failover to a replica that was behind, and continues before
 * one of the mocks notices.
 */
async function afterRollback(all: Together, members: Fields, sandbox: string) {
  const [absent, ...others] = members as [Fields[0], ...Fields]
  await verdictOf(all, members, sandbox, () => pause(200), true)
  await all.engine.command('SAVE')
  await verdictOf(all, members, sandbox, () => pause(100), true)
  await all.exported(absent, sandbox)
  await all.engine.kill()
  absent.wire.state = 'rejects'
  await all.engine.start()
  await verdictOf(all, others, sandbox, () => pause(600), true)
  absent.wire.state = 'open'
  await all.exported(absent, 'another')
  // From now on, all mocks must agree. The sandbox has only pets, like the start of the model.
  return verdictOf(all, others.concat(absent), sandbox, () => pause(400), true)
}

const table = [
  ['no deduplication', () => rewrite(/^.*-- deduplication$/m), withLosses],
  ['no check of the previous id', noPreviousId, afterRollback],
  ['a barrier that is shared too late', sharedTooLate, whileSlow],
] as const

/** Saves snapshots after few entries, and returns few entries at once, so that disconnected mocks encounter both. */
function oftenSaved(): void {
  rewrite('tonumber(ARGV[6])', '5000')
  rewrite('#out >= 100', '#out >= 7')
  rewrite('now + 10000', 'now')
}

/** Disconnects wires one after the other, and loses responses. */
const whileAway = (all: Together, members: Fields, sandbox: string) =>
  verdictOf(all, members, sandbox, async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const { wire } = members[turn % members.length] as Fields[0]
      wire.loseNext()
      await pause(60)
      wire.state = turn % 2 === 0 ? 'rejects' : 'silent'
      if (wire.state === 'rejects') wire.cut()
      await pause(400)
      wire.state = 'open'
    }
  })

describeWithEngine('a history shows', () => {
  test.each(table)('%s', async (_, plant, scenario) => {
    plant()
    const all = await together([])
    const members = [await all.join('a'), await all.join('b'), await all.join('c')]
    const verdicts: string[] = []
    for (let turn = 1; turn <= 10 && !verdicts.includes('not linearizable'); turn += 1)
      verdicts.push(await scenario(all, members, `turn-${turn}`))
    expect(verdicts).toContain('not linearizable')
  })

  test.each(table)('nothing without a fault, in the scenario for %s', async (_, __, scenario) => {
    const all = await together([])
    const members = [await all.join('a'), await all.join('b'), await all.join('c')]
    for (let turn = 1; turn <= 3; turn += 1)
      expect(await scenario(all, members, `turn-${turn}`)).toBe('linearizable')
    const reloads = members.reduce((sum, { mock }) => sum + (mock.shared?.counters.reloads ?? 0), 0)
    expect(reloads > 0).toBe(scenario === afterRollback)
  })

  test.each([
    ['responses are lost', withLosses],
    ['the engine loses entries', afterRollback],
    ['mocks are disconnected while others write snapshots', whileAway],
  ])('nothing if calls overlap while %s', async (_, scenario) => {
    oftenSaved()
    vi.spyOn(SharedEngine.prototype, 'isFar', 'get').mockReturnValue(true)
    const underWay = new Map<unknown, number>()
    let most = 0
    const { call } = log
    vi.spyOn(log, 'call').mockImplementation(function (this: unknown, ...parts) {
      const count = (underWay.get(this) ?? 0) + 1
      underWay.set(this, count)
      most = Math.max(most, count)
      return call
        .apply(this, parts)
        .finally(() => underWay.set(this, (underWay.get(this) ?? 1) - 1))
    })
    const all = await together([])
    const members = [await all.join('a'), await all.join('b'), await all.join('c')]
    for (let turn = 1; turn <= 4; turn += 1) {
      for (const { wire } of members) wire.delayMs = 4
      expect(await scenario(all, members, `turn-${turn}`)).toBe('linearizable')
    }
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(8)
  })

  test('nothing if mocks are disconnected while others write snapshots', async () => {
    oftenSaved()
    const all = await together([])
    const members = [await all.join('a'), await all.join('b'), await all.join('c')]
    for (let turn = 1; turn <= 4; turn += 1)
      expect(await whileAway(all, members, `turn-${turn}`)).toBe('linearizable')
    const sum = (counter: 'snapshots' | 'reloads'): number =>
      members.reduce((all, { mock }) => all + (mock.shared?.counters[counter] ?? 0), 0)
    expect(sum('snapshots')).toBeGreaterThan(5)
    expect(sum('reloads')).toBe(0)
  })

  test('nothing if each connection breaks as soon as it subscribes to messages', async () => {
    const all = await together([])
    const members = [await all.join('a'), await all.join('b')]
    const { wire } = members[0] as Fields[0]
    wire.cutAt = 'subscribe'
    wire.cut()
    // An unhandled rejection would end a process; here, it fails the test.
    expect(await verdictOf(all, members, 'cut', () => pause(1_500))).toBe('linearizable')
    wire.cutAt = undefined
    expect(await verdictOf(all, members, 'whole', () => pause(300))).toBe('linearizable')
  })
  test('no sandbox that a control request of another mock has recreated after its end', async () => {
    const all = await together([])
    const [one, other] = [await all.join('a'), await all.join('b')]
    other.wire.delayMs = 3
    const through = (member: Fields[0], sandbox: string, kind: 'end' | 'rules') =>
      send(all.dispatcher, member.origin() ?? '', sandbox, { kind })
    for (let turn = 0; turn < 40; turn += 1) {
      const sandbox = `ended-${turn}`
      await all.exported(other, sandbox)
      const saved = send(all.dispatcher, other.origin() ?? '', sandbox, {
        kind: 'save',
        snapshot: 'a',
      })
      await pause(turn % 8)
      expect(await through(one, sandbox, 'end')).toMatchObject({ result: '204' })
      expect(['200 3', '404']).toContain(((await saved) as { result: string }).result)
      expect(await through(one, sandbox, 'rules')).toMatchObject({ result: '404' })
    }
  })
  test('no sandbox that a read of its rules and journal has recreated after its end', async () => {
    const all = await together([])
    const [one, other] = [await all.join('a'), await all.join('b')]
    other.wire.delayMs = 2
    const through = (member: Fields[0], sandbox: string, op: Operation) =>
      send(all.dispatcher, member.origin() ?? '', sandbox, op)
    for (let turn = 0; turn < 40; turn += 1) {
      const sandbox = `read-${turn}`
      await all.exported(other, sandbox)
      const reading = Array.from({ length: 8 }, () => through(other, sandbox, { kind: 'rules' }))
      await pause(turn % 8)
      expect(await through(one, sandbox, { kind: 'end' })).toMatchObject({ result: '204' })
      await Promise.all(reading)
      expect(await through(one, sandbox, { kind: 'clock' })).toMatchObject({ result: '404' })
    }
  })
  test('no failure if the engine is lost after the end of a sandbox', async () => {
    const all = await together([])
    const one = await all.join('a')
    await all.exported(one, 'ended')
    one.wire.cutAt = ':sandboxes'
    const ended = await send(all.dispatcher, one.origin() ?? '', 'ended', { kind: 'end' })
    expect(ended).toMatchObject({ result: '204' })
  })
  test('no read in the state after an end that did not recreate the sandbox', async () => {
    const all = await together([])
    const one = await all.join('a')
    one.wire.delayMs = 2
    for (let turn = 0; turn < 60; turn += 1) {
      const act = (op: Operation) => send(all.dispatcher, one.origin() ?? '', `ended-${turn}`, op)
      await act({ kind: 'create', name: 'Rex', status: 'sold' })
      const reading = Array.from({ length: 8 }, () => act({ kind: 'list', limit: 1 }))
      const ended = await act({ kind: 'end' })
      const read = (await Promise.all(reading)) as { result: string }[]
      expect(ended).toMatchObject({ result: '204' })
      const isThere = read.some(({ result }) => !result.includes('Rex'))
      expect(await act({ kind: 'clock' })).toMatchObject({ result: isThere ? '200 runs' : '404' })
    }
  })
})
