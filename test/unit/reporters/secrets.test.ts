/** The key stands in no byte of any report, also when the target sends it back in every spelling. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reporters, verify, type Report } from '../../../src/contract/index.ts'

const key = 'Secret-Key_42.abc+DEF/ghi='

/** Answers each request with its Authorization header: as it is, escaped, encoded, and as data. */
const server = createServer((request, response) => {
  const credential = request.headers.authorization ?? 'none'
  const token = credential.replace(/^bearer */i, '')
  const escapes = [...token].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const references = [...token].map((char) => `&#${char.charCodeAt(0)};`).join('')
  const base64 = Buffer.from(token).toString('base64')
  response.statusCode = request.url?.includes('limit') ? 200 : 500
  response.setHeader('content-type', 'application/json')
  response.setHeader('x-echo', credential)
  response.setHeader('x-base64', base64)
  const texts = [credential, token.toLowerCase(), encodeURIComponent(token), references, base64]
  response.end(`[{"id": 1, "name": "${escapes}", "categoryId": ${JSON.stringify(texts)}, ${JSON.stringify(token)}: 1}]`)
})

let report: Report
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  report = await verify({ baseUrl, apiKey: key, settleMs: 0, retryBudgetMs: 0 })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('the target is found to break the contract', () => {
  expect(report.findings.length).toBeGreaterThan(3)
  expect(JSON.stringify(report.findings)).toContain('$PETSTORE_API_KEY')
})

test.each(Object.entries(reporters))('%s', (_, render) => {
  const text = render(report, { verbose: true })
  const read = text
    .replace(/&#(\d+);/g, (_match, code: string) => String.fromCharCode(Number(code)))
    .replace(/\\+u([0-9a-f]{4})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\', '')
    .toLowerCase()
  for (const secret of [key, Buffer.from(key).toString('base64'), key.slice(0, -1)]) {
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
    expect(read).not.toContain(secret.toLowerCase())
  }
})
