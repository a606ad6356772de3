import { ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import { variantKey, type RunningVariant, type Time } from './running-variant.ts'

export const systemTime: Time = { now: () => Date.now(), sleep: (ms) => wait(ms) }

interface Place {
  time?: Time | undefined
  key?: string
  path?: string
  /** Whether it uses HTTP in process, too; otherwise its listener gets complete requests. */
  speaksHttp?: boolean
}

/** Listens on a free loopback port; with a clock of its own, it is called only through its dispatcher. */
export async function serve(
  server: Server,
  { time, key = variantKey, path = '/v1', speaksHttp = true }: Place = {},
): Promise<RunningVariant> {
  if (time !== undefined) {
    const agent = speaksHttp ? connectInProcess(server) : undefined
    const dispatcher = agent ?? callListener(server)
    return {
      url: `http://localhost:1${path}`,
      key,
      dispatcher,
      close: async () => agent?.destroy(),
    }
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, key, close }
}

/** Sends requests to a server through pairs of streams instead of sockets. */
function connectInProcess(server: Server): Agent {
  return new Agent({
    connections: 64,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_, done) {
      const [ours, its] = duplexPair()
      // Destroying one side closes the other.
      its.once('close', () => ours.destroy())
      ours.once('close', () => its.destroy())
      server.emit('connection', its)
      queueMicrotask(() => done(null, ours as Socket))
    },
  })
}

/** Collects the written chunks, and sends nothing. */
class CollectedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = []
  readonly #done: (chunks: readonly Buffer[]) => void

  constructor(incoming: IncomingMessage, done: (chunks: readonly Buffer[]) => void) {
    super(incoming)
    this.#done = done
  }

  override write(chunk: Buffer): boolean {
    return this.#chunks.push(chunk) > 0
  }

  override end(chunk?: unknown): this {
    if (chunk !== undefined) this.#chunks.push(chunk as Buffer)
    this.#done(this.#chunks)
    return this
  }
}

/** Passes requests to the listener of a server without HTTP. */
function callListener(server: Server): Dispatcher {
  const request = ({ method, path, headers, body }: Dispatcher.RequestOptions): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const incoming = {
        method,
        url: path,
        headers: { host: 'localhost:1', ...(headers as Record<string, string>) },
        socket: {},
        destroy: () => reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })),
        async *[Symbol.asyncIterator]() {
          if (typeof body === 'string') yield Buffer.from(body)
        },
      } as unknown as IncomingMessage
      const response = new CollectedResponse(incoming, (chunks) =>
        resolve({
          statusCode: response.statusCode,
          headers: Object.fromEntries(Object.entries(response.getHeaders()).map(inText)),
          body: Object.assign(each(chunks), { destroy() {} }),
        }),
      )
      server.emit('request', incoming, response)
    })
  return { request } as unknown as Dispatcher
}

const inText = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  typeof value === 'number' ? String(value) : value,
]

async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

/** Resets a connection. */
export function reset(socket: Socket): void {
  // A pair of streams can only be destroyed.
  if ('resetAndDestroy' in socket) socket.resetAndDestroy()
  else (socket as Socket).destroy()
}
