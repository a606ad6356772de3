/** The settings and the start of a world. */
import { describe, expect, test } from 'vitest'
import { defaultProfile } from '../../src/mock/index.ts'
import { startWorld, worlds } from './world.ts'

describe.each(worlds)('in $where', (world) => {
  describe('settings', () => {
    test('are those in force, without keys', async () => {
      const { call } = await startWorld(world)
      const { json, text } = await call('GET', '/settings')
      expect(json).toMatchObject({ pets: 5, basePath: '/v1', deviations: [], overrides: true, explain: false })
      expect(json.profile).toEqual(defaultProfile)
      expect(text).not.toContain(world.key)
      expect(text).not.toContain('keys')
    })

    test('change at once, here alone, and leave the pets', async () => {
      const { call, request, other } = await startWorld(world)
      await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })
      const patch = {
        profile: { 'list.order': 'newest-first' },
        deviations: ['list.limit-ignored'],
        overrides: false,
        explain: true,
      }
      expect((await call('PATCH', '/settings', patch)).json).toMatchObject({
        ...patch,
        profile: { ...defaultProfile, 'list.order': 'newest-first' },
      })
      const { json, headers } = await request('GET', '/v1/pets?limit=1')
      expect(json[0].name).toBe('Rex')
      expect(json.length).toBe(6)
      expect(headers['petstore-explain']).toBeDefined()
      expect(other.settings.profile['list.order']).toBe('oldest-first')
      await call('PATCH', '/settings', { deviations: [] })
      expect((await request('GET', '/v1/pets?limit=1')).json).toHaveLength(1)
      expect((await call('GET', '/settings')).json.profile['list.order']).toBe('newest-first')
    })

    test.each<[unknown, string[]]>([
      [[], ['The body must be a JSON object']],
      [null, ['The body must be a JSON object']],
      ['"x"', ['The body must be a JSON object']],
      [{ seed: 7, keys: ['x'] }, ['"seed"', '"keys"']],
      [
        {
          profile: { 'list.order': 1, 'list.nothing': '1' },
          deviations: 'all',
          overrides: 'no',
          explain: null,
          pets: 7,
        },
        ['list.order has no option 1', '"list.nothing"', 'deviations must', 'overrides must', 'explain must', '"pets"'],
      ],
      [
        { profile: [], deviations: ['nothing', 'list.nothing', 7] },
        ['profile must', '"nothing"', '"list.nothing"', '7'],
      ],
      ['{"__proto__": {"explain": true}}', ['"__proto__"']],
      ['{"profile": {"__proto__": "1"}}', ['"__proto__"']],
      [
        '{"profile": {"list.order": 123456789012345678901234567890, "error.code.400": 1e999}}',
        ['list.order', 'error.code.400'],
      ],
    ])('%j tells all mistakes and changes nothing', async (body, told) => {
      const { call } = await startWorld(world)
      const before = (await call('GET', '/settings')).json
      const { status, json } = await call('PATCH', '/settings', body)
      expect(status).toBe(400)
      for (const words of told) expect(json.message).toContain(words)
      expect((await call('GET', '/settings')).json).toEqual(before)
    })
  })

  test('reset: everything as at the start, here alone', async () => {
    const { call, request, other } = await startWorld(world)
    other.catalogue.delete(1)
    await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })
    await call('PATCH', '/settings', { profile: { 'list.order': 'newest-first' } })
    await call('PUT', '/clock', { now: '2030-12-06' })
    await call('POST', '/rules', { reply: { status: 503 } })
    await call('PUT', '/snapshots/kept')
    expect((await call('POST', '/reset')).status).toBe(204)
    expect((await request('GET', '/v1/pets')).json.map(({ id }: any) => id)).toEqual([1, 2, 3, 4, 5])
    expect((await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })).json.id).toBe(6)
    expect((await call('GET', '/settings')).json.profile['list.order']).toBe('oldest-first')
    expect((await call('GET', '/clock')).json.now < '2030').toBe(true)
    expect((await call('GET', '/snapshots')).json.snapshots).toHaveLength(1)
    expect((await call('GET', '/journal')).json.entries.length).toBeGreaterThan(0)
    expect(other.catalogue.size).toBe(4)
  })
})
