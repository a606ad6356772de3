import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { ProxyFailure } from './connection-failure.ts'
import { WithoutInterimResponses } from './interim-responses.ts'

/** How connections are made. */
export interface ConnectionOptions {
  /** Milliseconds until a connection must stand. */
  timeoutMs: number
  /** PEM certificates that are trusted beside the usual ones. */
  ca?: string | undefined
  /** Trust any certificate. */
  insecure?: boolean | undefined
}

/**
 * Makes what sends requests: no pipelining, no redirects, no repetitions, and no time limits of its own.
 *
 * @param proxy undefined calls the target directly
 * @param connections how many there may be at once
 * @param signal ends every connection, also one that does not stand yet
 */
export function createDispatcher(
  proxy: URL | undefined,
  { timeoutMs, ca, insecure }: ConnectionOptions,
  connections: number,
  signal: AbortSignal,
): Dispatcher {
  const trust = {
    ...(ca !== undefined && { ca: [...usualCertificates(), ca] }),
    ...(insecure && { rejectUnauthorized: false }),
  }
  const direct = buildConnector({ ...trust, timeout: timeoutMs, signal })
  const connector = proxy === undefined ? direct : throughProxy(proxy, direct, { ...trust, timeoutMs, signal })
  const connect: buildConnector.connector = (options, done) => {
    connector(options, (...[error, socket]) => {
      if (error !== null) done(error, null)
      // undici takes any stream, and its types say less.
      else done(null, new WithoutInterimResponses(socket) as Duplex as Socket)
    })
  }
  return new Agent({ connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect })
}

/**
 * Connects through a tunnel of a proxy. undici's ProxyAgent asks a proxy that closes the connection again without end.
 */
function throughProxy(
  proxy: URL,
  connect: buildConnector.connector,
  { timeoutMs, signal, ...trust }: { timeoutMs: number; signal: AbortSignal },
): buildConnector.connector {
  const { username, password } = proxy
  const user = [username, password].map(decodeURIComponent).join(':')
  return (options, done) => {
    const { hostname, protocol, port } = options
    const isSecure = protocol === 'https:'
    const name = hostname.includes(':') ? `[${hostname}]` : hostname
    const target = `${name}:${port || (isSecure ? 443 : 80)}`
    const fail = (failure: ProxyFailure): void => done(failure, null)
    const headers = {
      host: target,
      ...(username !== '' && { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
    }
    const deadline = AbortSignal.timeout(timeoutMs)
    const asked = (proxy.protocol === 'https:' ? https : http).request(proxy, {
      ...trust,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      signal: AbortSignal.any([signal, deadline]),
    })
    asked.on('error', (error) => fail(new ProxyFailure(undefined, { cause: error })))
    asked.on('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy()
        return fail(new ProxyFailure(statusCode))
      }
      socket.unshift(head)
      if (isSecure) connect({ ...options, httpSocket: socket }, done)
      else done(null, socket)
    })
    asked.end()
  }
}

/** What Node trusts: newer ones also tell what NODE_EXTRA_CA_CERTS adds. */
function usualCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}
