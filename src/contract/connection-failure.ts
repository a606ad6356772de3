import { Unanswered } from './exchange.ts'

/** Why a try got no answer, and what follows from it. */
export interface ConnectionFailure {
  failure: Unanswered
  /** Set when another try would meet the same. */
  fatal: boolean
  /** Set when the request has certainly not reached the target. */
  unsent: boolean
}

/** What keeps a connection from being made, by the code of the error. The name of the host that was tried goes before it. */
const unreachable: Readonly<Record<string, { words: string; fatal?: true }>> = {
  ECONNREFUSED: { words: 'nothing listens there (connection refused)' },
  ENOTFOUND: { words: 'its host name cannot be resolved', fatal: true },
  EAI_AGAIN: { words: 'its host name cannot be resolved at the moment' },
  EHOSTUNREACH: { words: 'there is no route to its host' },
  ENETUNREACH: { words: 'there is no route to its network' },
  UND_ERR_CONNECT_TIMEOUT: { words: 'connecting took too long' },
}

/** What Node and OpenSSL say of a certificate that they do not accept. */
const distrust =
  /CERT|SIGNATURE|SELF_SIGNED|ALTNAME|HOSTNAME_MISMATCH|^INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED|^UNABLE_TO_/

/** A failure in words, for a try that came to no answer in time. */
export function toLate(error: unknown, timeoutMs: number): ConnectionFailure {
  const failure = new Unanswered('timeout', `no answer within ${timeoutMs / 1000} s`, { cause: error })
  return { failure, fatal: false, unsent: false }
}

/**
 * A failure in words.
 *
 * @param proxy the proxy through which the target is called: then it is the proxy that could not be reached
 */
export function toFailure(error: unknown, proxy: URL | undefined): ConnectionFailure {
  const { code = '', message } = error as NodeJS.ErrnoException
  const fail = (
    kind: Unanswered['kind'],
    words: string,
    { fatal, unsent }: { fatal: boolean; unsent: boolean } = { fatal: true, unsent: true },
  ): ConnectionFailure => ({ failure: new Unanswered(kind, words, { cause: error }), fatal, unsent })

  const way = unreachable[code]
  if (way !== undefined) {
    const words = proxy === undefined ? way.words : `the proxy ${proxy.host} cannot be reached: ${way.words}`
    return fail('network', words, { fatal: way.fatal ?? false, unsent: true })
  }
  const [, status] = /Proxy response \((\d+)\)/.exec(message) ?? []
  if (proxy !== undefined && status !== undefined) return refusedByProxy(proxy, Number(status), fail)
  if (code === 'UND_ERR_PRX_TLS') return fail('tls', `the certificate of the proxy is for another host (${message})`)
  if (code === 'CERT_HAS_EXPIRED') return fail('tls', `its certificate has expired (${message})`)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return fail('tls', `its certificate is for another host (${message})`)
  if (distrust.test(code)) {
    const advice = '--ca names the certificate of a private authority'
    return fail('tls', `its certificate is not trusted (${code}: ${message}); ${advice}`)
  }
  if (code === 'EPROTO' || /SSL|TLS/.test(code)) {
    const reason = /:([^:]+):[^:]*:[^:]*:\s*$/.exec(message)?.[1] ?? message
    return fail('tls', `no secure connection comes about (${code}: ${reason}); should the base URL begin with http://?`)
  }
  const how = code === '' ? message : `${code} ${message}`
  return fail('network', `the connection failed (${how})`, { fatal: false, unsent: false })
}

/** A proxy that could not reach the target may do so later; any other refusal stays. */
function refusedByProxy(
  proxy: URL,
  status: number,
  fail: (kind: Unanswered['kind'], words: string, how?: { fatal: boolean; unsent: boolean }) => ConnectionFailure,
): ConnectionFailure {
  const said = `(it answered ${status})`
  if (status === 407) {
    const words = 'wants a user name and a password, as in HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT'
    return fail('proxy', `the proxy ${proxy.host} ${words} ${said}`)
  }
  if (status >= 502 && status <= 504) {
    return fail('network', `the proxy ${proxy.host} cannot connect to it ${said}`, { fatal: false, unsent: true })
  }
  return fail('proxy', `the proxy ${proxy.host} refuses to connect to it ${said}`)
}
