/** Where a request target leads. */
export type Route =
  | { at: 'pets'; query: string }
  | { at: 'pet'; petId: string; query: string }
  /** `/pets/`: a slash too many. */
  | { at: 'trailing-slash'; without: Route; target: string }
  | { at: 'nowhere'; message: string }
  /** A target that is no URI. */
  | { at: 'malformed'; message: string }

/** Finds the route of an undecoded request target. */
export type FindRoute = (target: string) => Route

/** The routes of the three operations below a base path. */
export function createRoutes(basePath: string): FindRoute {
  const pets = `${basePath}/pets`
  const petPrefix = `${pets}/`

  return (target) => {
    const unescaped = unescapedIn(target)
    if (unescaped !== undefined) return { at: 'malformed', message: unescaped }
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    const query = mark === -1 ? '' : target.slice(mark + 1)
    if (path === pets) return { at: 'pets', query }
    if (path.startsWith(petPrefix)) {
      const petId = path.slice(petPrefix.length)
      if (/^\d+$/.test(petId)) return { at: 'pet', petId, query }
    }
    return findUnusual(path, query)
  }

  /** Targets in absolute form, with percent-encoding, with a slash too many, or of nothing that there is. */
  function findUnusual(path: string, query: string): Route {
    const segments: string[] = []
    try {
      for (const segment of originForm(path).split('/')) segments.push(decodeURIComponent(segment))
    } catch {
      return { at: 'malformed', message: 'The path holds a percent sign that starts no UTF-8 octets.' }
    }
    const base = basePath.split('/')
    if (base.every((segment, index) => segments[index] === segment)) {
      const [first, petId, ...more] = segments.slice(base.length)
      if (first === 'pets') {
        if (petId === undefined) return { at: 'pets', query }
        if (petId === '' && more.length === 0) return trailingSlash({ at: 'pets', query }, pets)
        if (petId !== '' && more.length === 0) return { at: 'pet', petId, query }
        if (petId !== '' && more.length === 1 && more[0] === '') {
          return trailingSlash({ at: 'pet', petId, query }, petPrefix + encodeURIComponent(petId.toWellFormed()))
        }
      }
    }
    return { at: 'nowhere', message: hintForSlashes(segments) ?? hintFor(segments, basePath) }

    /** A path that would lead somewhere but for empty segments and dots. */
    function hintForSlashes(sent: readonly string[]): string | undefined {
      const [, ...rest] = sent
      const meant = `/${rest.filter((segment) => segment !== '' && segment !== '.').join('/')}`
      if (!rest.slice(0, -1).some((segment) => segment === '' || segment === '.')) return undefined
      if (meant !== pets && !(meant.startsWith(petPrefix) && !meant.slice(petPrefix.length).includes('/')))
        return undefined
      return rest.includes('.')
        ? `There is nothing here. The path has a segment that is a dot. The path is ${meant}.`
        : `There is nothing here. The path has two slashes in a row: probably the base URL ends in a slash, or has none between host and path. The path is ${meant}.`
    }

    function trailingSlash(without: Route, target: string): Route {
      return { at: 'trailing-slash', without, target: query === '' ? target : `${target}?${query}` }
    }
  }
}

/** What must be percent-encoded in a target and is not: RFC 3986 section 2. Undefined when there is nothing. */
export function unescapedIn(target: string): string | undefined {
  const [character] = /[^\x21-\x7e]/.exec(target) ?? []
  if (character === undefined) return undefined
  if (character === ' ') return 'A space in the request target must be %20.'
  return character > '\x7f'
    ? 'A non-ASCII character in the request target must be percent-encoded, as UTF-8.'
    : 'A control character in the request target must be percent-encoded.'
}

/** RFC 9112 section 3.2.2: a server takes the absolute form, too. */
function originForm(path: string): string {
  return path.replace(/^https?:\/\/[^/]*/i, '')
}

/** What was probably meant. */
function hintFor(segments: readonly string[], basePath: string): string {
  const words = segments.map((segment) => segment.toLowerCase())
  if (words.includes('orders') || words.includes('order')) {
    return 'The specification mentions store orders and shows no operation on them, so there is nothing to answer here.'
  }
  const at = words.findIndex((word) => word === 'pets' || word === 'pet')
  if (at === -1) {
    return `There is nothing here. The operations are GET ${basePath}/pets, POST ${basePath}/pets and GET ${basePath}/pets/{petId}.`
  }
  const rest = words.slice(at + 1).filter((word) => word !== '')
  const meant = rest.length === 0 ? `${basePath}/pets` : `${basePath}/pets/${rest.length === 1 ? '{petId}' : '...'}`
  const before = segments.slice(0, at).join('/')
  if (rest.length > 1) return `There is nothing below a pet. Did you mean ${basePath}/pets/{petId}?`
  if (before !== basePath && before.toLowerCase() !== basePath) {
    return `There is nothing here. Did you forget ${basePath}? The path is ${meant}.`
  }
  if (words[at] === 'pet') return `There is nothing here. Did you mean ${meant}? The name is in the plural.`
  return `There is nothing here. Did you mean ${meant}? Paths are case-sensitive, and each slash counts.`
}
