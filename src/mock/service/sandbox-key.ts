import { detach, UsageError, formatValue } from '../../errors.ts'
import { mix } from '../pets/seed.ts'

/**
 * A sandbox key is `petstore_sandbox_NAME_CHECKSUM`. Anyone can compute it from the name: the checksum does not protect
 * anything, but detects keys that were cut or changed.
 */
const prefix = 'petstore_sandbox_'

export const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
const keyPattern = /^petstore_sandbox_([a-z0-9-]{1,40})_[0-9a-f]{8}$/

/**
 * Turns any text into the name of a sandbox. A name of 1 to 40 lower-case letters, digits and hyphens stays unchanged; any
 * other text, such as the title of a test, becomes a slug and a hash.
 *
 * @throws {UsageError} when it is not a string, or empty.
 */
export function toSandboxName(text: string): string {
  if (typeof text !== 'string' || text === '') {
    throw new UsageError(
      `The name of a sandbox must be a non-empty string, but was ${formatValue(text)}.`,
    )
  }
  if (namePattern.test(text)) return text
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g) ?? ['sandbox']
  const slug = words.join('-').slice(0, 31).replace(/-$/, '')
  return `${slug}-${toHex(hash(text))}`
}

/**
 * The key of the sandbox with this name.
 *
 * @param name any text: see `toSandboxName`.
 * @throws {UsageError} when the name is not a string, or empty.
 * @example sandboxKey('team-a') // 'petstore_sandbox_team-a_' and eight hexadecimal digits
 */
export function sandboxKey(name: string): string {
  const beginning = `${prefix}${toSandboxName(name)}_`
  return `${beginning}${toHex(hash(beginning))}`
}

const toHex = (bits: number): string => bits.toString(16).padStart(8, '0')

export function sandboxName(key: string): string | undefined {
  const name = keyPattern.exec(key)?.[1]
  return name !== undefined && namePattern.test(name) && sandboxKey(name) === key ? name : undefined
}

/** A complete sandbox key in a text, between spaces, quotes, brackets or what separates parameters, cookies and the like. */
const keyInside =
  /(?<![^\s"'<([{=:,;&])petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8}(?![^\s"'>)\]}&#:,;%])/g

/** The sandbox of the first valid key in a text. */
export function sandboxNameIn(text: string): string | undefined {
  if (!mayContainSandboxKey(text)) return undefined
  for (const [key] of text.matchAll(keyInside)) {
    const name = sandboxName(key)
    if (name !== undefined) return detach(name)
  }
  return undefined
}

/** A quick test that may be wrong only when it returns true. */
export const mayContainSandboxKey = (text: string): boolean => text.includes(prefix)

/** Names of sandboxes: one, or the beginning of several and an asterisk. */
export const isNamePattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^(?:\*|[a-z0-9][a-z0-9-]{0,39}\*?)$/.test(pattern)

/** Whether a key opens the sandbox with a name, according to the option `sandboxes`. */
export const opensSandbox = (names: boolean | readonly string[], name: string): boolean =>
  typeof names === 'boolean'
    ? names
    : names.some((pattern) =>
        pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
      )

/** A 32-bit hash of a text: FNV-1a, mixed. */
export function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  return mix(bits)
}
