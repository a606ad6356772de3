import { parseJson, printJson } from '../../json.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import type { RecordedEntry } from '../journal/entry.ts'
import type { SharedContext } from './context.ts'
import { chunksOf } from '../journal/slices.ts'
import type { SandboxLog } from './log.ts'

/** Entries of a sandbox that one mock has recorded. */
interface Recording {
  /** The id of the mock. */
  node: string
  /** When the sandbox was created: after a restart, numbers mean other requests. */
  startedAt: number
  entries: readonly RecordedEntry[]
}

/** A message that requests the entries of a sandbox from all other mocks. */
interface Wanted {
  id: string
  node: string
  sandbox: string | null
  /** The number of the latest known entry of each mock. */
  after: Readonly<Record<string, number>>
}

interface Page extends Recording {
  id: string
  isLast: boolean
}

/** What a mock knows of the journals of others for a sandbox. */
interface Known {
  startedAt: number
  latest: Record<string, number>
  /** The id of the latest page that a closed mock has handed over. */
  left: string
  /** The number up to which the journal has the entries of all mocks. */
  complete: number
}

export type Journals = ReturnType<typeof createJournals>

/** How long to wait for the entries of other mocks. */
const waitMs = 1_000
/** The interval of messages about changed sandboxes. */
const announceMs = 50
/** How often a streamed sandbox is updated without such a message. */
const pollMs = 1_000
/** How long pages of closed mocks are kept, and how many of a sandbox. */
const leftMs = 86_400_000
const maxPages = 40
/** Sandboxes whose pages are sent together. */
const leftAtOnce = 200
/** The limits of a page: entries and approximate characters. */
const pageEntries = 500
const pageLength = 2 ** 20

/** Synchronizes sandboxes and their journals. A lost message between mocks only causes a delay. */
export function createJournals(
  { engine, inner, sealer, node, prefix, keyOf }: Omit<SharedContext, 'announce'>,
  logOf: (sandbox: InnerSandbox) => SandboxLog,
) {
  const changed = `${prefix}:bell`
  const wanted = `${prefix}:wanted`
  const own = `${prefix}:to:${node}`
  const listener = engine.subscriber()
  const toAnnounce = new Set<string | null>()
  const waiting = new Map<string, (page: Page) => void>()
  const known = new WeakMap<InnerSandbox, Known>()
  /** Mocks that did not respond, with their latest sign of life before. */
  const silent = new Map<string, string>()
  /** The number of streams for each streamed sandbox. */
  const watched = new Map<InnerSandbox, number>()
  /** Sandboxes that are being updated, and whether to do so again. */
  const running = new Map<InnerSandbox, boolean>()
  let announcing: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let requests = 0
  let listed = ''

  const send = (channel: string, value: object): Promise<number> =>
    engine.use((client) => client.publish(channel, sealer.seal(printJson(value))))

  async function receive(channel: string, message: Buffer): Promise<void> {
    const value: unknown = parseJson(sealer.open(message))
    if (channel === own) waiting.get((value as Page).id)?.(value as Page)
    else if (channel === wanted) await sendEntries(value as Wanted)
    else {
      const names = value as (string | null)[]
      for (const one of watched.keys()) if (names.includes(one.name ?? null)) void follow(one)
    }
  }

  async function sendEntries({ id, node: other, sandbox, after }: Wanted): Promise<void> {
    if (other === node) return
    const found = inner.all().find((one) => (one.name ?? null) === sandbox)
    const { startedAt = 0 } = found ?? {}
    const pages = found === undefined ? [] : toPages(found, after[node])
    for (const [place, entries] of [...pages, []].entries()) {
      await send(`${prefix}:to:${other}`, {
        id,
        node,
        startedAt,
        entries,
        isLast: place === pages.length,
      })
    }
  }

  /**
   * The other mocks that may respond, with their latest sign of life: without those that did not respond, and have given
   * none since.
   */
  async function listOthers(): Promise<Map<string, string>> {
    const listed = await engine.use((client) =>
      client.zrange(`${prefix}:mocks`, '0', '-1', 'WITHSCORES'),
    )
    const signs = chunksOf(listed, 2) as [string, string][]
    for (const other of silent.keys())
      if (!signs.some(([one]) => one === other)) silent.delete(other)
    const may = signs.filter(([other, sign]) => other !== node && silent.get(other) !== sign)
    const listening = await engine.listening(may.map(([other]) => `${prefix}:to:${other}`))
    return new Map(may.filter((_, place) => listening[place]))
  }

  /** Requests new entries from all other mocks. */
  async function requestEntries(
    sandbox: string | null,
    after: Wanted['after'],
  ): Promise<Recording[]> {
    const others = await listOthers()
    if (others.size === 0) return []
    const id = `${node}-${(requests += 1)}`
    const found: Page[] = []
    const all = new Promise<void>((resolve) => {
      setTimeout(resolve, waitMs).unref()
      waiting.set(id, (page) => {
        found.push(page)
        if (page.isLast) others.delete(page.node)
        if (others.size === 0) resolve()
      })
    })
    try {
      await send(wanted, { id, node, sandbox, after })
      await all
      for (const [other, sign] of others) silent.set(other, sign)
    } finally {
      waiting.delete(id)
    }
    return found
  }

  /** Reads entries that closed mocks have handed over. */
  async function readLeft(sandbox: InnerSandbox, of: Known): Promise<Recording[]> {
    const found = await engine.use((client) =>
      client.xrangeBuffer(keyOf(sandbox, 'left'), `(${of.left}`, '+'),
    )
    of.left = String(found.at(-1)?.[0] ?? of.left)
    return found.map(
      ([, [, sealed = Buffer.alloc(0)]]) => parseJson(sealer.open(sealed)) as unknown as Recording,
    )
  }

  /** Updates a sandbox, and its journal with the entries of other mocks. */
  async function catchUp(sandbox: InnerSandbox, isListing = false): Promise<void> {
    // A sandbox that has ended meanwhile must not come back.
    if (!(await logOf(sandbox).sync(false, isListing))) return
    const { startedAt, journal } = sandbox
    const { progress } = journal
    const { number } = progress
    const last = known.get(sandbox)
    const of =
      last?.startedAt === startedAt ? last : { startedAt, latest: {}, left: '0', complete: 0 }
    known.set(sandbox, of)
    const name = sandbox.name ?? null
    const recordings = [
      ...(await readLeft(sandbox, of)),
      ...(await requestEntries(name, of.latest)),
    ]
    if (sandbox.startedAt !== startedAt) return
    merge(sandbox, recordings, of)
    of.complete = Math.max(of.complete, number)
    if (watched.has(sandbox)) progress.complete = of.complete
  }

  async function follow(sandbox: InnerSandbox): Promise<void> {
    const isRunning = running.has(sandbox)
    running.set(sandbox, isRunning)
    if (isRunning) return
    do {
      running.set(sandbox, false)
      // The next message or poll tries again.
      await catchUp(sandbox).catch(() => {})
      if (sandbox.name === undefined) await noteSandboxes().catch(() => {})
    } while (running.get(sandbox) === true)
    running.delete(sandbox)
  }

  /** Notices sandboxes that other mocks have created or deleted. */
  async function noteSandboxes(): Promise<void> {
    const names = await engine.use((client) => client.zrange(`${prefix}:sandboxes`, '-1000', '-1'))
    const sorted = names.toSorted().join()
    if (sorted !== listed) inner.noteSandboxes()
    listed = sorted
  }

  listener.on('error', () => {})
  listener.on('messageBuffer', (channel: Buffer, message: Buffer) => {
    // Ignore messages of other programs.
    void receive(channel.toString(), message).catch(() => {})
  })
  const ready = new Promise((resolve, reject) => {
    listener.on('ready', () => {
      listener.subscribe(changed, wanted, own).then(resolve, (error: Error) => {
        if (error.message.startsWith('NOPERM')) reject(error)
      })
    })
    setTimeout(resolve, waitMs).unref()
  })

  return {
    /** Resolves when messages are received, or after a second. Rejects when the login may not receive them. */
    ready,
    announce(sandbox: string | undefined): void {
      toAnnounce.add(sandbox ?? null)
      announcing ??= setTimeout(() => {
        announcing = undefined
        send(changed, [...toAnnounce]).catch(() => {})
        toAnnounce.clear()
      }, announceMs).unref()
    },
    catchUp,
    /** Keeps a sandbox up to date while it is streamed. Returns a function that stops it. */
    watch(sandbox: InnerSandbox): () => void {
      const { progress } = sandbox.journal
      watched.set(sandbox, (watched.get(sandbox) ?? 0) + 1)
      progress.complete = known.get(sandbox)?.complete ?? 0
      polling ??= setInterval(() => {
        for (const one of watched.keys()) void follow(one)
      }, pollMs).unref()
      return () => {
        const left = (watched.get(sandbox) ?? 1) - 1
        if (left > 0) return void watched.set(sandbox, left)
        watched.delete(sandbox)
        progress.complete = undefined
      }
    },
    /** Leaves the entries of this mock to the others: those of the latest sandboxes first, for so many milliseconds. */
    async handOver(ms: number): Promise<void> {
      const end = performance.now() + ms
      const leave = async (one: InnerSandbox): Promise<void> => {
        const key = keyOf(one, 'left')
        const { startedAt } = one
        for (const entries of toPages(one)) {
          const sealed = sealer.seal(printJson({ node, startedAt, entries }))
          await engine.use((client) =>
            Promise.all([
              client.xadd(key, 'MAXLEN', '~', maxPages, '*', 'p', sealed),
              client.pexpire(key, leftMs),
            ]),
          )
        }
      }
      for (const some of chunksOf(inner.all().toReversed(), leftAtOnce)) {
        if (performance.now() > end) break
        await Promise.all(some.map(leave))
      }
    },
    close(): void {
      clearInterval(polling)
      clearTimeout(announcing)
    },
  }
}

/** The own entries after a number as plain values, in pages of limited size. */
function toPages({ journal }: InnerSandbox, after = 0): object[][] {
  const pages: object[][] = []
  let length = Infinity
  for (const entry of journal.recorded().entries) {
    if (entry.number <= after || entry.origin !== undefined) continue
    const { onAbandoned: _, wire, ...reply } = entry.reply
    const plain = wire && { wire: { ...wire, ...(wire.bytes && { bytes: [...wire.bytes] }) } }
    if (length > pageLength || (pages.at(-1)?.length ?? 0) >= pageEntries) {
      pages.push([])
      length = 0
    }
    length += entry.bytes
    pages.at(-1)?.push({ ...entry, countedIn: undefined, reply: { ...reply, ...plain } })
  }
  return pages
}

/** Adds the entries of other mocks to the journal. */
function merge(
  { journal }: InnerSandbox,
  recordings: readonly Recording[],
  { startedAt, latest }: Known,
): void {
  const fresh = recordings.flatMap((recording) => {
    const { node, entries } = recording
    if (recording.startedAt !== startedAt) return []
    latest[node] = entries.reduce((last, { number }) => Math.max(last, number), latest[node] ?? 0)
    return entries.map((entry): RecordedEntry => {
      const { wire, ...reply } = entry.reply
      const exact = wire && {
        wire: { ...wire, ...(wire.bytes && { bytes: Uint8Array.from(wire.bytes) }) },
      }
      // The other mock has counted its changes by itself.
      return {
        ...entry,
        change: 0,
        origin: node,
        reply: { ...reply, ...exact },
      }
    })
  })
  if (fresh.length === 0) return
  const { cleared } = journal.range
  journal.replace((entries) => {
    const numbers = new Set(entries.map(({ number }) => number))
    const others = fresh.filter(({ number }) => number > cleared && !numbers.has(number))
    return [...entries, ...others].toSorted((one, other) => one.number - other.number)
  })
}
