import { expect, test } from 'vitest'
import { verifyMock } from '../../support/verify-in-process.ts'

test.each([
  [
    'create.charset-rejected',
    /^\{"name":"[^\\]*","categoryId":\d+,"status":"\w+"\}$/,
    / charset=utf-8/,
  ],
  ['create.spaces-rejected', /^\s+\{ "name" :[^\\]*\n$/, /json$/],
  ['create.order-rejected', /^\{"status":"\w+","categoryId":\d+,"name":"[^\\]*"\}$/, /json$/],
  [
    'create.escapes-rejected',
    /^\{"n\\u0061me":"\\u.*","categoryId":\d+,"status":"\w+"\}$/,
    /json$/,
  ],
] as const)('the finding about %s changes one thing', async (defect, body, type) => {
  const { findings } = await verifyMock({ defects: [defect] })
  const found = findings.find(({ requirement }) => requirement === 'http.json-request')
  const { request } = found?.exchanges.at(-1) ?? {}
  expect(request?.body).toMatch(body)
  expect(request?.headers['content-type']).toMatch(type)
})
