import { describe, expect, test } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { findProxy } from '../../../src/contract/http/connection-options.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { startProxy } from '../../support/connect-proxy.ts'
import { makeFolder } from '../../support/folder.ts'
import { key, startHttpsStore, startStore } from '../../support/store.ts'
import { run } from '../cli/command.ts'

const authority = createAuthority('Petstore Test Authority')
const certified = createCertificate({ name: 'store', hosts: ['petstore.invalid'] }, authority)
const baseUrl = 'https://petstore.invalid/v1'

test('connects through HTTPS_PROXY, and verifies the certificate of the target', async () => {
  const store = await startHttpsStore(certified)
  const proxy = await startProxy({ to: store.port })
  const folder = makeFolder({ 'ca.pem': authority.cert })
  const env = { PETSTORE_API_KEY: key, HTTPS_PROXY: proxy.url.replace('//', '//user:s3cret-pass@') }

  const writing = await run(
    ['verify', baseUrl, '--ca', 'ca.pem', '--allow-writes', '--only', 'create.success'],
    {
      env,
      cwd: folder,
    },
  )
  expect(writing).toMatchObject({ code: 0, stdout: expect.stringContaining('PASS'), stderr: '' })
  expect(store.requests.some(({ method }) => method === 'POST')).toBe(true)
  expect(new Set(proxy.asked.map(({ host }) => host))).toEqual(new Set(['petstore.invalid:443']))
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa('user:s3cret-pass')}`)

  const untrusted = await run(['verify', baseUrl, '--read-only'], { env })
  expect(untrusted).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('its certificate is not trusted'),
  })
  expect(writing.stdout + untrusted.stdout).not.toContain('s3cret-pass')
})

test.each([
  [403, 'refuses to connect to it (it responded 403)'],
  [
    407,
    'wants a user name and a password in its URL, as in http://USER:PASSWORD@HOST:PORT (it responded 407)',
  ],
  [502, 'cannot connect to it (it responded 502)'],
])('reports a proxy that responds %i', async (status, sentence) => {
  const proxy = await startProxy({ status })
  const report = await verify({
    baseUrl,
    apiKey: key,
    readOnly: true,
    proxy: { https: proxy.url },
    retryBudgetMs: 0,
  })
  const reason = `the target cannot be reached: the proxy ${new URL(proxy.url).host} ${sentence}`
  expect(report).toMatchObject({ exitCode: 3, reason })
  if (status < 500) expect(proxy.asked).toHaveLength(1)
})

test('stops waiting for a target when the proxy rejects it', async () => {
  const proxy = await startProxy({ status: 403 })
  const input = {
    baseUrl,
    apiKey: key,
    readOnly: true,
    proxy: { https: proxy.url },
    waitUntilReadyMs: 600_000,
  }
  expect(await verify(input)).toMatchObject({ exitCode: 3, counts: { requests: 1 } })
  // The requests of the wait do not count.
  expect(proxy.asked).toHaveLength(2)
})

test('reports a proxy that never responds', async () => {
  const proxy = await startProxy('silence')
  const report = await verify({
    baseUrl,
    apiKey: key,
    readOnly: true,
    proxy: { https: proxy.url },
    timeoutMs: 200,
  })
  expect(report).toMatchObject({
    exitCode: 3,
    reason: `the target cannot be reached: no response within 0.2 s (through the proxy ${new URL(proxy.url).host})`,
  })
})

test.each([
  ['http://127.0.0.1:1', /the proxy 127\.0\.0\.1:1 cannot be reached: nothing listens there/],
  [
    'http://proxy.invalid:3128',
    /the proxy proxy\.invalid:3128 cannot be reached: its host name cannot be resolved/,
  ],
])('reports a proxy that cannot be reached: %s', async (https, reason) => {
  const report = await verify({
    baseUrl,
    apiKey: key,
    readOnly: true,
    proxy: { https },
    retryBudgetMs: 0,
  })
  expect(report).toMatchObject({ exitCode: 3, reason: expect.stringMatching(reason) })
})

test('uses only http_proxy for http:// targets', async () => {
  const store = await startStore()
  const proxy = await startProxy({ to: store.port })
  const target = {
    baseUrl: 'http://petstore.invalid/v1',
    apiKey: key,
    allowWrites: true,
    only: ['create.success'],
  }
  const withUser = proxy.url.replace('//', '//user:s3cret-pass@')
  const report = await verify({ ...target, proxy: { http: withUser } })
  expect(report).toMatchObject({ exitCode: 0 })
  expect(JSON.stringify(report)).not.toContain('s3cret-pass')
  // It passes each request on itself.
  for (const { host, headers } of proxy.asked) {
    expect(host).toMatch(/^http:\/\/petstore\.invalid\/v1\//)
    expect(headers['proxy-authorization']).toBe(`Basic ${btoa('user:s3cret-pass')}`)
  }
  expect(store.requests.every(({ headers }) => headers['proxy-authorization'] === undefined)).toBe(
    true,
  )
  const direct = await verify({ ...target, proxy: { https: proxy.url } })
  expect(direct).toMatchObject({
    exitCode: 3,
    reason: expect.stringContaining('its host name cannot be resolved'),
  })
})

test('reports a proxy that does not pass requests on', async () => {
  const through = async (http: string) =>
    verify({
      baseUrl: 'http://petstore.invalid/v1',
      apiKey: key,
      readOnly: true,
      proxy: { http },
      retryBudgetMs: 0,
      timeoutMs: 1_000,
    })
  const wants = await startProxy({ status: 407 })
  const reason = `the target cannot be reached: the proxy ${new URL(wants.url).host} wants a user name and a password in its URL, as in http://USER:PASSWORD@HOST:PORT (it responded 407)`
  expect(await through(wants.url)).toMatchObject({ exitCode: 3, reason })
  for (const status of [403, 503]) {
    const { url } = await startProxy({ status })
    expect(await through(url)).toMatchObject({ exitCode: 3, findings: [] })
  }
  expect(await through('http://127.0.0.1:1')).toMatchObject({
    exitCode: 3,
    reason: expect.stringContaining('the proxy 127.0.0.1:1 cannot be reached: nothing listens'),
  })
  const silent = await startProxy('silence')
  expect(await through(silent.url)).toMatchObject({
    exitCode: 3,
    reason: expect.stringContaining('no response within 1 s (through the proxy'),
  })
})

test('ALL_PROXY is for targets of either kind, and HTTP_PROXY is not read', async () => {
  const store = await startStore()
  const proxy = await startProxy({ to: store.port })
  const command = [
    'verify',
    'http://petstore.invalid/v1',
    '--depth',
    'smoke',
    '--only',
    'list-pets.responses',
  ]
  const env = { PETSTORE_API_KEY: key, HTTP_PROXY: 'http://127.0.0.1:1' }
  expect(await run([...command, '--read-only'], { env })).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('its host name cannot be resolved'),
  })
  const all = { ...env, ALL_PROXY: proxy.url }
  expect(await run([...command, '--read-only'], { env: all })).toMatchObject({ code: 0 })
  const socks = { ...env, ALL_PROXY: 'socks5://127.0.0.1:1080' }
  expect(await run([...command, '--read-only'], { env: socks })).toMatchObject({
    code: 2,
    stderr:
      'petstore: ALL_PROXY must be the URL of a proxy, such as http://proxy.example.com:3128\n',
  })
})

test('never uses a proxy for this machine', async () => {
  const store = await startStore()
  const proxy = await startProxy({ status: 403 })
  const env = { PETSTORE_API_KEY: key, HTTPS_PROXY: proxy.url, http_proxy: proxy.url }
  for (const host of ['127.0.0.1', 'localhost']) {
    const { code } = await run(
      [
        'verify',
        store.url.replace('127.0.0.1', host),
        '--depth',
        'smoke',
        '--only',
        'list-pets.responses',
      ],
      {
        env,
      },
    )
    expect(code).toBe(0)
  }
  expect(proxy.asked).toHaveLength(0)
})

test('connects directly to a target in NO_PROXY', async () => {
  const proxy = await startProxy({ status: 403 })
  const env = { PETSTORE_API_KEY: key, HTTPS_PROXY: proxy.url, NO_PROXY: 'example.com, .invalid' }
  const { code, stdout } = await run(['verify', baseUrl, '--read-only'], { env })
  expect(code).toBe(3)
  expect(stdout).toContain('the target cannot be reached: its host name cannot be resolved')
  expect(proxy.asked).toHaveLength(0)
})

describe('proxy selection', () => {
  const https = 'http://proxy.example.com:3128'
  test.each([
    ['https://shop.example.com/v1', {}, undefined],
    ['https://shop.example.com/v1', { http: https }, undefined],
    ['https://shop.example.com/v1', { https: '' }, undefined],
    ['https://shop.example.com/v1', { https: '', all: https }, 'proxy.example.com:3128'],
    [
      'http://shop.example.com/v1',
      { http: 'http://other.example:1', all: https },
      'other.example:1',
    ],
    ['https://10.1.2.3/v1', { https, no: 'example.org, 10.0.0.0/8' }, undefined],
    ['https://11.1.2.3/v1', { https, no: '10.0.0.0/8' }, 'proxy.example.com:3128'],
    [
      'https://10.1.2.3/v1',
      { https, no: '10.0.0.0/64,10.0.0.0/,10.0.0.0/x' },
      'proxy.example.com:3128',
    ],
    ['https://shop10.0.0.1.example/v1', { https, no: '10.0.0.0/8' }, 'proxy.example.com:3128'],
    ['https://[fd00::7]:8443/v1', { https, no: 'fd00::/8' }, undefined],
    ['https://[fd00::7]/v1', { https, no: 'fd00::7' }, undefined],
    ['https://[fe80::7]/v1', { https, no: '[fd00::]/8 ::/0x' }, 'proxy.example.com:3128'],
    ['https://shop.example.com/v1', { https }, 'proxy.example.com:3128'],
    ['https://shop.example.com/v1', { https: 'proxy.example.com:3128' }, 'proxy.example.com:3128'],
    ['https://shop.example.com/v1', { https, no: '*' }, undefined],
    ['https://shop.example.com/v1', { https, no: 'EXAMPLE.com' }, undefined],
    ['https://shop.example.com/v1', { https, no: '*.example.com' }, undefined],
    ['https://shop.example.com/v1', { https, no: 'a.example.com,shop.example.com:443' }, undefined],
    [
      'https://shop.example.com/v1',
      { https, no: 'shop.example.com:8443' },
      'proxy.example.com:3128',
    ],
    [
      'https://shop.example.com/v1',
      { https, no: 'op.example.com ,,example.org' },
      'proxy.example.com:3128',
    ],
  ])('%s with %j', (target, proxies, host) => {
    expect(findProxy(new URL(target), proxies)?.host).toBe(host)
  })

  // A bare percent sign in a password is invalid, and so is a word.
  test.each(['http://user:s3cret%pass@127.0.0.1:3128', 'nonsense', 'proxy.example.com'])(
    '%s is rejected',
    (http) => {
      expect(() => findProxy(new URL('http://a.example'), { http })).toThrow(
        /^http_proxy must be the URL of a proxy/,
      )
    },
  )

  test('an invalid proxy URL is rejected without printing it', async () => {
    const env = { PETSTORE_API_KEY: key, HTTPS_PROXY: 'socks5://user:s3cret-pass@127.0.0.1:1080' }
    const { code, stderr } = await run(['verify', baseUrl, '--read-only'], { env })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'petstore: HTTPS_PROXY must be the URL of a proxy, such as http://proxy.example.com:3128\n',
    })
  })
})
