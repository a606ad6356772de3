/** Bodies that are no JSON, too large, or not wanted. */
import { expect, test } from 'vitest'
import { createControl } from '../../src/mock/control/api.ts'
import { createMock } from '../../src/mock/index.ts'
import { openSocket, statusesOf } from '../mock/raw-socket.ts'
import { startControlled } from './control.ts'

const mebibyte = 1_048_576

test('an import takes what no other operation does: 64 MiB', async () => {
  const { mock, call } = await startControlled()
  const pets = (name: string) => `[{"id":1,"categoryId":1,"name":"${name}"}]`
  const large = pets('x'.repeat(3 * mebibyte))
  expect((await call('PUT', '/pets', { body: large })).json).toEqual({ pets: 1 })
  expect(mock.catalogue.export()[0]?.name.length).toBe(3 * mebibyte)
  const patch = `{"status":"sold"${' '.repeat(mebibyte)}}`
  const { status, json } = await call('PATCH', '/pets/1', { body: patch })
  expect(status).toBe(413)
  expect(json.message).toContain('1048576')
  expect(mock.catalogue.export()[0]?.status).toBeUndefined()
})

test('bytes count, not characters', async () => {
  const { call } = await startControlled()
  const body = (name: string) => `{"now":"${name}"}`
  const wrapped = body('').length
  const fits = (text: string) => call('PUT', '/clock', { body: body(text) }).then(({ status }) => status !== 413)
  expect(await fits('x'.repeat(mebibyte - wrapped))).toBe(true)
  expect(await fits('x'.repeat(mebibyte - wrapped + 1))).toBe(false)
  expect(await fits('ä'.repeat((mebibyte - wrapped) / 2))).toBe(true)
  expect(await fits('ä'.repeat((mebibyte - wrapped) / 2 + 1))).toBe(false)
  expect(await fits('€'.repeat(Math.floor((mebibyte - wrapped) / 3)))).toBe(true)
  expect(await fits('€'.repeat(Math.floor((mebibyte - wrapped) / 3) + 1))).toBe(false)
  expect(await fits('🐕'.repeat(Math.floor((mebibyte - wrapped) / 4)))).toBe(true)
  expect(await fits('🐕'.repeat(Math.floor((mebibyte - wrapped) / 4) + 1))).toBe(false)
})

test('a body of very many values is refused before it is parsed', async () => {
  const { call } = await startControlled()
  const bodyOf = (count: number) => `[${'{},'.repeat(count - 1)}{}]`
  const tooMany = await call('PUT', '/pets', { body: bodyOf(2_000_001) })
  expect(tooMany.status).toBe(413)
  expect(tooMany.json.message).toBe('The body holds more than 4000000 JSON values.')
  const wrong = await call('PUT', '/pets', { body: bodyOf(1_500_000) })
  expect(wrong.status).toBe(400)
  expect(wrong.json.message.split('\n')).toHaveLength(22)
  const commas = JSON.stringify([{ id: 1, categoryId: 1, name: '\\",[{'.repeat(2_000_000) }])
  expect((await call('PUT', '/pets', { body: commas })).status).toBe(200)
})

test('a body that says that it is larger than any is not read', async () => {
  const { mock } = await startControlled()
  const socket = openSocket(mock.port)
  const head = [
    'PUT /_petstore/pets HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Content-Length: 99999999',
  ]
  socket.send(`${head.join('\r\n')}\r\n\r\n[`)
  expect(statusesOf(await socket.until(/\r\n\r\n/))).toEqual([413])
  socket.socket.destroy()
})

test.each(['{', '{"status":"sold"}}', "{'status':'sold'}", 'status=sold', '\u0000'])('%j is no JSON', async (body) => {
  const { call } = await startControlled()
  const { status, json } = await call('PATCH', '/pets/1', { body })
  expect(status).toBe(400)
  expect(json.message).toBe('The body is not JSON.')
})

test('bytes that are not UTF-8 are refused', async () => {
  const mock = createMock({ pets: 1 })
  const control = createControl({ mock, host: '127.0.0.1', allScorecards: mock.allScorecards, version: '1.0.0' })
  const reply = await control.respond({
    method: 'PATCH',
    target: '/_petstore/pets/1',
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    body: '{"status":"\ufffd"}',
    bodyFault: 'not-utf8',
  })
  expect(reply.status).toBe(400)
})

test('deep nesting is answered, not suffered', async () => {
  const { call } = await startControlled()
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect((await call('PUT', '/pets', { body: deep })).status).toBe(400)
  expect((await call('POST', '/rules', { body: deep })).status).toBe(400)
  expect((await call('GET', '/health')).status).toBe(200)
})

test('an operation that takes no body overlooks an empty object, and nothing more', async () => {
  const { call } = await startControlled()
  expect((await call('POST', '/reset', { body: {} })).status).toBe(204)
  expect((await call('POST', '/reset', { headers: { 'content-type': 'application/json' } })).status).toBe(204)
  expect((await call('POST', '/reset', { body: { pets: true } })).status).toBe(400)
  expect((await call('DELETE', '/rules', { body: [] })).status).toBe(400)
})

test('an operation that needs a body says so', async () => {
  const { call } = await startControlled()
  const { status, json } = await call('PATCH', '/pets/1')
  expect(status).toBe(400)
  expect(json.message).toBe('A JSON body is required.')
})

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=utf-8'])(
  '%s is JSON',
  async (type) => {
    const { call } = await startControlled()
    const { status } = await call('PATCH', '/pets/1', { body: { status: 'sold' }, headers: { 'content-type': type } })
    expect(status).toBe(204)
  },
)

test.each(['application/jsonp', 'application/json-seq', 'text/json', '*/*', ''])('%j is not', async (type) => {
  const { call } = await startControlled()
  const { status } = await call('PATCH', '/pets/1', { body: { status: 'sold' }, headers: { 'content-type': type } })
  expect(status).toBe(415)
})

test.each(['/health?x=1', '/pets?limit=5', '/journal?x=1&y=2'])('%s: a parameter that there is not', async (path) => {
  const { call } = await startControlled()
  const { status, json } = await call('GET', path)
  expect(status).toBe(400)
  expect(json.message).toContain('There is no parameter')
})
