import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import * as tls from 'node:tls'
import type { Dispatcher } from 'undici'
import { fieldFor } from './exchange.ts'
import { isUnreachable, ProxyFailure } from './failure.ts'

/**
 * The part of a Dispatcher of undici through which the suite sends: any Dispatcher is one, and so are the connections of
 * this kit. With `reset`, these open a connection for the request: the server may close an idle one while it is on its way.
 */
export interface Connections {
  request(options: Sent): Promise<Received>
}

type Sent = Dispatcher.RequestOptions & {
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}
type Received = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { body: Readable }

export interface ConnectionOptions {
  /** Milliseconds in which a proxy must connect. */
  timeoutMs: number
  /** PEM certificates to trust besides the default ones. */
  ca?: string | undefined
  insecure?: boolean | undefined
  /** The client certificate and its private key (PEM). Never sent to a proxy. */
  cert?: string | undefined
  certKey?: string | undefined
  /** The proxy to reach the target through. */
  proxy?: URL | undefined
}

/** Milliseconds that an idle connection is kept: most servers close theirs after 5 s or more. */
const idleMs = 4_000
/**
 * Milliseconds that a request waits before it ends idle connections, and in which its response then comes if they were in
 * its way: at a server with one connection at a time, each request would wait for the idle ones, 4 s.
 */
const [patienceMs, promptMs] = [1_000, 500]
/** Milliseconds between the pieces of a body: with 15, two arrived as one on a busy machine. */
const pieceMs = 30
/** Browsers accept as many bytes of headers. */
const parsing = { joinDuplicateHeaders: true, maxHeaderSize: 2 ** 18 }

/** Creates connections without redirects, retries or timeouts. `closing` ends every connection, also those being opened. */
export function createConnections(
  target: URL,
  options: ConnectionOptions,
  connections: number,
  closing: AbortSignal,
): Connections {
  const route = createRoute(target, options, connections, closing)
  const { kept, single } = route
  let [endedAt, isQuick, keepsNone] = [-Infinity, false, false]
  /** Ends idle connections: the target may take or serve no other beside them. */
  const endIdle = (): void => {
    for (const socket of Object.values(kept.freeSockets).flat()) {
      socket?.destroy()
      endedAt = performance.now()
    }
  }
  return {
    request: ({ path, method, signal, body, reset, headers: { authorization, ...others } }) =>
      new Promise((resolve, reject) => {
        const headers = {
          Host: target.host,
          ...others,
          ...(authorization !== undefined && { [fieldFor(path)]: authorization }),
          ...route.headers,
        }
        const agent = reset || keepsNone ? single : kept
        if (reset) endIdle()
        const startedAt = performance.now()
        const waiting = setInterval(endIdle, patienceMs)
        const sent = route.request({
          ...route.optionsFor(path),
          method,
          signal,
          headers,
          ...parsing,
          agent,
        })
        // Node limits the bytes of headers, too, and drops excess headers silently.
        sent.maxHeadersCount = 0
        sent.on('close', () => {
          clearInterval(waiting)
          if (keepsNone) setImmediate(endIdle)
        })
        sent.on('response', (response) => {
          const now = performance.now()
          isQuick ||= now - startedAt < promptMs
          keepsNone ||= isQuick && now - startedAt > patienceMs && now - endedAt < promptMs
          clearInterval(waiting)
          const { statusCode = 0, headers } = response
          const rejection = route.rejectionBy(statusCode)
          if (rejection) sent.destroy(rejection)
          else if (statusCode >= 200) resolve({ statusCode, headers, body: response })
          else sent.destroy(notFinal(statusCode))
        })
        sent.on('upgrade', (_, socket) => {
          socket.destroy()
          reject(notFinal(101))
        })
        sent.on('error', (error) => reject(route.failureOf(error)))
        const bytes = Buffer.from(body ?? '')
        const cut = bytes.findIndex((byte) => byte >= 0xf0) + 1
        if (cut === 0) return void sent.end(body ?? undefined)
        // On a network, a body may arrive in pieces that end within a letter.
        sent.setHeader('content-length', bytes.length)
        sent.write(bytes.subarray(0, cut))
        setTimeout(() => sent.end(bytes.subarray(cut)), pieceMs)
      }),
  }
}

/**
 * How requests reach a target: directly, through a tunnel, or passed on by a proxy. `closing` ends the connections of the
 * route. As with curl, a proxy opens a tunnel to https://, and passes on requests to http:// itself, with a whole URL instead
 * of the path (RFC 9112 section 3.2.2): many open tunnels to port 443 alone.
 */
export function createRoute(
  target: URL,
  options: ConnectionOptions,
  maxSockets: number,
  closing: AbortSignal,
) {
  const { proxy } = options
  const passing = target.protocol === 'http:' ? proxy : undefined
  const next = passing ?? target
  const scheme: typeof http | typeof https = next.protocol === 'https:' ? https : http
  const security = scheme === https ? securityOf(options) : {}
  const [kept, single] = [true, false].map((keepAlive) => {
    const agent = new scheme.Agent({ keepAlive, maxSockets, timeout: idleMs, ...security })
    if (proxy !== undefined && !passing) tunnel(agent, proxy, options, closing)
    closing.addEventListener('abort', () => agent.destroy())
    return agent
  }) as [http.Agent, http.Agent]
  const hostname = next.hostname.replace(/^\[|\]$/g, '')
  // Otherwise TLS would expect the host of the header.
  const servername = isIP(hostname) === 0 ? hostname : ''
  const { port } = next
  return {
    request: scheme.request,
    /** Keeps connections. */
    kept,
    /** Opens a connection for each request. */
    single,
    /** The host to connect to, and the target of the request. */
    optionsFor: (path: string) => ({
      hostname,
      port,
      ...(passing ? { servername, path: target.origin + path } : { path }),
    }),
    /** Headers that each request needs besides. */
    headers: passing ? credentialsFor(passing) : {},
    /** The rejection that a status stands for, if the proxy alone can send it. */
    rejectionBy: (status: number) =>
      passing && status === 407 ? new ProxyFailure(status) : undefined,
    failureOf: (error: Error): Error =>
      passing && isUnreachable(error) ? new ProxyFailure(undefined, { cause: error }) : error,
  }
}

function credentialsFor({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const user = [username, password].map(decodeURIComponent).join(':')
  return { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }
}

/** What TLS trusts and presents. For each connection, reading it would take as long as many requests. */
function securityOf({ ca, insecure, cert, certKey: key }: Omit<ConnectionOptions, 'timeoutMs'>) {
  const certificates = { ca: ca && [...defaultCertificates(), ca], cert, key }
  const trust = insecure ? { rejectUnauthorized: false } : {}
  try {
    return { ...trust, secureContext: tls.createSecureContext(certificates) }
  } catch {
    // What cannot be used fails each connection.
    return { ...trust, ...certificates }
  }
}

export const notFinal = (status: number): Error =>
  new Error(
    status === 101
      ? 'it switched to another protocol (101)'
      : `it sent the status ${status}, which HTTP does not have`,
  )

function tunnel(
  agent: http.Agent,
  proxy: URL,
  { timeoutMs, ca, insecure }: ConnectionOptions,
  closing: AbortSignal,
): void {
  const trust = proxy.protocol === 'https:' ? securityOf({ ca, insecure }) : {}
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const { host, port } = options
    const target = `${host?.includes(':') ? `[${host}]` : host}:${port}`
    const fail = (failure: ProxyFailure): void => done?.(failure, undefined as unknown as Duplex)
    const headers = { host: target, ...credentialsFor(proxy) }
    const deadline = AbortSignal.timeout(timeoutMs)
    const connecting = (proxy.protocol === 'https:' ? https : http).request(proxy, {
      ...trust,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      signal: AbortSignal.any([closing, deadline]),
    })
    connecting.on('error', (error) => fail(new ProxyFailure(undefined, { cause: error })))
    connecting.on('connect', ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy()
        return fail(new ProxyFailure(statusCode))
      }
      socket.unshift(head)
      done?.(
        null,
        agent instanceof https.Agent
          ? (connect({ ...options, socket } as object) as Duplex)
          : socket,
      )
    })
    connecting.end()
    return undefined
  }
}

/** The certificates that Node trusts; newer versions include NODE_EXTRA_CA_CERTS. */
export function defaultCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

/** Rejects as soon as the signal is aborted: a connection that is being opened may ignore it. */
export async function unlessAborted(
  sending: Promise<Received>,
  signal: AbortSignal,
): Promise<Received> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
  })
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([sending, aborted])
  } catch (error) {
    sending.then(({ body }) => body.destroy()).catch(() => {})
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
