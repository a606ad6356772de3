/** A team that verifies its staging in CI: behind a gateway, red with a defect, triaged as printed, green again. */
import { createServer, request } from 'node:http'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { linesOf, Project, startMock } from './project.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

const secrets = {
  PETSTORE_STAGING_KEY: 'staging-key-5f1c',
  PETSTORE_GATEWAY_SECRET: 'gateway-secret-77ab',
}
const team = new Project(secrets)
const operator = new Project()

/** A gateway as stagings have them: it wants a header of its own, and limits the rate. */
const limit = { requests: 60, windowMs: 1_000 }
let behind = ''
let window = { startedAt: 0, requests: 0 }
const gateway = createServer((incoming, outgoing) => {
  const send = (status: number, type: string, body: string, headers = {}): void => {
    outgoing.writeHead(status, { 'content-type': type, ...headers }).end(body)
  }
  if (incoming.headers['x-api-key'] !== secrets.PETSTORE_GATEWAY_SECRET) {
    send(403, 'application/json', '{"message":"Forbidden"}')
    return
  }
  if (Date.now() - window.startedAt > limit.windowMs)
    window = { startedAt: Date.now(), requests: 0 }
  window.requests += 1
  if (window.requests > limit.requests) {
    send(429, 'text/html', '<h1>Too many requests</h1>', { 'retry-after': '1' })
    return
  }
  const { hostname, port } = new URL(behind)
  const { method, url: path, headers } = incoming
  const forwarded = request({ hostname, port, method, path, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
    reply.pipe(outgoing)
  })
  forwarded.on('error', () => send(502, 'text/html', '<h1>Bad gateway</h1>'))
  incoming.pipe(forwarded)
})
afterAll(() => gateway.close())

let stop = async (): Promise<unknown> => undefined
/** Deploys a service: stops the one before, and starts another one behind the same gateway. */
async function deploy(options = ''): Promise<string> {
  await stop()
  const mock = await startMock(operator, `--key ${secrets.PETSTORE_STAGING_KEY} ${options}`)
  stop = mock.stop
  behind = mock.url
  return mock.url
}

const verify = 'npx petstore-kit verify staging'
/** Runs a command, and checks that no output shows a secret. */
async function run(line: string): ReturnType<Project['run']> {
  const finished = await team.run(line)
  for (const secret of Object.values(secrets))
    expect(finished.stdout + finished.stderr).not.toContain(secret)
  expect(finished.stderr).not.toMatch(/^ {4}at /m)
  return finished
}
const read = (name: string): string => {
  const text = readFileSync(join(team.folder, name), 'utf8')
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
  return text
}

test('init names the deployment; the team adds the header of its gateway', async () => {
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`
  expect((await run(`npx petstore-kit init ${address}`)).code).toBe(0)
  expect(existsSync(join(team.folder, '.github/workflows/contract.yml'))).toBe(true)
  const file = join(team.folder, 'petstore.config.json')
  const config = JSON.parse(readFileSync(file, 'utf8')) as {
    deployments: { staging: Record<string, unknown> }
  }
  expect(config.deployments.staging['baseUrl']).toBe(address)
  config.deployments.staging['headers'] = { 'x-api-key': { env: 'PETSTORE_GATEWAY_SECRET' } }
  config.deployments.staging['readOnly'] = false
  writeFileSync(file, JSON.stringify(config, null, 2))
})

test('a conforming staging behind the gateway passes', async () => {
  await deploy()
  const { code, stdout, stderr } = await run(
    `${verify} --allow-writes --history history --reporter text --reporter junit=report.xml --reporter html=report.html --reporter json=good.json`,
  )
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^PASS/m)])
  expect(read('report.xml')).toMatch(/<testsuite/)
  expect(read('report.html')).toMatch(/<html/)
})

test('a defect is red', async () => {
  await deploy('--deviate list.limit-ignored --pets 130')
  const { code, stdout, stderr } = await run(
    `${verify} --allow-writes --history history --reporter text --reporter json=report.json`,
  )
  expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/^FAIL/m)])
  expect(stdout).toMatch(/limit/)
  // Every curl command of the output reproduces a violation, as printed.
  const reproductions = linesOf(stdout, /^(\$ )?curl /)
  expect(reproductions.length).toBeGreaterThan(0)
  for (const line of reproductions) {
    const { code: exit, stdout: body } = await team.run(line.replace(/^\$ /, ''))
    expect([exit, body], line).toEqual([0, expect.stringMatching(/^\[\{"id":/m)])
  }
  // Every command that the run advises exists, and does not fail as wrong usage.
  const next = linesOf(stdout, /^(Next: +)?(npx petstore-kit|petstore) /)
  expect(next.length).toBeGreaterThan(0)
  for (const line of next.map((one) => one.replace(/^Next: +/, '').replace(/ {2,}.*$/, ''))) {
    expect((await run(line)).code, line).not.toBe(2)
  }
})

test('the requirement is explained', async () => {
  const { findings } = JSON.parse(read('report.json')) as { findings: { clause: string }[] }
  for (const id of new Set(findings.map((one) => one.clause))) {
    const { code, stdout, stderr } = await run(`npx petstore-kit explain ${id}`)
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining(id)])
  }
})

test('a replay of the same deployment fails still', async () => {
  const { code } = await run('npx petstore-kit replay report.json --allow-writes')
  expect(code).toBe(1)
})

test('a baseline excuses what is known, and nothing else', async () => {
  const made = await run(
    "npx petstore-kit baseline report.json --reason 'until the next release' --ticket SHOP-12 --output baseline.json",
  )
  expect(made.code).toBe(0)
  const known = await run(`${verify} --allow-writes --baseline baseline.json`)
  expect([known.code, known.stdout]).toEqual([0, expect.stringMatching(/known/)])
  await deploy('--deviate list.limit-ignored --deviate auth.any-token --pets 130')
  const other = await run(`${verify} --allow-writes --baseline baseline.json`)
  expect(other.code).toBe(1)
})

test('after the fix, a replay passes, and the baseline is stale', async () => {
  await deploy('--pets 130')
  const { code, stdout } = await run('npx petstore-kit replay report.json --allow-writes')
  expect(code, stdout).toBe(0)
  const stale = await run(`${verify} --allow-writes --baseline baseline.json --history history`)
  expect([stale.code, stale.stdout + stale.stderr]).toEqual([
    0,
    expect.stringContaining('is verified now: remove its entry from the baseline'),
  ])
})

test('two deployments are compared, a header of one stays with it', async () => {
  const other = await startMock(new Project(), '--choose list.order=oldest-first')
  const { code, stdout, stderr } = await run(
    `PETSTORE_OTHER_KEY=petstore-test-key npx petstore-kit compare staging ${other.url} --key-env-b PETSTORE_OTHER_KEY --allow-writes`,
  )
  expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/list\.order/)])
  const journal = await (await fetch(`${other.control}/journal`)).text()
  for (const secret of Object.values(secrets)) expect(journal).not.toContain(secret)
  await other.stop()
})

test('the history shows the failure between two passes', async () => {
  const { code, stdout } = await run('npx petstore-kit history staging --history history')
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/3 runs/)
})

test('with --strict, twelve runs in a row stay green', async () => {
  limit.requests = 10_000
  await deploy()
  for (let count = 1; count <= 12; count += 1) {
    const { code, stdout } = await run(`${verify} --allow-writes --strict`)
    expect(code, `run ${count}\n${stdout}`).toBe(0)
  }
})
