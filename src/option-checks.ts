import { expectNone, formatValue, type Issue, unknownOptions } from './errors.ts'

/** What an option must be, in words, and whether a value is that. */
export type OptionCheck = readonly [expected: string, isRight: (value: unknown) => boolean]
export type OptionChecks = Readonly<Record<string, OptionCheck>>

export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const integerIn = ([least, most]: readonly [number, number]): OptionCheck => [
  `an integer from ${least} to ${most}`,
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
]
export const integer: OptionCheck = ['an integer', Number.isSafeInteger]
export const boolean: OptionCheck = ['true or false', (value) => typeof value === 'boolean']
export const tokenCheck: OptionCheck = [
  'at least 16 characters of printable ASCII without spaces',
  (token) => typeof token === 'string' && /^[\x21-\x7e]{16,}$/.test(token),
]
/** Why a key cannot be sent as a bearer token. The message does not repeat it. */
export function mistakeInKey(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (/^bearer\s/i.test(key)) return 'must be the key alone, without the word Bearer'
  const at = key.search(/[^\x21-\x7e]/)
  return at === -1
    ? undefined
    : `must be printable ASCII without spaces, which its character ${at + 1} is not`
}

export const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?=\d)|$)){4}$/
/** A host in lower case and without brackets. */
export const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$/g, '')
/**
 * Whether a host always means this machine: 127.0.0.0/8, `::1`, `localhost` and its subdomains, which cannot be registered
 * (RFC 6761 section 6.3).
 */
export function isLoopback(host: string): boolean {
  const name = bare(host)
  return /(?:^|\.)localhost$|^::1$/.test(name) || (name.startsWith('127.') && ipv4.test(name))
}

export const listener: OptionCheck = ['a function', isFunction]

/** Options whose values no message may show. */
const secret = /^(keys|controlToken|tls)$/

/** One message for each mistake; an option that is undefined counts as left out. */
export function mistakesIn(options: object, all: OptionChecks): Issue[] {
  const mistakes: Issue[] = unknownOptions(options, Object.keys(all)).map((message) => ({
    path: '',
    message,
  }))
  const given: Readonly<Record<string, unknown>> = { ...options }
  for (const [name, [expected, isRight]] of Object.entries(all)) {
    const value = given[name]
    if (value === undefined || isRight(value)) continue
    const found = secret.test(name) ? '' : `, but was ${formatValue(value)}`
    mistakes.push({ path: name, message: `must be ${expected}${found}.` })
  }
  return mistakes
}

/** Without those that are undefined, which count as left out. */
export const definedIn = <Value>(given: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

/** @throws {UsageError} that lists every mistake. */
export function expectValid(options: object, all: OptionChecks): void {
  expectNone(mistakesIn(options, all))
}
