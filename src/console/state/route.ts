import { sandbox, sandboxOfToken, token } from './api.ts'
import { cell, useCell } from './store.ts'

/** The parsed fragment of the URL: `#/requests/17?status=4xx`. A link opens the same view. */
export interface ConsoleRoute {
  screen: string
  /** The item that is open on the screen. */
  id: string | undefined
  query: Query
}

export type Query = Readonly<Record<string, string>>

const current = cell<ConsoleRoute>({ screen: '', id: undefined, query: {} })
addEventListener('hashchange', follow)
token.follow(follow)
follow()

function follow(): void {
  const route = readRoute(location.hash)
  const named = route.query['sandbox'] ?? ''
  // Only a valid name may become part of a path.
  sandbox.set(sandboxOfToken() || (/^[a-z0-9-]{1,40}$/.test(named) ? named : ''))
  current.set(route)
}

export const useRoute = (): ConsoleRoute => useCell(current)

function readRoute(hash: string): ConsoleRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [screen = '', id] = path.split('/').map(decode)
  return {
    screen: screen || 'requests',
    id: id || undefined,
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** A typed URL may contain invalid escapes. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A link to a screen of the sandbox, with its open item and its filters. Empty filters are omitted. */
export function href(
  screen: string,
  id?: string | number,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries({ ...query, sandbox: sandbox.get() }).filter(
    (pair): pair is [string, string] => Boolean(pair[1]),
  )
  const search = new URLSearchParams(given).toString()
  return `#/${screen}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search && `?${search}`}`
}

/** Shows a sandbox; the empty name is the sandbox of the mock's own keys. */
export function enter(name: string, screen: string = current.get().screen): void {
  sandbox.set(name)
  location.hash = href(screen)
}

/** Changes filters without a history entry: Back leads to the previous screen, not to each typed letter. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { screen, id, query } = current.get()
  history.replaceState(null, '', href(screen, id, { ...query, ...change }))
  follow()
}
