import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { defaultProfile, varyProfile } from '../../../src/mock/index.ts'
import { scopes, startControlled, startIn } from './control.ts'

test('settings do not show a key that the mock was given', async () => {
  const { call, mock } = await startControlled({ keys: ['a-secret-of-the-mock'] })
  const { json, text } = await call('GET', '/settings')
  expect(json.key).toBeUndefined()
  expect(text).not.toContain('a-secret')
  const { key } = mock.sandboxes.get('team-a')
  expect((await call('GET', '/sandboxes/team-a/settings')).json.key).toBe(key)
})

describe.each(scopes)('in $where', (scope) => {
  test('settings show the effective options, and no key that the mock was given', async () => {
    const { call } = await startIn(scope)
    const { json, text } = await call('GET', '/settings')
    expect(json).toMatchObject({
      pets: 5,
      basePath: '/v1',
      defects: [],
      overrides: true,
      explain: false,
    })
    expect(json.profile).toEqual(defaultProfile)
    expect(json.key).toBe(scope.key)
    expect(text).not.toContain('keys')
  })

  test('settings change at once, only here, and keep the pets', async () => {
    const { call, request, other } = await startIn(scope)
    await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })
    const profile = { 'list.order': 'oldest-first' }
    const patch = { profile, defects: ['list.limit-ignored'], overrides: false, explain: true }
    expect((await call('PATCH', '/settings', patch)).json).toMatchObject({
      ...patch,
      profile: { ...defaultProfile, ...profile },
    })
    const { json, headers } = await request('GET', '/v1/pets?limit=1')
    expect([json[0].id, json[5].name]).toEqual([1, 'Rex'])
    expect(json.length).toBe(6)
    expect(headers['petstore-explain']).toBeDefined()
    expect(other.settings.profile['list.order']).toBe('newest-first')
    await call('PATCH', '/settings', { defects: [] })
    expect((await request('GET', '/v1/pets?limit=1')).json).toHaveLength(1)
    expect((await call('GET', '/settings')).json.profile['list.order']).toBe('oldest-first')
  })

  test('reset restores the initial state, only here', async () => {
    const { call, request, other } = await startIn(scope)
    other.catalog.delete(1)
    await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })
    await call('PATCH', '/settings', { profile: { 'list.order': 'oldest-first' } })
    await call('PUT', '/clock', { now: '2030-12-06' })
    await call('POST', '/rules', { reply: { status: 503 } })
    await call('PUT', '/snapshots/kept')
    expect((await call('POST', '/reset')).status).toBe(204)
    expect((await request('GET', '/v1/pets')).json.map(({ id }: any) => id)).toEqual([
      5, 4, 3, 2, 1,
    ])
    expect((await request('POST', '/v1/pets', { name: 'Rex', categoryId: 1 })).json.id).toBe(6)
    expect((await call('GET', '/settings')).json.profile['list.order']).toBe('newest-first')
    expect((await call('GET', '/clock')).json.now < '2030').toBe(true)
    expect((await call('GET', '/snapshots')).json.snapshots).toHaveLength(1)
    // The requests after the reset.
    expect((await call('GET', '/journal')).json.entries).toHaveLength(2)
    expect(other.catalog.size).toBe(4)
  })

  test('rules are added, counted, listed and removed', async () => {
    const { call, request, other } = await startIn(scope)
    const outage = {
      when: { operation: 'listPets' },
      reply: { status: 503, message: 'Out for lunch.' },
      times: 2,
    }
    const first = { ...outage, id: 'rule-1', used: 0, remaining: 2, enabled: true, active: true }
    expect((await call('POST', '/rules', outage)).json.rules).toEqual([first])
    const two = [
      { delayMs: { from: 0, to: 1 } },
      { when: { petId: '1' }, reply: { status: 404, body: { id: 1 } } },
    ]
    const added = await call('POST', '/rules', two)
    expect(added.status).toBe(201)
    expect(added.json.rules.map(({ id }: any) => id)).toEqual(['rule-2', 'rule-3'])
    const statuses = []
    for (let sent = 0; sent < 3; sent += 1) statuses.push((await request('GET', '/v1/pets')).status)
    expect(statuses).toEqual([503, 503, 200])
    expect((await call('GET', '/rules')).json.rules[0]).toMatchObject({
      used: 2,
      remaining: 0,
      active: false,
    })
    const pending = await call('GET', '/rules?pending=true')
    expect(pending.json.rules.map(({ id }: any) => id)).toEqual(['rule-3'])
    expect((await call('GET', '/rules?pending=false')).json.rules).toHaveLength(3)
    expect((await call('DELETE', '/rules/rule-1')).status).toBe(204)
    expect((await call('DELETE', '/rules/rule-1')).status).toBe(404)
    expect((await call('DELETE', '/rules')).status).toBe(204)
    expect((await call('GET', '/rules')).json.rules).toEqual([])
    expect(other.rules()).toEqual([])
  })

  test('rules are switched off and on, and moved', async () => {
    const { call, request } = await startIn(scope)
    const respond = (status: number) => ({ reply: { status } })
    await call('POST', '/rules', [respond(501), respond(502), respond(503)])
    const statusOf = async () => (await request('GET', '/v1/pets')).status
    const change = async (id: string, patch: object) =>
      (await call('PATCH', `/rules/${id}`, patch)).json
    expect(await change('rule-3', { enabled: false })).toMatchObject({
      id: 'rule-3',
      enabled: false,
      active: false,
    })
    expect(await statusOf()).toBe(502)
    expect(await change('rule-1', { position: 2 })).toMatchObject({
      id: 'rule-1',
      enabled: true,
      active: true,
    })
    expect((await call('GET', '/rules')).json.rules.map(({ id }: any) => id)).toEqual([
      'rule-2',
      'rule-3',
      'rule-1',
    ])
    expect(await statusOf()).toBe(501)
    await change('rule-3', { enabled: true, position: 999 })
    expect(await statusOf()).toBe(503)
    expect((await call('PATCH', '/rules/rule-9', {})).status).toBe(404)
    expect(
      (await call('PATCH', '/rules/rule-1', { position: -1, enabled: 1, times: 2 })).status,
    ).toBe(400)
  })

  test('options are set from a seed or a report; the list of behaviors shows the active ones', async () => {
    const { call, other } = await startIn(scope)
    const active = async () => {
      const { behaviors } = (await call('GET', '/behaviors')).json
      return Object.fromEntries(behaviors.map(({ id, active }: any) => [id, active]))
    }
    expect(await active()).toEqual(defaultProfile)
    expect((await call('POST', '/settings/vary', { seed: 7 })).json.profile).toEqual(varyProfile(7))
    expect(await active()).toEqual(varyProfile(7))
    const report = {
      format: 1,
      profile: { 'list.order': 'by-name', 'create.location': 'elsewhere', 'http.head': 'unknown' },
    }
    const taken = await call('PUT', '/settings/profile', report)
    expect(taken.json.leftOut).toEqual(['create.location'])
    expect(taken.json.settings.profile).toEqual({ ...defaultProfile, 'list.order': 'by-name' })
    expect(
      (await call('PUT', '/settings/profile', { 'list.order': 'shuffled' })).json.leftOut,
    ).toEqual([])
    expect(await active()).toEqual({ ...defaultProfile, 'list.order': 'shuffled' })
    // A report of another version may have other behaviors; a profile that names one has a typing error.
    const ofLater = { profile: { 'list.order': 'shuffled', 'list.later': 'x' } }
    expect((await call('PUT', '/settings/profile', ofLater)).status).toBe(200)
    const wrong = await call('PUT', '/settings/profile', { 'list.order': 'zigzag' })
    expect([wrong.status, wrong.json.message]).toEqual([
      400,
      expect.stringContaining(
        'list.order has no option "zigzag"; it has oldest-first, newest-first',
      ),
    ])
    const typo = await call('PUT', '/settings/profile', {
      'list.order': 'by-name',
      'list.ordr': 'by-name',
    })
    expect(typo.status).toBe(400)
    expect(typo.json.message).toBe(
      'The body names the unknown behavior "list.ordr"; did you mean list.order?',
    )
    expect(await active()).toEqual({ ...defaultProfile, 'list.order': 'shuffled' })
    for (const wrong of [{}, [], { profile: 7 }])
      expect((await call('PUT', '/settings/profile', wrong)).status).toBe(400)
    expect((await call('POST', '/settings/vary', { seed: 1.5 })).status).toBe(400)
    expect(other.settings.profile).toEqual(defaultProfile)
  })

  test('the list of deliberate defects shows which are on', async () => {
    const { call } = await startIn(scope)
    await call('PATCH', '/settings', { defects: ['list.limit-ignored'] })
    const { defects } = (await call('GET', '/defects')).json
    expect(defects.filter(({ active }: any) => active).map(({ id }: any) => id)).toEqual([
      'list.limit-ignored',
    ])
  })

  test('a sandbox accepts 1,000 rules', async () => {
    const { call } = await startIn(scope)
    const thousand = Array.from({ length: 1_000 }, () => ({ delayMs: 1 }))
    expect((await call('POST', '/rules', thousand)).status).toBe(201)
    expect((await call('POST', '/rules', { delayMs: 1 })).status).toBe(400)
    await call('DELETE', '/rules/rule-1')
    expect((await call('POST', '/rules', { delayMs: 1 })).status).toBe(201)
    // More values than the stack could hold as arguments.
    const { status, json } = await call(
      'POST',
      '/rules',
      Array.from({ length: 500_000 }, () => 0),
    )
    expect(status).toBe(400)
    expect(json.message.length).toBeLessThan(10_000)
  })

  test.each(['pending=maybe', 'pending=true&pending=false', 'all=true'])(
    '?%s is no filter of rules',
    async (query) => {
      const { call } = await startIn(scope)
      expect((await call('GET', `/rules?${query}`)).status).toBe(400)
    },
  )

  test('the clock can be set and advanced, and determines the removal of getPet, only here', async () => {
    const { call, request, other } = await startIn(scope)
    const now = async (method: string, path: string, body?: unknown) =>
      (await call(method, path, body)).json.now
    expect(await now('PUT', '/clock', { now: '2030-12-04T23:59:59Z' })).toBe(
      '2030-12-04T23:59:59.000Z',
    )
    expect((await request('GET', '/v1/pets/1')).status).toBe(200)
    expect(await now('POST', '/clock/advance', { ms: 1_000 })).toBe('2030-12-05T00:00:00.000Z')
    expect((await request('GET', '/v1/pets/1')).status).not.toBe(200)
    expect(await now('POST', '/clock/advance', { ms: -1_000 })).toBe('2030-12-04T23:59:59.000Z')
    expect(other.clock.now().getTime()).toBeLessThan(Date.parse('2030-01-01'))
    expect(Date.parse(await now('DELETE', '/clock'))).toBeLessThan(Date.parse('2030-01-01'))
  })

  test('the clock can be frozen at the current time, and run from a given one', async () => {
    const { call } = await startIn(scope)
    const started = (await call('GET', '/clock')).json
    expect(started.frozen).toBe(false)
    expect(Math.abs(Date.parse(started.startedAt) - Date.now())).toBeLessThan(60_000)
    const stopped = (await call('PUT', '/clock', {})).json
    expect(stopped.frozen).toBe(true)
    await setTimeout(5)
    expect((await call('GET', '/clock')).json).toEqual(stopped)
    const running = (await call('PUT', '/clock', { now: '2030-12-06', frozen: false })).json
    expect(running.frozen).toBe(false)
    await setTimeout(5)
    const later = (await call('GET', '/clock')).json.now
    expect(later > running.now).toBe(true)
    expect(later.slice(0, 10)).toBe('2030-12-06')
    await call('PUT', '/clock', { now: '2031-01-01' })
    expect((await call('PUT', '/clock', { frozen: false })).json.now.slice(0, 10)).toBe(
      '2031-01-01',
    )
  })

  test('the clock stays within the range of dates', async () => {
    const { call } = await startIn(scope)
    expect((await call('POST', '/clock/advance', { ms: 9_000_000_000_000_000 })).status).toBe(400)
    await call('PUT', '/clock', { now: '9999-12-31T23:59:59.999Z' })
    expect((await call('POST', '/clock/advance', { ms: 1 })).json.now).toBe(
      '+010000-01-01T00:00:00.000Z',
    )
  })

  test.each([
    ['2030-12-06', '2030-12-06T00:00:00.000Z'],
    ['2030-12-06T09:30Z', '2030-12-06T09:30:00.000Z'],
    ['2030-12-06T09:30:05.25-01:30', '2030-12-06T11:00:05.250Z'],
    ['2030-12-06T09:30', new Date(2030, 11, 6, 9, 30).toISOString()],
    ['+010000-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
  ])('the clock accepts %s', async (now, shown) => {
    const { call } = await startIn(scope)
    expect((await call('PUT', '/clock', { now })).json).toMatchObject({ now: shown, frozen: true })
  })
})
