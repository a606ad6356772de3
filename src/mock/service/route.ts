import { enumerate } from '../../errors.ts'
import { type OperationId, operationIds, operations } from '../../spec/operations.ts'
import type { MockRequest } from './message.ts'

export type Route =
  | { at: 'pets'; query: string }
  | { at: 'pet'; petId: string; query: string }
  /** `/pets/` */
  | { at: 'trailing-slash'; without: Route; target: string }
  | { at: 'nowhere'; message: string }
  /** Not a valid URI. */
  | { at: 'malformed'; message: string }

/** @param target undecoded. */
export type FindRoute = (target: string) => Route

export const removalOfGetPet = Date.parse(operations.getPet.removalDate)

const byMethod = (path: string) =>
  new Map(
    operationIds
      .filter((name) => operations[name].path === path)
      .map((name) => [operations[name].method, name]),
  )

const operationsAt: Readonly<Partial<Record<Route['at'], ReadonlyMap<string, OperationId>>>> = {
  pets: byMethod(operations.listPets.path),
  pet: byMethod(operations.getPet.path),
}

export const operationsOn = (at: Route['at']): OperationId[] => [
  ...(operationsAt[at]?.values() ?? []),
]

/** The operation of a method, which is in upper case, on a route. */
export function operationOf({ at }: Route, method: string): OperationId | undefined {
  return operationsAt[at]?.get(method)
}

/** A route despite a trailing slash. */
export const withoutSlash = (route: Route): Route => ('without' in route ? route.without : route)

/** The operation that a journal and metrics name: despite a trailing slash, and that of GET for a HEAD. */
export const operationIn = (route: Route, method: string) =>
  operationOf(withoutSlash(route), method.toUpperCase().replace(/^HEAD$/, 'GET'))

/** `GET /v1/pets, POST /v1/pets and GET /v1/pets/{petId}` */
export function enumerateOperations(word: 'and' | 'or', basePath = ''): string {
  const requests = operationIds.map(
    (name) => `${operations[name].method} ${basePath}${operations[name].path}`,
  )
  return enumerate(requests, word)
}

/** Whether a request is a CORS preflight, which never carries a key. */
export function isPreflight({ method, headers }: MockRequest): boolean {
  return (
    headers['access-control-request-method'] !== undefined &&
    headers['origin'] !== undefined &&
    method.toUpperCase() === 'OPTIONS'
  )
}

export function createRoutes(basePath: string): FindRoute {
  const pets = `${basePath}${operations.listPets.path}`
  const petPrefix = `${pets}/`

  /** Finds the route of a target. */
  return (target) => {
    const unescaped = unescapedIn(target)
    if (unescaped !== undefined) return { at: 'malformed', message: unescaped }
    const at = target.indexOf('?')
    const path = at === -1 ? target : target.slice(0, at)
    const query = at === -1 ? '' : target.slice(at + 1)
    if (path === pets) return { at: 'pets', query }
    const petId = path.startsWith(petPrefix) ? path.slice(petPrefix.length) : ''
    return /^\d+$/.test(petId) ? { at: 'pet', petId, query } : findUnusualRoute(path, query)
  }

  /** Handles absolute (RFC 9112 section 3.2.2) and percent-encoded targets, trailing slashes and unknown paths. */
  function findUnusualRoute(path: string, query: string): Route {
    const segments: string[] = []
    try {
      for (const segment of path.replace(/^https?:\/\/[^/]*/i, '').split('/'))
        segments.push(decodeURIComponent(segment))
    } catch {
      return { at: 'malformed', message: 'The path has an invalid percent-encoding.' }
    }
    const base = basePath.split('/')
    const [first, petId, ...more] = segments.slice(base.length)
    if (first === 'pets' && base.every((segment, index) => segments[index] === segment)) {
      const end = query === '' ? '' : `?${query}`
      if (petId === undefined) return { at: 'pets', query }
      if (petId === '' && more.length === 0) {
        return { at: 'trailing-slash', without: { at: 'pets', query }, target: pets + end }
      }
      const without: Route = { at: 'pet', petId, query }
      if (petId !== '' && more.length === 0) return without
      if (petId !== '' && more.length === 1 && more[0] === '') {
        const target = petPrefix + encodeURIComponent(petId.toWellFormed()) + end
        return { at: 'trailing-slash', without, target }
      }
    }
    return { at: 'nowhere', message: hintForSlashes(segments) ?? hintFor(segments, basePath) }
  }

  /** A hint for a path that would be known without its empty or dot segments. */
  function hintForSlashes([, ...sent]: readonly string[]): string | undefined {
    const meant = new URL(`http://x/${sent.filter((segment) => segment !== '').join('/')}`).pathname
    const isPet = meant.startsWith(petPrefix) && !meant.slice(petPrefix.length).includes('/')
    if (meant !== pets && !isPet) return undefined
    const isDotted = sent.includes('.') || sent.includes('..')
    if (!isDotted && !sent.slice(0, -1).includes('')) return undefined
    const what = isDotted
      ? 'a dot segment.'
      : 'two consecutive slashes: probably the base URL ends in a slash.'
    return `${nothing} The path has ${what} The path is ${meant}.`
  }
}

/** A message about the first character that must be percent-encoded (RFC 3986 section 2), or undefined. */
export function unescapedIn(target: string): string | undefined {
  const [character] = /[^\x21-\x7e]/.exec(target) ?? []
  if (character === undefined) return undefined
  if (character === ' ') return 'A space in the request target must be %20.'
  return character > '\x7f'
    ? 'A non-ASCII character in the request target must be percent-encoded, as UTF-8.'
    : 'A control character in the request target must be percent-encoded.'
}

const nothing = 'There is nothing at this path.'

function hintFor(segments: readonly string[], basePath: string): string {
  const words = segments.map((segment) => segment.toLowerCase())
  if (words.some((word) => /^orders?$/.test(word))) {
    return `${nothing} The specification mentions store orders and shows no operation on them.`
  }
  const at = words.findIndex((word) => /^pets?$/.test(word))
  if (at === -1) return `${nothing} The operations are ${enumerateOperations('and', basePath)}.`
  const rest = words.slice(at + 1).filter((word) => word !== '')
  if (rest.length > 1) return `A pet has no paths below it. Did you mean ${basePath}/pets/{petId}?`
  const before = segments.slice(0, at).join('/')
  const why =
    before !== basePath && before.toLowerCase() !== basePath
      ? `The base path is ${basePath}.`
      : words[at] === 'pet'
        ? 'The name is plural.'
        : 'Paths are case-sensitive, and every slash matters.'
  return `${nothing} Did you mean ${basePath}/pets${rest.length === 0 ? '' : '/{petId}'}? ${why}`
}
