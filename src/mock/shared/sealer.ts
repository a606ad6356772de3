import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scryptSync,
} from 'node:crypto'

import { hideCredential, isSecretName } from '../../report/credentials.ts'
import { isReceived } from '../http/request.ts'
import type { MockRequest } from '../service/message.ts'

const formatVersion = 2

/** The data in the engine has an unknown version, or was not written by a mock. */
export class UnreadableError extends Error {}

/** Bytes before the ciphertext: the version, the nonce, the tag. */
const headBytes = 1 + 12 + 16
const maxDigests = 1_000

type Headers = MockRequest['headers']

/** Headers without credentials, and their JSON. */
interface LoggedHeaders {
  headers: Headers
  json: string
}

/** Encrypts the data that mocks store in the engine. */
export class Sealer {
  readonly #key: Buffer
  readonly #digestKey: Buffer
  readonly #digests = new Map<string, string>()
  readonly #received = new WeakMap<Headers, LoggedHeaders>()
  /** Unique: random for each process, then counted. */
  readonly #nonce = Buffer.concat([randomBytes(7), Buffer.alloc(5)])
  #count = 0
  /** Equal for mocks with the same keys. */
  readonly fingerprint: string

  /**
   * @param keys the API keys of the mock, from which other keys are derived: slowly, against guessing of short keys.
   * @param name of the shared mock.
   */
  constructor(keys: readonly string[], name: string) {
    const secret = scryptSync([...keys].sort().join('\n'), `petstore-kit ${name}`, 32)
    const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32))
    this.#key = derive('entries')
    this.#digestKey = derive('digests')
    this.fingerprint = derive('fingerprint').toString('base64url').slice(0, 22)
  }

  seal(plain: string): Buffer {
    const nonce = Buffer.from(this.#nonce)
    nonce.writeUIntBE((this.#count += 1), 7, 5)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const text = cipher.update(plain, 'utf8')
    const rest = cipher.final()
    return Buffer.concat([Buffer.of(formatVersion), nonce, cipher.getAuthTag(), text, rest])
  }

  /** @throws {UnreadableError} */
  open(sealed: Buffer): string {
    if (sealed[0] !== formatVersion)
      throw new UnreadableError(
        `it is of version ${sealed[0]}, and this kit knows version ${formatVersion}`,
      )
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(1, 13))
      decipher.setAuthTag(sealed.subarray(13, headBytes))
      return decipher.update(sealed.subarray(headBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      throw new UnreadableError('it was not written by a mock with the same keys')
    }
  }

  digest(credential: string): string {
    let digest = this.#digests.get(credential)
    if (digest === undefined) {
      digest = `digest:${createHmac('sha256', this.#digestKey).update(credential).digest('base64url').slice(0, 22)}`
      if (this.#digests.size >= maxDigests) this.#digests.clear()
      this.#digests.set(credential, digest)
    }
    return digest
  }

  /** As `hideHeaders`, with their JSON: once for headers that a connection repeats. */
  logHeaders(headers: Headers): LoggedHeaders {
    const known = this.#received.get(headers)
    if (known !== undefined) return known
    const hidden = this.hideHeaders(headers)
    const logged = { headers: hidden, json: JSON.stringify(hidden) }
    // A caller in the same process may change its headers later.
    if (isReceived(headers)) this.#received.set(headers, logged)
    return logged
  }

  /** Replaces each credential by its digest. The scheme stays. */
  hideHeaders<Values extends Headers>(headers: Values): Values {
    let hidden: Record<string, string | string[] | undefined> | undefined
    for (const name in headers) {
      if (!isSecretName(name)) continue
      const value = headers[name] as string | string[]
      const hide = (text: string): string => hideCredential(text, this.digest(text))
      hidden ??= Object.assign(Object.create(null) as object, headers)
      hidden[name] = typeof value === 'string' ? hide(value) : value.map(hide)
    }
    return (hidden ?? headers) as Values
  }

  /** Replaces credentials in conditions on headers, so that the rules still match requests with hidden headers. */
  hideRules<Value>(rules: Value): Value {
    if (Array.isArray(rules)) return rules.map((rule: unknown) => this.hideRules(rule)) as Value
    const { when } = (rules ?? {}) as { when?: { headers?: unknown } }
    const headers = when?.headers
    if (typeof headers !== 'object' || headers === null) return rules
    const isText = ([, value]: [string, unknown]): boolean => typeof value === 'string'
    const lower = Object.entries(headers).map(
      ([name, value]) => [name.toLowerCase(), value] as [string, unknown],
    )
    if (!lower.every(isText)) return rules
    return {
      ...rules,
      when: { ...when, headers: { ...this.hideHeaders(Object.fromEntries(lower) as Headers) } },
    }
  }
}
