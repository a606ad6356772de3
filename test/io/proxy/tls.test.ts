/** Deployments with TLS, and behind a network proxy. */
import { expect, test } from 'vitest'
import { createAuthority, createCertificate } from '../../support/certificate.ts'
import { startProxy } from '../../support/connect-proxy.ts'
import { key, startHttpsStore, startStore } from '../../support/store.ts'
import { proxyOf } from './proxy.ts'

const authority = createAuthority('Petstore Test Authority')
const hosts = ['127.0.0.1', 'localhost']
const certified = createCertificate({ name: 'store', hosts }, authority)
const headers = { authorization: `Bearer ${key}` }

test('an untrusted certificate gives a 502 of the proxy, and no request is sent', async () => {
  const { url, requests } = await startHttpsStore(certified)
  const proxy = await proxyOf(url)
  const response = await fetch(`${proxy.url}/pets`, { headers })
  expect([response.status, response.headers.get('petstore-proxy')]).toEqual([502, 'bad_gateway'])
  expect(await response.text()).toMatch(
    /its certificate is not trusted .*--ca names the certificate/,
  )
  expect(requests).toEqual([])
})

test('forwards requests with --ca, and sends a client certificate with --cert', async () => {
  const client = createCertificate({ name: 'client' }, authority)
  const { url } = await startHttpsStore({
    ...certified,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const proxy = await proxyOf(url, { ca: authority.cert, cert: client.cert, certKey: client.key })
  const response = await fetch(`${proxy.url}/pets?limit=3`, { headers })
  expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 3])
})

test('uses a network proxy', async () => {
  const { url, port } = await startHttpsStore(certified)
  const network = await startProxy({ to: port })
  const proxy = await proxyOf(url, { ca: authority.cert, proxy: new URL(network.url) })
  expect((await fetch(`${proxy.url}/pets`, { headers })).status).toBe(200)
  expect(network.asked.map(({ host }) => host)).toEqual([`127.0.0.1:${port}`])
})

test('lets a network proxy pass on requests to http://', async () => {
  const { port, requests } = await startStore()
  const network = await startProxy({ to: port })
  const way = new URL(network.url.replace('//', '//user:s3cret-pass@'))
  const proxy = await proxyOf('http://petstore.invalid/v1', { proxy: way })
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const posting = { 'content-type': 'application/json', 'proxy-authorization': 'Basic eDp5' }
  const created = await fetch(`${proxy.url}/pets`, {
    method: 'POST',
    headers: { ...headers, ...posting },
    body,
  })
  expect(created.status).toBe(201)
  expect(network.asked[0]).toMatchObject({
    host: 'http://petstore.invalid/v1/pets',
    headers: { 'proxy-authorization': `Basic ${btoa('user:s3cret-pass')}` },
  })
  expect(requests).toHaveLength(1)

  const rejecting = await startProxy({ status: 407 })
  const rejected = await proxyOf('http://petstore.invalid/v1', { proxy: new URL(rejecting.url) })
  const response = await fetch(`${rejected.url}/pets`, { headers })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('wants a user name and a password in its URL')
})

test('--insecure trusts any certificate, and headers for a gateway replace those of clients', async () => {
  const { url, requests } = await startHttpsStore(certified)
  const proxy = await proxyOf(url, { insecure: true, headers: { 'x-gateway': 'gateway-secret' } })
  const sent = { headers: { ...headers, 'X-Gateway': 'other' } }
  expect((await fetch(`${proxy.url}/pets?limit=3`, sent)).status).toBe(200)
  expect(requests[0]?.headers['x-gateway']).toBe('gateway-secret')
})
