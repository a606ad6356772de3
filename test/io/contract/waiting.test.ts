import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { sendJson } from '../../support/http-server.ts'
import { freePort } from '../../support/redis.ts'
import { key, startStore } from '../../support/store.ts'
import { run } from '../cli/command.ts'
import { serveMock } from '../../support/serve-mock.ts'

/** Resolves when a connection to a local port is rejected. */
function nextRejection(port: number): Promise<void> {
  return new Promise((resolve) => {
    const listener = (message: unknown): void => {
      const { socket } = message as { socket: Socket }
      socket.once('error', (error: NodeJS.ErrnoException & { port?: number }) => {
        if (error.port !== port) return
        unsubscribe('net.client.socket', listener)
        resolve()
      })
    }
    subscribe('net.client.socket', listener)
  })
}

test('waits for a target that listens later', async () => {
  const port = await freePort()
  const rejected = nextRejection(port)
  const run = verify({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: key,
    waitUntilReadyMs: 60_000,
  })
  await rejected
  await serveMock({ port, pets: 30, keys: [key] })
  expect(await run).toMatchObject({ verdict: 'conforms', counts: { violated: 0, notVerified: 0 } })
})

test('waits while a gateway responds 502 or 503', async () => {
  const { url, requests } = await startStore({}, ({ index }, response) => {
    if (index >= 3) return false
    return response.writeHead(index === 0 ? 502 : 503).end('starting')
  })
  const { code, stdout } = await run([
    'verify',
    url,
    '--key',
    key,
    '--wait-until-ready',
    '60',
    '--retry-budget',
    '0',
  ])
  expect(stdout).toContain('PASS')
  expect(code).toBe(0)
  expect(requests.slice(0, 4).map(({ target }) => target)).toEqual(
    Array(4).fill('/v1/pets?limit=1'),
  )
})

test('does not wait for a rate-limited target', async () => {
  const { url, requests } = await startStore({}, ({ index }, response) => {
    if (index > 0) return false
    return sendJson(
      response,
      429,
      { code: 'slow_down', message: '', status: 429 },
      { 'retry-after': '0' },
    )
  })
  const report = await verify({
    baseUrl: url,
    apiKey: key,
    waitUntilReadyMs: 60_000,
    only: ['create.401'],
  })
  expect(report.verdict).toBe('conforms')
  // It asks for this list until something responds.
  expect(requests.slice(0, 2).map(({ target }) => target)).toEqual(['/v1/pets?limit=1', '/v1/pets'])
})

test('reports a target that does not start in time', async () => {
  // No server of another test gets this port.
  const url = 'http://127.0.0.1:1/v1'
  const { code, stdout, stderr } = await run([
    'verify',
    url,
    '--key',
    key,
    '--wait-until-ready',
    '0.4',
  ])
  expect(code).toBe(3)
  expect(stdout).toContain('No requirement could be checked.')
  expect(stdout).toContain(
    'the target cannot be reached within 0.4 s: nothing listens there (connection refused)',
  )
  expect(stderr).toBe('')
})

test('ends at once when stopped during the wait', async () => {
  const stop = new AbortController()
  const { url } = await startStore({}, (_, response) => {
    response.writeHead(503).end()
    stop.abort()
  })
  const report = await verify({
    baseUrl: url,
    apiKey: key,
    waitUntilReadyMs: 600_000,
    signal: stop.signal,
  })
  expect(report).toMatchObject({ exitCode: 3, reason: 'the run was stopped before its end' })
})
