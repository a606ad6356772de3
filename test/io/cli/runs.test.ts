/** Runs the real suite over the control API of `petstore mock`. For findings see test/io/browser/console.test.ts. */
import { expect, test } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { send } from '../shared/mocks.ts'
import { start } from './command.ts'

async function startMock(
  args: string[],
  settings: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { says } = start(['mock', '--port', '0', '--pets', '30', ...args], settings)
  const url = await says(/http:\/\/127\.0\.0\.1:\d+\/v1/)
  const call = (method: string, path: string, body?: object) =>
    send(Number(new URL(url).port), method, `/_petstore${path}`, { body })
  return {
    url,
    call,
    async runToEnd(body: object) {
      const { status, json } = await call('POST', '/runs', body)
      expect([status, json.state]).toEqual([202, 'running'])
      const look = async () => (await call('GET', `/runs/${json.id}`)).json
      await expect.poll(async () => (await look()).state).not.toBe('running')
      return look()
    },
  }
}

test('runs in a temporary sandbox, which leaves no trace', async () => {
  const { call, runToEnd } = await startMock([])
  const first = await runToEnd({ only: ['list.limit.*'] })
  expect(first).toMatchObject({ target: 'mock', state: 'ended', verdict: 'conforms' })
  expect(first.progress.done).toBe(first.progress.of)
  // Only requests without the key of the new sandbox are recorded here.
  const { entries } = (await call('GET', '/journal')).json
  expect(
    entries.filter(
      ({ request, response }: any) => request.headers.authorization && response.status !== 401,
    ),
  ).toEqual([])
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([])
})

test('summarizes a run in the words of its report', async () => {
  const { call, runToEnd } = await startMock(['--defect', 'auth.any-token'])
  const { id, summary } = await runToEnd({})
  expect(summary).toMatch(/^1 cause, \d+ consequences?, \d+ of \d+ requirements checked/)
  const { text } = await call('GET', `/runs/${id}/report?reporter=text`)
  expect(text).toContain(`FAIL  ${summary}\n`)
})

test('runs against a configured deployment only if the command line allows it', async () => {
  const target = await startMock([])
  const deployments = { staging: { baseUrl: target.url, keyEnv: 'PETSTORE_STAGING_KEY' } }
  const cwd = makeFolder({ 'petstore.config.json': { deployments } })
  const env = { PETSTORE_STAGING_KEY: 'petstore-test-key' }
  const closed = await startMock([], { cwd, env })
  expect((await closed.call('GET', '/runs')).json.targets).toEqual(['mock'])
  expect((await closed.call('POST', '/runs', { deployment: 'staging' })).status).toBe(403)
  const open = await startMock(['--console-runs'], { cwd, env })
  expect((await open.call('GET', '/runs')).json.targets).toEqual(['mock', 'staging'])
  const run = await open.runToEnd({
    deployment: 'staging',
    readOnly: true,
    only: ['list.status.*'],
  })
  expect(run).toMatchObject({
    target: 'staging',
    state: 'ended',
    verdict: 'conforms',
    counts: { writes: 0 },
  })
  const report = await open.call('GET', `/runs/${run.id}/report`)
  expect(report.json).toMatchObject({ schemaVersion: 1, target: target.url })
  expect(report.text).not.toContain('petstore-test-key')
  const without = await startMock(['--console-runs'], { cwd })
  expect(await without.runToEnd({ deployment: 'staging' })).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('PETSTORE_STAGING_KEY'),
  })
})
