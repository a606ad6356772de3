/** How an entry of the log of a shared mock holds requests. */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { accepted } from '../../../src/mock/service/authenticate.ts'
import type { MockRequest } from '../../../src/mock/service/message.ts'
import { printRequest, readRequests } from '../../../src/mock/shared/requests.ts'

const request = fc
  .record({
    method: fc.constantFrom('POST', 'GET'),
    target: fc.webPath(),
    headers: fc.constantFrom<MockRequest['headers']>(
      {},
      { host: 'localhost', 'content-type': 'application/json' },
      { constructor: 'a name of every object', accept: ['one', 'two'] },
      { note: '"quoted" \\ Zoë' },
    ),
    body: fc.string({ unit: 'grapheme' }),
    credential: fc.constantFrom(accepted, { scheme: 'Bearer', token: 'unknown' } as const),
    connection: fc.option(fc.nat(9), { nil: undefined }),
    address: fc.constantFrom(undefined, '10.0.0.1'),
    bodyFault: fc.constantFrom(undefined, 'not-utf8' as const),
  })
  .map((all): MockRequest => {
    const known = Object.entries(all).filter(([, value]) => value !== undefined)
    return Object.fromEntries(known) as unknown as MockRequest
  })

function print(requests: readonly MockRequest[]): string {
  const placeOf = new Map<string, number>()
  const texts = requests.map((one, place) =>
    printRequest(one, JSON.stringify(one.headers), place, placeOf),
  )
  return `[${texts.join()}]`
}

test('requests are read as they were written', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 8 }), (requests) => {
      const read = readRequests(print(requests))
      expect(read).toEqual(requests)
      for (const { headers } of read) expect(Object.getPrototypeOf(headers)).toBeNull()
    }),
  )
})

test('headers that several requests have are written once, and an accepted key is not written', () => {
  const sent = {
    method: 'POST',
    target: '/v1/pets',
    headers: { 'user-agent': 'a long name of a client' },
    credential: accepted,
  }
  const requests = Array.from({ length: 20 }, (_, index) => ({ ...sent, body: `{"a":${index}}` }))
  const text = print(requests)
  expect(text.split('user-agent')).toHaveLength(2)
  expect(text).not.toContain('credential')
  expect(text.length).toBeLessThan(20 * 90)
})
