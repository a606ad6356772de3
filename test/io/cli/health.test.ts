/** petstore health: output and exit code of the health check of a container. */
import { createServer, type RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { run, runProcess } from './command.ts'
import { listen } from '../../support/listen.ts'
import { serveMock } from '../../support/serve-mock.ts'

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

test('reports a ready mock without its token, for a base URL, an origin or a port', async () => {
  const { url, port } = await serveMock({ pets: 1, controlToken: 'a-token-of-the-user' })
  const ready = { code: 0, stdout: `The mock at http://127.0.0.1:${port} is ready.\n`, stderr: '' }
  expect(await run(['health', url])).toEqual(ready)
  expect(await run(['health', `http://127.0.0.1:${port}`])).toEqual(ready)
  expect(await run(['health', '--port', String(port)])).toEqual(ready)
})

test('reads the environment of petstore mock, also in a separate process', async () => {
  const { port } = await serveMock({ pets: 1, host: '0.0.0.0' })
  const env = { PETSTORE_MOCK_PORT: String(port), PETSTORE_MOCK_HOST: '0.0.0.0' }
  const { code, stdout } = await runProcess(['health'], { env })
  expect([code, stdout]).toEqual([0, `The mock at http://127.0.0.1:${port} is ready.\n`])
})

test('accepts a response of the service if there is no control API', async () => {
  const { port, url } = await serveMock({ pets: 1, control: false, basePath: '/shop/v1' })
  const env = {
    PETSTORE_MOCK_PORT: String(port),
    PETSTORE_MOCK_NO_CONTROL: '1',
    PETSTORE_MOCK_BASE_PATH: '/shop/v1',
  }
  expect((await run(['health'], { env })).code).toBe(0)
  expect(await run(['health', url])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/responds 404: .*\n$/),
  })
})

test.each<[what: string, listener: RequestListener, line: RegExp]>([
  [
    'that is not ready',
    (_, response) =>
      response
        .writeHead(503)
        .end('{"code":"unavailable","message": "The \u001b[2J engine is gone."}'),
    /is not ready: it responds 503: The \S* engine is gone\.\n$/,
  ],
  [
    'that is another server',
    (_, response) => response.end('<html>'),
    /is not ready: it responds 200\n$/,
  ],
  ['that never responds', () => {}, /is not ready: it did not respond in 0\.2 s\n$/],
  [
    'that sends slowly without an end',
    (_, response) => void response.write('{"sta'),
    /is not ready: it did not respond in 0\.2 s\n$/,
  ],
  [
    'that closes the connection',
    (_, response) => void response.destroy(),
    /is not ready: ECONNRESET\n$/,
  ],
  [
    'that sends a large body',
    (_, response) => void response.writeHead(200).end('x'.repeat(1_000_000)),
    /is not ready: it responds 200\n$/,
  ],
])('a server %s gives one line and exit code 1', async (_, listener, line) => {
  const timeout = line.source.includes('did not respond') ? '0.2' : '600'
  const { code, stdout, stderr } = await run([
    'health',
    await serve(listener),
    '--timeout',
    timeout,
  ])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('a closed port gives one line and exit code 1', async () => {
  const mock = await serveMock({ pets: 1 })
  await mock.close()
  const { code, stderr } = await run(['health', mock.url])
  expect([code, stderr]).toEqual([
    1,
    `petstore: the mock at http://127.0.0.1:${mock.port} is not ready: ECONNREFUSED\n`,
  ])
})

test('a server that switches to another protocol gives one line and exit code 1', async () => {
  const server = createServer().on('upgrade', () => {})
  server.on('connection', (socket) => {
    socket.on('data', () =>
      socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    )
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  expect(await runProcess(['health', url])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `petstore: the mock at ${url} is not ready: it switched to another protocol (101)\n`,
  })
  expect(await runProcess(['scorecard', url])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^petstore: .*\(101\)\S*.*\n$/) as string,
  })
})

test('a process that something still keeps alive ends, such as a lookup without a response', async () => {
  const { url } = await serveMock({ pets: 1 })
  const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>{},1e9)'
  const { code, stdout } = await runProcess(['health', url], { env: { NODE_OPTIONS } })
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is ready') as string,
  })
})
