import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import { toProblem, type TwinRequest } from './answers.ts'
import { deliver } from './delivery.ts'
import { writeJson } from './exact-json.ts'
import { createPetTable } from './pet-table.ts'
import type { RunningTwin, Time } from './running-twin.ts'
import { answer } from './service.ts'
import { ordinary, type TwinOptions } from './settings.ts'
import { createWeather } from './weather.ts'

export type { RunningTwin } from './running-twin.ts'
export type { TwinOptions } from './settings.ts'

const systemTime: Time = { now: () => Date.now(), sleep: (ms) => wait(ms) }

/**
 * Starts a foreign pet store, ordinary but for the given options, on a free port of the loopback address.
 *
 * @param time where it is given, the store runs by it, and is called by its dispatcher alone, without a socket
 */
export async function startTwin(options: TwinOptions = {}, time?: Time): Promise<RunningTwin> {
  const settings = { ...ordinary, ...options }
  const { now, sleep } = time ?? systemTime
  const table = createPetTable(settings, now)
  const weather = createWeather(settings, now)

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (weather.breaks()) {
      if (time === undefined) incoming.socket.resetAndDestroy()
      else incoming.socket.destroy()
      return
    }
    const request = await readRequest(incoming)
    const delayMs = weather.latencyMs()
    if (delayMs > 0) await sleep(delayMs)
    deliver(weather.stop(request) ?? answer(request, table, settings), incoming, response, settings)
  }

  const server = createServer((incoming, response) => {
    // A client that goes away in the middle of a request is no concern of the twin.
    handle(incoming, response).catch(() => incoming.destroy())
  })
  server.keepAliveTimeout = settings.keepAliveMs
  // Newer runtimes keep an idle connection for a while longer than they were told.
  if ('keepAliveTimeoutBuffer' in server) server.keepAliveTimeoutBuffer = 0
  server.on('clientError', (_, socket) => {
    const body = writeJson(toProblem(400, 'This is not HTTP.', settings).json ?? null)
    const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
    if (socket.writable) socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
  })
  if (time !== undefined) {
    const dispatcher = connectInProcess(server)
    const close = async (): Promise<void> => dispatcher.destroy()
    return { url: `http://localhost:1${settings.prefix}/v1`, key: settings.key, dispatcher, close }
  }
  const origin = `http://127.0.0.1:${await listen(server)}`
  return { url: `${origin}${settings.prefix}/v1`, key: settings.key, close: () => shut(server) }
}

/** Sends requests to a server through pairs of streams in place of sockets. */
function connectInProcess(server: Server): Agent {
  return new Agent({
    connections: 64,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_, done) {
      const [ours, its] = duplexPair()
      // A connection that one side destroys is gone for the other.
      its.once('close', () => ours.destroy())
      ours.once('close', () => its.destroy())
      server.emit('connection', its)
      queueMicrotask(() => done(null, ours as Socket))
    },
  })
}

async function readRequest(incoming: IncomingMessage): Promise<TwinRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const target = incoming.url ?? '/'
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  return { method: incoming.method ?? 'GET', path, query, headers: incoming.headers, body: Buffer.concat(chunks) }
}

/** Listens on a free port of the loopback address and tells which. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
