import type { Profile } from '../spec/choices.ts'
import { mayHoldSandboxKey } from './sandbox-key.ts'

/** Why a request is not let in. */
export interface NotLetIn {
  message: string
  /** The clause that says so, or the choice and its option. */
  because: string
}

/** Why a request is not let in, or undefined when it is. */
export type Authenticate = (authorization: string | string[] | undefined) => NotLetIn | undefined

const form = 'Send `Authorization: Bearer <API_KEY>`.'
const notLetIn = (message: string, because: string): NotLetIn => ({ message, because })
const missing = notLetIn(`The Authorization header is missing. ${form}`, 'auth.missing-key')
const twice = notLetIn(`There is more than one Authorization header. ${form}`, 'auth.invalid-key')
const otherScheme = notLetIn(`The Authorization header does not have the Bearer scheme. ${form}`, 'auth.invalid-key')
const otherSpelling = notLetIn(
  `The scheme must be written Bearer, in these letters: this deployment takes no other. ${form}`,
  'auth.scheme-case=401',
)
const empty = notLetIn(`The Authorization header has no API key. ${form}`, 'auth.missing-key')
const unknown = notLetIn('The API key is not valid.', 'auth.invalid-key')
const noSandbox = notLetIn(
  'The API key is not valid: it is like that of a sandbox, but was cut or changed, or the mock has its sandboxes switched off.',
  'auth.invalid-key',
)

/** "The client sends the API key as the bearer token in the `Authorization` header." */
export function createAuthenticate(keys: readonly string[], profile: Readonly<Profile>): Authenticate {
  const anyCase = profile['auth.scheme-case'] === 'accept'

  return (authorization) => {
    if (authorization === undefined) return missing
    if (typeof authorization !== 'string') return twice
    const scheme = authorization.slice(0, 6)
    if (scheme === 'Bearer') return refuseToken(authorization)
    if (scheme.toLowerCase() !== 'bearer') return otherScheme
    const refusal = refuseToken(authorization)
    if (anyCase) return refusal
    // A wrong key stays one in any spelling: the choice alone refuses nothing but a valid one.
    return refusal === undefined ? otherSpelling : otherScheme
  }

  /** What is wrong behind the scheme. */
  function refuseToken(authorization: string): NotLetIn | undefined {
    if (authorization.length === 6) return empty
    if (authorization[6] !== ' ') return otherScheme
    const token = authorization.slice(7).trim()
    if (token === '') return empty
    let known = false
    for (const key of keys) known = equalInConstantTime(token, key) || known
    if (known) return undefined
    return mayHoldSandboxKey(token) ? noSandbox : unknown
  }
}

/**
 * Compares without an early end. The time depends on the length of the token alone, which its sender knows: neither on
 * where it first differs from the key nor on how long the key is.
 */
export function equalInConstantTime(token: string, key: string): boolean {
  let difference = token.length ^ key.length
  for (let at = 0; at < token.length; at += 1) difference |= token.charCodeAt(at) ^ key.charCodeAt(at % key.length)
  return difference === 0
}
