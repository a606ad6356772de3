import { isSecretName, unsetWords } from '../../report/credentials.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type { Parameter } from './judge-query.ts'
import type { Mark } from './marks.ts'

/** Whose request it is, and what is wrong with how it says so. */
export interface Credentials {
  /** The place of its key among those that are valid, or -1. */
  key: number
  marks: readonly Mark[]
}

const none: readonly Mark[] = []

/** Where clients of other interfaces put a key. */
export const otherKeyHeaders = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token']

/** Schemes that can be named without naming a key. */
const schemes = new Set(['basic', 'digest', 'token', 'apikey', 'api-key', 'key', 'negotiate', 'jwt', 'hmac', 'oauth'])

/** "The client sends the API key as the bearer token in the `Authorization` header." */
export function judgeCredentials(
  headers: HttpRequest['headers'],
  parameters: readonly Parameter[],
  keys: readonly string[],
): Credentials {
  const { authorization } = headers
  if (authorization === undefined) return refused(judgeAbsence(headers, parameters, keys))
  if (typeof authorization !== 'string') {
    return refused({ kind: 'credentials.repeated', message: `Authorization came ${authorization.length} times.` })
  }
  // The usual form, at once.
  const usual = authorization.startsWith('Bearer ') ? keys.indexOf(authorization.slice(7)) : -1
  if (usual !== -1) return { key: usual, marks: judgeSpare(parameters, keys) }
  const [, scheme = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(authorization.trim()) ?? []
  const token = rest.trim()
  if (scheme.toLowerCase() === 'bearer') return judgeToken(scheme, token, parameters, keys)
  if (scheme === '') return refused({ kind: 'credentials.empty-token', message: 'The Authorization header was empty.' })
  if (token === '' && !schemes.has(scheme.toLowerCase())) {
    return refused({ kind: 'credentials.bare-key', message: 'The header held one word, without a scheme before it.' })
  }
  const named = schemes.has(scheme.toLowerCase()) ? `The scheme was ${scheme}.` : 'The scheme was not Bearer.'
  return refused({ kind: 'credentials.other-scheme', message: named })
}

/** Whether a parameter is a key that stands in the query string. */
export function isSecret({ name, value }: Parameter, keys: readonly string[]): boolean {
  return keys.includes(value) || isSecretName(name)
}

function judgeAbsence(
  headers: HttpRequest['headers'],
  parameters: readonly Parameter[],
  keys: readonly string[],
): Mark {
  const other = otherKeyHeaders.find((name) => headers[name] !== undefined)
  if (other !== undefined) return { kind: 'credentials.other-header', message: `The key came in the header ${other}.` }
  return parameters.some((parameter) => isSecret(parameter, keys))
    ? { kind: 'credentials.in-query', message: 'There was no Authorization header, and a key in the query string.' }
    : { kind: 'credentials.missing', message: 'There was no Authorization header.' }
}

/** A key in the query, beside one in the header. */
function judgeSpare(parameters: readonly Parameter[], keys: readonly string[]): readonly Mark[] {
  // A short key may be a word that means something else.
  const isKey = ({ name, value }: Parameter): boolean =>
    keys.includes(value) && (value.length >= 8 || isSecretName(name))
  if (!parameters.some(isKey)) return none
  return [{ kind: 'credentials.in-query', message: 'The key stood in the query string, too.' }]
}

function judgeToken(
  scheme: string,
  token: string,
  parameters: readonly Parameter[],
  keys: readonly string[],
): Credentials {
  const spelling: Mark[] =
    scheme === 'Bearer' ? [] : [{ kind: 'credentials.scheme-case', message: `The scheme was written ${scheme}.` }]
  if (token === '') {
    return refused({ kind: 'credentials.empty-token', message: 'There was nothing behind the word Bearer.' })
  }
  const key = keys.indexOf(token)
  if (key !== -1) return { key, marks: [...judgeSpare(parameters, keys), ...spelling] }
  return refused({ kind: 'credentials.unknown-key', message: whyUnknown(token) }, ...spelling)
}

function whyUnknown(token: string): string {
  const word = token.toLowerCase()
  if (unsetWords.includes(word)) return `The key was the word ${token}: a variable was not set.`
  if (/^bearer\s/.test(word)) return 'The word Bearer stood there twice.'
  if (/^(["'<]).*["'>]$/.test(token)) return 'The key stood in quotes or brackets, which are no part of it.'
  if (/^\$[{(]?\w+[})]?$|^%\w+%$/.test(token)) return 'The name of a variable stood in place of its value.'
  return 'No such key is valid here.'
}

const refused = (...marks: Mark[]): Credentials => ({ key: -1, marks })
