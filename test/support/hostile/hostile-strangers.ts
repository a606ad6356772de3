import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { RunningVariant } from '../variants/running-variant.ts'
import {
  hostile,
  hostileJson,
  hostileSocket,
  hostileWithin,
  type HostileServer,
} from './hostile-server.ts'
import type { Page } from '../../proof/broken/fault.ts'

const json = { 'content-type': 'application/json' }
const megabyte = 1024 * 1024

/** Text that is harmless in JSON, and is markup in HTML, Markdown, a CI log or a terminal. */
const markup = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</style><svg onload=alert(1)>',
  '[click](javascript:alert(1))',
  '![](http://127.0.0.1:9/x.png)',
  '| a | b |\n|---|---|',
  '```\n# out of the block',
  '\n::error file=x::y\n::set-output name=a::b',
  '\n##vso[task.setvariable variable=a]b',
  '\nok 1 - all is well\nBail out!',
  ']]><system-out>x</system-out><![CDATA[',
  '{{constructor.constructor("alert(1)")()}}',
  '\u001b]8;;http://x\u0007here\u001b]8;;\u0007',
  '\u202egnp.exe',
].join(' ')

/** Nested gzip layers of almost equal size, so that each layer costs as much as the first. */
function layered(layers: number): Buffer {
  let bytes = Buffer.from('[]'.padEnd(4 * megabyte))
  for (let layer = 0; layer < layers; layer += 1) bytes = gzipSync(bytes, { level: 0 })
  return bytes
}

let layers: Buffer | undefined
const layerCount = 400

/** Returns the response to the previous request. */
function delayedByOne(): (page: Page) => Page {
  let last: Page | undefined
  return (page) => {
    const before = last ?? page
    last = page
    return before
  }
}

const late = delayedByOne()

/** Redirects each request to another server, and fails on close if that server got a request. */
const elsewhere: HostileServer = {
  id: 'redirects-elsewhere',
  async start() {
    const received: string[] = []
    const other = createServer((request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
      response.end()
    })
    await new Promise<void>((resolve) => other.listen(0, resolve))
    const { port } = other.address() as AddressInfo
    const location = `http://127.0.0.1:${port}/v1/pets`
    const redirecting = await hostile(
      '',
      (_, response) => void response.writeHead(307, { location }).end(),
    ).start()
    const close = async (): Promise<void> => {
      await redirecting.close()
      await new Promise((resolve) => other.close(resolve))
      if (received.length > 0) throw new Error(`another server got a request: ${received[0]}`)
    }
    return { ...redirecting, close } satisfies RunningVariant
  },
}

/** Responses to other requests, and responses with content for other parsers. */
export const hostileStrangers: HostileServer[] = [
  elsewhere,
  hostileWithin('answers-the-request-before', (page) => late(page)),
  hostileWithin('answers-of-another-operation', (page, { operation }) => {
    if (page.status !== 200 || operation === undefined) return page
    const body =
      operation === 'listPets'
        ? '{"id":1,"name":"Rex","categoryId":1}'
        : '[{"id":1,"name":"Rex","categoryId":1}]'
    return { ...page, body: Buffer.from(body) }
  }),
  hostileWithin('markup-in-names', (page, { operation }) =>
    operation === 'listPets' && page.status === 200
      ? {
          ...page,
          body: Buffer.from(
            JSON.stringify([
              { id: 1, name: markup, categoryId: markup, status: markup, [markup]: 1 },
            ]),
          ),
        }
      : page,
  ),
  hostileSocket('closes-mid-body', (socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n[{"id":1',
    ),
  ),
  hostile('gzip-in-many-layers', (_, response) => {
    layers ??= layered(layerCount)
    const codings = Array.from({ length: layerCount }, () => 'gzip').join()
    response.writeHead(200, { ...json, 'content-encoding': codings }).end(layers)
  }),
  hostile('long-odd-headers', (_, response) => {
    const odd = (start: string, filler: string): string => `${start + filler.repeat(1_500)}!`
    response
      .writeHead(429, {
        'content-type': odd('application/json', ' ;'),
        'retry-after': odd('1', ' '),
        'www-authenticate': odd('Bearer ', 'a="\\'),
        deprecation: odd('@', '1'),
        sunset: odd('Sat, ', ' '),
        link: odd('<', '>;<'),
      })
      .end('[]')
  }),
  hostileJson('zeros-in-a-number', () => {
    const zeros = '0'.repeat(100_000)
    return `[{"id":1${zeros}1,"name":"Rex","categoryId":1.${zeros}1}]`
  }),
]
