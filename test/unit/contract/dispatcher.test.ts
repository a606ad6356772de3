import { expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { createDispatcher, defaultKey } from '../../../src/mock/adapters/undici.ts'
import { createMock } from '../../../src/mock/index.ts'

test('a custom dispatcher gets every request, and is not closed', async () => {
  const baseUrl = 'http://localhost:1/v1'
  const mock = createMock()
  const dispatcher = createDispatcher(mock, { baseUrl, passthrough: false })
  const report = await verify({ baseUrl, apiKey: defaultKey, dispatcher, readOnly: true })
  expect(report).toMatchObject({ verdict: 'conforms', findings: [] })
  expect(mock.journal.list()).toHaveLength(report.counts.requests)
  const { statusCode, body } = await dispatcher.request({
    origin: 'http://localhost:1',
    path: '/v1/pets',
    method: 'GET',
  })
  await body.dump()
  expect(statusCode).toBe(401)
})
