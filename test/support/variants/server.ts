import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { toProblem, type VariantResponse, type VariantRequest } from './responses.ts'
import { deliver } from './delivery.ts'
import { writeJson } from './exact-json.ts'
import { createPetTable } from './pet-table.ts'
import type { RunningVariant, Time } from './running-variant.ts'
import { reset, serve, systemTime } from './serve.ts'
import { respond } from './service.ts'
import { ordinary, type Settings, type VariantOptions } from './settings.ts'
import { createCache, createWeather } from './weather.ts'

export type { RunningVariant } from './running-variant.ts'
export type { VariantOptions } from './settings.ts'

/**
 * Starts an independent pet store on a free loopback port, with the default settings except for the given options.
 *
 * @param time clock of the store; with it, the store is called only through its dispatcher, without a socket
 */
export async function startVariant(
  options: VariantOptions = {},
  time?: Time,
): Promise<RunningVariant> {
  const settings = { ...ordinary, ...options }
  const { now, sleep } = time ?? systemTime
  const table = createPetTable(settings, now)
  const weather = createWeather(settings, now)
  const cache = createCache(settings, now)
  let requests = 0

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (weather.breaks()) return reset(incoming.socket)
    const request = await readRequest(incoming)
    const delayMs = weather.latencyMs()
    if (delayMs > 0) await sleep(delayMs)
    requests += 1
    const isKeyExpired = settings.keyEndsAfter > 0 && requests > settings.keyEndsAfter
    const current = isKeyExpired ? { ...settings, key: '' } : settings
    const serve = (): VariantResponse => weather.stop(request) ?? respond(request, table, current)
    deliver(cache.through(request, serve), incoming, response, settings)
  }

  const server = createServer((incoming, response) => {
    // Ignore clients that disconnect during a request.
    handle(incoming, response).catch(() => incoming.destroy())
  })
  server.keepAliveTimeout = settings.keepAliveMs
  // Newer Node versions keep an idle connection longer than keepAliveTimeout.
  if ('keepAliveTimeoutBuffer' in server) server.keepAliveTimeoutBuffer = 0
  server.on('clientError', (_, socket) => {
    const body = writeJson(toProblem(400, 'This is not HTTP.', settings).json ?? null)
    const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
    if (socket.writable) socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
  })
  return serve(server, {
    time,
    key: settings.key,
    path: `${settings.prefix}/v1`,
    speaksHttp: isOfHttp(settings),
  })
}

/** Whether a store differs from the default in HTTP behavior, which a run without HTTP would skip. */
function isOfHttp(settings: Settings): boolean {
  const points = [
    'framing',
    'headerCase',
    'reasonPhrase',
    'chatter',
    'keepAliveMs',
    'resetEvery',
    'encoding',
  ] as const
  return (
    settings.rateLimit?.speaker === 'connection' ||
    points.some((point) => settings[point] !== ordinary[point])
  )
}

async function readRequest(incoming: IncomingMessage): Promise<VariantRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const target = incoming.url ?? '/'
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  }
}
