/** The reader of Server-Sent Events, by the rules of the HTML standard. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from '../../../src/console/state/event-stream.ts'
import { runs } from '../../support/level.ts'

const read = (...pieces: string[]) => pieces.flatMap(createEventReader())

test.each<[string, string, object[]]>([
  ['LF', 'event: a\ndata: 1\n\n', [{ name: 'a', data: '1' }]],
  ['CRLF', 'event: a\r\ndata: 1\r\n\r\n', [{ name: 'a', data: '1' }]],
  ['CR', 'event: a\rdata: 1\r\r', [{ name: 'a', data: '1' }]],
  [
    'no other line break',
    'data: \u2028\u2029\u0085\v\f\n\n',
    [{ name: 'message', data: '\u2028\u2029\u0085\v\f' }],
  ],
  ['one space after the colon', 'data:1\ndata:  2\n\n', [{ name: 'message', data: '1\n 2' }]],
  ['fields without a value', 'event\ndata\n\n', [{ name: 'message', data: '' }]],
  [
    'comments and unknown fields',
    ': data: 1\ndatum: 2\ndata: 3\n\n',
    [{ name: 'message', data: '3' }],
  ],
  ['no data', 'event: a\n\ndata: 1\n\n', [{ name: 'message', data: '1' }]],
  ['an event without an end', 'data: 1\n', []],
])('%s', (_, stream, events) => {
  expect(read(stream)).toEqual(events)
  expect(read(...stream)).toEqual(events)
})

test('any data, in pieces of any size, arrives unchanged', () => {
  const anyEnd = fc.constantFrom('\n', '\r', '\r\n')
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(fc.array(text), anyEnd, fc.array(fc.nat(40)), (values, end, sizes) => {
      const stream = values.map((value) => `data: ${JSON.stringify(value)}${end}${end}`).join('')
      const pieces = sizes.reduce<string[]>(
        ([...rest], size) => [...rest, stream.slice(rest.join('').length).slice(0, size)],
        [],
      )
      const all = [...pieces, stream.slice(pieces.join('').length)]
      expect(read(...all).map(({ data }): unknown => JSON.parse(data))).toEqual(values)
    }),
    { numRuns: runs(100) },
  )
})
