/** Runs over the control API with a fake suite. test/io covers the real one. */
import { describe, expect, test, vi } from 'vitest'
import { styleHash } from '../../../src/report/style.gen.ts'
import { UsageError } from '../../../src/errors.ts'
import type { Suite, SuiteReport } from '../../../src/mock/control/routes/suite-runs.ts'
import { startControlled } from './control.ts'

const report: SuiteReport = {
  verdict: 'violates',
  counts: {
    verified: 40,
    violated: 1,
    notVerified: 8,
    notApplicable: 5,
    requests: 150,
    writes: 22,
  },
}

/** A suite whose runs are ended by the test. */
function suiteThatWaits() {
  const runs: {
    target: object
    options: object
    show: Parameters<Suite['verify']>[1]['show']
    end: (value?: SuiteReport | Error) => void
  }[] = []
  const suite: Suite = {
    deployments: async () => ['staging'],
    verify: (target, { show, signal, ...options }) =>
      new Promise((resolve, reject) => {
        const end = (value: SuiteReport | Error = report) =>
          value instanceof Error ? reject(value) : resolve(value)
        signal.addEventListener('abort', () => end({ ...report, verdict: 'not-verified' }))
        runs.push({ target, options, show, end })
      }),
    summarize: ({ counts }) => `${counts?.violated} violated`,
    render: (shown, reporter) => `${reporter} ${shown.verdict}`,
    compare: (before, after) => ({
      verdict: 'same',
      before: { verdict: before.verdict },
      after: { verdict: after.verdict },
      requirements: { regressed: [], fixed: [], incomparable: [], same: 1 },
      behaviors: { differing: [], oneSided: [], same: 1, unknown: 0 },
    }),
    toBaseline: (_report, terms) => ({ failures: [terms] }),
  }
  return { runs, suite }
}

async function start(options = {}) {
  const { runs, suite } = suiteThatWaits()
  const controlled = await startControlled({ suite: async () => suite, ...options })
  const { call } = controlled
  const stateOf = async (id: string) => (await call('GET', `/runs/${id}`)).json.state
  async function until(id: string, state: string): Promise<void> {
    await expect.poll(() => stateOf(id)).toBe(state)
  }
  const post = (body: object = {}) => call('POST', '/runs', { body })
  return { ...controlled, runs, post, until }
}

test('a run is started, followed and read; its report is available in each format', async () => {
  const { call, runs, post, until } = await start()
  expect((await call('GET', '/runs')).json).toEqual({ runs: [], targets: ['mock', 'staging'] })
  const { status, json } = await post({ readOnly: true, only: ['list.*'] })
  const progress = { done: 0, of: 0 }
  expect([status, json]).toMatchObject([
    202,
    { id: 'run-1', target: 'mock', state: 'running', progress },
  ])
  await expect.poll(() => runs).toHaveLength(1)
  expect(runs[0]?.options).toEqual({ readOnly: true, only: ['list.*'] })
  runs[0]?.show({ done: 3, of: 50, check: 'list-pets.all' })
  expect((await call('GET', '/runs/run-1')).json.progress).toEqual({
    done: 3,
    of: 50,
    check: 'list-pets.all',
  })
  expect((await call('GET', '/runs/run-1/report')).status).toBe(409)
  runs[0]?.end()
  await until('run-1', 'ended')
  expect((await call('GET', '/runs')).json.runs).toMatchObject([
    { ...report, summary: '1 violated', endedAt: expect.any(String) },
  ])
  for (const reporter of ['text', 'html', 'markdown', 'junit', 'github']) {
    const { text, headers } = await call('GET', `/runs/run-1/report?reporter=${reporter}`)
    expect(text).toBe(`${reporter} violates`)
    if (reporter === 'html')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
  }
  expect((await call('GET', '/runs/run-1/report?reporter=pdf')).status).toBe(400)
  const terms = { reason: 'known', ticket: 'SHOP-1' }
  expect((await call('POST', '/runs/run-1/baseline', { body: terms })).json).toEqual({
    failures: [terms],
  })
  expect((await call('POST', '/runs/run-1/baseline', { body: {} })).status).toBe(400)
  for (const path of ['', '/report', '/compare?with=run-1'])
    expect((await call('GET', `/runs/run-9${path}`)).status).toBe(404)
  expect((await call('GET', '/runs/run-1/compare?with=run-9')).status).toBe(404)
  expect((await call('GET', '/runs/run-1/compare')).status).toBe(400)
  expect((await call('DELETE', '/runs/run-1')).status).toBe(204)
  expect((await call('GET', '/runs')).json.runs).toEqual([])
})

test('a run uses a temporary sandbox with the current behavior of the mock', async () => {
  const { mock, call, runs, post, until } = await start()
  mock.configure({ profile: { 'list.order': 'by-name' }, defects: ['list.limit-ignored'] })
  mock.clock.set('2030-12-06')
  mock.catalog.delete(1)
  mock.use({ reply: { status: 503 } })
  await post()
  await expect.poll(() => runs).toHaveLength(1)
  const [temporary] = mock.sandboxes.list()
  expect(runs[0]?.target).toEqual({
    baseUrl: mock.url,
    apiKey: temporary?.key,
    now: new Date('2030-12-06'),
  })
  const { settings, catalog, clock, rules } = mock.sandboxes.get(temporary?.name ?? '')
  expect(settings.profile['list.order']).toBe('by-name')
  expect(settings.defects).toEqual(['list.limit-ignored'])
  expect([catalog.size, clock.frozen, rules()]).toEqual([4, true, []])
  runs[0]?.end()
  await until('run-1', 'ended')
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([])
})

test('pets that violate the specification fail only the run', async () => {
  const { mock, call, post, until } = await start({ defects: ['reject.status-unknown-stored'] })
  await mock.handle({
    method: 'POST',
    target: '/v1/pets',
    headers: { authorization: `Bearer ${mock.key}`, 'content-type': 'application/json' },
    body: '{"name":"Rex","categoryId":1,"status":"lost"}',
  })
  await post()
  await until('run-1', 'failed')
  expect((await call('GET', '/runs/run-1')).json.message).toMatch(
    /^\/5\/status: status must be one of/,
  )
  expect(mock.sandboxes.list()).toEqual([])
  mock.catalog.delete(6)
  expect((await post()).status).toBe(202)
})

test('a sandbox has its own runs', async () => {
  const { mock, call, runs } = await start()
  mock.sandboxes.get('team-a').configure({ profile: { 'list.order': 'shuffled' } })
  const { body } = await fetch(`http://127.0.0.1:${mock.port}/_petstore/events`)
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  await reader.read()
  const { json } = await call('POST', '/sandboxes/team-a/runs', { body: {} })
  expect(json.sandbox).toBe('team-a')
  mock.clock.set('2030-12-06')
  let seen = ''
  while (!seen.includes('event: clock')) seen += (await reader.read()).value
  expect(seen).not.toContain('event: run')
  await reader.cancel()
  await expect.poll(() => runs).toHaveLength(1)
  const temporary = mock.sandboxes.list().find(({ name }) => name.startsWith('run-'))
  expect(mock.sandboxes.get(temporary?.name ?? '').settings.profile['list.order']).toBe('shuffled')
  expect((await call('GET', '/runs')).json.runs).toEqual([])
  expect((await call('GET', '/runs/run-1')).status).toBe(404)
  expect((await call('POST', '/runs', { body: {} })).status).toBe(409)
  runs[0]?.end()
  await expect
    .poll(async () => (await call('GET', '/sandboxes/team-a/runs/run-1')).json.state)
    .toBe('ended')
})

describe('targets', () => {
  test('are configured names, never addresses', async () => {
    const { mock, runs, post } = await start()
    expect((await post({ deployment: 'staging' })).status).toBe(202)
    await expect.poll(() => runs[0]?.target).toEqual({ deployment: 'staging' })
    expect(mock.sandboxes.list()).toEqual([])
    for (const deployment of ['production', 'http://127.0.0.1:1/v1', '']) {
      const { status, json } = await post({ deployment })
      expect([status, json.message]).toEqual([403, expect.stringContaining('--console-runs')])
    }
    expect((await post({ baseUrl: 'http://127.0.0.1:1/v1' })).status).toBe(400)
  })

  test('are unavailable without the suite or without sandboxes', async () => {
    const { call } = await startControlled()
    for (const [method, path] of [
      ['GET', '/runs'],
      ['POST', '/runs'],
      ['GET', '/runs/run-1'],
    ] as const) {
      expect((await call(method, path, method === 'POST' ? { body: {} } : {})).status).toBe(501)
    }
    const { post } = await start({ sandboxes: false })
    expect((await post()).status).toBe(409)
  })
})

test('a cancelled run reports its results so far; closing the mock cancels runs', async () => {
  const { mock, call, runs, post, until } = await start()
  await post()
  await expect.poll(() => runs).toHaveLength(1)
  expect((await call('DELETE', '/runs/run-1')).status).toBe(204)
  await until('run-1', 'cancelled')
  expect((await call('GET', '/runs/run-1')).json.verdict).toBe('not-verified')
  // A late request of the run creates its sandbox again for a moment.
  const { baseUrl, apiKey } = runs[0]!.target as { baseUrl: string; apiKey: string }
  await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect(mock.sandboxes.list()).toHaveLength(1)
  await expect.poll(() => mock.sandboxes.list()).toEqual([])
  await post({ deployment: 'staging' })
  await expect.poll(() => runs).toHaveLength(2)
  const ended = vi.fn<() => void>()
  void mock.close().then(ended)
  await expect.poll(() => ended).toHaveBeenCalledOnce()
})

test.each([
  [new UsageError('the API key is missing'), 'the API key is missing'],
  [new Error('secret'), 'The run failed.'],
])('a failed run has a message: %s', async (error, message) => {
  const { call, runs, post, until } = await start()
  await post()
  await expect.poll(() => runs).toHaveLength(1)
  runs[0]?.end(error)
  await until('run-1', 'failed')
  expect((await call('GET', '/runs/run-1')).json).toMatchObject({ message })
  expect((await call('GET', '/runs/run-1/report')).status).toBe(409)
})

test('two runs are compared; the latest 20 are kept', async () => {
  const { call, runs, post, until } = await start()
  for (let number = 1; number <= 22; number += 1) {
    await post({ deployment: 'staging' })
    await expect.poll(() => runs).toHaveLength(number)
    runs.at(-1)?.end({ ...report, verdict: number === 22 ? 'conforms' : 'violates' })
    await until(`run-${number}`, 'ended')
  }
  const { json } = await call('GET', '/runs')
  expect(json.runs.map(({ id }: any) => id)).toEqual(
    Array.from({ length: 20 }, (_, index) => `run-${index + 3}`),
  )
  const { before, after } = (await call('GET', '/runs/run-22/compare?with=run-21')).json
  expect([before, after]).toEqual([{ verdict: 'violates' }, { verdict: 'conforms' }])
})
