import { expectObject, formatValue, unknownOptions, UsageError } from '../../errors.ts'
import { createMock, type Mock } from '../sandbox/mock.ts'
import type { MockOptions } from '../sandbox/types.ts'

/** Options of every adapter. */
export interface AdapterOptions {
  /**
   * The base URL of the mock: absolute, such as `https://api.example.com/v1`; relative to the page, such
   * as `/v1`, where there is one; or with an asterisk instead of the origin. By default, the base path of the mock at
   * any origin.
   */
  baseUrl?: string | URL | undefined
}

/**
 * Reads a mock or the options of a new one, and a base URL. `names` are all options of the adapter, `mistakes` those that
 * the caller has found. Throws a UsageError that lists every mistake.
 */
export function readAdapter(
  mockOrOptions: Mock | MockOptions,
  options: AdapterOptions,
  names: readonly string[],
  mistakes: string[] = [],
): { mock: Mock; base: AdapterBase } {
  mistakes.push(...unknownOptions(options, names))
  const read = options.baseUrl === undefined ? undefined : readBaseUrl(options.baseUrl, pageUrl())
  if (typeof read === 'string') mistakes.push(read)
  const base = typeof read === 'string' ? undefined : read
  const mock = toMock(mockOrOptions, base?.path, mistakes)
  const basePath = mock?.settings.basePath
  if (base !== undefined && basePath !== undefined && base.path !== basePath) {
    mistakes.push(
      `The path of baseUrl is ${JSON.stringify(base.path)}, and that of the mock is ${JSON.stringify(basePath)}: give the mock the option basePath.`,
    )
  }
  if (mock === undefined || mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return { mock, base: base ?? createBase(undefined, mock.settings.basePath) }
}

/** The error of a request outside of the base URL when there is no passthrough. */
export function notMocked({ origin = '*', path }: AdapterBase, url: string): UsageError {
  return new UsageError(
    `The mock serves ${origin}${path}; the request was for ${url}, and passthrough is off.`,
  )
}

function toMock(
  mockOrOptions: Mock | MockOptions,
  basePath: string | undefined,
  mistakes: string[],
): Mock | undefined {
  if (typeof (mockOrOptions as Partial<Mock> | null)?.handle === 'function')
    return mockOrOptions as Mock
  try {
    // A spread makes options of anything.
    expectObject(mockOrOptions)
    const given = mockOrOptions as MockOptions
    return createMock({ ...given, basePath: given.basePath ?? basePath })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    mistakes.push(error.message)
    return undefined
  }
}

type AdapterBase = ReturnType<typeof createBase>

const forms = 'Give https://api.example.com/v1, */v1 for any origin, or, in a browser, /v1.'
const originForm = /^https?:\/\/[^/?#]*/i

/** Returns a message for a value that is not a base URL. `page` is the URL of the page, and undefined outside of one. */
function readBaseUrl(given: unknown, page: string | undefined): AdapterBase | string {
  const baseUrl = given instanceof URL ? given.href : given
  const wrong = `baseUrl must be a URL, but was ${formatValue(baseUrl)}. ${forms}`
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
    return `baseUrl must have neither query nor fragment nor user, but was ${JSON.stringify(baseUrl)}.`
  }
  return createBase(isAnyOrigin ? undefined : origin, pathname.replace(/(?<!\/)\/+$/, ''))
}

/**
 * The URLs at and below a base URL. `/v10` is not below `/v1`.
 *
 * @param origin such as `https://api.example.com`; undefined for any
 * @param path without a slash at its end: `/v1`
 */
function createBase(origin: string | undefined, path: string) {
  const start = origin === undefined ? 'https?://[^/?#]*' : escape(origin)
  const pattern = new RegExp(`^${start}${escape(path)}(?:[/?#]|$)`)
  return {
    origin,
    path,
    pattern,
    /** The request target of a URL, undecoded; undefined when the URL lies outside of the base URL. */
    targetOf(url: string): string | undefined {
      if (!pattern.test(url)) return undefined
      const [target = ''] = url.replace(originForm, '').split('#', 1)
      return target.startsWith('/') ? target : `/${target}`
    },
  }
}

/** The URL of the page; undefined outside of a page, or when it was not loaded over HTTP. */
export function pageUrl(): string | undefined {
  const { href } = (globalThis as { location?: { href?: string } }).location ?? {}
  return href !== undefined && originForm.test(href) ? href : undefined
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
