import { prefix, type Method, type Route } from './api-route.ts'

/** Where a path of the control API leads. */
export type Found =
  | { route: Route; path: Record<string, string> }
  /** There is the path, but not with this method. */
  | { allow: readonly Method[] }
  /** There is nothing, and perhaps it is known what was meant. */
  | { hint: string | undefined }

/** A target whose path begins as the control API's does, in whatever spelling. */
const anySpelling = new RegExp(`^(?:https?://[^/?#]*)?/+${prefix.slice(1)}(?=[/?#]|$)`, 'i')

/** Whether a target, as it came, is the control API's. It is asked at each request. */
export function isControlTarget(target: string): boolean {
  // Most targets are those of the interface, and told by their second character.
  const isUsual = target[0] === '/' && target[1] !== '_' && target[1] !== '/'
  return !isUsual && anySpelling.test(target)
}

/** The path and the query of a target, undecoded. */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = origin.indexOf('?')
  return mark === -1 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) }
}

/**
 * Finds the route of an undecoded path. Its fixed parts have one spelling: what a proxy in between might read in another
 * way, such as dots, doubled slashes, other letter cases or needless escapes, is nothing here. Only names are decoded.
 */
export function findRoute(routes: readonly Route[], method: string, path: string): Found {
  const matching = routes.flatMap((route) => {
    const parameters = matchPath(route.path, path)
    return parameters === undefined ? [] : [{ route, path: parameters }]
  })
  if (matching.length === 0) return { hint: hintFor(routes, path) }
  return matching.find(({ route }) => route.method === method) ?? { allow: matching.map(({ route }) => route.method) }
}

/** The parameters in a path, decoded, or undefined when it is another path. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, segments] = [pattern.split('/'), path.split('/')]
  if (expected.length !== segments.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const segment = segments[index] as string
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (segment !== part) return undefined
    } else {
      const value = decode(segment)
      // No name holds a slash, and no client sends dots that stand for another path.
      if (value === undefined || value === '' || value === '.' || value === '..' || value.includes('/'))
        return undefined
      parameters[name] = value
    }
  }
  return parameters
}

function hintFor(routes: readonly Route[], path: string): string | undefined {
  const simple = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  return routes.some((route) => matchPath(route.path, simple) !== undefined) ? simple : undefined
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
