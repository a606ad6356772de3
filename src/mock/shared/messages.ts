import type { Redis } from 'ioredis'

import { parseJson, printJson } from '../../json.ts'
import type { RecordedEntry } from '../journal-entry.ts'
import type { SharedEngine } from './engine.ts'
import type { Sealer } from './sealer.ts'

/** The entries that a mock has recorded of one sandbox. */
export interface Recording {
  /** The mock. */
  node: string
  /** When the sandbox was made: the numbers of another life mean other requests. */
  startedAt: number
  entries: readonly RecordedEntry[]
}

/** What a mock asks all others for: entries of a sandbox, after the latest that it has of each. */
interface Wanted {
  id: string
  node: string
  sandbox: string | null
  after: Readonly<Record<string, number>>
}

/** A page of a recording. */
interface Page extends Recording {
  id: string
  isLast: boolean
}

/** Milliseconds to wait for the entries of another mock. */
const waitMs = 1_000
/** Milliseconds between two messages that say which sandboxes have changed. */
const ringMs = 50
/** Entries of one message, and about how many characters they take. */
const pageEntries = 500
const pageLength = 2 ** 20

/**
 * What mocks of one name send each other beside the logs: that something has happened in a sandbox, and what they have
 * recorded of it. A message that is lost only delays.
 */
export class Messages {
  readonly #engine: SharedEngine
  readonly #sealer: Sealer
  readonly #node: string
  readonly #channels: { bell: string; wanted: string; to: (node: string) => string }
  readonly #listener: Redis
  readonly #waiting = new Map<string, (page: Page) => void>()
  readonly #rung = new Set<string | null>()
  #timer: NodeJS.Timeout | undefined
  #count = 0
  /** Resolves when messages come in, or after a second. */
  readonly ready: Promise<void>
  /** Gets the names of sandboxes in which something has happened. */
  onRing: ((names: readonly (string | null)[]) => void) | undefined
  /** Gives the entries that this mock has recorded of a sandbox after a number. */
  onWanted: ((sandbox: string | null, after: number) => Omit<Recording, 'node'> | undefined) | undefined

  constructor(engine: SharedEngine, sealer: Sealer, { name, node }: { name: string; node: string }) {
    this.#engine = engine
    this.#sealer = sealer
    this.#node = node
    const prefix = `petstore:{${name}}`
    this.#channels = { bell: `${prefix}:bell`, wanted: `${prefix}:wanted`, to: (other) => `${prefix}:to:${other}` }
    this.#listener = engine.subscriber()
    this.#listener.on('error', () => {})
    this.#listener.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      // What another program says here is not heeded.
      void this.#receive(channel.toString(), message).catch(() => {})
    })
    this.ready = new Promise((resolve) => {
      this.#listener.on('ready', () => void this.#subscribe().then(resolve))
      setTimeout(resolve, waitMs).unref()
    })
  }

  /** Says that something has happened in a sandbox. */
  ring(sandbox: string | null): void {
    this.#rung.add(sandbox)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const message = this.#sealer.seal(printJson([...this.#rung]))
      this.#rung.clear()
      this.#engine.use((client) => client.publish(this.#channels.bell, message)).catch(() => {})
    }, ringMs).unref()
  }

  /**
   * Gathers what other mocks have recorded of a sandbox.
   *
   * @param nodes those mocks.
   * @param after the number of the latest entry that is known of each.
   */
  async gather(
    sandbox: string | null,
    nodes: readonly string[],
    after: Readonly<Record<string, number>>,
  ): Promise<Recording[]> {
    const others = new Set(nodes.filter((node) => node !== this.#node))
    if (others.size === 0) return []
    const id = `${this.#node}-${(this.#count += 1)}`
    const found: Recording[] = []
    const wanted: Wanted = { id, node: this.#node, sandbox, after }
    let timer: NodeJS.Timeout | undefined
    const all = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
      this.#waiting.set(id, (page) => {
        found.push(page)
        if (page.isLast) others.delete(page.node)
        if (others.size === 0) resolve()
      })
    })
    try {
      await this.#publish(this.#channels.wanted, wanted)
      await all
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
    return found
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#listener.disconnect()
  }

  async #subscribe(): Promise<void> {
    const { bell, wanted, to } = this.#channels
    await this.#listener.subscribe(bell, wanted, to(this.#node)).catch(() => {})
  }

  async #receive(channel: string, message: Buffer): Promise<void> {
    const value: unknown = parseJson(this.#sealer.open(message))
    if (channel === this.#channels.bell) this.onRing?.(value as (string | null)[])
    else if (channel === this.#channels.wanted) await this.#send(value as Wanted)
    else this.#waiting.get((value as Page).id)?.(value as Page)
  }

  async #send({ id, node, sandbox, after }: Wanted): Promise<void> {
    if (node === this.#node) return
    const own = this.onWanted?.(sandbox, after[this.#node] ?? 0)
    const pages = own === undefined ? [] : toPages(own.entries)
    const last = { id, node: this.#node, startedAt: own?.startedAt ?? 0 }
    const channel = this.#channels.to(node)
    for (const entries of pages) await this.#publish(channel, { ...last, entries, isLast: false })
    await this.#publish(channel, { ...last, entries: [], isLast: true })
  }

  async #publish(channel: string, value: object): Promise<void> {
    const message = this.#sealer.seal(printJson(value))
    await this.#engine.use((client) => client.publish(channel, message))
  }
}

/** Entries as plain values, in pages that a client of the engine can take. */
export function toPages(entries: readonly RecordedEntry[]): object[][] {
  const pages: object[][] = []
  let length = Infinity
  for (const { reply, ...entry } of entries) {
    const { onAbandoned: _, wire, ...rest } = reply
    const { bytes, ...others } = wire ?? {}
    const plain = bytes === undefined ? others : { ...others, base64: Buffer.from(bytes).toString('base64') }
    if (length > pageLength || (pages.at(-1)?.length ?? 0) >= pageEntries) {
      pages.push([])
      length = 0
    }
    length += entry.bytes
    pages.at(-1)?.push({ ...entry, reply: { ...rest, ...(wire && { wire: plain }) } })
  }
  return pages
}

/** The entries of a page as a journal keeps them. */
export function readPage(entries: readonly RecordedEntry[]): RecordedEntry[] {
  return entries.map((entry) => {
    const { wire, ...reply } = entry.reply
    const { base64, ...rest } = (wire ?? {}) as { base64?: string }
    const bytes = base64 === undefined ? {} : { bytes: new Uint8Array(Buffer.from(base64, 'base64')) }
    return { ...entry, glance: entry.glance, reply: { ...reply, ...(wire && { wire: { ...rest, ...bytes } }) } }
  })
}
