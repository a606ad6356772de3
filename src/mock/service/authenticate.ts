import type { Profile } from '../../spec/behaviors.ts'
import type { HttpRequest } from '../../spec/http.ts'
import { unsetWords } from '../../report/credentials.ts'
import type { Rejection } from './parameters.ts'
import { mayContainSandboxKey } from './sandbox-key.ts'

/** The result of comparing an Authorization header with the accepted keys. It does not contain the key. */
export interface CredentialVerdict {
  /** `bare`: a single word that is not a scheme. */
  readonly scheme:
    | 'absent'
    | 'several'
    | 'empty'
    | 'bare'
    | 'Bearer'
    | 'bearer-in-other-letters'
    | 'other'
  /** How the token, or the bare word, compares with the keys of the sandbox. */
  readonly token: 'absent' | 'placeholder' | 'like-a-sandbox-key' | Likeness
}

export const accepted: CredentialVerdict = Object.freeze({ scheme: 'Bearer', token: 'accepted' })
const absent: CredentialVerdict = Object.freeze({ scheme: 'absent', token: 'absent' })
const several: CredentialVerdict = Object.freeze({ scheme: 'several', token: 'absent' })

/** "The client sends the API key as the bearer token in the `Authorization` header." */
export function createReadCredential(keys: readonly string[]) {
  /** Reads the Authorization header of a request, unless it was read before. */
  return ({
    credential,
    headers: { authorization },
  }: Pick<HttpRequest, 'headers'> & { credential?: CredentialVerdict }): CredentialVerdict => {
    if (credential !== undefined) return credential
    if (authorization === undefined) return absent
    if (typeof authorization !== 'string') return several
    const space = authorization.indexOf(' ')
    const word = space === -1 ? authorization : authorization.slice(0, space)
    const isBearer = word.toLowerCase() === 'bearer'
    const token = space === -1 ? (isBearer ? '' : word) : trimSpaces(authorization.slice(space + 1))
    const scheme = schemeOf(word, space !== -1)
    const verdict = compare(token)
    return verdict === 'accepted' && scheme === 'Bearer' ? accepted : { scheme, token: verdict }
  }

  /** Compares a token with each key. */
  function compare(token: string): CredentialVerdict['token'] {
    if (token === '') return 'absent'
    let verdict: Likeness = 'unknown'
    for (const key of keys) {
      const likeness = compareInConstantTime(token, key)
      if (likenesses.indexOf(likeness) > likenesses.indexOf(verdict)) verdict = likeness
    }
    if (verdict !== 'unknown') return verdict
    if (isPlaceholder(token)) return 'placeholder'
    return mayContainSandboxKey(token) ? 'like-a-sandbox-key' : verdict
  }
}

/** Whether a token is what a program sends whose variable has no value, or that replaced no placeholder. */
export const isPlaceholder = (token: string): boolean =>
  token.length < 100 &&
  (unsetWords.includes(token.toLowerCase()) ||
    /^\$[{(]?[\w.]+[})]?$|^\$?\{\{[^{}]+\}\}$|^\{[^{}]+\}$|^%\w+%$|^<[^<>]+>$/.test(token))

/** Unlike `trim`, keeps a no-break space: with it, a key is another one. */
export const trimSpaces = (text: string): string => (/[^\t -~]/.test(text) ? text : text.trim())

/** What the first word of the header says. */
function schemeOf(word: string, hasMore: boolean): CredentialVerdict['scheme'] {
  if (word === 'Bearer') return 'Bearer'
  if (word.toLowerCase() === 'bearer') return 'bearer-in-other-letters'
  if (hasMore) return 'other'
  return word === '' ? 'empty' : 'bare'
}

/** How a token compares with a key. With several keys, the last of these counts. */
const likenesses = ['unknown', 'other-case', 'cut', 'lengthened', 'accepted'] as const
type Likeness = (typeof likenesses)[number]

export type KeyRejection = Omit<Rejection, 'rejected'>

const form = 'Send `Authorization: Bearer <API_KEY>`.'
const rejection = (message: string, reason: string): KeyRejection => ({ message, reason })
const missing = rejection(`The Authorization header is missing. ${form}`, 'auth.missing-key')
const twice = rejection(`There is more than one Authorization header. ${form}`, 'auth.invalid-key')
const otherScheme = rejection(
  `The Authorization header does not have the Bearer scheme. ${form}`,
  'auth.invalid-key',
)
const otherSpellings: Readonly<
  Record<Exclude<Profile['auth.scheme-case'], 'accept'>, KeyRejection>
> = {
  401: rejection(
    `The scheme must be written Bearer, in these letters: this deployment takes no other. ${form}`,
    'auth.scheme-case=401',
  ),
}
const empty = rejection(`The Authorization header has no API key. ${form}`, 'auth.missing-key')
const unknown = rejection('The API key is not valid.', 'auth.invalid-key')
const placeholder = rejection(
  'The API key is not valid: it is a placeholder, or the word for a variable without a value.',
  'auth.invalid-key',
)
const noSandbox = rejection(
  'The API key is not valid: it is like that of a sandbox, but was cut or changed, or the mock has its sandboxes switched off, or opens none with this name.',
  'auth.invalid-key',
)

/** Why a request is rejected by its key; undefined if it is accepted. */
export function authenticate(
  { scheme, token }: CredentialVerdict,
  profile: Readonly<Profile>,
): KeyRejection | undefined {
  if (scheme === 'absent') return missing
  if (scheme === 'several') return twice
  const onOtherLetters = profile['auth.scheme-case']
  if (scheme === 'bearer-in-other-letters' && onOtherLetters !== 'accept') {
    // The behavior only concerns accepted keys; a wrong key is always rejected for its own reason.
    return token === 'accepted' ? otherSpellings[onOtherLetters] : otherScheme
  }
  if (scheme !== 'Bearer' && scheme !== 'bearer-in-other-letters') return otherScheme
  if (token === 'accepted') return undefined
  if (token === 'absent') return empty
  if (token === 'placeholder') return placeholder
  return token === 'like-a-sandbox-key' ? noSandbox : unknown
}

/** As `equalInConstantTime`, but also says how a token differs from the key. */
function compareInConstantTime(token: string, key: string): Likeness {
  let exact = 0
  let folded = 0
  for (let at = 0; at < token.length; at += 1) {
    const sent = token.charCodeAt(at)
    const wanted = key.charCodeAt(at % key.length)
    // Ignores characters beyond the end of the key.
    exact |= (sent ^ wanted) & ((at - key.length) >> 31)
    folded |= fold(sent) ^ fold(wanted)
  }
  if (exact === 0 && token.length !== key.length)
    return token.length > key.length ? 'lengthened' : 'cut'
  if (exact === 0) return 'accepted'
  return folded === 0 && token.length === key.length ? 'other-case' : 'unknown'
}

/** A letter in lower case. */
const fold = (unit: number): number => unit | (unit >= 0x41 && unit <= 0x5a ? 0x20 : 0)

/**
 * Compares in a time that depends only on the length of the token, which its sender knows: neither on the first
 * difference nor on the length of the key.
 */
export function equalInConstantTime(token: string, key: string): boolean {
  return compareInConstantTime(token, key) === 'accepted'
}
