import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { toJsonLine, toTextLine } from '../../../src/cli/mock/request-log.ts'
import { defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'
import { version } from '../../../src/spec/version.ts'
import { start, startMockCommand } from './command.ts'

const key = sandboxKey('team-a')
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { authorization: `Bearer ${defaultKey}`, ...headers } })

test('each change by the control API is a line with its caller, and without a secret', async () => {
  const token = 'a-token-of-the-tests'
  for (const format of ['text', 'json']) {
    const { says, stdout } = start(['mock', '--port', '0', '--quiet', '--log', format], {
      env: { PETSTORE_CONTROL_TOKEN: token },
    })
    const url = await says(/http:[^\s"]+(?=\n|",)/)
    const control = url.replace('/v1', '/_petstore')
    const change = (method: string, path: string, sent: string) =>
      fetch(`${control}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${sent}`,
          'x-request-id': `of ${path} ${sent}`.replaceAll(' ', '-'),
        },
      })
    await change('GET', '/pets', token)
    await change('DELETE', '/pets', 'a-wrong-token-of-a-test')
    await change('DELETE', '/pets', token)
    await change('POST', '/sandboxes/team-a/reset', key)
    await says(/team-a\/reset.*\n/)
    const lines = stdout().trimEnd().split('\n').slice(1)
    const [first = '', second = '', ...others] = lines.filter((line) => line.includes('_petstore'))
    expect(others).toEqual([])
    if (format === 'text') {
      expect(first).toMatch(/ 200 {2}control {2}DELETE .*\/pets +by token from 127\.0\.0\.1$/)
      expect(second).toMatch(/ 204 .*\/sandboxes\/team-a\/reset +by sandbox key from 127/)
    } else
      expect(JSON.parse(first)).toEqual({
        at: expect.stringMatching(/^20/),
        level: 'info',
        event: 'control',
        instance: `${hostname()}/${process.pid}`,
        requestId: 'of-/pets-[redacted]',
        address: '127.0.0.1',
        caller: 'token',
        request: { method: 'DELETE', target: '/_petstore/pets' },
        response: { status: 200 },
      })
    for (const secret of [token, key, 'a-wrong-token']) expect(stdout()).not.toContain(secret)
  }
})

describe('--log text', () => {
  test('prints a line for each request, and no key', async () => {
    const { url, says, stdout } = await startMockCommand('--log', 'text')
    await get(`${url}/pets?limit=3`)
    await get(`${url}/pets?limit=1&key=${key}`, {
      authorization: `Bearer ${key}`,
      prefer: 'delay=0.001',
    })
    await get(`${url}/pets`, { authorization: 'Bearer some-wrong-key' })
    await get(`${url}/pets`, { prefer: 'code=503' })
    await fetch(`${url}/pets/1`, {
      headers: { authorization: `Bearer ${defaultKey}`, prefer: 'fault=empty-response' },
    }).catch(() => {})
    await says(/empty-response/)
    const lines = stdout().trimEnd().split('\n').slice(1)
    const timesOf = /^\d\d:\d\d:\d\d\.\d{3} {2}(.{3}) {2}[ \d.]{4} ms/
    expect(lines.map((line) => line.replace(timesOf, '$1 n ms'))).toEqual([
      '200 n ms  GET      /v1/pets?limit=3          3 pets',
      '200 n ms  GET      /v1/pets?limit=1&key=[redacted]  1 pet, by Prefer, sandbox team-a',
      '401 n ms  GET      /v1/pets                  The API key is not valid',
      expect.stringMatching(/^503 n ms {2}GET {6}\/v1\/pets {18}by Prefer$/),
      '--- n ms  GET      /v1/pets/1                empty-response, by Prefer',
    ])
    expect(stdout()).not.toContain('some-wrong-key')
    expect(stdout()).not.toContain('\u001b')
  })

  test('prints the result, and how often a rule was used', () => {
    const rulesOf = () => [{ id: 'rule-1', used: 1, times: 2, enabled: true, active: true }]
    const line = (more: Partial<LoggedRequest>, status: number, body = '') =>
      toTextLine({ color: false, rulesOf })({
        ...logged({ status }),
        ...more,
        response: { status, headers: {}, body },
      })
    expect(line({ operation: 'createPet' }, 201, '{"id":9007199254740993}')).toMatch(
      /-> pet 9007199254740993\n$/,
    )
    expect(line({ operation: 'getPet', durationMs: 12.4 }, 200, '{"id":7}')).toMatch(
      / {4}12 ms .* pet 7\n$/,
    )
    // Also without a delay.
    expect(line({ durationMs: 1.68 }, 200, '[]')).toMatch(/ 200 {3}1\.7 ms /)
    expect(line({ operation: 'listPets' }, 200, '[]')).toMatch(/ 0 pets\n$/)
    expect(line({ operation: 'listPets' }, 200, '[{"id":')).toMatch(/pets\n$/)
    expect(line({ rule: 'rule-1', message: 'Out of order.' }, 503)).toMatch(
      /Out of order, by rule-1 \(1 of 2\)\n$/,
    )
    expect(line({ rule: 'rule-1' }, 503)).toMatch(/ {2}by rule-1 \(1 of 2\)\n$/)
    expect(line({ rule: 'rule-9' }, 503, 'oops')).toMatch(/by rule-9\n$/)
  })

  test('cuts a line at the last column of the terminal', () => {
    const message = 'limit must be an integer from 1 to 100, but was "500".'
    const request = { ...logged({ status: 400 }), message }
    const lineAt = (columns: number): string =>
      toTextLine({ color: false, columns: () => columns, rulesOf: () => [] })(request).trimEnd()
    expect(lineAt(200)).toMatch(/but was "500"$/)
    for (const columns of [60, 80, 100]) {
      expect(lineAt(columns)).toHaveLength(columns)
      expect(lineAt(columns)).toMatch(/…$/)
    }
    expect(lineAt(1)).toHaveLength(40)
  })

  test('escapes control characters from clients, and truncates long targets', () => {
    const line = toTextLine({ color: false, rulesOf: () => [] })(
      logged({ target: `/v1/\u001b[2J\u009b\u202e\n${'x'.repeat(500)}` }),
    )
    expect(line).toMatch(/^[\x20-\x7e…]{1,250}\n$/)
    expect(line).toContain(String.raw`/v1/\u001b[2J\u009b\u202e\u000a`)
  })

  test.each([
    [200, 32],
    [404, 33],
    [503, 31],
  ])('prints %i in its own color', (status, color) => {
    const line = toTextLine({ color: true, rulesOf: () => [] })(logged({ status }))
    expect(line).toContain(`\u001b[${color}m${status}\u001b[0m`)
  })
})

describe('--log json', () => {
  const json = ['mock', '--port', '0', '--log', 'json']
  const linesOf = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  test('is one stream of JSON lines: start, requests, notices and stop', async () => {
    const { interrupt, says, ended } = start([...json, '--host', '0.0.0.0', '--drain', '1'])
    const url = (await says(/http:\S+?\/v1/)).replace('0.0.0.0', '127.0.0.1')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const sent = { 'x-request-id': 'checkout/42', traceparent }
    const { headers } = await get(`${url}/pets?limit=1`, sent)
    expect(Object.fromEntries(headers)).toMatchObject(sent)
    expect(headers.get('access-control-expose-headers')).toContain('x-request-id')
    await get(`${url}/pets?limit=1`)
    interrupt()
    const { stdout, stderr, code } = await ended
    expect([code, stderr]).toEqual([0, ''])
    const lines = linesOf(stdout)
    expect(lines.map(({ event, level }) => [level, event].join(' '))).toEqual([
      'info start',
      'info notice',
      'info notice',
      'info request',
      'info request',
      'info notice',
      'info stop',
    ])
    const instance = `${hostname()}/${process.pid}`
    expect(lines.every((line) => line['instance'] === instance && 'at' in line)).toBe(true)
    expect(lines[0]).toMatchObject({ url: expect.stringMatching(/^http:/), version })
    expect(lines[2]).toMatchObject({ message: expect.stringMatching(/token of the control API/) })
    expect(lines[3]).toMatchObject({
      address: '127.0.0.1',
      requestId: 'checkout/42',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      request: { headers: sent },
      response: { headers: sent },
    })
    for (const part of ['request', 'response']) expect(lines[3]?.[part]).not.toHaveProperty('body')
    for (const part of ['requestId', 'traceId']) expect(lines[4]).not.toHaveProperty(part)
    expect(lines[5]).toMatchObject({ message: expect.stringMatching(/not ready from now on/) })
  })

  test('says as a line why the mock could not start', async () => {
    const { url } = await startMockCommand()
    const { port } = new URL(url)
    const { stdout, stderr, code } = await start(['mock', '--log', 'json', '--port', port]).ended
    expect([code, stderr]).toEqual([2, ''])
    expect(linesOf(stdout)).toMatchObject([
      { level: 'error', event: 'failure', exitCode: 2, message: expect.stringMatching(/^--port/) },
    ])
  })

  test('prints the bodies with --log-bodies', async () => {
    const { interrupt, stdout, says, ended } = start([...json, '--log-bodies'])
    const url = await says(/http:\S+?\/v1/)
    await get(`${url}/pets?limit=1`)
    await fetch(`${url}/pets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-copy': key,
      },
      body: '{"name":"\u009b\u2028","categoryId":9007199254740993}',
    })
    interrupt()
    expect(await ended).toMatchObject({ code: 0 })
    const lines = stdout().trimEnd().split('\n').slice(1, -1)
    expect(lines).toHaveLength(2)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        number: 1,
        operation: 'listPets',
        request: { method: 'GET', target: '/v1/pets?limit=1' },
        response: { status: 200 },
      },
      { sandbox: 'team-a', operation: 'createPet', response: { status: 201 } },
    ])
    const { request } = JSON.parse(lines[1] ?? '') as LoggedRequest
    expect(request.body).toBe('{"name":"\u009b\u2028","categoryId":9007199254740993}')
    expect(request.headers).toMatchObject({
      authorization: 'Bearer [redacted]',
      'x-copy': '[redacted]',
    })
    expect(stdout()).not.toMatch(/[\u007f-\u009f\u2028\u2029]/)
    expect(stdout()).not.toContain(key)
  })

  test('prints one line of JSON for any request', () => {
    const target = '/\u0000\u001b\u007f\u009b\u202e\u2028\u{e0001}"\\\n'
    const line = toJsonLine(logged({ target }), true)
    expect(line).toMatch(/^[\x20-\x7e]+\n$/)
    expect((JSON.parse(line) as LoggedRequest).request.target).toBe(target)
  })
})

test('prints no log without --log if stdout is not a terminal', async () => {
  const { url, interrupt, ended } = await startMockCommand()
  await get(`${url}/pets`)
  interrupt()
  expect(await ended).toMatchObject({ stdout: `${url}\n`, stderr: '' })
})

function logged({
  target = '/v1/pets',
  status = 200,
}: {
  target?: string
  status?: number
}): LoggedRequest {
  return {
    number: 1,
    at: '2026-11-20T12:00:00.000Z',
    durationMs: 0,
    source: {},
    sandbox: undefined,
    address: '127.0.0.1',
    request: { method: 'GET', target, headers: {}, body: '' },
    response: { status, headers: {}, body: '' },
  }
}
