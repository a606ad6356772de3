import { UsageError } from '../../errors.ts'
import { mistakeInKey } from '../../option-checks.ts'

/** Returns the API key of now. */
export type KeySource = () => string | Promise<string>

/** The API key of a run, and those that it had before. */
export class Keys {
  /** The last one is in use. */
  readonly all: string[]
  /** Why there is no other key. */
  problem: string | undefined
  readonly #source: KeySource | undefined
  #renewing: Promise<void> | undefined
  /** A key that was never accepted is not renewed: the next one would be no better. */
  #mayRenew = true
  /** Whether the service has accepted any of them. */
  isAccepted = false

  constructor(first: string, source?: KeySource) {
    this.all = [first]
    this.#source = source
  }

  /** @throws {UsageError} when a function returns no key */
  static async open(apiKey: string | KeySource): Promise<Keys> {
    return typeof apiKey === 'string'
      ? new Keys(apiKey)
      : new Keys(expectKey(await apiKey()), apiKey)
  }

  get current(): string {
    return this.all.at(-1) ?? ''
  }

  /** The number of the key in use: 0 for the first one. */
  get number(): number {
    return this.all.length - 1
  }

  /** Whether another key may be had. */
  get mayRenew(): boolean {
    return this.#source !== undefined && this.#mayRenew
  }

  /** The service has accepted the key with this number. */
  accept(number: number): void {
    this.isAccepted = true
    this.seemAccepted(number)
  }

  /** After a key was accepted, a rejection for another reason shows that a later one is no worse. */
  seemAccepted(number: number): void {
    this.#mayRenew ||= this.isAccepted && number === this.number
  }

  /** Gets another key instead of the one with this number, once for all requests that were rejected with it. */
  async renew(number: number): Promise<void> {
    if (number < this.number) return
    if (this.mayRenew) this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined))
    await this.#renewing
  }

  async #renew(): Promise<void> {
    this.#mayRenew = false
    try {
      const key = expectKey(await this.#source?.())
      if (key === this.current) this.problem = 'getting another one gave the same one'
      else this.all.push(key)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.problem = `getting another one failed: ${reason}`
    }
  }
}

function expectKey(key: unknown): string {
  const mistake =
    typeof key === 'string' && key !== '' ? mistakeInKey(key) : 'must be a string, and not empty'
  if (mistake !== undefined) throw new UsageError(`the key that apiKey returned ${mistake}`)
  return key as string
}
