/** The rules and the clock of a world. */
import { describe, expect, test } from 'vitest'
import { startWorld, worlds } from './world.ts'

describe.each(worlds)('in $where', (world) => {
  describe('rules', () => {
    const outage = { when: { operation: 'listPets' }, reply: { status: 503, message: 'Out for lunch.' }, times: 2 }

    test('are added, counted, told and removed', async () => {
      const { call, request, other } = await startWorld(world)
      expect((await call('POST', '/rules', outage)).json.rules).toEqual([
        { ...outage, id: 'rule-1', used: 0, active: true },
      ])
      const two = [{ delayMs: { from: 0, to: 1 } }, { when: { petId: '1' }, reply: { status: 404, body: { id: 1 } } }]
      const added = await call('POST', '/rules', two)
      expect(added.status).toBe(201)
      expect(added.json.rules.map(({ id }: any) => id)).toEqual(['rule-2', 'rule-3'])
      const statuses = []
      for (let asked = 0; asked < 3; asked += 1) statuses.push((await request('GET', '/v1/pets')).status)
      expect(statuses).toEqual([503, 503, 200])
      const { rules } = (await call('GET', '/rules')).json
      expect(rules[0]).toMatchObject({ used: 2, active: false })
      const pending = await call('GET', '/rules?pending=true')
      expect(pending.json.rules.map(({ id }: any) => id)).toEqual(['rule-3'])
      expect((await call('GET', '/rules?pending=false')).json.rules).toHaveLength(3)
      expect((await call('DELETE', '/rules/rule-1')).status).toBe(204)
      expect((await call('DELETE', '/rules/rule-1')).status).toBe(404)
      expect((await call('DELETE', '/rules')).status).toBe(204)
      expect((await call('DELETE', '/rules')).status).toBe(204)
      expect((await call('GET', '/rules')).json.rules).toEqual([])
      expect(other.rules()).toEqual([])
    })

    test.each<[unknown, string[]]>([
      [[], ['no rule']],
      [7, ['rules/0 must be an object']],
      [{}, ['rules/0 does nothing']],
      [
        [{ reply: { status: 99 } }, { delayMs: -1, times: 0, unknown: 1 }],
        ['rules/0/reply/status', 'rules/1/delayMs', 'rules/1/times', '"unknown"'],
      ],
    ])('%j tells all mistakes and adds none', async (body, told) => {
      const { call } = await startWorld(world)
      const { status, json } = await call('POST', '/rules', body)
      expect(status).toBe(400)
      for (const words of told) expect(json.message).toContain(words)
      expect((await call('GET', '/rules')).json.rules).toEqual([])
    })

    test('are not without bound', async () => {
      const { call } = await startWorld(world)
      const thousand = Array.from({ length: 1_000 }, () => ({ delayMs: 1 }))
      expect((await call('POST', '/rules', thousand)).status).toBe(201)
      expect((await call('POST', '/rules', { delayMs: 1 })).status).toBe(409)
      await call('DELETE', '/rules/rule-1')
      expect((await call('POST', '/rules', { delayMs: 1 })).status).toBe(201)
      await call('DELETE', '/rules')
      // As many as the stack has no room for, too.
      for (const length of [1_001, 500_000]) {
        const { status, json } = await call(
          'POST',
          '/rules',
          Array.from({ length }, () => 0),
        )
        expect([status, json.message]).toEqual([400, 'The list holds more than 1000 rules.'])
      }
    })

    test.each(['pending=maybe', 'pending=true&pending=false', 'all=true'])('?%s is no filter', async (query) => {
      const { call } = await startWorld(world)
      expect((await call('GET', `/rules?${query}`)).status).toBe(400)
    })
  })

  describe('the clock', () => {
    test('stops, moves and goes on, here alone', async () => {
      const { call, request, other } = await startWorld(world)
      expect((await call('PUT', '/clock', { now: '2030-12-04T23:59:59Z' })).json).toEqual({
        now: '2030-12-04T23:59:59.000Z',
      })
      expect((await request('GET', '/v1/pets/1')).status).toBe(200)
      expect((await call('POST', '/clock/advance', { ms: 1_000 })).json).toEqual({ now: '2030-12-05T00:00:00.000Z' })
      expect((await request('GET', '/v1/pets/1')).status).not.toBe(200)
      expect((await call('POST', '/clock/advance', { ms: -1_000 })).json).toEqual({ now: '2030-12-04T23:59:59.000Z' })
      expect(other.clock.now().getTime()).toBeLessThan(Date.parse('2030-01-01'))
      expect(Date.parse((await call('DELETE', '/clock')).json.now)).toBeLessThan(Date.parse('2030-01-01'))
    })

    test('does not leave the years that a date can tell', async () => {
      const { call } = await startWorld(world)
      expect((await call('POST', '/clock/advance', { ms: 9_000_000_000_000_000 })).status).toBe(409)
      await call('PUT', '/clock', { now: '9999-12-31T23:59:59.999Z' })
      expect((await call('POST', '/clock/advance', { ms: 1 })).json).toEqual({ now: '+010000-01-01T00:00:00.000Z' })
    })

    test.each([
      ['2030-12-06', '2030-12-06T00:00:00.000Z'],
      ['2030-12-06T09:30Z', '2030-12-06T09:30:00.000Z'],
      ['2030-12-06T09:30:05.25-01:30', '2030-12-06T11:00:05.250Z'],
      ['2030-12-06T09:30', new Date(2030, 11, 6, 9, 30).toISOString()],
    ])('takes %s', async (now, shown) => {
      const { call } = await startWorld(world)
      expect((await call('PUT', '/clock', { now })).json).toEqual({ now: shown })
    })

    test.each<[string, string, unknown]>([
      ['PUT', '', {}],
      ['PUT', '', { now: 7 }],
      ['PUT', '', { now: 'tomorrow' }],
      ['PUT', '', { now: '' }],
      ['PUT', '', { at: '2030-12-06' }],
      ['PUT', '', { now: '7' }],
      ['PUT', '', { now: '6 Dec 2030' }],
      ['PUT', '', { now: '2030-12-06T09:30:00+24:00' }],
      ['PUT', '', { now: ' 2030-12-06' }],
      ['POST', '/advance', {}],
      ['POST', '/advance', { ms: '1' }],
      ['POST', '/advance', { ms: 1.5 }],
      ['POST', '/advance', '{"ms": 1e400}'],
      ['POST', '/advance', '{"ms": 9007199254740993}'],
    ])('%s %s %j is refused, and the clock goes on', async (method, path, body) => {
      const { call } = await startWorld(world)
      expect((await call(method, `/clock${path}`, body)).status).toBe(400)
      expect((await call('GET', '/clock')).status).toBe(200)
    })
  })
})
