import fc from 'fast-check'
import { expect, test } from 'vitest'

import { defaultKey, startMock } from '../../../src/mock/index.ts'
import { lastBodyOf, openSocket, statusesOf } from './raw-socket.ts'
import { runs } from '../../support/level.ts'

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

test('any bytes as a body: a pet or an Error body, and the server lives on', async () => {
  const mock = await startMock()
  const json = fc.json().map((text) => Buffer.from(text))
  const nearly = fc
    .tuple(fc.uint8Array({ maxLength: 3 }), fc.json(), fc.uint8Array({ maxLength: 3 }))
    .map(([before, name, after]) =>
      Buffer.concat([before, Buffer.from(`{"name":"Rex","categoryId":1,"x":${name}}`), after]),
    )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), json, nearly), async (bytes) => {
      const socket = openSocket(mock.port)
      socket.send(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${defaultKey}\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n${latin1(bytes)}`,
      )
      const received = await socket.closed()
      const [status = 0] = statusesOf(received)
      const body = JSON.parse(lastBodyOf(received))
      if (status === 201) expect(body).toMatchObject({ id: expect.any(Number), name: 'Rex' })
      else expect([status, body]).toEqual([400, { code: 'invalid_request', message: expect.any(String), status: 400 }])
    }),
  )
  await mock.close()
})

test('any bytes as a request: replies with an Error body, or a clean close', async () => {
  const mock = await startMock()
  const line = fc.constantFrom(
    'GET /v1/pets HTTP/1.1\r\nHost: x\r\n',
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\n',
    'GET ',
    '',
  )
  const header = fc.constantFrom(
    `Authorization: Bearer ${defaultKey}\r\n`,
    'Transfer-Encoding: chunked\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: -1\r\n',
    ' folded\r\n',
    'Expect: 100-continue\r\n',
    '\r\n',
    '5\r\nhello\r\n',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
  )
  const noise = fc.uint8Array({ maxLength: 40 }).map(latin1)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(line, header, noise), { maxLength: 12 }), async (parts) => {
      const socket = openSocket(mock.port)
      socket.send(`${parts.join('')}\r\n\r\n`)
      // Whatever is still open after this ends here.
      socket.send('\r\n\r\nEND\r\n\r\n')
      socket.socket.end()
      const received = await socket.closed()
      for (const status of statusesOf(received)) expect([100, 200, 201, 400, 401, 404, 405, 413]).toContain(status)
    }),
    { numRuns: runs(300) },
  )
  const socket = openSocket(mock.port)
  socket.send('GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(statusesOf(await socket.closed())).toEqual([401])
  await mock.close()
})

test('thousands of connections that come and go leave nothing behind', async () => {
  const mock = await startMock()
  for (let round = 0; round < 10; round += 1) {
    const sockets = Array.from({ length: 100 }, () => openSocket(mock.port))
    for (const [index, socket] of sockets.entries()) {
      socket.send(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${defaultKey}\r\nContent-Length: 30\r\n\r\n{`,
      )
      if (index % 2 === 0) socket.socket.destroy()
    }
    for (const socket of sockets) socket.socket.destroy()
  }
  const reply = await fetch(`${mock.url}/pets/101`, { headers: { authorization: `Bearer ${defaultKey}` } })
  expect(reply.status).toBe(404)
  await mock.close()
})
