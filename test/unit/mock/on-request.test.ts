import { expect, test } from 'vitest'
import { createMock, defaultKey, sandboxKey } from '../../../src/mock/index.ts'
import type { LoggedRequest } from '../../../src/mock/sandbox/types.ts'

test('onRequest gets each request to any sandbox with delay, fault and rule, and without keys', async () => {
  const logged: LoggedRequest[] = []
  const mock = createMock({ onRequest: (request) => logged.push(request) })
  const preferences = [
    'delay=2',
    'fault=reset',
    'fault=silence',
    'fault=truncated-body',
    'fault=slow-body',
  ]
  for (const prefer of preferences) {
    const headers = { authorization: `Bearer ${defaultKey}`, prefer }
    await mock.handle({ method: 'GET', target: '/v1/pets?limit=2', headers, body: '' })
  }
  const key = sandboxKey('team-a')
  await mock.handle({
    method: 'GET',
    target: `/nowhere?${key}`,
    headers: { authorization: `Bearer ${key}` },
    body: '',
  })
  expect(logged).toMatchObject([
    { number: 1, sandbox: undefined, operation: 'listPets', rule: 'prefer', delayMs: 2_000 },
    { fault: 'reset' },
    { fault: 'silence' },
    { fault: 'truncated-body' },
    { fault: 'slow-body' },
    {
      number: 1,
      sandbox: 'team-a',
      request: { target: '/nowhere?[redacted]' },
      response: { status: 404 },
    },
  ])
  expect(logged[0]).not.toHaveProperty('fault')
  expect(JSON.stringify(logged)).not.toContain(key)
})
