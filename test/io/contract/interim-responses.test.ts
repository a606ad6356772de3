import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { NoResponse } from '../../../src/contract/http/exchange.ts'
import { Keys } from '../../../src/contract/http/keys.ts'
import { Transport } from '../../../src/contract/http/transport.ts'
import { systemClock } from '../../../src/contract/http/waiting.ts'
import { listen } from '../../support/listen.ts'
import { key } from '../../support/store.ts'

const body = '[{"id":1,"name":"HTTP/1.1 100 Continue\\r\\n\\r\\n","categoryId":1}]'
const response = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'

/** Sends two requests over one connection, each with these packets as its response. */
async function receive(
  packets: readonly string[],
  timeoutMs = 10_000,
): Promise<{ texts: string[]; connections: number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.setNoDelay(true).on('error', () => {})
    const respond = async (): Promise<void> => {
      for (const packet of packets) {
        await new Promise((resolve) => socket.write(packet, resolve))
        await nextTurn()
      }
    }
    socket.on('data', () => void respond())
  })
  const transport = new Transport(
    {
      baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
      headers: {},
      timeoutMs,
      concurrency: 1,
      retryBudgetMs: 0,
      maxRequests: 1_000,
      maxDurationMs: 600_000,
    },
    systemClock,
    new Keys(key),
  )
  onTestFinished(() => transport.close())
  const texts: string[] = []
  for (let count = 0; count < 2; count += 1) {
    const { content } = await transport.send({ method: 'GET', path: '/pets' })
    texts.push(content.kind === 'json' ? content.text : content.kind)
  }
  return { texts, connections }
}

test.each<[what: string, packets: readonly string[]]>([
  ['nothing before the response', [response]],
  ['100 before the response', [interim, response]],
  ['100 three times', [interim, interim, interim, response]],
  ['100 three times in one packet', [interim.repeat(3), response]],
  ['102', ['HTTP/1.1 102 Processing\r\n\r\n', response]],
  ['103 with headers', [hints, response]],
  ['103, then 100, in one packet with the response', [hints + interim + response]],
  ['100 without a reason phrase', ['HTTP/1.1 100\r\n\r\n', response]],
  ['each byte in a packet of its own', [...(interim + hints + response)]],
  ['100 and half of the head of the response', [interim + response.slice(0, 9), response.slice(9)]],
  ['a body that looks like 100', [response.slice(0, -body.length), body]],
])('%s', async (_, packets) => {
  expect(await receive(packets)).toEqual({ texts: [body, body], connections: 1 })
})

test('101 and an endless head are not skipped', async () => {
  await expect(receive([`HTTP/1.1 100 ${'x'.repeat(40_000)}`], 300)).rejects.toBeInstanceOf(
    NoResponse,
  )
  for (const headers of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
    const receiving = receive([`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`], 300)
    await expect(receiving).rejects.toThrow(/switched to another protocol \(101\)/)
  }
})

test('a status below 100 is not a response', async () => {
  await expect(receive([response.replace('200', '000')], 300)).rejects.toThrow(
    /the status 0, which HTTP does not have/,
  )
})

test.each([
  ['two lengths', `Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n`],
  ['a length and chunks', `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`],
  ['a folded header', `X-Note: one\r\n two\r\nContent-Length: ${body.length}\r\n`],
])(
  'a target whose responses are not valid HTTP, by %s, is not one that cannot be reached',
  async (_, headers) => {
    const server = createServer((socket) => {
      const text = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}\r\n${body}`
      socket.on('error', () => {}).on('data', () => void socket.write(text))
    })
    const baseUrl = `http://127.0.0.1:${await listen(server)}/v1`
    onTestFinished(() => void server.close())
    const report = await verify({ baseUrl, apiKey: key, retryBudgetMs: 500, timeoutMs: 2_000 })
    expect(report).toMatchObject({ exitCode: 3, findings: [] })
    expect(report.reason).toMatch(
      /^the target responds, but not in valid HTTP\/1\.1 \(HPE_[A-Z_]+: /,
    )
  },
)
