/** What looks like a credential in a request or a response, by the names of headers and parameters. */

/** Names of headers and parameters whose values are credentials. Challenges, page tokens and idempotency keys are none. */
const secretName =
  /auth(?!ors?$|ority|enticate)|(?<!page[-_]?|next[-_]?|continuation[-_]?)token|secret|passw|pwd|cookie|credential|session|signature|jwt|bearer|^sig$|(?<!idempotency-|idempotency_|idempotency|websocket-|cache-|surrogate-)key$/i

/** A known scheme, and what may be a credential. */
const schemeAndCredential = /^\s*(Bearer|Basic|Digest|Negotiate|Token|ApiKey)?(?:\s+([^]*))?$/i

/** Shorter values are no secrets: many other words contain them. */
const minCredentialLength = 4
const minPartLength = 8
/** A shorter value of letters alone is a word, such as a mistyped scheme. */
const shortWord = /^[a-z]{1,7}$/i
/** The value of one header or parameter may hold many parts. More needles take more time for each request. */
const maxCredentials = 10

/** Words that stand where a program had no value. */
export const unsetWords = [
  'undefined',
  'null',
  'none',
  'nan',
  '[object object]',
  '{petid}',
  ':petid',
  ':id',
  '{id}',
]

/** Where clients of other interfaces put a key. */
export const otherKeyHeaders = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token']

/** Headers by their names in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Whether a header or a parameter with this name carries a credential. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** The value of a header that carries a credential: its scheme stays, and a scheme alone is no credential. */
export function hideCredential(value: string, instead: string): string {
  const [, scheme, rest = ''] = schemeAndCredential.exec(value) ?? []
  if (scheme === undefined) return value.trim() && instead
  return rest === '' ? scheme : `${scheme} ${instead}`
}

/** A mistyped URL without its user name and its password, which may contain any character. */
export const hideUser = (url: string): string => url.replace(/^(\w+:\/\/)?[^]*@/, '$1[redacted]@')

/** A URL, or a text with URLs, without user names and passwords, and without the values of parameters that carry credentials. */
export function hideInUrls(text: string, instead: string): string {
  return text.replace(/(?<=:\/\/)[^/?#\s]{1,2048}(?=@)/g, instead).replace(parameter, (whole) => {
    const at = secretAt(whole)
    return whole.slice(0, at) + (whole.slice(at) && instead)
  })
}

/**
 * The credentials of a request that may be repeated elsewhere in it or in its response, at most 10: those of Authorization
 * first. A word of the interface, or the name of a scheme, is none.
 */
export function credentialsOf({ target, headers }: { target: string; headers: Headers }): string[] {
  const found = new Set<string>()
  const add = (value: string, shortest = minCredentialLength): void => {
    if (
      value.length >= shortest &&
      !shortWord.test(value) &&
      !unsetWords.includes(value.toLowerCase())
    )
      found.add(value)
  }
  const names = Object.keys(headers).filter(isSecretName)
  for (const name of ['authorization', ...names]) {
    for (const value of [headers[name] ?? []].flat()) {
      const text = value.trim()
      const [, scheme = '', rest = text] = /^([\w-]+)\s+(\S[^]*)$/.exec(text) ?? []
      add(rest)
      // Some clients send a key as a user without a password.
      if (/^basic$/i.test(scheme)) add(fromBase64(rest).replace(/^[^:]*:(?=.)|:$/s, ''))
      const parts = text.split(/[\s,;"'<>]+/)
      for (const part of parts.flatMap((part) => [part, part.replace(/^[^=]*=/, '')])) {
        if (/\d|[a-z][A-Z]/.test(part)) add(part, minPartLength)
      }
    }
  }
  for (const whole of target.match(parameter) ?? [])
    add(decoded(whole.slice(secretAt(whole)).replaceAll('+', ' ')))
  return [...found].slice(0, maxCredentials)
}

/**
 * Texts that everybody knows: words, and requests of the interface below these bases, which are base URLs or base paths.
 * `createRedactor` leaves them as they are.
 */
export function publicTexts(words: readonly string[], bases: readonly string[] = []): RegExp {
  const escape = (text: string): string => text.replace(/\W/g, '\\$&')
  const word = `(?:${words.map(escape).join('|')})\\b`
  const segment = `/${word}`
  const value = `(?:\\d{1,5}\\b|${word})?`
  const below = `(?:/\\d{1,5}\\b)?(?:\\?${word}=${value}(?:&${word}=${value})*)?`
  const base = bases.filter((one) => /\w/.test(one)).map((one) => `${escape(one)}(?:${segment})*`)
  return new RegExp(`(?:${[...base, `(?:${segment})+`].join('|')})${below}|\\b${word}`, 'gi')
}

/** A parameter of a query, or what is before the first one; in a text, too, such as a header that holds a URL. */
const parameter = /&?[^&#\s]+/g

/** Where a credential begins, at the end for none. The value of another parameter may be a URL itself. */
function secretAt(parameter: string): number {
  for (const { 1: name = '', index } of parameter.matchAll(/(?<=[?&]([^=?]+)=)/g))
    if (isSecretName(decoded(name))) return index
  return parameter.length
}

/** Empty for other texts. */
export function fromBase64(code: string): string {
  try {
    return atob(code)
  } catch {
    return ''
  }
}

/** An invalid percent-encoding stays. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
