import { expect, test } from 'vitest'

import { defaultKey, type DeviationId, startMock } from '../../../src/mock/index.ts'
import { openSocket } from '../../unit/mock/raw-socket.ts'

/** What comes over the wire when a mock with a deviation is asked for three pets. */
async function receive(id: DeviationId, pattern?: RegExp): Promise<{ head: string; body: string }> {
  const mock = await startMock({ deviations: [id] })
  const socket = openSocket(mock.port)
  const connection = pattern ? '' : 'Connection: close\r\n'
  socket.send(`GET /v1/pets?limit=3 HTTP/1.1\r\nHost: x\r\n${connection}Authorization: Bearer ${defaultKey}\r\n\r\n`)
  const received = await (pattern ? socket.until(pattern) : socket.closed())
  socket.socket.destroy()
  await mock.close()
  const end = received.indexOf('\r\n\r\n')
  return { head: received.slice(0, end).toLowerCase(), body: received.slice(end + 4) }
}

test('a body that is shorter than declared is followed by the end of the connection', async () => {
  const { head, body } = await receive('http.shorter-than-declared')
  expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBe(body.length + 10)
})

test('the key is asked for once per connection', async () => {
  const mock = await startMock({ deviations: ['auth.once-per-connection'] })
  const [known, stranger] = [openSocket(mock.port), openSocket(mock.port)]
  known.send(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${defaultKey}\r\n\r\n`)
  await known.until(/"id":1/)
  for (const socket of [known, stranger]) socket.send('GET /v1/pets/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await known.closed()).toContain('"id":2')
  expect(await stranger.closed()).toContain('401')
  await mock.close()
})

test('a request that is never answered ends when the mock is closed', async () => {
  const mock = await startMock({ deviations: ['refuse.absent-hangs'] })
  const socket = openSocket(mock.port)
  socket.send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${defaultKey}\r\nContent-Length: 0\r\n\r\n`)
  socket.send(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\n\r\n`)
  await new Promise((resolve) => setImmediate(resolve))
  await mock.close()
  expect(await socket.closed()).toBe('')
})
