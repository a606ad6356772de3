import * as tls from 'node:tls'
import { Agent, Pool, ProxyAgent } from 'undici'
import type { Dispatcher } from 'undici'

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
 */
export function createDispatcher(
  proxy: URL | undefined,
  { timeoutMs, ca, insecure }: ConnectionOptions,
  connections: number,
): Dispatcher {
  const connect = {
    timeout: timeoutMs,
    ...(ca !== undefined && { ca: [...usualCertificates(), ca] }),
    ...(insecure && { rejectUnauthorized: false }),
  }
  const common = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }
  if (!proxy) return new Agent({ ...common, connect })
  return new ProxyAgent({
    ...common,
    uri: proxy.href,
    requestTls: connect,
    proxyTls: connect,
    // A proxy that leaves CONNECT without an answer would be waited for through minutes.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeoutMs }),
  })
}

/** What Node trusts: newer ones also tell what NODE_EXTRA_CA_CERTS adds. */
function usualCertificates(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}
