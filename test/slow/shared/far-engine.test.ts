/** Calls to an engine that takes long to respond. */
import { expect, test } from 'vitest'

import { defaultKey } from '../../../src/mock/index.ts'
import { describeWithEngine } from '../../support/redis.ts'
import { together } from './together.ts'

const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }

describeWithEngine('calls', () => {
  test('are sent while others are under way, eight at most, and only if the engine is far', async () => {
    const all = await together([])
    const [{ mock, wire }, other] = [await all.join('a'), await all.join('b')]
    const { counters } = mock.shared!
    const create = async (name: string): Promise<string> => {
      const body = JSON.stringify({ name, categoryId: 1 })
      const request = { method: 'POST', target: '/v1/pets', headers, body }
      return (await mock.handle(request)).body
    }
    /** Creates pets one after another while no response arrives; returns how many calls were sent. */
    async function callsFor(pets: number): Promise<number> {
      for (let turn = 0; turn < 20; turn += 1) await create('before')
      wire.delayMs = 400
      const { calls } = counters
      const created = []
      for (let pet = 0; pet < pets; pet += 1) {
        created.push(create(`pet ${pet}`))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const sent = counters.calls - calls
      const bodies = await Promise.all(created)
      wire.delayMs = 0
      expect(bodies.map((body) => (JSON.parse(body) as { name: string }).name)).toEqual(
        created.map((_, pet) => `pet ${pet}`),
      )
      return sent
    }

    expect(await callsFor(3)).toBe(1)
    wire.delayMs = 4
    for (let turn = 0; turn < 150; turn += 1) await create('far')
    expect(await callsFor(3)).toBe(3)
    wire.delayMs = 4
    for (let turn = 0; turn < 150; turn += 1) await create('far')
    expect(await callsFor(12)).toBe(8)

    await Promise.all([mock.catchUp(), other.mock.catchUp()])
    expect(other.mock.catalog.export()).toEqual(mock.catalog.export())
    expect(counters.reloads).toBe(0)
  })
})
