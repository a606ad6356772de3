import { expect, test } from 'vitest'
import { sandboxKey } from '../../../src/mock/index.ts'
import { sendTo, startControlled } from './control.ts'

/** A mock with issues of three clients: with its key, in a sandbox, and without a key. */
async function startWithIssues() {
  const { mock, call } = await startControlled()
  const request = (target: string, key: string, body?: unknown) =>
    sendTo(mock.port, body === undefined ? 'GET' : 'POST', target, {
      ...(body !== undefined && { body }),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    })
  await request('/v1/pets?limit=500', mock.key)
  await request('/v1/pets/1', mock.key)
  await request('/v1/pets', mock.key, { id: 7, name: '<b>Rex</b>', categoryId: 'one' })
  await request('/v1/pets?limit=0', sandboxKey('team-a'))
  await sendTo(mock.port, 'GET', '/v1/pets')
  return { mock, call }
}

test('shows all sandboxes, or one', async () => {
  const { mock, call } = await startWithIssues()
  const all = (await call('GET', '/scorecard')).json.scorecards
  expect(all).toEqual(JSON.parse(JSON.stringify(await mock.allScorecards())))
  expect(all.map(({ subject }: any) => subject)).toEqual(
    expect.arrayContaining(['main (default key)', 'sandbox team-a']),
  )
  expect(all[0].issues.length).toBeGreaterThan(0)
  const one = (await call('GET', '/sandboxes/team-a/scorecard')).json.scorecards
  expect(one.map(({ subject }: any) => subject)).toEqual(['sandbox team-a'])
  expect(one[0].issues.length).toBeGreaterThan(0)
})

test.each([
  ['json', 'application/json', /^\{/],
  ['text', 'text/plain; charset=utf-8', /sandbox team-a/],
  ['markdown', 'text/markdown; charset=utf-8', /^#/m],
  ['html', 'text/html; charset=utf-8', /^<!DOCTYPE html>/],
])('is available as %s, without keys', async (reporter, type, pattern) => {
  const { mock, call } = await startWithIssues()
  const { status, headers, text } = await call('GET', `/scorecard?reporter=${reporter}`)
  expect(status).toBe(200)
  for (const key of [mock.key, sandboxKey('team-a')]) expect(text).not.toContain(key)
  expect(headers['content-type']).toBe(type)
  expect('content-security-policy' in headers).toBe(reporter === 'html')
  expect(text).toMatch(pattern)
  const ofSandbox = await call('GET', `/sandboxes/team-a/scorecard?reporter=${reporter}`)
  expect(ofSandbox.headers['content-type']).toBe(type)
  expect(ofSandbox.text).not.toContain('main (default key)')
})

test.each(['pdf', 'toString', '', '__proto__'])('rejects the reporter %j', async (reporter) => {
  const { call } = await startControlled()
  const { status, json } = await call('GET', `/scorecard?reporter=${reporter}`)
  expect(status).toBe(400)
  expect(json.message).toContain('reporter must be one of text, json, markdown, html.')
})
