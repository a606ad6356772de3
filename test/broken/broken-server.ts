import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TwinAnswer } from '../twins/answers.ts'
import { writeJson } from '../twins/exact-json.ts'
import { createPetTable } from '../twins/pet-table.ts'
import { twinKey, type RunningTwin } from '../twins/running-twin.ts'
import { answer as serveLawfully } from '../twins/service.ts'
import { ordinary, type Settings } from '../twins/settings.ts'
import { toCall, type Call } from './call.ts'
import type { BrokenServer, Page, Row, Seams } from './fault.ts'
import { shopFor } from './shops.ts'

/** The servers of a table of faults. */
export function toBrokenServers(rows: readonly Row[]): BrokenServer[] {
  return rows.map(([id, breaks, description, fault]) => ({
    id,
    breaks,
    description,
    start: () => {
      const seams = fault()
      return startBroken({ ...seams, shop: seams.shop ?? shopFor(id) })
    },
  }))
}

/** Starts a lawful server with a fault in one of its seams. */
export async function startBroken(seams: Seams): Promise<RunningTwin> {
  const settings: Settings = { ...ordinary, ...seams.shop }
  const { hear, answer, say, write } = seams
  const lawfulTable = createPetTable(settings, () => performance.now())
  const table = seams.store?.(lawfulTable) ?? lawfulTable
  const serve = (call: Call): TwinAnswer => serveLawfully(call.request, table, settings)
  let requests = 0

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1
    const nth = requests
    const call = await readCall(incoming, nth)
    const heard = hear?.(call) ?? call
    const answered = (await answer?.(heard, serve)) ?? serve(heard)
    const page = toPage(say?.(answered, call) ?? answered, settings)
    const written = write === undefined ? page : write(page, call, response)
    if (written === undefined) return
    for (const [name, value] of Object.entries(written.headers)) response.setHeader(name, value)
    response.statusCode = written.status
    if (!('transfer-encoding' in written.headers) && !('content-length' in written.headers)) {
      response.setHeader('content-length', written.body.length)
    }
    response.end(incoming.method === 'HEAD' ? undefined : written.body)
  }

  return listen(
    createServer((incoming, response) => {
      handle(incoming, response).catch(() => incoming.destroy())
    }),
  )
}

/** Listens on a free port of the loopback address. */
export async function listen(server: Server): Promise<RunningTwin> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}/v1`, key: twinKey, close }
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
  return toCall(request, incoming.socket, nth)
}

function toPage({ status, headers, json, page }: TwinAnswer, settings: Settings): Page {
  const text = page?.text ?? (json === undefined ? '' : writeJson(json, settings))
  const type = page?.contentType ?? settings.contentType
  return { status, headers: { ...(text !== '' && { 'content-type': type }), ...headers }, body: Buffer.from(text) }
}
