import { UsageError, formatValue } from '../errors.ts'
import { mix } from './seed.ts'

/**
 * A sandbox key is `petstore_sandbox_NAME_CHECKSUM`. The name alone is enough to make it, offline. The
 * checksum is no protection: it only shows that a key was cut, lengthened or changed.
 */
const prefix = 'petstore_sandbox_'

/** The name of a sandbox. */
export const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
const keyPattern = /^petstore_sandbox_([a-z0-9-]{1,40})_[0-9a-f]{8}$/

/**
 * The name of the sandbox that a text stands for. A name of 1 to 40 lower-case letters, digits and hyphens stays as it is;
 * of any other, such as the title of a test, it is the part that such a name can have, and a hash of the whole.
 *
 * @throws {UsageError} when it is no text, or empty.
 */
export function toSandboxName(text: string): string {
  if (typeof text !== 'string' || text === '') {
    throw new UsageError(`The name of a sandbox must be a text that is not empty, and was ${formatValue(text)}.`)
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
 * @throws {UsageError} when the name is no text, or empty.
 * @example sandboxKey('team-a') // 'petstore_sandbox_team-a_' and eight hexadecimal digits
 */
export function sandboxKey(name: string): string {
  const beginning = `${prefix}${toSandboxName(name)}_`
  return `${beginning}${toHex(hash(beginning))}`
}

const toHex = (bits: number): string => bits.toString(16).padStart(8, '0')

/** The name in a whole sandbox key, or undefined. */
export function sandboxName(key: string): string | undefined {
  const name = keyPattern.exec(key)?.[1]
  return name !== undefined && namePattern.test(name) && sandboxKey(name) === key ? name : undefined
}

/** A sandbox key alone, behind one word, in a query or as a user or password; in quotes or brackets or not. */
const keyInside = /(?:^(?:\S+\s+)?|[=:])(["'<]?)(petstore_sandbox_[a-z0-9-]{1,40}_[0-9a-f]{8})(["'>]?)(?=$|[&#:])/g

/** The name of the sandbox whose whole key, neither cut nor lengthened, stands somewhere in a text; or undefined. */
export function sandboxNameIn(text: string): string | undefined {
  if (!mayHoldSandboxKey(text)) return undefined
  for (const [, open, key = '', close] of text.matchAll(keyInside)) {
    const name = (open === '') === (close === '') ? sandboxName(key) : undefined
    if (name !== undefined) return name
  }
  return undefined
}

/** Whether a header or token could be that of a sandbox: quick, and right when it says no. */
export function mayHoldSandboxKey(text: string): boolean {
  return text.includes(prefix)
}

/** 32 bits of a text: FNV-1a, and then mixed, so that one changed character changes them all. */
export function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  return mix(bits)
}
