import { expect, test } from 'vitest'
import { verifyMock } from '../../support/verify-in-process.ts'

test.each([
  [
    'create.charset-refused',
    /^\{"name":"[^\\]*","categoryId":\d+,"status":"\w+"\}$/,
    / charset=utf-8/,
  ],
  ['create.spaces-refused', /^\s+\{ "name" :[^\\]*\n$/, /json$/],
  ['create.order-refused', /^\{"status":"\w+","categoryId":\d+,"name":"[^\\]*"\}$/, /json$/],
  ['create.escapes-refused', /^\{"n\\u0061me":"\\u.*","categoryId":\d+,"status":"\w+"\}$/, /json$/],
] as const)('the finding about %s changes one thing', async (defect, body, type) => {
  const { findings } = await verifyMock({ deviations: [defect] })
  const found = findings.find(({ clause }) => clause === 'http.json-request')
  const { request } = found?.exchanges.at(-1) ?? {}
  expect(request?.body).toMatch(body)
  expect(request?.headers['content-type']).toMatch(type)
})
