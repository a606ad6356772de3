import { describe, expect, test, vi } from 'vitest'
import type { Profile } from '../../../src/spec/behaviors.ts'

import { UsageError } from '../../../src/errors.ts'
import { createMock, type Mock } from '../../../src/mock/index.ts'
import { sendTo } from './ask.ts'

const removal = Date.parse('2030-12-05T00:00:00Z')
const get = async (mock: Mock): Promise<number> => (await sendTo(mock, 'GET', '/v1/pets/1')).status

describe('the clock of a mock', () => {
  test('is the system clock until it is set', () => {
    const before = Date.now()
    const { clock } = createMock()
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(before)
    expect(clock.now().getTime()).toBeLessThanOrEqual(Date.now())
    clock.set('2030-12-06')
    expect(clock.now()).toEqual(new Date('2030-12-06'))
    clock.set(new Date(7))
    expect(clock.now().getTime()).toBe(7)
  })

  test('is frozen at a date given as an option, and follows a function', () => {
    expect(createMock({ now: '2026-11-20T12:00:00+01:00' }).clock.now().toISOString()).toBe(
      '2026-11-20T11:00:00.000Z',
    )
    let now = 1_000
    const { clock } = createMock({ now: () => new Date(now) })
    clock.advance(500)
    now = 2_000
    expect(clock.now().getTime()).toBe(2_500)
  })

  test('advances forward and backward, also after it was set', () => {
    const { clock } = createMock({ now: '2026-11-20' })
    clock.advance(86_400_000)
    clock.advance(-3_600_000)
    expect(clock.now().toISOString()).toBe('2026-11-20T23:00:00.000Z')
    clock.set('2030-01-01')
    clock.advance(1.5)
    clock.advance(1.5)
    expect(clock.now().getTime()).toBe(Date.parse('2030-01-01') + 3)
  })

  test('returns to the value of the options on reset', () => {
    const mock = createMock({ now: '2026-11-20' })
    mock.clock.set('2031-01-01')
    mock.clock.advance(1)
    mock.clock.reset()
    expect(mock.clock.now()).toEqual(new Date('2026-11-20'))
    mock.clock.advance(5)
    mock.reset()
    expect(mock.clock.now()).toEqual(new Date('2026-11-20'))
  })

  test.each([
    ['soon'],
    [''],
    ['2030-02-31'],
    ['2030-02-29T10:00:00Z'],
    ['6 Dec 2030'],
    [new Date(Number.NaN)],
    [7],
    [null],
    [undefined],
    [{ toString: 1 }],
    [Object.create(null)],
  ])('cannot be set to %o', (instant) => {
    const { clock } = createMock({ now: '2026-11-20' })
    expect(() => clock.set(instant as never)).toThrow(
      'The clock takes a date such as 2030-12-06, not',
    )
    expect(clock.now()).toEqual(new Date('2026-11-20'))
  })

  test.each([
    [Number.NaN],
    [Infinity],
    [-Infinity],
    [8.64e15],
    [-8.64e15 - 2e12],
    ['5'],
    [5n],
    [null],
    [undefined],
  ])('cannot advance by %s', (ms) => {
    const { clock } = createMock({ now: '2026-11-20' })
    expect(() => clock.advance(ms as never)).toThrow(UsageError)
    expect(clock.now()).toEqual(new Date('2026-11-20'))
  })

  test('always shows a valid date', () => {
    const now = new Date(0)
    const { clock } = createMock({ now: () => now })
    clock.advance(8.64e15)
    expect(() => clock.advance(now.setTime(1))).toThrow(UsageError)
    expect(clock.now().toISOString()).toBe('+275760-09-13T00:00:00.000Z')
  })

  test('does not affect the timestamps of the journal', async () => {
    const mock = createMock({ now: '2031-01-01' })
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    await get(mock)
    vi.useRealTimers()
    expect(mock.journal.last()?.at).toBe('2026-11-20T12:00:00.000Z')
  })
})

describe('getPet over time', () => {
  test.each([
    ['works', 200],
    ['404', 404],
    ['405', 405],
    ['410', 410],
    ['501', 501],
  ])('get.after-removal: %s', async (option, status) => {
    const mock = createMock({
      profile: { 'get.after-removal': option as Profile['get.after-removal'] },
      now: new Date(removal - 1),
    })
    expect(await get(mock)).toBe(200)
    mock.clock.advance(1)
    for (const [method, target] of [
      ['GET', '/v1/pets/1'],
      ['HEAD', '/v1/pets/1'],
      ['GET', '/v1/pets/1?x=1'],
    ] as const) {
      const reply = await sendTo(mock, method, target)
      expect(reply).toMatchObject({
        status,
        headers: { deprecation: '@1764892800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
        reason: status === 200 ? 'get.by-id' : `get.after-removal=${option}`,
      })
      // RFC 9110 section 15.5.6: a 405 carries Allow.
      expect(reply.headers['allow']).toBe(status === 405 ? 'OPTIONS' : undefined)
      if (status !== 200 && method === 'GET') {
        expect(reply.json).toEqual({
          code: expect.any(String),
          message: expect.stringContaining('was removed'),
          status,
        })
      }
    }
    const gone = await sendTo(mock, 'GET', '/v1/pets/999')
    expect(gone.status).toBe(status === 200 ? 404 : status)
    // The rest of the API stays.
    expect((await sendTo(mock, 'GET', '/v1/pets?status=sold')).status).toBe(200)
    expect((await sendTo(mock, 'GET', '/v1/pets/1', { headers: {} })).status).toBe(401)
    mock.clock.set('2026-11-20')
    expect(await get(mock)).toBe(200)
  })

  test('a 404 after the removal has the configured error code', async () => {
    const profile = { 'get.after-removal': '404', 'error.code.404': 'E_GONE' } as const
    expect(
      (await sendTo(createMock({ profile, now: '2031-01-01' }), 'GET', '/v1/pets/1')).json.code,
    ).toBe('E_GONE')
  })

  test.each([
    ['present', 'present'],
    ['present', 'absent'],
    ['absent', 'present'],
    ['absent', 'absent'],
  ])('deprecation %s, sunset %s', async (deprecation, sunset) => {
    const profile = {
      'get.deprecation-header': deprecation,
      'get.sunset-header': sunset,
    } as Partial<Profile>
    const mock = createMock({ profile, now: '2030-12-04' })
    for (const target of ['/v1/pets/1', '/v1/pets/999', '/v1/pets/x']) {
      const { headers } = await sendTo(mock, 'GET', target)
      expect(
        [headers['deprecation'], headers['sunset']].map((value) => value !== undefined),
      ).toEqual([deprecation === 'present', sunset === 'present'])
      // RFC 9745: Deprecation is a structured-field date; RFC 8594: Sunset is an HTTP-date.
      if (headers['deprecation']) expect(headers['deprecation']).toMatch(/^@\d+$/)
      if (headers['sunset']) expect(Date.parse(headers['sunset'])).toBe(removal)
    }
    const { headers } = await sendTo(mock, 'GET', '/v1/pets')
    expect([headers['deprecation'], headers['sunset']]).toEqual([undefined, undefined])
  })
})
