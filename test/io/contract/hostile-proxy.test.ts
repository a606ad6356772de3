import { createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { type Process, startProcess } from '../cli/command.ts'
import { sample } from '../../support/level.ts'
import { listen } from '../../support/listen.ts'

const key = 'Proxy-Test_key.7aB'
const ok = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** Behaviors of a proxy after a request on a connection. */
const ways: Record<string, (socket: Socket) => void> = {
  close: (socket) => socket.end(),
  reset: (socket) => socket.resetAndDestroy(),
  silence: () => {},
  drip: (socket) => {
    const timer = setInterval(() => socket.write('x'), 20)
    socket.write('HTTP/1.1 200 ')
    socket.once('close', () => clearInterval(timer))
  },
  '407 for ever': (socket) => socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'),
  garbage: (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
  'endless head': (socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(`x: ${'y'.repeat(8_000)}\r\n`));
    }
    socket.on('drain', more).write('HTTP/1.1 200 Yes\r\n')
    more()
  },
  '100 for ever': (socket) => {
    const more = (): void => {
      while (socket.writable && socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)));
    }
    socket.on('drain', more)
    more()
  },
  '200, then close': (socket) => socket.end(ok),
  '200, then reset': (socket) => socket.write(ok, () => socket.resetAndDestroy()),
  '200, then silence': (socket) => socket.write(ok),
  '200, then garbage': (socket) => socket.end(`${ok}SSH-2.0-OpenSSH_9.9\r\n`),
}

async function startHostileProxy(
  way: (socket: Socket) => void,
): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => way(socket))
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, sockets }
}

// A response of 200 to a request that is not CONNECT is that of the target.
const rows = (['http', 'https'] as const).flatMap((scheme) =>
  Object.entries(ways)
    .filter(([name]) => scheme === 'https' || !name.startsWith('200'))
    .map(([name, way]) => ({ scheme, name, way })),
)

describe('a hostile proxy ends a run soon, with exit code 3 and a message that names it', () => {
  test.concurrent.each(rows)('$scheme: $name', async ({ scheme, way }) => {
    const { url, sockets } = await startHostileProxy(way)
    const report = await verify({
      baseUrl: `${scheme}://petstore.invalid/v1`,
      apiKey: key,
      allowWrites: true,
      proxy: { [scheme]: url },
      timeoutMs: 150,
      retryBudgetMs: 200,
    })
    expect(report).toMatchObject({ exitCode: 3, findings: [] })
    expect(report.reason).toMatch(
      /^(?:the target cannot be reached: |.*not in valid HTTP\/1\.1 \()[^\n]+$/,
    )
    expect(report.reason).toContain(`the proxy ${new URL(url).host}`)
    // One connection per request, and a few that are opened in advance.
    expect(sockets.size).toBeLessThan(20)
  })
})

test.concurrent.each(sample(rows, { usual: 6, slow: 3, all: 1 }))(
  'a signal ends the run at once: $scheme, $name',
  async ({ scheme, way }) => {
    const { url } = await startHostileProxy(way)
    const stop = new AbortController()
    const running = verify({
      baseUrl: `${scheme}://petstore.invalid/v1`,
      apiKey: key,
      readOnly: true,
      proxy: { [scheme]: url },
      timeoutMs: 600_000,
      signal: stop.signal,
      onProgress: () => setTimeout(() => stop.abort(), 100),
    })
    expect(await running).toMatchObject({ exitCode: 3, findings: [] })
  },
)

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends petstore verify with its report',
  async (signal) => {
    const running: Process[] = []
    const { url } = await startHostileProxy((socket) => {
      socket.end()
      running[0]?.child.kill(signal)
    })
    const args = [
      'verify',
      'http://petstore.invalid/v1',
      '--key',
      key,
      '--read-only',
      '--wait-until-ready',
      '600',
    ]
    const started = startProcess(args, { env: { http_proxy: url } })
    running.push(started)
    const { code, stdout } = await started.ended
    expect(code).toBe(3)
    expect(stdout).toContain('\nINCONCLUSIVE: the run was stopped before its end. ')
  },
)
