import type { Profile } from '../spec/choices.ts'
import { mayHoldSandboxKey } from './sandbox-key.ts'

/** What an Authorization header says, without the key: all that a sandbox needs to know of it. */
export interface CredentialVerdict {
  /** `bare`: a single word that is no scheme. */
  readonly scheme: 'absent' | 'several' | 'empty' | 'bare' | 'Bearer' | 'bearer-in-other-letters' | 'other'
  /** What the token, or the bare word, is beside the keys of the sandbox. */
  readonly token: 'absent' | 'accepted' | 'lengthened' | 'cut' | 'other-case' | 'like-a-sandbox-key' | 'unknown'
}

/** The credential of an accepted key. */
export const accepted: CredentialVerdict = Object.freeze({ scheme: 'Bearer', token: 'accepted' })
const absent: CredentialVerdict = Object.freeze({ scheme: 'absent', token: 'absent' })
const several: CredentialVerdict = Object.freeze({ scheme: 'several', token: 'absent' })

/** Reads the credential of a request to the sandbox with these keys. */
export type ReadCredential = (authorization: string | string[] | undefined) => CredentialVerdict

/** "The client sends the API key as the bearer token in the `Authorization` header." */
export function createReadCredential(keys: readonly string[]): ReadCredential {
  return (authorization) => {
    if (authorization === undefined) return absent
    if (typeof authorization !== 'string') return several
    const space = authorization.indexOf(' ')
    const word = space === -1 ? authorization : authorization.slice(0, space)
    const isBearer = word.toLowerCase() === 'bearer'
    const token = space === -1 ? (isBearer ? '' : word) : authorization.slice(space + 1).trim()
    const scheme = isBearer
      ? word === 'Bearer'
        ? word
        : 'bearer-in-other-letters'
      : space !== -1
        ? 'other'
        : word === ''
          ? 'empty'
          : 'bare'
    const verdict = compare(token)
    return verdict === 'accepted' && scheme === 'Bearer' ? accepted : { scheme, token: verdict }
  }

  function compare(token: string): CredentialVerdict['token'] {
    if (token === '') return 'absent'
    let verdict: CredentialVerdict['token'] = 'unknown'
    for (const key of keys) {
      const likeness = compareInConstantTime(token, key)
      if (rank[likeness] > rank[verdict]) verdict = likeness
    }
    return verdict === 'unknown' && mayHoldSandboxKey(token) ? 'like-a-sandbox-key' : verdict
  }
}

type Likeness = Exclude<CredentialVerdict['token'], 'absent' | 'like-a-sandbox-key'>

/** Of several keys the one that a token is most like counts. */
const rank: Readonly<Record<CredentialVerdict['token'], number>> = {
  absent: 0,
  unknown: 0,
  'like-a-sandbox-key': 0,
  'other-case': 1,
  cut: 2,
  lengthened: 3,
  accepted: 4,
}

/** Why a credential is rejected. */
export interface Rejection {
  message: string
  /** The clause that says so, or the choice and its option. */
  reason: string
}

const form = 'Send `Authorization: Bearer <API_KEY>`.'
const rejection = (message: string, reason: string): Rejection => ({ message, reason })
const missing = rejection(`The Authorization header is missing. ${form}`, 'auth.missing-key')
const twice = rejection(`There is more than one Authorization header. ${form}`, 'auth.invalid-key')
const otherScheme = rejection(`The Authorization header does not have the Bearer scheme. ${form}`, 'auth.invalid-key')
const otherSpellings: Readonly<Record<Exclude<Profile['auth.scheme-case'], 'accept'>, Rejection>> = {
  401: rejection(
    `The scheme must be written Bearer, in these letters: this deployment takes no other. ${form}`,
    'auth.scheme-case=401',
  ),
}
const empty = rejection(`The Authorization header has no API key. ${form}`, 'auth.missing-key')
const unknown = rejection('The API key is not valid.', 'auth.invalid-key')
const noSandbox = rejection(
  'The API key is not valid: it is like that of a sandbox, but was cut or changed, or the mock has its sandboxes switched off.',
  'auth.invalid-key',
)

/** Why a deployment with this profile rejects a credential, or undefined when it accepts it. */
export function authenticate({ scheme, token }: CredentialVerdict, profile: Readonly<Profile>): Rejection | undefined {
  if (scheme === 'absent') return missing
  if (scheme === 'several') return twice
  const onOtherLetters = profile['auth.scheme-case']
  if (scheme === 'bearer-in-other-letters' && onOtherLetters !== 'accept') {
    // A wrong key stays one in any spelling: the choice alone rejects nothing but an accepted one.
    return token === 'accepted' ? otherSpellings[onOtherLetters] : otherScheme
  }
  if (scheme !== 'Bearer' && scheme !== 'bearer-in-other-letters') return otherScheme
  if (token === 'accepted') return undefined
  if (token === 'absent') return empty
  return token === 'like-a-sandbox-key' ? noSandbox : unknown
}

/** As `equalInConstantTime`, and what a token that differs is beside the key. */
function compareInConstantTime(token: string, key: string): Likeness {
  let [shared, folded] = [0, 0]
  for (let at = 0; at < token.length; at += 1) {
    const [sent, wanted] = [token.charCodeAt(at), key.charCodeAt(at % key.length)]
    // Beyond the key nothing counts.
    shared |= (sent ^ wanted) & ((at - key.length) >> 31)
    folded |= fold(sent) ^ fold(wanted)
  }
  if (shared === 0 && token.length !== key.length) return token.length > key.length ? 'lengthened' : 'cut'
  if (shared === 0) return 'accepted'
  return folded === 0 && token.length === key.length ? 'other-case' : 'unknown'
}

/** A letter of ASCII in lower case. */
const fold = (unit: number): number => unit | (unit >= 0x41 && unit <= 0x5a ? 0x20 : 0)

/**
 * Compares without an early end. The time depends on the length of the token alone, which its sender knows: neither on
 * where it first differs from the key nor on how long the key is.
 */
export function equalInConstantTime(token: string, key: string): boolean {
  return compareInConstantTime(token, key) === 'accepted'
}
