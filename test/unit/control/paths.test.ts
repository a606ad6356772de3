/** Only the exact spelling of a path reaches an operation of the control API. */
import { expect, test } from 'vitest'
import { isControlTarget } from '../../../src/mock/control/guard.ts'
import { sendTo, startControlled } from './control.ts'

test.each([
  '/_petstore',
  '/_petstore/',
  '/_petstore?x',
  '/_petstore/../v1/pets',
  '//_petstore/pets',
  '/_PETSTORE/pets',
  'http://127.0.0.1/_petstore/pets',
  'HTTP://127.0.0.1//_petstore/pets',
])('%s belongs to the control API', (target) => {
  expect(isControlTarget(target)).toBe(true)
})

test.each([
  '/v1/pets',
  '/',
  '*',
  '/v1/pets/_petstore',
  '/v1/pets/%2F_petstore',
  '/v1/pets?status=/_petstore/reset',
  '/v1/../_petstore/pets',
  '/./_petstore/pets',
  '/%5Fpetstore/pets',
  '/_petstores',
  '/_petstore.html',
  '/_petstore%2Fpets',
  'http://127.0.0.1/v1/pets?/_petstore',
])('%s belongs to the service', (target) => {
  expect(isControlTarget(target)).toBe(false)
})

const tricks = [
  '/_petstore/../_petstore/pets/1',
  '/_petstore/./pets/1',
  '/_petstore//pets/1',
  '//_petstore/pets/1',
  '/_petstore/pets/1/',
  '/_PETSTORE/pets/1',
  '/_petstore/PETS/1',
  '/_petstore/p%65ts/1',
  '/_petstore/pets%2F1',
  '/_petstore%2Fpets/1',
  '/%5fpetstore/pets/1',
  '/v1/../_petstore/pets/1',
  '/v1/..%2F_petstore/pets/1',
  '/_petstore/sandboxes/../pets/1',
  '/_petstore/sandboxes/%2e%2e/pets/1',
  '/_petstore/sandboxes/team-a%2F..%2F../pets/1',
  '/_petstore\\pets\\1',
  '/_petstore;x/pets/1',
  '/_petstore#/pets/1',
]

test.each(tricks)('%s deletes nothing, with or without another origin', async (target) => {
  const { mock } = await startControlled()
  mock.sandboxes.get('team-a')
  expect([400, 404]).toContain((await sendTo(mock.port, 'DELETE', target)).status)
  const { status } = await sendTo(mock.port, 'DELETE', target, {
    headers: { origin: 'https://example.com' },
  })
  expect([400, 403, 404]).toContain(status)
  expect(mock.catalog.size).toBe(5)
})

test.each(['%2e%2e', '%2E', 'a%2Fb', '%2F'])('%s is not a snapshot', async (name) => {
  const { mock, call } = await startControlled()
  expect((await call('PUT', `/snapshots/${name}`)).status).toBe(404)
  expect(mock.snapshots.list()).toEqual([])
})

test.each([
  ['/_petstore/pets/', '/_petstore/pets'],
  ['/_petstore//pets', '/_petstore/pets'],
  ['//_petstore/health', '/_petstore/health'],
  ['/_petstore/Health', '/_petstore/health'],
  ['/_petstore/', '/_petstore'],
])('%s gets 404 with a hint at %s', async (target, meant) => {
  const { mock } = await startControlled()
  const { status, json } = await sendTo(mock.port, 'GET', target)
  expect(status).toBe(404)
  expect(json.message).toContain(`Did you mean ${meant}?`)
})

test.each([
  ['PATCH', '/pets', 'GET, HEAD, PUT, POST, DELETE'],
  ['POST', '/pets/1', 'PATCH, DELETE'],
  ['DELETE', '/clock/advance', 'POST'],
  ['TRACE', '/health', 'GET, HEAD'],
  ['OPTIONS', '/rules', 'GET, HEAD, POST, DELETE'],
])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
  const { mock } = await startControlled()
  const { status, headers } = await sendTo(mock.port, method, `/_petstore${path}`)
  expect(status).toBe(405)
  expect(headers['allow']).toBe(allow)
})

test('HEAD has the headers of GET', async () => {
  const { call } = await startControlled()
  const [head, get] = [await call('HEAD', '/pets'), await call('GET', '/pets')]
  expect(head.status).toBe(200)
  expect(head.headers['content-type']).toBe(get.headers['content-type'])
  expect((await call('HEAD', '/journal/stream')).headers['content-type']).toBe('text/event-stream')
})
