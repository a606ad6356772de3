import tls from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verify } from '../../../src/contract/index.ts'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { makeFolder } from '../../support/folder.ts'
import { key, startHttpsStore, startStore } from '../../support/store.ts'
import { run } from '../cli/command.ts'
import { idsOf } from '../../support/verdicts.ts'

const authority = createAuthority('Petstore Test Authority')
const hosts = ['127.0.0.1', 'localhost']
const ofAuthority = createCertificate({ name: 'store', hosts }, authority)
const ofItself = createCertificate({ name: 'store', hosts })
const env = { PETSTORE_API_KEY: key }
const one = ['--depth', 'smoke', '--only', 'list-pets.responses']

test.each([
  ['of a private authority', ofAuthority, authority.cert],
  ['signed by itself', ofItself, ofItself.cert],
])('a certificate %s is trusted only with --ca or --insecure', async (_, certified, ca) => {
  const { url, requests } = await startHttpsStore(certified)
  const folder = makeFolder({ 'ca.pem': `# of the shop\n${ca}` })

  const untrusted = await run(['verify', url, '--wait-until-ready', '30'], { env })
  expect(untrusted.code).toBe(3)
  expect(untrusted.stdout).toMatch(
    /the target cannot be reached: its certificate is not trusted \([A-Z_]+: .*\); --ca names the certificate/,
  )
  expect(untrusted.stdout).toMatch(/\n[12] requests?, 0 pets created/)
  expect(requests).toHaveLength(0)

  const trusted = await run(['verify', url, '--ca', 'ca.pem', ...one], { env, cwd: folder })
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('PASS') })
  const trusting = await run(['verify', url, '--insecure', ...one], { env })
  expect(trusting).toMatchObject({ code: 0, stdout: expect.stringContaining('PASS') })
})

test.each([
  [
    'TLSv1.3',
    /requires a client certificate that it trusts \([A-Z\d_]+\); --cert and --cert-key name one/,
  ],
  [
    'TLSv1.2',
    /\(EPROTO: sslv3 alert handshake failure\); perhaps it requires a client certificate/,
  ],
] as const)(
  'a gateway that requires a client certificate gets it with --cert and --cert-key, %s',
  async (maxVersion, reason) => {
    const wanted = { ca: authority.cert, requestCert: true, rejectUnauthorized: true, maxVersion }
    const { url, requests } = await startHttpsStore({ ...ofAuthority, ...wanted })
    const client = createCertificate({ name: 'client' }, authority)
    const keys = { 'client.key': client.key, 'other.key': ofAuthority.key }
    const folder = makeFolder({ 'ca.pem': authority.cert, 'client.pem': client.cert, ...keys })
    const args = ['verify', url, '--ca', 'ca.pem', '--retry-budget', '0', ...one]
    expect(await run(args, { env, cwd: folder })).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(reason),
    })
    const { stderr } = await run([...args, '--cert', 'client.pem', '--cert-key', 'other.key'], {
      env,
      cwd: folder,
    })
    expect(stderr).toBe('petstore: --cert-key is not the key of the certificate\n')
    expect(requests).toHaveLength(0)
    const certified = await run([...args, '--cert', 'client.pem', '--cert-key', 'client.key'], {
      env,
      cwd: folder,
    })
    expect(certified).toMatchObject({ code: 0, stdout: expect.stringContaining('PASS') })
    expect(certified.stdout + certified.stderr).not.toContain('PRIVATE KEY')
  },
)

test.each([
  [
    'that has expired',
    createCertificate({ name: 'store', hosts, until: new Date(Date.now() - 60_000) }, authority),
    /its certificate has expired/,
  ],
  [
    'for another host',
    createCertificate({ name: 'shop', hosts: ['shop.example.com'] }, authority),
    /its certificate is for another host \(.*127\.0\.0\.1 is not/,
  ],
])('a certificate %s is not trusted', async (_, certified, sentence) => {
  const { url } = await startHttpsStore(certified)
  const report = await verify({ baseUrl: url, apiKey: key, ca: authority.cert })
  expect(report).toMatchObject({ exitCode: 3, reason: expect.stringMatching(sentence) })
})

test('no connection reads all trusted certificates again, which would take most of the time', async () => {
  const read = vi.spyOn(tls, 'createSecureContext')
  onTestFinished(() => read.mockRestore())
  const { url, requests } = await startHttpsStore(ofAuthority)
  const report = await verify({ baseUrl: url, apiKey: key, ca: authority.cert, depth: 'smoke' })
  expect(report).toMatchObject({ exitCode: 0 })
  expect(new Set(requests.map(({ connection }) => connection)).size).toBeGreaterThan(1)
  const reads = read.mock.calls.filter(([options]) => options?.ca !== undefined)
  expect(reads.length).toBe(0)
})

test('a certificate whose intermediate is not sent is reported as that', async () => {
  const intermediate = createAuthority('Petstore Test Intermediate', authority)
  const certified = createCertificate({ name: 'store', hosts }, intermediate)
  const options = {
    apiKey: key,
    ca: authority.cert,
    only: ['list-pets.responses'],
    depth: 'smoke',
  } as const
  const { url } = await startHttpsStore(certified)
  expect(await verify({ baseUrl: url, ...options })).toMatchObject({
    exitCode: 3,
    reason: expect.stringMatching(
      /; if it does, the target does not send an intermediate certificate: openssl s_client -connect HOST:PORT -showcerts/,
    ),
  })
  const whole = await startHttpsStore({ ...certified, cert: certified.cert + intermediate.cert })
  expect(await verify({ baseUrl: whole.url, ...options })).toMatchObject({ exitCode: 0 })
})

test('a target that only speaks an old version of TLS is reported as that', async () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' } as const
  const { url } = await startHttpsStore({ ...ofAuthority, ...old })
  const report = await verify({ baseUrl: url, apiKey: key, ca: authority.cert })
  expect(report).toMatchObject({
    exitCode: 3,
    reason: expect.stringMatching(
      /TLS handshake failed \(.*\); the suite speaks TLS 1\.2 and later$/,
    ),
  })
})

test('reports https:// for a target with http:// only, and vice versa', async () => {
  const plain = await startStore()
  const secure = await startHttpsStore(ofItself)
  const [toPlain, toSecure] = await Promise.all([
    verify({ baseUrl: plain.url.replace('http:', 'https:'), apiKey: key, retryBudgetMs: 0 }),
    verify({ baseUrl: secure.url.replace('https:', 'http:'), apiKey: key, retryBudgetMs: 0 }),
  ])
  expect(toPlain).toMatchObject({
    exitCode: 3,
    reason: expect.stringContaining('if the target has no TLS, begin the base URL with http://'),
  })
  expect(toSecure).toMatchObject({
    exitCode: 3,
    reason: expect.stringContaining('the connection failed'),
  })
})

test('finds authentication once per connection over TLS, too', async () => {
  const accepted = new Map<number, string>()
  const { url, requests } = await startHttpsStore(ofItself, ({ headers, connection }) => {
    if (headers.authorization === `Bearer ${key}`) accepted.set(connection, headers.authorization)
    headers.authorization = accepted.get(connection)
    return false
  })
  const report = await verify({ baseUrl: url, apiKey: key, insecure: true })
  expect(idsOf(report, 'violated')).toEqual(
    expect.arrayContaining(['auth.missing-key', 'auth.invalid-key']),
  )
  // Connections are reused: there are far fewer than requests.
  const connections = new Set(requests.map(({ connection }) => connection))
  expect(connections.size).toBeLessThan(requests.length / 2)
})
