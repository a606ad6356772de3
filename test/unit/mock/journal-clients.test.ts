import { expect, test } from 'vitest'
import { createMock, defaultKey } from '../../../src/mock/index.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['node', 'node'],
  ['python-httpx/0.28.1 (linux)', 'python-httpx/0.28.1'],
  ['Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36', 'Chrome/147'],
  ['Mozilla/5.0 (X11; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox/150'],
  ['Mozilla/5.0 (Macintosh) Version/26.0 Safari/605.1.15', 'Mozilla/5.0'],
  ['x'.repeat(100_000), 'x'.repeat(40)],
  [`key-${defaultKey}`, 'key-[redacted]'],
  // Cut in a secret.
  [`${'x'.repeat(32)}-${defaultKey}`, `${'x'.repeat(32)}-[redact`],
])('the User-Agent %.40s is the client %s', async (agent, client) => {
  const mock = createMock()
  await mock.handle({
    method: 'GET',
    target: '/v1/pets',
    headers: {
      authorization: `Bearer ${defaultKey}`,
      ...(agent !== undefined && { 'user-agent': agent }),
    },
    body: '',
  })
  expect(mock.journal.last()?.client).toBe(client)
})
