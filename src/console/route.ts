import { sandbox, sandboxOfToken, token } from './api.ts'
import { cell, useCell } from './store.ts'

/** What the address says after `#`: `#/requests/17?status=4xx`. A shared link opens the same thing. */
export interface Route {
  screen: string
  /** What is open on the screen. */
  id: string | undefined
  query: Query
}

export type Query = Readonly<Record<string, string>>

const current = cell<Route>({ screen: '', id: undefined, query: {} })
addEventListener('hashchange', follow)
token.follow(follow)
follow()

function follow(): void {
  const route = readRoute(location.hash)
  const named = route.query['sandbox'] ?? ''
  // What is no name must not become part of a path.
  sandbox.set(sandboxOfToken() || (/^[a-z0-9-]{1,40}$/.test(named) ? named : ''))
  current.set(route)
}

export const useRoute = (): Route => useCell(current)

function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [screen = '', id] = path.split('/').map(decode)
  return { screen: screen || 'requests', id: id || undefined, query: Object.fromEntries(new URLSearchParams(query)) }
}

/** An address that somebody typed may hold anything. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A link to a screen of the sandbox, to what is open on it, and to its filters. Empty filters are left out. */
export function href(
  screen: string,
  id?: string | number,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries({ ...query, sandbox: sandbox.get() }).filter((pair): pair is [string, string] =>
    Boolean(pair[1]),
  )
  const search = new URLSearchParams(given).toString()
  return `#/${screen}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search && `?${search}`}`
}

/** Shows a sandbox; the empty name stands for that of the mock's own keys. */
export function enter(name: string, screen: string = current.get().screen): void {
  sandbox.set(name)
  location.hash = href(screen)
}

/** Changes filters in place: the way back leads to the screen before, not to each letter that was typed. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { screen, id, query } = current.get()
  history.replaceState(null, '', href(screen, id, { ...query, ...change }))
  follow()
}
