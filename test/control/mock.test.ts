/** What concerns the mock as a whole: health, readiness, saving, and the control API being off. */
import { expect, test } from 'vitest'
import { UsageError } from '../../src/errors.ts'
import { createControl } from '../../src/mock/control/api.ts'
import { createMock } from '../../src/mock/index.ts'
import { version } from '../../src/spec/version.ts'
import { ask, startControlled } from './control.ts'

test('health and readiness', async () => {
  const { call } = await startControlled()
  expect((await call('GET', '/health')).json).toEqual({ status: 'ok', version })
  expect((await call('GET', '/ready')).json).toEqual({ status: 'ready' })
})

test('a mock that is not ready says so', async () => {
  const mock = createMock({ pets: 0 })
  const options = { mock, host: '127.0.0.1', allScorecards: mock.allScorecards, version }
  const control = createControl({ ...options, isReady: () => false })
  const request = { method: 'GET', target: '/_petstore/ready', headers: { host: '127.0.0.1' }, body: '' }
  expect((await control.respond(request)).status).toBe(503)
})

test('the state is saved on demand', async () => {
  const saved: string[] = []
  const save = async () => {
    saved.push('now')
    return 'pets.json'
  }
  const { call } = await startControlled({ save })
  expect((await call('POST', '/save')).json).toEqual({ file: 'pets.json' })
  expect(saved).toEqual(['now'])
})

test('without a file there is nothing to save to', async () => {
  const { call } = await startControlled()
  const { status, json } = await call('POST', '/save')
  expect(status).toBe(501)
  expect(json.message).toContain('--save FILE')
})

test.each([
  [new UsageError('The disk is full.'), 'The disk is full.'],
  [new Error('secret path'), 'The state could not be saved.'],
])('what goes wrong while it is saved is told', async (error, message) => {
  const save = async () => {
    throw error
  }
  const { call } = await startControlled({ save })
  const { status, json } = await call('POST', '/save')
  expect(status).toBe(500)
  expect(json.message).toBe(message)
})

test('a failure inside shows nothing of the inside', async () => {
  const mock = createMock({ pets: 0 })
  const allScorecards = () => {
    throw new Error('secret')
  }
  const control = createControl({ mock, host: '127.0.0.1', allScorecards, version })
  const request = { method: 'GET', target: '/_petstore/scorecard', headers: { host: '127.0.0.1' }, body: '' }
  const reply = await control.respond(request)
  expect(reply.status).toBe(500)
  expect(JSON.stringify(reply)).not.toContain('secret')
})

test('a mock without the control API answers there as the service does', async () => {
  const { mock } = await startControlled({ control: false })
  const { status, headers } = await ask(mock.port, 'GET', '/_petstore/health')
  expect(status).toBe(404)
  expect(headers['cache-control']).toBeUndefined()
})
