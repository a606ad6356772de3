import { expect, test } from 'vitest'
import { key, startStore } from '../../support/store.ts'
import { mistakeOf, run } from '../cli/command.ts'

const env = { PETSTORE_API_KEY: key }

test('sends all --header options with each request', async () => {
  const { url, requests } = await startStore()
  const gateway = [
    '--header',
    'X-Gateway: a value: with a colon',
    '--header=x-team:contract',
    '--header',
    'User-Agent: own',
  ]
  expect((await run(['verify', url, '--only', 'list.*', ...gateway], { env })).code).toBe(0)
  expect(requests.length).toBeGreaterThan(20)
  for (const { headers } of requests) {
    expect(headers).toMatchObject({
      'x-gateway': 'a value: with a colon',
      'x-team': 'contract',
      'user-agent': 'own',
    })
  }
})

const ownHeaders =
  'Accept Accept-Encoding AUTHORIZATION Connection content-length Content-Type Expect Host Keep-Alive ' +
  'Proxy-Authorization TE Trailer Transfer-Encoding Upgrade'

test.each([
  ['s3cret-value', "--header takes 'Name: value'; number 1 of 1 has no name with a colon"],
  [': s3cret-value', "--header takes 'Name: value'; number 1 of 1 has no name with a colon"],
  ['X Gateway: s3cret-value', '--header: "X Gateway" is not a valid header name'],
  ['X-Gateway: s3cret-\u20acvalue', '--header X-Gateway has a character that it cannot carry'],
  ['X-Gateway: s3cret-value\nX: y', '--header X-Gateway has a character that it cannot carry'],
  ...ownHeaders
    .split(' ')
    .map((name): [string, string] => [
      `${name}: s3cret-value`,
      `--header ${name} is set by the suite and cannot be given`,
    ]),
])('--header %j is rejected, and its value is not printed', async (header, message) => {
  expect(await mistakeOf(['verify', 'http://127.0.0.1:1/v1', '--header', header], { env })).toBe(
    message,
  )
})
