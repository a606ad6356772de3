/** Sandboxes by the control API. */
import { expect, test } from 'vitest'
import { sandboxKey } from '../../src/mock/index.ts'
import { ask, startControlled } from './control.ts'

test('a sandbox is made, found, told of and ended', async () => {
  const { mock, call } = await startControlled()
  expect((await call('GET', '/sandboxes')).json).toEqual({ sandboxes: [], dropped: 0 })
  const made = await call('POST', '/sandboxes', { body: { name: 'team-a' } })
  expect(made.status).toBe(201)
  expect(made.json).toEqual({ name: 'team-a', key: sandboxKey('team-a') })
  expect((await call('POST', '/sandboxes', { body: { name: 'team-a' } })).status).toBe(200)
  await ask(mock.port, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${made.json.key}` } })
  expect((await call('GET', '/sandboxes/team-a')).json).toEqual({ ...made.json, pets: 5, requests: 1 })
  expect((await call('GET', '/sandboxes')).json.sandboxes).toHaveLength(1)
  expect((await call('DELETE', '/sandboxes/team-a')).status).toBe(204)
  expect((await call('DELETE', '/sandboxes/team-a')).status).toBe(404)
  expect((await call('GET', '/sandboxes/team-a')).status).toBe(404)
})

test('the first request with a sandbox key makes it, too', async () => {
  const { mock, call } = await startControlled()
  await ask(mock.port, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${sandboxKey('team-b')}` } })
  expect((await call('GET', '/sandboxes/team-b')).json).toMatchObject({ name: 'team-b', pets: 5, requests: 1 })
})

test('a name that was mistyped makes no sandbox', async () => {
  const { mock, call } = await startControlled()
  mock.sandboxes.get('team-a')
  for (const [method, path, body] of [
    ['GET', '/pets'],
    ['POST', '/reset'],
    ['PUT', '/pets', []],
    ['GET', '/journal/stream'],
    ['PUT', '/snapshots/x'],
  ] as const) {
    const reply = await call(method, `/sandboxes/team-aa${path}`, body === undefined ? {} : { body })
    expect(reply.status).toBe(404)
    expect(reply.json.message).toContain('"team-aa"')
  }
  expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['team-a'])
})

test.each<[unknown, string]>([
  [{}, 'name is required'],
  [{ name: 7 }, 'name must be a string'],
  [{ name: '' }, 'name of a sandbox'],
  [{ name: 'Team A' }, 'name of a sandbox'],
  [{ name: '../x' }, 'name of a sandbox'],
  [{ name: '__proto__' }, 'name of a sandbox'],
  [{ name: 'x'.repeat(41) }, 'name of a sandbox'],
  [{ name: 'a', size: 7 }, '"size"'],
  [[], 'JSON object'],
])('%j makes no sandbox', async (body, told) => {
  const { mock, call } = await startControlled()
  const { status, json } = await call('POST', '/sandboxes', { body })
  expect(status).toBe(400)
  expect(json.message).toContain(told)
  expect(mock.sandboxes.list()).toEqual([])
})

test('a mock without sandboxes makes none', async () => {
  const { mock, call } = await startControlled({ sandboxes: false })
  expect((await call('POST', '/sandboxes', { body: { name: 'team-a' } })).status).toBe(409)
  expect((await call('GET', '/sandboxes')).json.sandboxes).toEqual([])
  expect(mock.sandboxes.has('team-a')).toBe(false)
})
