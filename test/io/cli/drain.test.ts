/** `petstore mock --drain`: stopped mocks behind a load balancer lose no request. */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { defaultKey } from '../../../src/mock/index.ts'
import { listen } from '../../support/listen.ts'
import { startProcess } from './command.ts'

/** Starts a mock in a process of its own, and waits until it listens. */
async function startMock(port: number, ...args: readonly string[]) {
  const mock = startProcess(['mock', '--port', String(port), '--quiet', '--log', 'none', ...args])
  const url = new URL((await mock.says(/^http:\S+\n/)).trim())
  return { ...mock, origin: url.origin, port: Number(url.port) }
}

interface Backend {
  port: number
  agent: Agent
  isUp: boolean
  /** Whether it has said that it drains. */
  drains: boolean
}

/**
 * Starts a load balancer that asks each mock every 20 ms whether it is ready, reuses connections, and repeats no request.
 * Returns its port, and what it knows of a mock.
 */
async function startBalancer(
  ports: readonly number[],
): Promise<{ port: number; find: (port: number) => Backend | undefined }> {
  const backends = ports.map((port): Backend => ({
    port,
    agent: new Agent({ keepAlive: true }),
    isUp: true,
    drains: false,
  }))
  let turn = 0
  const server = createServer((incoming, response) => {
    const up = backends.filter(({ isUp }) => isUp)
    const backend = up[(turn += 1) % up.length]
    if (backend === undefined) return void response.writeHead(503).end()
    const { method, url, headers } = incoming
    const options = { host: '127.0.0.1', port: backend.port, agent: backend.agent }
    const forwarded = request({ ...options, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502)
      reply.pipe(response)
    })
    forwarded.on('error', (error: NodeJS.ErrnoException) =>
      response.writeHead(502).end(`${backend.port} ${error.code}`),
    )
    incoming.pipe(forwarded)
  })
  const over = new AbortController()
  async function check(backend: Backend): Promise<void> {
    while (!over.signal.aborted) {
      const url = `http://127.0.0.1:${backend.port}/_petstore/ready`
      const status = await fetch(url).then(
        (response) => response.status,
        () => 0,
      )
      backend.isUp = status === 200
      backend.drains ||= status === 503
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    backend.agent.destroy()
  }
  const checks = backends.map(check)
  onTestFinished(async () => {
    over.abort()
    await Promise.all(checks)
  })
  return { port: await listen(server), find: (port) => backends.find((one) => one.port === port) }
}

/** Sends creations, one after another, until the returned function is called. Resolves with the failed ones. */
function keepCreating(port: number): { sent: () => number; stop: () => Promise<string[]> } {
  const failed: string[] = []
  let sent = 0
  const over = new AbortController()
  const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
  const create = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const body = '{"name":"Rex","categoryId":1}'
      const url = `http://127.0.0.1:${port}/v1/pets`
      const reply = await fetch(url, { method: 'POST', headers, body })
      const said = await reply.text()
      if (reply.status !== 201) failed.push(`${reply.status} ${said}`)
      sent += 1
    }
  }
  const clients = Array.from({ length: 8 }, create)
  return {
    sent: () => sent,
    async stop() {
      over.abort()
      await Promise.all(clients)
      return failed
    },
  }
}

test('a client that creates pets without pause notices no restart behind a load balancer', async () => {
  for (let isInTime = false; !isInTime;) {
    const mocks = [await startMock(0, '--drain', '1'), await startMock(0, '--drain', '1')]
    const balancer = await startBalancer(mocks.map(({ port }) => port))
    const client = keepCreating(balancer.port)
    isInTime = true
    for (const { child, ended, port } of mocks) {
      const before = client.sent()
      await expect.poll(client.sent).toBeGreaterThan(before + 50)
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ code: 0 })
      // On a busy machine, the balancer may ask again only after the mock has drained.
      isInTime &&= balancer.find(port)?.drains === true
      await startMock(port, '--drain', '1')
      await expect.poll(() => balancer.find(port)?.isUp).toBe(true)
    }
    const failed = await client.stop()
    if (isInTime) expect(failed).toEqual([])
  }
})

const get =
  'GET /v1/pets?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer petstore-test-key\r\n\r\n'

test('while it drains, it responds on old and new connections, and asks clients to close them', async () => {
  const { child, ended, origin, port, says } = await startMock(0, '--drain', '2')
  const old = connect(port, '127.0.0.1')
  old.write(get)
  await once(old, 'readable')
  expect(String(old.read())).not.toMatch(/^connection: close/im)
  child.kill('SIGTERM')
  expect(await says(/.*stops in.*/, 'stderr')).toBe(
    'The mock is not ready from now on, and stops in 2 s. A second signal ends it at once.',
  )
  const ready = await fetch(`${origin}/_petstore/ready`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])
  expect((await fetch(`${origin}/_petstore/health`)).status).toBe(200)
  for (const socket of [old, connect(port, '127.0.0.1')]) {
    socket.write(get)
    const said = await text(socket)
    expect(said).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(said).toMatch(/^connection: close\r$/im)
  }
  expect(await ended).toMatchObject({ code: 0 })
})

test('a second signal ends it at once', async () => {
  const { child, ended, says } = await startMock(0, '--drain', '600')
  child.kill('SIGINT')
  await says(/stops in 600 s/, 'stderr')
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ signal: 'SIGINT' })
})
