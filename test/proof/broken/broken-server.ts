import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { VariantResponse } from '../../support/variants/responses.ts'
import { writeJson } from '../../support/variants/exact-json.ts'
import { createPetTable } from '../../support/variants/pet-table.ts'
import type { RunningVariant, Time } from '../../support/variants/running-variant.ts'
import { serve as serveOn, systemTime } from '../../support/variants/serve.ts'
import { respond as serveConforming } from '../../support/variants/service.ts'
import { ordinary, type Settings } from '../../support/variants/settings.ts'
import { toCall, type Call } from './call.ts'
import type { BrokenServer, Page, Row, Seams } from './fault.ts'
import { shopFor } from './shops.ts'

export function toBrokenServers(rows: readonly Row[]): BrokenServer[] {
  return rows.map(([id, breaks, fault]) => ({
    id,
    breaks,
    start: (time) => startBroken((of) => ({ shop: shopFor(id), ...fault(of) }), time),
  }))
}

/**
 * Starts a conforming server with a fault injected at one of its seams.
 *
 * @param time if given, the server uses it as its clock, and is called only through its dispatcher, without a socket
 */
export async function startBroken(
  fault: (time: Time) => Seams,
  time?: Time,
): Promise<RunningVariant> {
  const { now } = time ?? systemTime
  const seams = fault(time ?? systemTime)
  const settings: Settings = { ...ordinary, ...seams.shop }
  const { hear, respond, say, write } = seams
  const conformingTable = createPetTable(settings, now)
  const table = seams.store?.(conformingTable) ?? conformingTable
  const serve = (call: Call): VariantResponse => serveConforming(call.request, table, settings)
  let requests = 0

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1
    const nth = requests
    const call = await readCall(incoming, nth)
    const heard = hear?.(call) ?? call
    // Synchronous, so that the state of a fault belongs to this call.
    const replied = respond === undefined ? serve(heard) : await respond(heard, serve)
    const page = toPage(say?.(replied, call) ?? replied, settings)
    const written = write === undefined ? page : write(page, call, response)
    if (written === undefined) return
    for (const [name, value] of Object.entries(written.headers)) response.setHeader(name, value)
    response.statusCode = written.status
    if (!('transfer-encoding' in written.headers) && !('content-length' in written.headers)) {
      response.setHeader('content-length', written.body.length)
    }
    response.end(incoming.method === 'HEAD' ? undefined : written.body)
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => incoming.destroy())
  })
  return serveOn(server, { time, speaksHttp: seams.breaksConnections === true })
}

async function readCall(incoming: IncomingMessage, nth: number): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const [path = '/', ...query] = (incoming.url ?? '/').split('?')
  const request = {
    method: incoming.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  }
  return { ...toCall(request, incoming.socket, nth), pieces: chunks }
}

function toPage({ status, headers, json, page }: VariantResponse, settings: Settings): Page {
  const text = page?.text ?? (json === undefined ? '' : writeJson(json, settings))
  const type = page?.contentType ?? settings.contentType
  return {
    status,
    headers: { ...(text !== '' && { 'content-type': type }), ...headers },
    body: Buffer.from(text),
  }
}
