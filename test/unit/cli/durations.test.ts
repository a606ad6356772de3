import { describe, expect, test } from 'vitest'
import { readDelay, readRateLimit } from '../../../src/cli/mock/mock-flags.ts'
import { readDuration, toDuration } from '../../../src/duration.ts'
import { flagsOf, parseFlags, showFlags } from '../../../src/options.ts'

describe('a duration', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    [' 5 m ', 300_000],
    ['5 min', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['0', 0],
    ['10', 10_000],
    ['0.001', 1],
  ])('%s', (text, ms) => {
    expect(readDuration(text, 's')).toBe(ms)
  })

  test('a number without a unit has the unit of its option', () => {
    expect(readDuration('200', 'ms')).toBe(200)
    expect(readDuration('2s', 'ms')).toBe(2_000)
    expect(readDuration('200')).toBeUndefined()
  })

  test.each(['', 's', '5M', '5 m 1 s', '1h30m', '-1s', '1e3', '5y', '1234567890s', '1.2345s'])(
    '%j is none',
    (text) => {
      expect(readDuration(text, 's')).toBeUndefined()
    },
  )

  test.each([
    [0, '0s'],
    [0.001, '1ms'],
    [1.5, '1500ms'],
    [10, '10s'],
    [90, '90s'],
    [600, '10m'],
    [7_200, '2h'],
    [86_400, '1d'],
  ])('%d s is shown as %s', (seconds, text) => {
    expect(toDuration(seconds)).toBe(text)
  })
})

describe('a flag that is a duration', () => {
  const flags = flagsOf('Time', {
    'wait DURATION': { env: 'WAIT', default: '10s', range: [0.5, 600], help: 'the time to wait' },
  })
  const read = (args: string[], env = {}) => parseFlags(flags, args, env).milliseconds('wait')

  test('is read from the command line and the environment, or has its default', () => {
    expect(read(['--wait', '2m'])).toBe(120_000)
    expect(read(['--wait=500ms'])).toBe(500)
    expect(read([], { WAIT: '1.5' })).toBe(1_500)
    expect(read([])).toBe(10_000)
    expect(read(['--wait', '10m'])).toBe(600_000)
  })

  test.each(['499ms', '601', '11m', '5x'])('rejects %s', (text) => {
    expect(() => read(['--wait', text])).toThrow(
      `--wait takes a duration from 500ms to 10m, such as 10s or 5m, not "${text}"`,
    )
  })

  test('the help says how to write one', () => {
    const plain = (_style: string, text: string): string => text
    expect(showFlags(flags, 60, plain)).toContain(
      '\n\nDURATION: 500ms, 10s, 5m, 2h or 1d; a number',
    )
  })
})

test.each([
  ['200', 200],
  ['1.5s', 1_500],
  ['100-300', { from: 100, to: 300 }],
  ['100ms-2s', { from: 100, to: 2_000 }],
  ['median=80,p99=900', { median: 80, p99: 900 }],
  ['median=80ms, p99=1s', { median: 80, p99: 1_000 }],
  ['100-', undefined],
  ['median=80', undefined],
  ['median=80,p99=x', undefined],
  ['soon', undefined],
])('--delay %s', (text, delay) => {
  expect(readDelay(text)).toEqual(delay)
})

test.each([
  ['10/1', { requests: 10, windowMs: 1_000 }],
  ['10/500ms', { requests: 10, windowMs: 500 }],
  ['100/1m', { requests: 100, windowMs: 60_000 }],
  ['10/0', undefined],
  // The mock takes at most 10^12 ms.
  ['10/11574d', { requests: 10, windowMs: 999_993_600_000 }],
  ['10/11575d', undefined],
  ['10/', undefined],
  ['/1s', undefined],
  ['10', undefined],
])('--rate-limit %s', (text, limit) => {
  expect(readRateLimit(text)).toEqual(limit)
})
