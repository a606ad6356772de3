/** A base URL, read. */
export interface BaseUrl {
  /** As in `https://api.example.com`; undefined when it is any. */
  origin: string | undefined
  /** Without a slash at its end: `/v1`. */
  path: string
}

/** Which URLs a mock answers for, where no server decides it. */
export interface Base extends BaseUrl {
  /** Fits the URLs at and below the base URL, with or without their query. */
  pattern: RegExp
  /** The request target of a URL, undecoded; undefined when the URL lies outside of the base URL. */
  targetOf: (url: string) => string | undefined
}

const forms = 'Give https://api.example.com/v1, */v1 for any origin, or, in a browser, /v1.'
const originForm = /^https?:\/\/[^/?#]*/i

/**
 * Reads a base URL: absolute, relative to the page, or with an asterisk in place of the origin.
 *
 * @param page the URL of the page; undefined where there is none, as in Node.
 * @returns what is wrong with it, in words, when it is none.
 */
export function readBaseUrl(baseUrl: unknown, page: string | undefined): BaseUrl | string {
  const wrong = `baseUrl must be a URL, and was ${JSON.stringify(baseUrl)}. ${forms}`
  if (typeof baseUrl !== 'string') return wrong
  const isAnyOrigin = /^\*(\/|$)/.test(baseUrl)
  const isRelative = baseUrl.startsWith('/')
  const isAbsolute = originForm.test(baseUrl)
  if (!isAnyOrigin && !isRelative && !isAbsolute) return wrong
  if (isRelative && page === undefined) {
    return `baseUrl was ${JSON.stringify(baseUrl)}, and there is no page here that it could be relative to. ${forms}`
  }
  const absolute = isAnyOrigin ? `http://any${baseUrl.slice(1)}` : baseUrl
  if (!URL.canParse(absolute, page)) return wrong
  const { origin, pathname, search, hash, username } = new URL(absolute, page)
  if (search !== '' || hash !== '' || username !== '') {
    return `baseUrl must have neither query nor fragment nor user, and was ${JSON.stringify(baseUrl)}.`
  }
  return { origin: isAnyOrigin ? undefined : origin, path: pathname.replace(/\/+$/, '') }
}

/** The URLs at and below a base URL. `/v10` is not below `/v1`. */
export function createBase({ origin, path }: BaseUrl): Base {
  const start = origin === undefined ? 'https?://[^/?#]*' : escape(origin)
  const pattern = new RegExp(`^${start}${escape(path)}(?:[/?#]|$)`)
  return {
    origin,
    path,
    pattern,
    targetOf(url) {
      if (!pattern.test(url)) return undefined
      const [target = ''] = url.replace(originForm, '').split('#', 1)
      return target.startsWith('/') ? target : `/${target}`
    },
  }
}

/** The URL of the page; undefined where there is none that is reached by HTTP. */
export function pageUrl(): string | undefined {
  const { href } = (globalThis as { location?: { href?: string } }).location ?? {}
  return href !== undefined && originForm.test(href) ? href : undefined
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
