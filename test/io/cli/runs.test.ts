/** The real suite, run over the control API of `petstore mock`. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { start } from './command.ts'

async function startMock(args: string[], settings: { cwd?: string; env?: Record<string, string> } = {}) {
  const { says, interrupt, ended } = start(['mock', '--port', '0', '--pets', '30', ...args], settings)
  onTestFinished(async () => {
    interrupt()
    await ended
  })
  const url = (await says(/http:\/\/127\.0\.0\.1:\d+\/v1/)).trim()
  const control = url.replace(/v1$/, '_petstore')
  return {
    url,
    async call(method: string, path: string, body?: object) {
      const reply = await fetch(control + path, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      return {
        status: reply.status,
        text,
        json: reply.headers.get('content-type') === 'application/json' ? JSON.parse(text) : undefined,
      }
    },
  }
}

type Call = Awaited<ReturnType<typeof startMock>>['call']

async function runToEnd(call: Call, body: object): Promise<any> {
  const { status, json } = await call('POST', '/runs', body)
  expect([status, json.state]).toEqual([202, 'running'])
  const path = `/runs/${json.id}`
  await vi.waitFor(async () => expect((await call('GET', path)).json.state).not.toBe('running'), {
    timeout: 50_000,
    interval: 100,
  })
  return (await call('GET', path)).json
}

// What a run finds, its comparison and its baseline are in test/io/browser/console.test.ts.
test('runs in a sandbox of its own, which leaves no trace', async () => {
  const { call } = await startMock([])
  const first = await runToEnd(call, { only: ['list.limit.*'] })
  expect(first).toMatchObject({ target: 'mock', state: 'ended', verdict: 'conforms' })
  expect(first.progress.done).toBe(first.progress.of)
  expect((await call('GET', '/runs/run-1/report')).json).toMatchObject({ schemaVersion: 1, verdict: 'conforms' })
  expect((await call('GET', '/runs/run-1/report?reporter=html')).text).toMatch(/^<!doctype html>/i)
  // Requests without the key of the new sandbox are all that is seen here.
  const { entries } = (await call('GET', '/journal')).json
  expect(
    entries.filter(({ request, response }: any) => request.headers.authorization && response.status !== 401),
  ).toEqual([])
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([])
})

test('runs against a deployment of the configuration, only where the command line allows it', async () => {
  const target = await startMock([])
  const deployments = { staging: { baseUrl: target.url, keyEnv: 'PETSTORE_STAGING_KEY' } }
  const cwd = makeFolder({ 'petstore.config.json': { deployments } })
  const env = { PETSTORE_STAGING_KEY: 'petstore-test-key' }
  const closed = await startMock([], { cwd, env })
  expect((await closed.call('GET', '/runs')).json.targets).toEqual(['mock'])
  expect((await closed.call('POST', '/runs', { deployment: 'staging' })).status).toBe(403)
  const open = await startMock(['--console-runs'], { cwd, env })
  expect((await open.call('GET', '/runs')).json.targets).toEqual(['mock', 'staging'])
  const run = await runToEnd(open.call, { deployment: 'staging', readOnly: true, only: ['list.status.*'] })
  expect(run).toMatchObject({ target: 'staging', state: 'ended', verdict: 'conforms', counts: { writes: 0 } })
  const report = await open.call('GET', `/runs/${run.id}/report`)
  expect(report.json.target).toBe(target.url)
  expect(report.text).not.toContain('petstore-test-key')
  const without = await startMock(['--console-runs'], { cwd })
  expect(await runToEnd(without.call, { deployment: 'staging' })).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('PETSTORE_STAGING_KEY'),
  })
})
