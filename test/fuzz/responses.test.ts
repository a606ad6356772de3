import { describe, expect, test } from 'vitest'

import { readReplies, saysClose } from '../../scripts/fuzz/responses.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const read = (text: string, ...methods: string[]) => readReplies(Buffer.from(text, 'latin1'), methods)

test('replies behind one another, interim ones among them', () => {
  const received = read(
    `HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 2\r\n\r\n[]${ok}Content-Length: 9\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n`,
    'POST',
    'HEAD',
    'OPTIONS',
  )
  expect(received).toMatchObject({ interim: 1, replies: [{ status: 200, body: '[]' }, { body: '' }, { status: 204 }] })
  expect(received.fault).toBeUndefined()
  expect(received.replies.map(saysClose)).toEqual([false, false, true])
})

describe('what is no reply is told:', () => {
  test.each([
    ['bytes behind the last reply', `${ok}Content-Length: 2\r\n\r\n[]x`, /bytes that are no reply: "x"/],
    ['a body that is cut', `${ok}Content-Length: 3\r\n\r\n[]`, /a body of 2 bytes that should have 3/],
    ['no length', `${ok}\r\n[]`, /no Content-Length/],
    ['two lengths', `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]`, /two Content-Lengths/],
    ['a length that is no number', `${ok}Content-Length: +2\r\n\r\n[]`, /a Content-Length of \+2/],
    ['another version', 'HTTP/1.0 200 OK\r\n\r\n', /a status line that is none/],
    ['a status beyond 599', 'HTTP/1.1 600 X\r\n\r\n', /a status line that is none/],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n', /bytes that are no reply/],
    ['a space in a name', `${ok}Content Length: 0\r\n\r\n`, /a header that is none/],
    ['a line feed in a value', `${ok}X: a\nb\r\n\r\n`, /a header that is none/],
  ])('%s', (_, text, fault) => {
    expect(read(text).fault).toMatch(fault)
  })
})
