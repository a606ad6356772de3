import { expect, test } from 'vitest'
import { keepHeaders } from '../../../src/contract/http/exchange.ts'

const small = Array.from({ length: 60_000 }, (_, n): [string, string] => [`x${n.toString(36)}`, ''])

test('usual headers are all kept', () => {
  const headers = { 'content-type': 'application/json', 'x-long': 'y'.repeat(16_000) }
  expect(keepHeaders(headers)).toEqual({ headers, leftOut: 0 })
})

test('of too many headers, a hundred are kept, and the rest is counted', () => {
  const { headers, leftOut } = keepHeaders(Object.fromEntries(small))
  expect(Object.keys(headers)).toEqual(small.slice(0, 100).map(([name]) => name))
  const total = small.reduce((sum, [name]) => sum + name.length, 0)
  expect(leftOut).toBe(total - Object.keys(headers).join('').length)
})

test('of large headers, 16 KiB are kept', () => {
  const large = Array.from({ length: 30 }, (_, n) => [`x${n}`, 'y'.repeat(1_000)])
  const { headers, leftOut } = keepHeaders(Object.fromEntries(large))
  expect(Object.keys(headers)).toHaveLength(16)
  expect(leftOut).toBeGreaterThan(14_000)
})

test('those that the suite reads are kept, wherever they are', () => {
  const read = {
    'content-type': 'application/json',
    'www-authenticate': 'Bearer',
    'x-ratelimit-remaining': '0',
    'cdn-cache-control': 'max-age=60',
    'x-cache': 'HIT',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  }
  const large = { 'x-large': 'y'.repeat(20_000) }
  const { headers } = keepHeaders({ ...large, ...Object.fromEntries(small), ...read })
  expect(headers).toMatchObject(read)
  expect(headers).not.toHaveProperty('x-large')
  expect(Object.keys(headers)).toHaveLength(100)
})
