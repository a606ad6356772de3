/** The real engine of shared mocks, from the PATH, on a free port in a temporary folder. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Whether there is an engine. */
export const hasRedis = program !== undefined
/** What a test that needs one is called where there is none. */
export const withoutRedis =
  'needs redis-server or valkey-server 7 on the PATH: `apt-get install redis-server`, or `brew install valkey`'

/** An engine that runs. */
export interface RedisServer {
  readonly port: number
  readonly folder: string
  /** `redis://127.0.0.1:PORT` */
  readonly url: string
  readonly pid: number
  /** The same port and files, after it has ended. */
  start: () => Promise<void>
  /** @param signal SIGTERM by default: it writes its files. */
  stop: (signal?: NodeJS.Signals) => Promise<void>
  signal: (signal: NodeJS.Signals) => void
  /** One command, as its client would send it. Texts alone. */
  command: (...words: string[]) => Promise<string>
  /** Ends it, and removes its files. */
  remove: () => Promise<void>
}

/**
 * Starts an engine.
 *
 * @param options of the server, such as `--appendonly yes`.
 */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    port,
    folder,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0
    },
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...options]
      const started = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] })
      child = started
      let text = ''
      await new Promise<void>((resolve, reject) => {
        started.stdout.on('data', (bytes: Buffer) => {
          text += bytes.toString()
          if (text.includes('Ready to accept connections')) resolve()
        })
        started.once('error', reject)
        started.once('exit', () => reject(new Error(text)))
      })
    },
    async stop(signal = 'SIGTERM') {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill(signal)
      await ended
    },
    signal: (signal) => void child?.kill(signal),
    command: (...words) => sendCommand(port, words),
    async remove() {
      await server.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

async function sendCommand(port: number, words: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const parts = words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word])
  socket.write(`${[`*${words.length}`, ...parts].join('\r\n')}\r\n*1\r\n$4\r\nQUIT\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/\+OK\r\n$/, '')
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
