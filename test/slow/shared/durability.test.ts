/** Durability of acknowledged pets: the rows of the table in docs/explanation/scale.md. */
import { afterAll, expect, test, vi } from 'vitest'

import { send } from './clients.ts'
import { type Engine, pause } from '../../support/machines.ts'
import { describeWithEngine } from '../../support/redis.ts'
import { together } from './together.ts'

type Together = Awaited<ReturnType<typeof together>>
type Fields = Awaited<ReturnType<Together['join']>>[]

const sandbox = 'durable'
const results: string[] = []
afterAll(() => void process.stdout.write(results.map((line) => `${line}\n`).join('')))

/** Creates pets through all mocks until `stop`, which returns the confirmed pets by id. */
function fill({ dispatcher }: Together, members: Fields) {
  const confirmed = new Map<number, string>()
  const over = new AbortController()
  const work = async (member: Fields[0], index: number): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const op = { kind: 'create', name: `${index}-${turn}`, status: 'sold' } as const
      const outcome = await send(dispatcher, member.origin() ?? '', sandbox, op)
      if (!('result' in outcome)) continue
      const text = outcome.result.slice(4)
      confirmed.set((JSON.parse(text) as { id: number }).id, text)
    }
  }
  const done = Promise.all(members.map(work))
  return {
    confirmed,
    async stop() {
      over.abort()
      await done
      return confirmed
    },
  }
}

interface Row {
  setting: string
  options: readonly string[]
  /** The failure of the engine. Pets that are confirmed before it count. */
  happens: 'killed' | 'a replica is promoted' | 'a replica that is behind is promoted'
  survives: 'all' | 'none' | 'the first' | 'nearly all'
}

const log = ['--appendonly', 'yes', '--appendfsync']
const rows: readonly Row[] = [
  {
    setting: 'appendfsync always',
    options: [...log, 'always'],
    happens: 'killed',
    survives: 'all',
  },
  {
    setting: 'appendfsync everysec',
    options: [...log, 'everysec'],
    happens: 'killed',
    survives: 'nearly all',
  },
  { setting: 'appendfsync no', options: [...log, 'no'], happens: 'killed', survives: 'nearly all' },
  { setting: 'no append-only file', options: [], happens: 'killed', survives: 'none' },
  { setting: 'a replica', options: [], happens: 'a replica is promoted', survives: 'all' },
  {
    setting: 'a replica',
    options: [],
    happens: 'a replica that is behind is promoted',
    survives: 'the first',
  },
]

describeWithEngine('of the acknowledged pets', () => {
  test.each(rows)(
    '$setting, $happens: $survives',
    async ({ setting, options, happens, survives }) => {
      const all = await together(options)
      const members = [await all.join('a'), await all.join('b'), await all.join('c')]
      const seeded = await all.exported(members[0] as Fields[0], sandbox)
      let standby: { engine: Engine; wire: Awaited<ReturnType<Together['startWire']>> } | undefined
      if (happens !== 'killed') {
        const wire = await all.startWire(all.engine)
        const engine = await all.startEngine(['--replicaof', '127.0.0.1', new URL(wire.url).port])
        standby = { engine, wire }
        await until(async () =>
          (await engine.command('INFO', 'replication')).includes('master_link_status:up'),
        )
      }
      const filling = fill(all, members)
      await until(async () => filling.confirmed.size > 60)
      if (happens === 'a replica that is behind is promoted' && standby) {
        // After its first synchronization, a replica applies the following entries with a delay.
        const { engine, wire } = standby
        const reached = await offset(all.engine)
        await until(async () => (await offset(engine)) >= reached)
        wire.state = 'silent'
        await pause(300)
      }
      let confirmed: Map<number, string>
      if (standby === undefined) {
        await all.engine.kill()
        confirmed = await filling.stop()
        await all.engine.start()
      } else {
        confirmed = await filling.stop()
        const { engine } = standby
        if (happens === 'a replica is promoted')
          await until(async () => (await offset(engine)) === (await offset(all.engine)))
        await all.engine.kill()
        await engine.command('REPLICAOF', 'NO', 'ONE')
        for (const { wire } of members) {
          wire.to = engine.socket
          wire.cut()
        }
      }
      const shown = await Promise.all(members.map((member) => all.exported(member, sandbox)))
      expect(new Set(shown).size).toBe(1)
      const pets = JSON.parse(shown[0] as string) as { id: number }[]
      const there = new Map(pets.map((pet) => [pet.id, JSON.stringify(pet)]))
      const ids = [...confirmed.keys()].toSorted((a, b) => a - b)
      const lost = ids.filter((id) => there.get(id) !== confirmed.get(id))
      results.push(
        `${setting}, ${happens}: ${ids.length - lost.length} of ${ids.length} acknowledged pets exist`,
      )
      expect(ids.length).toBeGreaterThan(50)
      // Only the last pets are lost, never one in between.
      expect(lost).toEqual(ids.slice(ids.length - lost.length))
      if (survives === 'all') expect(lost).toEqual([])
      else if (survives === 'none') expect(shown[0]).toBe(seeded)
      else if (survives === 'the first') {
        expect(lost.length).toBeGreaterThan(0)
        expect(lost.length).toBeLessThan(ids.length)
      }
      const reloads = members.map(({ mock }) => mock.shared?.counters.reloads ?? 0)
      // Only a mock that had applied lost entries has reloaded the sandbox.
      if (lost.length === 0) expect(reloads).toEqual([0, 0, 0])
      else expect(Math.max(...reloads)).toBeGreaterThan(0)
      // New pets get new ids, and all mocks agree.
      const next = await send(all.dispatcher, (members[1] as Fields[0]).origin() ?? '', sandbox, {
        kind: 'create',
        name: 'next',
        status: 'sold',
      })
      expect(next).toMatchObject({
        result: `201 {"id":${pets.length + 1},"name":"next","categoryId":1,"status":"sold"}`,
      })
      expect(await all.exported(members[2] as Fields[0], sandbox)).toContain('"name":"next"')
    },
  )
})

/** Offset of an engine in the replication stream. */
async function offset(engine: Engine): Promise<number> {
  return Number(/master_repl_offset:(\d+)/.exec(await engine.command('INFO', 'replication'))?.[1])
}

const until = (condition: () => Promise<boolean>): Promise<boolean> =>
  vi.waitUntil(() => condition().catch(() => false), { timeout: 30_000, interval: 20 })
