/** The same log gives the same state and bytes in each process, including one that joins later. */
import { expect, test } from 'vitest'

import { createDraw, send } from './clients.ts'
import { sandboxKey } from '../../../src/mock/service/sandbox-key.ts'
import { MockProcess } from '../../support/machines.ts'
import { describeWithEngine } from '../../support/redis.ts'
import { runs } from '../../support/level.ts'
import { together } from './together.ts'

/** Paths that show the state of a sandbox. */
const paths = (sandbox: string): string[] => [
  '/v1/pets?limit=100',
  '/v1/pets?status=sold',
  '/v1/pets/1',
  '/v1/pets/5',
  ...['pets', 'rules', 'clock', 'settings', 'snapshots', 'behaviors'].map(
    (part) => `/_petstore/sandboxes/${sandbox}/${part}`,
  ),
]
const settings = [
  { profile: { 'list.order': 'by-name' } },
  { profile: { 'list.order': 'shuffled' } },
  { profile: { 'list.order': 'newest-first' }, explain: true },
  { defects: ['list.limit-ignored'] },
  { defects: [] },
]

describeWithEngine('the same log', () => {
  const seeds = Array.from({ length: Math.ceil(runs(10) / 2) }, (_, index) => index + 1)
  test.each(seeds)('gives the same bytes in each process, seed %s', async (seed) => {
    const all = await together([])
    const wire = await all.startWire(all.engine)
    const start = async (name: string): Promise<MockProcess> => {
      const mock = new MockProcess(name, ['--shared', wire.url, '--pets', '10'])
      await mock.start()
      return mock
    }
    const mocks = [await start('first'), await start('second')]
    try {
      const sandbox = `bytes-${seed}`
      const draw = createDraw(seed, 'c', () => 12)
      const originOf = (turn: number): string => mocks[turn % mocks.length]?.origin() ?? ''
      const change = async (turn: number, value: object): Promise<number> => {
        const path = `/_petstore/sandboxes/${sandbox}/settings`
        const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify(value)]
        const to = { origin: originOf(turn), path, method: 'PATCH', headers, body } as const
        return (await all.dispatcher.request(to)).statusCode
      }
      await send(all.dispatcher, originOf(0), sandbox, { kind: 'list', limit: 1 })
      for (let turn = 0; turn < 250; turn += 1) {
        await send(all.dispatcher, originOf(turn * 7 + (turn >> 2)), sandbox, draw())
        if (turn % 25 === 0) {
          // Recreate a sandbox that has ended.
          await send(all.dispatcher, originOf(turn), sandbox, { kind: 'list', limit: 1 })
          expect(await change(turn, settings[(seed + turn / 25) % settings.length] ?? {})).toBe(200)
        }
      }
      // The third mock reads the log from its beginning, or from a snapshot.
      mocks.push(await start('third'))
      // Reads consume rules and random numbers: remove those effects before each mock is read.
      await send(all.dispatcher, originOf(0), sandbox, { kind: 'list', limit: 1 })
      await send(all.dispatcher, originOf(0), sandbox, { kind: 'clear-rules' })
      await send(all.dispatcher, originOf(1), sandbox, {
        kind: 'set-clock',
        now: Date.UTC(2030, 0, 1),
      })
      await change(1, { profile: { 'list.order': 'oldest-first' } })
      const seen = await Promise.all(
        mocks.map(async (mock) => {
          const responses: unknown[] = []
          for (const path of paths(sandbox)) {
            const headers = path.startsWith('/v1')
              ? { authorization: `Bearer ${sandboxKey(sandbox)}` }
              : {}
            const response = await all.dispatcher.request({
              origin: mock.origin() ?? '',
              path,
              method: 'GET',
              headers,
            })
            const { date: _, ...kept } = response.headers
            responses.push([path, response.statusCode, kept, await response.body.text()])
          }
          return responses
        }),
      )
      expect(seen[1]).toEqual(seen[0])
      expect(seen[2]).toEqual(seen[0])
    } finally {
      for (const mock of mocks) expect(await mock.end('SIGTERM')).toBe(0)
    }
  })
})
