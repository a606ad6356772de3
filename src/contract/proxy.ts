import { UsageError } from '../errors.ts'

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
