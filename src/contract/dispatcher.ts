import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import { UsageError } from '../errors.ts'
import { ProxyFailure } from './connection.ts'

/** How connections are made. */
export interface ConnectionOptions {
  /** Milliseconds until a connection must stand. */
  timeoutMs: number
  /** PEM certificates that are trusted beside the usual ones. */
  ca?: string | undefined
  /** Trust any certificate. */
  insecure?: boolean | undefined
  /** The certificate of the client, and its private key, in PEM. A proxy does not get them. */
  cert?: string | undefined
  certKey?: string | undefined
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
  { timeoutMs, ca, insecure, cert, certKey }: ConnectionOptions,
  connections: number,
  signal: AbortSignal,
): Dispatcher {
  const trust = {
    ...(ca !== undefined && { ca: [...usualCertificates(), ca] }),
    ...(insecure && { rejectUnauthorized: false }),
  }
  const client = { ...(cert !== undefined && { cert }), ...(certKey !== undefined && { key: certKey }) }
  const direct = buildConnector({ ...trust, ...client, timeout: timeoutMs, signal })
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
 * Connects through a tunnel of a proxy. undici's ProxyAgent requests a proxy that closes the connection again without end.
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
    const connecting = (proxy.protocol === 'https:' ? https : http).request(proxy, {
      ...trust,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      signal: AbortSignal.any([signal, deadline]),
    })
    connecting.on('error', (error) => fail(new ProxyFailure(undefined, { cause: error })))
    connecting.on('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy()
        return fail(new ProxyFailure(statusCode))
      }
      socket.unshift(head)
      if (isSecure) connect({ ...options, httpSocket: socket }, done)
      else done(null, socket)
    })
    connecting.end()
  }
}

/** What Node trusts: newer ones also tell what NODE_EXTRA_CA_CERTS adds. */
function usualCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

/** A head that goes on for longer is passed on, and refused there. */
const longestHead = 16_384
const shortestHead = 'HTTP/1.1 100 '

/**
 * A connection without the interim responses (100, 102, 103, ...) that come before a response: RFC 9110, section 15.2.1,
 * has a client discard those that it did not request, and undici ends the connection at a 100.
 */
class WithoutInterimResponses extends Duplex {
  readonly #socket: Duplex
  /** Whether what comes next is the head of a response. */
  #atHead = false
  #held: Buffer = Buffer.alloc(0)

  constructor(socket: Duplex) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      const rest = this.#strip(chunk)
      if (rest.length > 0 && !this.push(rest)) socket.pause()
    })
    socket.on('end', () => {
      if (this.#held.length > 0) this.push(this.#held)
      this.push(null)
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  #strip(chunk: Buffer): Buffer {
    if (!this.#atHead) return chunk
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    while (isInterim(rest)) {
      const { index, 0: end } = /\r?\n\r?\n/.exec(rest.toString('latin1', 0, longestHead)) ?? { index: -1, 0: '' }
      if (index === -1 && rest.length < longestHead) {
        this.#held = rest
        return Buffer.alloc(0)
      }
      if (index === -1) break
      rest = rest.subarray(index + end.length)
    }
    this.#atHead = rest.length === 0
    return rest
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#atHead = true
    this.#socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** Whether bytes begin an interim response, or may, where they are few. 101 is none: it ends HTTP. */
function isInterim(bytes: Buffer): boolean {
  if (bytes.length === 0) return false
  const head = bytes.toString('latin1', 0, shortestHead.length)
  return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/.test(head + shortestHead.slice(head.length))
}

/** The proxies, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. */
export interface Proxies {
  /** For targets that begin with http://. */
  http?: string | undefined
  /** For targets that begin with https://. */
  https?: string | undefined
  /** Hosts that are called without a proxy: `internal.example, .corp, 10.0.0.7:8080`, or `*`. */
  no?: string | undefined
}

/**
 * The proxy through which a target is called; undefined where it is called directly.
 *
 * @throws {UsageError} when the proxy is no URL. The message does not repeat it, because it may hold a password
 */
export function findProxy(target: URL, proxies: Proxies): URL | undefined {
  const isSecure = target.protocol === 'https:'
  const text = (isSecure ? proxies.https : proxies.http)?.trim() ?? ''
  if (text === '' || isExcepted(target, proxies.no ?? '')) return undefined
  const href = text.includes('://') ? text : `http://${text}`
  const proxy = URL.canParse(href) ? new URL(href) : undefined
  if (proxy?.protocol !== 'http:' && proxy?.protocol !== 'https:') {
    throw new UsageError(
      `${isSecure ? 'HTTPS_PROXY' : 'http_proxy'} must be the URL of a proxy, such as http://proxy.example.com:3128`,
    )
  }
  return proxy
}

/** Whether NO_PROXY names the host of a target, a domain above it, or every host. */
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  return exceptions.split(/[\s,]+/).some((exception) => {
    const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? []
    if (host === '*') return true
    const domain = host.replace(/^\*?\./, '')
    if (domain === '' || (onlyPort !== undefined && onlyPort !== ownPort)) return false
    return hostname === domain || hostname.endsWith(`.${domain}`)
  })
}
