import { equalInConstantTime } from '../authenticate.ts'
import type { MockReply, MockRequest } from '../message.ts'
import { createIsOwnHost, hostOf } from './hosts.ts'
import { problem } from './reply.ts'

/** Why a request goes no further, or undefined. It looks at the head of a request alone. */
export type Guard = (request: MockRequest) => MockReply | undefined

export interface GuardOptions {
  /** The address on which the server listens. */
  host: string
  /** Further names and addresses by which the mock may be called. */
  allowedHosts: readonly string[]
  /** Must come with each request, when there is one. */
  token: string | undefined
}

type Headers = MockRequest['headers']

const challenge = { 'www-authenticate': 'Bearer realm="petstore-kit control API"' }

/**
 * Keeps out whoever is not the user of the mock. A browser on this machine is a client on this machine, too: a page of
 * any site can send requests here. So an address alone proves nothing; a request must name this machine as its host, or
 * a page could have pointed a name of its own at it (DNS rebinding), and it must not come from a page of elsewhere.
 */
export function createGuard({ host, allowedHosts, token }: GuardOptions): Guard {
  const isOwnHost = createIsOwnHost(host, allowedHosts)

  return ({ method, target, headers }) =>
    refuseHost(target, headers) ??
    refuseOrigin(headers) ??
    refusePreflight(method, headers) ??
    (token === undefined ? undefined : refuseToken(headers['authorization'], token))

  function refuseHost(target: string, headers: Headers): MockReply | undefined {
    const sent = headers['host']
    const named = typeof sent === 'string' ? hostOf(sent) : undefined
    if (named === undefined) return problem(403, 'The control API needs one Host header with a host in it.')
    // RFC 9112 section 3.2.2: what a target in absolute form names goes before the header.
    const absolute = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
    if (absolute !== undefined && absolute.toLowerCase() !== String(sent).toLowerCase()) {
      return problem(403, 'The request names one host in its target and another one in its Host header.')
    }
    if (isOwnHost(named)) return undefined
    return problem(
      403,
      `The control API does not answer as ${JSON.stringify(named)}, so that no web site can reach it under a name of ` +
        'its own. Call it by a loopback address, or allow this name where the mock is started.',
    )
  }
}

/** No page but one of the control API itself may send a request, not even one whose answer it could not read. */
function refuseOrigin(headers: Headers): MockReply | undefined {
  const { origin, 'sec-fetch-site': site } = headers
  const own = `http://${String(headers['host']).toLowerCase()}`
  const isForeign = origin !== undefined && (typeof origin !== 'string' || origin.toLowerCase() !== own)
  const isElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (!isForeign && !isElsewhere) return undefined
  return problem(403, 'The control API takes no requests from pages of another origin. In a page, use the mock itself.')
}

function refusePreflight(method: string, headers: Headers): MockReply | undefined {
  return method.toUpperCase() === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    ? problem(403, 'The control API takes no requests from pages of another origin.')
    : undefined
}

function refuseToken(authorization: string | string[] | undefined, token: string): MockReply | undefined {
  const sent = typeof authorization === 'string' ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined
  if (sent === undefined) {
    return problem(401, 'The control API needs its token: `Authorization: Bearer <TOKEN>`.', challenge)
  }
  return equalInConstantTime(sent, token)
    ? undefined
    : problem(401, 'This is not the token of the control API.', challenge)
}
