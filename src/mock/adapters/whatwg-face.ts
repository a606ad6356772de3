import { UsageError } from '../../errors.ts'
import { createMock, type Mock } from '../mock.ts'
import type { MockOptions } from '../settings.ts'
import { type Base, createBase, pageUrl, readBaseUrl } from './whatwg-base-url.ts'

/** A mock, and the URLs that it answers for. */
export interface Face {
  mock: Mock
  base: Base
}

/** Options of every adapter. */
export interface FaceOptions {
  /**
   * The base URL that the mock answers for: absolute, such as `https://api.example.com/v1`; relative to the page, such
   * as `/v1`, where there is one; or with an asterisk in place of the origin. By default, the base path of the mock at
   * any origin.
   */
  baseUrl?: string
}

/**
 * What every face takes: a mock that exists or the options of a new one, and a base URL, which is that of the mock at
 * any origin by default.
 *
 * @param options of the face, among them `baseUrl`.
 * @param names of the face's options.
 * @param mistakes found by the caller.
 * @throws {UsageError} that tells all mistakes together.
 */
export function readFace(
  mockOrOptions: Mock | MockOptions,
  options: FaceOptions,
  names: readonly string[],
  mistakes: string[] = [],
): Face {
  for (const name of Object.keys(options)) {
    if (!names.includes(name))
      mistakes.push(`There is no option ${JSON.stringify(name)}. There are ${names.join(', ')}.`)
  }
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
  return { mock, base: createBase(base ?? { origin: undefined, path: mock.settings.basePath }) }
}

/** The error of a request outside of the base URL, where nothing else responds. */
export function notMocked({ origin = '*', path }: Base, url: string): UsageError {
  return new UsageError(
    `The mock answers for ${origin}${path}, and the request was for ${url}. It is not passed through.`,
  )
}

function toMock(mockOrOptions: Mock | MockOptions, basePath: string | undefined, mistakes: string[]): Mock | undefined {
  if ('handle' in mockOrOptions) return mockOrOptions
  try {
    return createMock(basePath === undefined ? mockOrOptions : { basePath, ...mockOrOptions })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    mistakes.push(error.message)
    return undefined
  }
}
