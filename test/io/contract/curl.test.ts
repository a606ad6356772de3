import { spawn, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import * as credentials from '../../../src/contract/http/credentials.ts'
import type { Credential } from '../../../src/contract/http/credentials.ts'
import { readHeaders } from '../../../src/contract/http/connection-options.ts'
import { toCurl } from '../../../src/contract/http/curl.ts'
import type { Plan } from '../../../src/contract/http/exchange.ts'
import { Keys } from '../../../src/contract/http/keys.ts'
import { Transport } from '../../../src/contract/http/transport.ts'
import { systemClock } from '../../../src/contract/http/waiting.ts'
import { sendJson, startServer } from '../../support/http-server.ts'

const key = `Kit'7$(x)"\`\\a%41!B*b`
/** Such a key is never sent in JSON, which would escape it. */
const keyFor = ({ credential }: Plan): string =>
  credential === credentials.keyInFields ? key.replaceAll(/["\\]/g, '') : key
const env = { PATH: process.env['PATH'], HOME: '/nowhere', no_proxy: '*' }
const variable = '$PETSTORE_API_KEY'
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** The relevant parts of a request. */
interface Sent {
  method: string
  target: string
  authorization: string | undefined
  accept: string | undefined
  contentType: string | undefined
  body: string
}

const bodies: Record<string, string> = {
  plain: '{"name":"Bella","categoryId":1}',
  quotes: `{"name":"it's \\"quoted\\" \`$HOME\` $(id) !! \\\\","categoryId":1}`,
  'line breaks': '\r\n\t{ "name" :\n"\\u0042ella",\t"categoryId"  : 1 }\n',
  'percent signs and octal numbers': '{"name":"100%s \\\\0101 %41","categoryId":1}\n',
  'Unicode that a terminal does not show':
    '{"name":"\u{1f468}\u200d\u{1f469} \u202e \ufeff \u2028","categoryId":1}',
  'the letter behind an @': '@/etc/hostname',
  'the letters of an option': '--data',
  'no JSON': '{"name":',
}

const plans: [string, Plan][] = [
  ['GET', { method: 'GET', path: '/pets?limit=5&status=sold' }],
  ['a path with percent signs', { method: 'GET', path: '/pets/%27%24%20' }],
  ['a query with an apostrophe', { method: 'GET', path: "/pets?status=it's" }],
  ['HEAD', { method: 'HEAD', path: '/pets?limit=1' }],
  [
    'OPTIONS without the key',
    { method: 'OPTIONS', path: '/pets', credential: credentials.noHeader },
  ],
  ['anything accepted', { method: 'GET', path: '/pets', headers: { accept: '*/*' } }],
  [
    'what a browser accepts',
    { method: 'GET', path: '/pets', headers: { accept: 'text/html,*/*;q=0.8' } },
  ],
  ['no Accept', { method: 'GET', path: '/pets', headers: { accept: '' } }],
  ['PATCH without a body', { method: 'PATCH', path: '/pets' }],
  ['a header', { method: 'GET', path: '/pets', headers: { origin: "https://it's.example" } }],
  ...Object.entries(bodies).map(([name, body]): [string, Plan] => [
    `a body: ${name}`,
    { method: 'POST', path: '/pets', body },
  ]),
  [
    'another Content-Type',
    { method: 'POST', path: '/pets', body: '{}', headers: { 'content-type': 'text/plain' } },
  ],
  [
    'no Content-Type',
    { method: 'POST', path: '/pets', body: '{}', headers: { 'content-type': '' } },
  ],
  ...Object.values<Credential | (() => Credential)>({ ...credentials })
    .filter((credential): credential is Credential => typeof credential === 'object')
    .map((credential): [string, Plan] => [
      credential.name,
      { method: 'GET', path: '/pets', credential },
    ]),
  [
    'the key in a query with a parameter',
    { method: 'GET', path: '/pets?limit=1', credential: credentials.keyInQuery },
  ],
  ...[credentials.keyInFields, credentials.keyInForm].map((credential): [string, Plan] => [
    `${credential.name} of a creation`,
    { method: 'POST', path: '/pets', body: '{"name":"Rex","categoryId":1}', credential },
  ]),
]

/** Sends a plan with the suite, and returns the received request. */
async function sendBySuite(
  plan: Plan,
): Promise<{ sent: Sent; url: string; received: () => Sent | undefined }> {
  const { url, requests } = await startServer((_, response) => sendJson(response, 200, []))
  const transport = new Transport(
    {
      baseUrl: url,
      timeoutMs: 5_000,
      concurrency: 1,
      retryBudgetMs: 0,
      maxRequests: 1_000,
      maxDurationMs: 600_000,
      headers: {},
    },
    systemClock,
    new Keys(keyFor(plan)),
  )
  await transport.send(plan)
  transport.close()
  const received = (): Sent | undefined => {
    const request = requests.at(-1)
    return (
      request && {
        method: request.method,
        // Old versions of curl encode in lower case.
        target: request.target.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase()),
        authorization: request.headers.authorization,
        accept: request.headers.accept,
        contentType: request.headers['content-type'],
        body: request.body.replace(/(?<==\S*)%[0-9a-f]{2}/gi, (code) => code.toUpperCase()),
      }
    )
  }
  const sent = received()
  if (!sent) throw new Error('the suite sent nothing')
  requests.length = 0
  return { sent, url, received }
}

describe('a curl line sends the same request as the suite', () => {
  test.runIf(hasCurl).each(plans)('%s', async (_, plan) => {
    const { url, sent, received } = await sendBySuite(plan)
    const line = toCurl(url, plan.credential?.carry?.(plan, variable, variable) ?? plan)
    expect(line).not.toContain(keyFor(plan))
    expect(line).toMatch(/^\P{Cc}+$/u)
    const child = spawn('sh', ['-c', line], {
      env: { ...env, PETSTORE_API_KEY: keyFor(plan) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.resume()
    const problems: string[] = []
    child.stderr.on('data', (chunk: Buffer) => problems.push(chunk.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(problems).toEqual([])
    expect(code).toBe(0)
    expect(received()).toEqual(sent)
  })
})

test('an IPv6 address is quoted like others', () => {
  expect(toCurl('http://[::1]:4010/v1', { method: 'GET', path: '/pets' })).toBe(
    `curl -sS -i 'http://[::1]:4010/v1/pets' -H "Authorization: Bearer $PETSTORE_API_KEY" -H 'accept: application/json'`,
  )
})

/** A header may have the name of what every object has. */
const inherited = Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase())

test.each(['constructor', ...inherited])('a header with the name %s keeps its value', (name) => {
  const headers = Object.fromEntries([[name, 'x']])
  expect(toCurl('http://h/v1', { method: 'GET', path: '/pets', headers })).toContain(
    `-H '${name}: x'`,
  )
  expect(Object.entries(readHeaders(headers, []))).toEqual([[name, 'x']])
})
