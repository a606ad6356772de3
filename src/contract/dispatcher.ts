import { rootCertificates } from 'node:tls'
import { Agent, EnvHttpProxyAgent } from 'undici'
import type { Dispatcher } from 'undici'
import { isLoopback } from './options.ts'

/** How connections are made. */
export interface ConnectionOptions {
  /** Milliseconds until a connection must stand. */
  timeoutMs: number
  /** PEM certificates that are trusted beside the usual ones. */
  ca?: string | undefined
  /** Trust any certificate. */
  insecure?: boolean | undefined
  /** The proxies, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. */
  proxy?: { http?: string | undefined; https?: string | undefined; no?: string | undefined } | undefined
}

/**
 * Makes what sends requests: no pipelining, no redirects, no repetitions, and no time limits of its own.
 *
 * @param url the target: one on this machine is called without a proxy
 * @param connections how many there may be at once
 */
export function createDispatcher(url: URL, options: ConnectionOptions, connections: number): Dispatcher {
  const { timeoutMs, ca, insecure, proxy } = options
  const connect = {
    timeout: timeoutMs,
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(insecure && { rejectUnauthorized: false }),
  }
  const common = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect }
  const { http = '', https = '', no = '' } = proxy ?? {}
  if (isLoopback(url.hostname) || (http === '' && https === '')) return new Agent(common)
  return new EnvHttpProxyAgent({ ...common, requestTls: connect, httpProxy: http, httpsProxy: https, noProxy: no })
}
