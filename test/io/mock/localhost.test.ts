import { request } from 'node:https'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'

import { defaultKey, startMock, type StartOptions } from '../../../src/mock/index.ts'
import { certificate } from '../adapters/clients.ts'

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

async function start(options: StartOptions) {
  const mock = await startMock(options)
  onTestFinished(() => mock.close())
  return mock
}

describe.runIf(hasIPv6)('the host localhost', () => {
  test('is 127.0.0.1 and ::1', async () => {
    const mock = await start({ host: 'localhost' })
    expect(mock.url).toBe(`http://localhost:${mock.port}/v1`)
    const headers = { authorization: `Bearer ${defaultKey}` }
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      const response = await fetch(`http://${host}:${mock.port}/v1/pets?limit=1`, { headers })
      expect([host, response.status]).toEqual([host, 200])
      await response.text()
    }
    expect(mock.journal.list()).toHaveLength(3)
    await mock.close()
    await expect(fetch(`http://[::1]:${mock.port}/v1/pets`)).rejects.toThrow('fetch failed')
  })

  test('is both over TLS, too', async () => {
    const { port } = await start({ host: 'localhost', tls: certificate })
    const options = { host: '::1', port, path: '/v1/pets', rejectUnauthorized: false }
    const status = await new Promise((resolve, reject) => {
      request(options, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(401)
  })
})

test('HTTP without TLS on the port of TLS gets a 400 that says so, and an entry', async () => {
  const { port, journal } = await start({ tls: certificate })
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = net.connect(port, '127.0.0.1').on('error', reject)
    socket
      .on('data', (bytes) => (received += bytes.toString()))
      .on('close', () => resolve(received))
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${defaultKey}\r\n\r\n`)
  })
  const message = 'This port speaks HTTPS, and the request came without TLS: use https://.'
  expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(text).toContain(message)
  expect(journal.list()).toMatchObject([{ malformed: true, message, response: { status: 400 } }])
})

test('other bytes on the port of TLS end the connection', async () => {
  const { port, journal } = await start({ tls: certificate })
  const bytes = await new Promise<number>((resolve) => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {})
    socket.on('data', () => {}).on('close', () => resolve(socket.bytesRead))
    socket.write('\x00\x01\x02 nonsense nonsense nonsense')
  })
  expect(bytes).toBeLessThan(20)
  expect(journal.list()).toEqual([])
})
