import type { MockReply, MockRequest } from './message.ts'
import { isGetPetRemoved } from './removal.ts'
import type { Route } from './routes.ts'
import type { Context } from './context.ts'

/** What is answered outside the three operations, where the profile decides. */
export interface Outside {
  /** Another method on a path of the interface. */
  method(request: MockRequest, route: Route, context: Context): MockReply
  path(route: Route & { at: 'nowhere' | 'malformed' }, context: Context): MockReply
  /** A slash too many, unless it is overlooked. */
  trailingSlash(route: Route & { at: 'trailing-slash' }, context: Context): MockReply
}

export const outside: Outside = {
  method(request, route, context) {
    const { profile, problems, replies } = context
    const method = request.method.toUpperCase()
    const allow = allowed(route, context)
    if (method === 'OPTIONS') {
      const option = profile['http.options']
      if (option === '204' || option === '200') return replies.empty(Number(option), { allow })
      // A 401 is for requests without a key; the service has turned those away before.
      return option === '401'
        ? replies.empty(204, { allow })
        : problems.methodNotAllowed(option, method, allow, `http.options=${option}`)
    }
    const choice = method === 'HEAD' ? 'http.head' : 'http.unknown-method'
    const option = profile[choice]
    return problems.methodNotAllowed(option, method, allow, `${choice}=${option}`)
  },

  path(route, { profile, problems }) {
    return route.at === 'malformed'
      ? problems.badRequest(route.message)
      : problems.refused(
          profile['http.unknown-path'],
          route.message,
          `http.unknown-path=${profile['http.unknown-path']}`,
        )
  },

  trailingSlash(route, { profile, problems, replies }) {
    const option = profile['http.trailing-slash']
    if (option === 'redirect') return replies.empty(308, { location: route.target })
    return problems.refused(
      option,
      `There is nothing here. Did you mean ${route.target}, without the slash at its end?`,
      `http.trailing-slash=${option}`,
    )
  },
}

/** Whether a browser asks for leave to send a request of another origin. It cannot send the key with this question. */
export function isPreflight({ method, headers }: MockRequest): boolean {
  return (
    headers['access-control-request-method'] !== undefined &&
    headers['origin'] !== undefined &&
    method.toUpperCase() === 'OPTIONS'
  )
}

/** Leave for each page to send what the interface takes. Credentials stay out: the key is no cookie. */
export function preflight({ headers }: MockRequest, { replies }: Context): MockReply {
  return replies.empty(204, {
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    // The wildcard does not cover Authorization.
    'access-control-allow-headers': 'Authorization, Content-Type, *',
    'access-control-max-age': '600',
    ...(headers['access-control-request-private-network'] === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
  })
}

/** What there is on a path. Of a single pet nothing is left once getPet is removed, and an empty Allow says so. */
function allowed(route: Route, context: Context): string {
  const { profile } = context
  const options = profile['http.options']
  const isThere = route.at !== 'pet' || !isGetPetRemoved(context)
  const methods = [
    ...(isThere ? ['GET'] : []),
    ...(isThere && profile['http.head'] === '200' ? ['HEAD'] : []),
    ...(route.at === 'pets' ? ['POST'] : []),
    ...(options === '204' || options === '200' ? ['OPTIONS'] : []),
  ]
  return methods.join(', ')
}
