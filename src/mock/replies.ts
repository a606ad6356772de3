import type { Profile } from '../spec/choices.ts'
import type { MockReply } from './message.ts'

type Headers = Readonly<Record<string, string>>

/** Makes replies with the headers that this deployment sends with each of them. */
export interface Replies {
  /** A JSON body. */
  json(status: number, body: string, headers?: Headers): MockReply
  /** No body. */
  empty(status: number, headers?: Headers): MockReply
  /** Headers of a JSON reply, to be made once and used often. */
  jsonHeaders(headers?: Headers): Headers
  /** A reply with more headers. */
  withHeaders(reply: MockReply, headers: Headers): MockReply
}

/** The replies of a deployment with this profile. */
export function createReplies(profile: Readonly<Profile>): Replies {
  const cors = profile['http.cors'] === 'any-origin'
  const always = {
    ...(cors && { 'access-control-allow-origin': '*' }),
    // The form of the IETF draft: a policy, and what is left of it. The mock counts nothing.
    ...(profile['rate-limit.headers'] === 'present' && {
      'ratelimit-policy': '"default";q=1000;w=60',
      ratelimit: '"default";r=999;t=60',
    }),
  }

  /** A page of another origin reads only the headers that are named here. */
  const exposed = (headers: Headers): Headers => {
    const names = Object.keys(headers).filter((name) => !name.startsWith('access-control-') && name !== 'content-type')
    return cors && names.length > 0 ? { 'access-control-expose-headers': names.join(', ') } : {}
  }
  const withAlways = (headers: Headers): Headers =>
    Object.freeze({ ...always, ...headers, ...exposed({ ...headers, ...always }) })
  const plain = withAlways({})
  const plainJson = withAlways({ 'content-type': 'application/json' })
  const jsonHeaders = (headers?: Headers): Headers =>
    headers === undefined ? plainJson : withAlways({ 'content-type': 'application/json', ...headers })

  return {
    json: (status, body, headers) => ({ status, headers: jsonHeaders(headers), body }),
    empty: (status, headers) => ({ status, headers: headers === undefined ? plain : withAlways(headers), body: '' }),
    jsonHeaders,
    withHeaders: (reply, headers) => ({ ...reply, headers: withAlways({ ...reply.headers, ...headers }) }),
  }
}
