import { parseJson, printJson } from '../../json.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { Engine } from '../mock.ts'
import type { SharedEngine } from './engine.ts'
import type { SandboxLog } from './log.ts'
import { type Messages, type Recording, toPages } from './messages.ts'
import type { Sealer } from './sealer.ts'

/** What the journals of other mocks are gathered with. */
interface Parts {
  engine: SharedEngine
  inner: Engine
  logOf: (controlled: ControlledSandbox) => SandboxLog
  sealer: Sealer
  messages: Messages
  /** The id of this mock. */
  node: string
  /** The key at which mocks leave what they have recorded of a sandbox when they end. */
  leftOf: (controlled: ControlledSandbox) => string
  /** The keys of the mocks that are there, and of the sandboxes. */
  nodes: string
  list: string
}

/** Brings sandboxes and their journals up to date. */
export interface Gatherer {
  /** The state of a sandbox, and the entries of its journal that other mocks have. */
  catchUp: (controlled: ControlledSandbox) => Promise<void>
  /** Keeps a sandbox up to date while somebody follows it. Returns what ends that. */
  watch: (controlled: ControlledSandbox) => () => void
  /** Leaves what this mock has recorded to the others. */
  handOver: () => Promise<void>
  close: () => void
}

/** How often a sandbox that is followed is brought up to date where no message says so: milliseconds. */
const pollMs = 1_000
/** How long what a mock has left stays, in milliseconds, and how many pages of a sandbox. */
const leftMs = 86_400_000
const mostPages = 40

export function createGatherer({ engine, inner, sealer, logOf, messages, node, nodes, list, leftOf }: Parts): Gatherer {
  /** Sandboxes that are followed, by how many streams. */
  const watched = new Map<ControlledSandbox, number>()
  /** Those that are being brought up to date, and whether that must happen again. */
  const running = new Map<ControlledSandbox, boolean>()
  /** The latest page of those that have ended, of each sandbox. */
  const read = new WeakMap<ControlledSandbox, string>()
  let timer: NodeJS.Timeout | undefined
  let [listed, changes] = ['', 0]

  async function catchUp(controlled: ControlledSandbox): Promise<void> {
    const log = logOf(controlled)
    await log.look(true)
    const { replica } = log
    const { latest } = replica.turn
    const [others, left] = await Promise.all([
      engine.use((client) => client.zrange(nodes, '0', '-1')),
      readLeft(controlled),
    ])
    replica.take(left)
    replica.take(await messages.gather(controlled.sandbox.name ?? null, others, replica.known))
    replica.turn.complete = Math.max(replica.turn.complete, latest)
  }

  /** What mocks that have ended have left. */
  async function readLeft(controlled: ControlledSandbox): Promise<Recording[]> {
    const after = read.get(controlled) ?? '0'
    const found = await engine.use((client) => client.xrangeBuffer(leftOf(controlled), `(${after}`, '+'))
    const last = found.at(-1)?.[0].toString()
    if (last !== undefined) read.set(controlled, last)
    return found.map(([, [, sealed = Buffer.alloc(0)]]) => parseJson(sealer.open(sealed)) as unknown as Recording)
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
    const names = (await engine.use((client) => client.zrange(list, '0', '1000'))).toSorted().join()
    if (names !== listed) changes += 1
    listed = names
  }

  const { sandboxes } = inner.mock
  const own = Object.getOwnPropertyDescriptor(sandboxes, 'version')
  Object.defineProperty(sandboxes, 'version', { get: () => Number(own?.get?.call(sandboxes)) + changes })
  messages.onRing = (names) => {
    for (const one of watched.keys()) if (names.includes(one.sandbox.name ?? null)) void follow(one)
  }
  messages.onWanted = (name, after) => {
    const found = inner.all().find(({ sandbox }) => (sandbox.name ?? null) === name)
    return found && logOf(found).replica.recordingAfter(after)
  }

  return {
    catchUp,
    watch(controlled) {
      const { turn } = logOf(controlled).replica
      watched.set(controlled, (watched.get(controlled) ?? 0) + 1)
      turn.isWatched = true
      timer ??= setInterval(() => {
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
        const { entries, startedAt } = logOf(one).replica.recordingAfter(0)
        const key = leftOf(one)
        for (const page of toPages(entries)) {
          const sealed = sealer.seal(printJson({ node, startedAt, entries: page }))
          await engine.use((client) => client.xadd(key, 'MAXLEN', '~', mostPages, '*', 'p', sealed))
          await engine.use((client) => client.pexpire(key, leftMs))
        }
      }
    },
    close: () => clearInterval(timer),
  }
}
