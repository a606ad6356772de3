/** The parts of a mock on several machines, each a process that can be killed, stopped and disconnected. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environment } from './environment.ts'

/** The installed engine, if any. */
export const engineCommand = ['redis-server', 'valkey-server'].find(
  (command) => spawnSync(command, ['--version']).status === 0,
)

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function start(command: string, args: readonly string[], hasChannel = false): ChildProcess {
  const stdio = ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])] as const
  const child = spawn(command, args, { env: environment(), stdio: [...stdio] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = (await ended) as [number | null]
  return code
}

/** Redis or Valkey on a Unix socket: without a port, which another test might take, unless its options name one. */
export class Engine {
  readonly socket: string
  readonly #folder: string
  readonly #options: readonly string[]
  #child: ChildProcess | undefined
  output = ''

  /** @param options of the command line, such as `--appendfsync always`. */
  constructor(folder: string, options: readonly string[]) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.socket = join(folder, 's')
    this.#options = options
  }

  async start(): Promise<void> {
    const fixed = ['--port', '0', '--unixsocket', this.socket, '--dir', this.#folder, '--save', '']
    const child = start(engineCommand ?? 'redis-server', [...fixed, ...this.#options])
    this.#child = child
    const read = (text: string): unknown => (this.output = (this.output + text).slice(-20_000))
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    for (let turn = 0; turn < 1_000; turn += 1) {
      if (child.exitCode !== null) break
      if ((await this.command('PING').catch(() => '')) === 'PONG') return
      await pause(10)
    }
    throw new Error(`The engine does not start: ${this.output}`)
  }

  /** Runs a command and returns the response: a line or text without framing, a list with its framing. */
  async command(...words: readonly string[]): Promise<string> {
    const socket = connect(this.socket)
    socket.setTimeout(5_000, () => socket.destroy(new Error('The engine does not respond.')))
    for (const all of [words, ['QUIT']]) {
      const parts = all.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
      socket.write(`*${all.length}\r\n${parts.join('')}`)
    }
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('latin1')
    if (text.startsWith('-') || !text.endsWith('+OK\r\n'))
      throw new Error(`The engine responds: ${text}`)
    return text
      .slice(0, -5)
      .replace(/^(?:[+:]|\$-?\d+\r\n)/, '')
      .trim()
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.kill('SIGCONT')
    if (this.#child !== undefined) await end(this.#child, signal)
  }
}

/** The network between a mock and its engine; it can be cut, slow, silent, or lose responses. */
export class Wire {
  /** The socket of the engine. */
  to: string
  /** Delay of each response of the engine in milliseconds. */
  delayMs = 0
  /** `rejects`: new connections are closed at once. `silent`: nothing passes in either direction. */
  state: 'open' | 'rejects' | 'silent' = 'open'
  /** A command that cuts its connection before it reaches the engine. */
  cutAt: string | undefined
  /** Number of requests that the engine still executes without a response; their connections are cut. */
  #losing = 0
  lost = 0
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  readonly #server = createServer((near) => this.#connect(near))

  constructor(to: string) {
    this.to = to
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get url(): string {
    const address = this.#server.address()
    return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** Loses the next response of the engine and cuts its connection. */
  loseNext(): void {
    this.#losing += 1
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #connect(near: Socket): void {
    near.on('error', () => near.destroy())
    if (this.state === 'rejects') return void near.destroy()
    const far = connect(this.to)
    const pair = [near, far] as const
    this.#pairs.add(pair)
    const [toFar, toNear] = [this.#queue(far), this.#queue(near)]
    near.on('data', (bytes) => {
      if (this.cutAt !== undefined && bytes.includes(this.cutAt)) near.destroy()
      else toFar(bytes, 0)
    })
    far.on('data', (bytes) => {
      if (this.#losing === 0) return toNear(bytes, this.delayMs)
      this.#losing -= 1
      this.lost += 1
      near.destroy()
      far.destroy()
    })
    for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
      one.setNoDelay(true)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        this.#pairs.delete(pair)
        other.destroy()
      })
    }
  }

  /** Forwards bytes in order. While the wire is silent they wait, like packets during a network outage. */
  #queue(to: Socket): (bytes: Buffer, delayMs: number) => void {
    let before = Promise.resolve()
    const pass = async (bytes: Buffer, due: number): Promise<void> => {
      const early = due - performance.now()
      if (early > 0) await pause(early)
      while (this.state === 'silent' && !to.destroyed) await pause(10)
      if (!to.destroyed) to.write(bytes)
    }
    return (bytes, delayMs) => {
      const due = performance.now() + delayMs
      before = before.then(() => pass(bytes, due))
    }
  }
}

const builtCli = fileURLToPath(new URL('../../dist/bin/petstore.js', import.meta.url))
/** More memory than the mock needs, but small enough that a leak ends the process (MiB). */
const heapLimit = 256

interface ProcessOptions {
  /** Default: any free port, another one after each start. */
  port?: number
  /** The command to start. Default: the one in dist/. */
  cli?: string | undefined
  /** Limits its memory, and loads a probe that reports its footprint. */
  isProbed?: boolean
}

interface Footprint {
  /** Bytes of memory after a garbage collection. */
  bytes: number
  /** Open sockets, including the listening one. */
  sockets: number
  /** Unhandled rejections and warnings since the last footprint. */
  faults: string[]
}

export class MockProcess {
  readonly name: string
  readonly #flags: readonly string[]
  readonly #options: ProcessOptions
  #child: ChildProcess | undefined
  #whenEnded: Promise<unknown> = Promise.resolve()
  #origin: string | undefined
  #ended: string | undefined
  /** Its stderr since the last start. */
  errors = ''
  /** Called when the process ends by itself. */
  onEnd: ((why: string) => void) | undefined

  constructor(name: string, flags: readonly string[], options: ProcessOptions = {}) {
    this.name = name
    this.#flags = flags
    this.#options = options
  }

  /** Its origin while it listens. */
  readonly origin = (): string | undefined => this.#origin

  get port(): number {
    return Number(new URL(this.#origin ?? '').port)
  }

  /** The reason why it ended by itself. */
  get ended(): string | undefined {
    return this.#ended
  }

  /** Starts the process, waits until it is ready, and returns the time in milliseconds. */
  async start(): Promise<number> {
    const began = performance.now()
    this.errors = ''
    const { cli = builtCli, port = 0, isProbed = false } = this.#options
    const probe = new URL('probe.mjs', import.meta.url).href
    const node = isProbed
      ? ['--expose-gc', `--max-old-space-size=${heapLimit}`, '--import', probe]
      : []
    const child = start(
      process.execPath,
      [...node, cli, 'mock', '--port', String(port), '--quiet', ...this.#flags],
      isProbed,
    )
    this.#child = child
    this.#whenEnded = once(child, 'exit')
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.errors = (this.errors + text).slice(-10_000)))
    let stdout = ''
    const listens = new Promise<void>((resolve) => {
      child.stdout
        ?.setEncoding('utf8')
        .on('data', (text: string) => (stdout += text).includes('\n') && resolve())
    })
    await Promise.race([listens, this.#whenEnded])
    if (!URL.canParse(stdout.trim())) throw new Error(`${this.name} does not start: ${this.errors}`)
    this.#origin = new URL(stdout.trim()).origin
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#ended = `${this.name} has ended by itself (${code ?? signal}): ${this.errors}`
      this.onEnd?.(this.#ended)
    })
    return performance.now() - began
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  /** Memory and sockets of a probed process. Rejects when it has ended. */
  async footprint(): Promise<Footprint> {
    const child = this.#child
    if (child === undefined || this.#ended !== undefined)
      throw new Error(this.#ended ?? `${this.name} is not there.`)
    child.send('footprint')
    const message = once(child, 'message') as Promise<[Footprint]>
    await Promise.race([message, this.#whenEnded])
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${this.name} has ended: ${this.errors}`)
    return (await message)[0]
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return 0
    const ended = end(child, signal)
    // After SIGTERM it only completes received requests, so it gets no new ones.
    this.#origin = undefined
    return ended
  }
}

/** Waits (milliseconds); 0 waits for one turn of the event loop. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms)))

export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
