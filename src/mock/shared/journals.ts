import { parseJson, printJson } from '../../json.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { RecordedEntry } from '../journal-entry.ts'
import type { SharedContext } from './context.ts'
import type { SandboxLog } from './log.ts'

/** The entries that a mock has recorded of one sandbox. */
interface Recording {
  /** The mock. */
  node: string
  /** When the sandbox was made: the numbers of another life mean other requests. */
  startedAt: number
  entries: readonly RecordedEntry[]
}

/** What a mock requests of all others: entries of a sandbox, after the latest that it has of each. */
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

/** What a mock knows of the journals of others, of one life of a sandbox. */
interface Known {
  startedAt: number
  /** The number of the latest entry of each other mock. */
  latest: Record<string, number>
  /** The latest page that a mock has left which has ended. */
  left: string
}

/** Brings sandboxes and their journals up to date. A message between mocks that is lost only delays. */
export interface Journals {
  /** Resolves when messages come in, or after a second. */
  ready: Promise<unknown>
  /** Notifies other mocks that something has happened in a sandbox. */
  ring: SharedContext['ring']
  /** The state of a sandbox, and the entries of its journal that other mocks have. */
  catchUp: (controlled: ControlledSandbox) => Promise<void>
  /** Keeps a sandbox up to date while somebody follows it. Returns what ends that. */
  watch: (controlled: ControlledSandbox) => () => void
  /** Leaves what this mock has recorded to the others. */
  handOver: () => Promise<void>
  close: () => void
}

/** Milliseconds to wait for the entries of another mock. */
const waitMs = 1_000
/** Milliseconds between two messages that say which sandboxes have changed. */
const ringMs = 50
/** How often a sandbox that is followed is brought up to date where no message says so: milliseconds. */
const pollMs = 1_000
/** How long what a mock has left stays, in milliseconds, and how many pages of a sandbox. */
const leftMs = 86_400_000
const maxPages = 40
/** Entries of one page, and about how many characters they take. */
const pageEntries = 500
const pageLength = 2 ** 20

/** Entries that other mocks have recorded. */
const gathered = new WeakSet<RecordedEntry>()

export function createJournals(
  { engine, inner, sealer, node, prefix, keyOf }: Omit<SharedContext, 'ring'>,
  logOf: (controlled: ControlledSandbox) => SandboxLog,
): Journals {
  const [bell, wanted, own] = [`${prefix}:bell`, `${prefix}:wanted`, `${prefix}:to:${node}`]
  const listener = engine.subscriber()
  const rung = new Set<string | null>()
  const waiting = new Map<string, (page: Page) => void>()
  const known = new WeakMap<ControlledSandbox, Known>()
  /** Sandboxes that are followed, by how many streams. */
  const watched = new Map<ControlledSandbox, number>()
  /** Those that are being brought up to date, and whether that must happen again. */
  const running = new Map<ControlledSandbox, boolean>()
  let ringing: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let [questions, listed, changes] = [0, '', 0]

  const send = (channel: string, value: object): Promise<number> =>
    engine.use((client) => client.publish(channel, sealer.seal(printJson(value))))

  async function receive(channel: string, message: Buffer): Promise<void> {
    const value: unknown = parseJson(sealer.open(message))
    if (channel === own) waiting.get((value as Page).id)?.(value as Page)
    else if (channel === wanted) await answer(value as Wanted)
    else {
      const names = value as (string | null)[]
      for (const one of watched.keys()) if (names.includes(one.sandbox.name ?? null)) void follow(one)
    }
  }

  /** Sends another mock what it wants. */
  async function answer({ id, node: other, sandbox, after }: Wanted): Promise<void> {
    if (other === node) return
    const found = inner.all().find((one) => (one.sandbox.name ?? null) === sandbox)
    const startedAt = found === undefined ? 0 : logOf(found).replica.turn.startedAt
    const pages = found === undefined ? [] : toPages(found, after[node])
    for (const [place, entries] of [...pages, []].entries()) {
      await send(`${prefix}:to:${other}`, { id, node, startedAt, entries, isLast: place === pages.length })
    }
  }

  /** What other mocks have recorded of a sandbox, after the latest entry that is known of each. */
  async function gather(sandbox: string | null, after: Wanted['after']): Promise<Recording[]> {
    const others = new Set(await engine.use((client) => client.zrange(`${prefix}:mocks`, '0', '-1')))
    others.delete(node)
    if (others.size === 0) return []
    const id = `${node}-${(questions += 1)}`
    const found: Page[] = []
    let timer: NodeJS.Timeout | undefined
    const all = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
      waiting.set(id, (page) => {
        found.push(page)
        if (page.isLast) others.delete(page.node)
        if (others.size === 0) resolve()
      })
    })
    try {
      await send(wanted, { id, node, sandbox, after })
      await all
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
    return found
  }

  /** What mocks that have ended have left. */
  async function readLeft(controlled: ControlledSandbox, of: Known): Promise<Recording[]> {
    const found = await engine.use((client) => client.xrangeBuffer(keyOf(controlled, 'left'), `(${of.left}`, '+'))
    of.left = String(found.at(-1)?.[0] ?? of.left)
    return found.map(([, [, sealed = Buffer.alloc(0)]]) => parseJson(sealer.open(sealed)) as unknown as Recording)
  }

  async function catchUp(controlled: ControlledSandbox): Promise<void> {
    const log = logOf(controlled)
    await log.look(true)
    const { turn } = log.replica
    const { latest, startedAt } = turn
    const last = known.get(controlled)
    const of = last?.startedAt === startedAt ? last : { startedAt, latest: {}, left: '0' }
    known.set(controlled, of)
    const recordings = [
      ...(await readLeft(controlled, of)),
      ...(await gather(controlled.sandbox.name ?? null, of.latest)),
    ]
    if (turn.startedAt !== startedAt) return
    take(controlled, recordings, of)
    turn.complete = Math.max(turn.complete, latest)
  }

  async function follow(controlled: ControlledSandbox): Promise<void> {
    const isRunning = running.has(controlled)
    running.set(controlled, isRunning)
    if (isRunning) return
    do {
      running.set(controlled, false)
      // The next message or second tries again.
      await catchUp(controlled).catch(() => {})
      if (controlled.sandbox.name === undefined) await noteSandboxes().catch(() => {})
    } while (running.get(controlled) === true)
    running.delete(controlled)
  }

  /** Those of other mocks are news, too. */
  async function noteSandboxes(): Promise<void> {
    const names = await engine.use((client) => client.zrange(`${prefix}:sandboxes`, '0', '1000'))
    const sorted = names.toSorted().join()
    if (sorted !== listed) changes += 1
    listed = sorted
  }

  const { sandboxes } = inner.mock
  const version = Object.getOwnPropertyDescriptor(sandboxes, 'version')?.get
  Object.defineProperty(sandboxes, 'version', { get: () => Number(version?.call(sandboxes)) + changes })
  listener.on('error', () => {})
  listener.on('messageBuffer', (channel: Buffer, message: Buffer) => {
    // What another program says here is not heeded.
    void receive(channel.toString(), message).catch(() => {})
  })
  const ready = new Promise((resolve) => {
    listener.on('ready', () => void listener.subscribe(bell, wanted, own).then(resolve, () => {}))
    setTimeout(resolve, waitMs).unref()
  })

  return {
    ready,
    ring(sandbox) {
      rung.add(sandbox ?? null)
      ringing ??= setTimeout(() => {
        ringing = undefined
        send(bell, [...rung]).catch(() => {})
        rung.clear()
      }, ringMs).unref()
    },
    catchUp,
    watch(controlled) {
      const { turn } = logOf(controlled).replica
      watched.set(controlled, (watched.get(controlled) ?? 0) + 1)
      turn.isWatched = true
      polling ??= setInterval(() => {
        for (const one of watched.keys()) void follow(one)
      }, pollMs).unref()
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        const left = (watched.get(controlled) ?? 1) - 1
        if (left > 0) return void watched.set(controlled, left)
        watched.delete(controlled)
        turn.isWatched = false
      }
    },
    async handOver() {
      for (const one of inner.all()) {
        const [key, { startedAt }] = [keyOf(one, 'left'), logOf(one).replica.turn]
        for (const entries of toPages(one)) {
          const sealed = sealer.seal(printJson({ node, startedAt, entries }))
          await engine.use((client) => client.xadd(key, 'MAXLEN', '~', maxPages, '*', 'p', sealed))
          await engine.use((client) => client.pexpire(key, leftMs))
        }
      }
    },
    close() {
      clearInterval(polling)
      clearTimeout(ringing)
      listener.disconnect()
    },
  }
}

/** What this mock has recorded of a sandbox after a number: plain values, in pages that a client of the engine can take. */
function toPages({ journal }: ControlledSandbox, after = 0): object[][] {
  const pages: object[][] = []
  let length = Infinity
  for (const entry of journal.recorded().entries) {
    if (entry.number <= after || gathered.has(entry)) continue
    const { onAbandoned: _, wire, ...reply } = entry.reply
    const plain = wire && { wire: { ...wire, ...(wire.bytes && { bytes: [...wire.bytes] }) } }
    if (length > pageLength || (pages.at(-1)?.length ?? 0) >= pageEntries) {
      pages.push([])
      length = 0
    }
    length += entry.bytes
    pages.at(-1)?.push({ ...entry, reply: { ...reply, ...plain } })
  }
  return pages
}

/** Takes what other mocks have recorded into the journal. */
function take({ journal }: ControlledSandbox, recordings: readonly Recording[], { startedAt, latest }: Known): void {
  const fresh = recordings.flatMap((recording) => {
    const { node, entries } = recording
    if (recording.startedAt !== startedAt) return []
    latest[node] = entries.reduce((last, { number }) => Math.max(last, number), latest[node] ?? 0)
    return entries.map((entry): RecordedEntry => {
      const { wire, ...reply } = entry.reply
      const exact = wire && { wire: { ...wire, ...(wire.bytes && { bytes: Uint8Array.from(wire.bytes) }) } }
      return { ...entry, extract: entry.extract, reply: { ...reply, ...exact } }
    })
  })
  if (fresh.length === 0) return
  const { cleared } = journal.range
  journal.replace((entries) => {
    const numbers = new Set(entries.map(({ number }) => number))
    const others = fresh.filter(({ number }) => number > cleared && !numbers.has(number))
    for (const entry of others) gathered.add(entry)
    return [...entries, ...others].toSorted((one, other) => one.number - other.number)
  })
}
