import { createPrivateKey, X509Certificate } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { type Issue, UsageError } from '../../errors.ts'

/** Set by the suite or the connection. */
const ownHeaders: ReadonlySet<string> = new Set(
  (
    'accept accept-encoding authorization connection content-length content-type expect host keep-alive ' +
    'proxy-authorization te trailer transfer-encoding upgrade'
  ).split(' '),
)

/** Headers that the caller adds to every request. */
export function readHeaders(
  headers: Readonly<Record<string, string>>,
  mistakes: Issue[],
): Record<string, string> {
  const read: [name: string, value: string][] = []
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    const wrong = (message: string, path = `headers/${name}`): number =>
      mistakes.push({ path, message })
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower))
      wrong(`${JSON.stringify(name)} is not a valid header name`, 'headers')
    else if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) wrong('has a character that it cannot carry')
    else if (ownHeaders.has(lower)) wrong('is set by the suite and cannot be given')
    else read.push([lower, value])
  }
  return Object.fromEntries(read)
}

/** Proxies in the form of http_proxy, HTTPS_PROXY, ALL_PROXY and NO_PROXY. */
export interface Proxies {
  /** For targets that begin with http://. */
  http?: string | undefined
  /** For targets that begin with https://. */
  https?: string | undefined
  /** For targets of either kind that have no other. */
  all?: string | undefined
  /** Hosts that are called without a proxy: `internal.example, .corp, 10.0.0.7:8080, 10.0.0.0/8`, or `*`. */
  no?: string | undefined
}

/**
 * The proxy for a target; undefined for a direct connection.
 *
 * @throws {UsageError} when the proxy is neither a URL nor HOST:PORT. The message does not repeat it: it may hold a password
 */
export function findProxy(target: URL, proxies: Proxies): URL | undefined {
  const [own, ownName] =
    target.protocol === 'https:'
      ? ([proxies.https, 'HTTPS_PROXY'] as const)
      : ([proxies.http, 'http_proxy'] as const)
  const [text = '', name] = [
    own?.trim() || proxies.all?.trim(),
    own?.trim() ? ownName : 'ALL_PROXY',
  ]
  if (text === '' || isExcepted(target, proxies.no ?? '')) return undefined
  // Without a scheme, only a port tells a host from any other word.
  const href = /:\d+\/?$/.test(text) && !text.includes('://') ? `http://${text}` : text
  const proxy = URL.canParse(href) ? new URL(href) : undefined
  if (
    !proxy ||
    !/^https?:$/.test(proxy.protocol) ||
    /%(?![\da-f]{2})/i.test(proxy.username + proxy.password)
  ) {
    throw new UsageError(
      `${name} must be the URL of a proxy, such as http://proxy.example.com:3128`,
    )
  }
  return proxy
}

/** Whether NO_PROXY names the host of a target, a domain or a network above it, or every host. */
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  const address = hostname.replace(/^\[|\]$/g, '')
  return exceptions.split(/[\s,]+/).some((exception) => {
    const [network = '', bits] = exception.replace(/^\[|\]$/g, '').split('/')
    if (isIP(network) > 0) return isWithin(address, network, bits)
    const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? []
    if (host === '*') return true
    const domain = host.replace(/^\*?\./, '')
    if (domain === '' || (onlyPort !== undefined && onlyPort !== ownPort)) return false
    return hostname === domain || hostname.endsWith(`.${domain}`)
  })
}

/** Whether an address is another one, or in its network: `10.0.0.0/8`. A malformed number of bits names no network. */
function isWithin(address: string, network: string, bits?: string): boolean {
  const [kind, most] = isIP(network) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const)
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity
  if (isIP(address) !== isIP(network) || length > most) return false
  const list = new BlockList()
  list.addSubnet(network, length, kind)
  return list.check(address, kind)
}

/** Validates certificates: TLS ignores unreadable ones silently. */
export function readCertificates(
  ca: string | undefined,
  mistakes: Issue[],
  path = 'ca',
): string | undefined {
  if (ca === undefined) return undefined
  const blocks =
    ca.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*(?:-----END [^-]*-----)?/g) ?? []
  try {
    for (const block of blocks) void new X509Certificate(block)
  } catch {
    mistakes.push({ path, message: 'holds a PEM certificate that cannot be read' })
    return undefined
  }
  if (blocks.length > 0) return ca
  mistakes.push({ path, message: 'holds no PEM certificate' })
  return undefined
}

/** Also compares it with its certificate. No message repeats the key. */
export function readPrivateKey(
  key: string | undefined,
  cert: string | undefined,
  mistakes: Issue[],
) {
  try {
    const read = key === undefined ? undefined : createPrivateKey(key)
    if (read && cert !== undefined && !new X509Certificate(cert).checkPrivateKey(read)) {
      mistakes.push({ path: 'certKey', message: 'is not the key of the certificate' })
    }
    return key
  } catch {
    const isEncrypted = /^-----BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m.test(key ?? '')
    const message = isEncrypted
      ? 'is encrypted; decrypt it first: openssl pkey -in FILE -out DECRYPTED'
      : 'holds no PEM private key'
    mistakes.push({ path: 'certKey', message })
    return undefined
  }
}
