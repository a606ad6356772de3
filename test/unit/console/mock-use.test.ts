/** "Copy as mock.use" is JavaScript that adds the same rules. */
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { toMockUse } from '../../../src/console/screens/rules/mock-use.ts'
import { parseJson, printJson } from '../../../src/json.ts'
import { createMock, defaultKey } from '../../../src/mock/index.ts'
import type { Rule } from '../../../src/mock/schemas/schemas.gen.ts'

test('a rule with a large integer matches the same requests after it was copied', async () => {
  const body =
    '{"name":"\u2028\u202e \\"x\\"","categoryId":9007199254740993,"more":[1.5,-9223372036854775808]}'
  const rule = { when: { body: parseJson(body) }, reply: { status: 409 } } as Rule
  const mock = createMock()
  const code = toMockUse([rule])
  expect(code).toContain('9007199254740993n')
  expect(code).not.toMatch(/[\u2028\u202e]/)
  runInNewContext(code, { mock })
  expect(printJson(mock.rules()[0]?.when ?? {})).toBe(printJson({ body: parseJson(body) }))
  const headers = { authorization: `Bearer ${defaultKey}`, 'content-type': 'application/json' }
  const send = (sent: string) =>
    mock.handle({ method: 'POST', target: '/v1/pets', headers, body: sent })
  expect((await send(body)).status).toBe(409)
  expect((await send(body.replace('993', '992'))).status).toBe(201)
})
