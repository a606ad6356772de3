/** A host and a port, as they stand in a Host header: `localhost:4010`, `[::1]:4010`. */
const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i
const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** The host in a Host header, in lower case and without the brackets of an IPv6 address; undefined when it is none. */
export function hostOf(header: string): string | undefined {
  const host = authority.exec(header)?.[1]
  return host === undefined ? undefined : bare(host)
}

/**
 * Whether a host is this machine and no other: 127.0.0.0/8, `localhost`, names below it, and `::1`. Names below
 * `localhost` belong to nobody (RFC 6761 section 6.3), so that no one can point them elsewhere.
 */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host)
  return (
    name === 'localhost' ||
    name === '127.0.0.1' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (name.startsWith('127.') && ipv4.test(name))
  )
}

/** A test whether a host is one that the control API answers for, however a page came by it. */
export function createIsOwnHost(bind: string, allowedHosts: readonly string[]): (host: string) => boolean {
  const names = new Set([bind, ...allowedHosts].map(bare))
  // Such a server listens on each address of the machine. An address, unlike a name, cannot be pointed elsewhere.
  const onAll = bare(bind) === '0.0.0.0' || bare(bind) === '::'
  return (host) => isLoopbackHost(host) || names.has(host) || (onAll && isAddress(host))
}

/** Whether a text can be compared with what stands in a Host header: a name or an address, without a port. */
export function isHostName(text: string): boolean {
  return /^[\w.-]+$/.test(text) || /^\[?[\da-f]*:[\da-f.]*:[\da-f:.]*\]?$/i.test(text)
}

function isAddress(host: string): boolean {
  return ipv4.test(host) || host.includes(':')
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '')
}
