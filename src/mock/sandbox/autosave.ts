import { notify } from '../service/message.ts'
import type { SandboxMachine, SandboxState } from './machine.ts'
import type { InnerMock } from './mock.ts'
import type { InnerSandbox } from './sandbox.ts'

/** A sandbox except its journal: a plain value that survives `printJson` and `parseJson`. */
export interface KeptSandbox {
  /** Null for the sandbox of the mock's own keys. */
  readonly name: string | null
  /** Absent when it was deleted. */
  readonly state?: SandboxState
  /** When it was created: milliseconds since 1970. */
  readonly startedAt?: number
}

/** Where the states of sandboxes are saved. */
export interface SaveTarget {
  /** Saves one sandbox instead of what was saved of it. */
  save: (sandbox: KeptSandbox) => Promise<void>
  /** Why the mock may not respond: another one may save its own state there now. */
  rejection?: () => string | undefined
}

/** What is known about saving. */
export interface Saves {
  succeeded: number
  failed: number
  /** The age of the oldest change that is not saved: milliseconds; 0 when all are. It looks for changes, as a tick does. */
  ageMs: () => number
}

/** How often changes are looked for, and how long nothing is tried after a failure. */
const lookMs = 200
const retryMs = 1_000
/** A sandbox rests for so many times as long as its save took: that of a large one takes no more than a part of the time. */
const restShare = 2
/** Saves at once. Each takes several turns of the event loop, in which other sandboxes change. */
const maxSaves = 128
/** A mock whose changes have waited for longer may lose them. */
const unsafeMs = 5_000

interface PendingSave {
  /** Undefined for the deletion of one. */
  sandbox: InnerSandbox | undefined
  /** By `performance.now`, or earlier. */
  since: number
}

/**
 * Saves each sandbox soon after it has changed. Requests only note that a sandbox is in use.
 *
 * @param initialIsSaved whether the state with which the mock has started was read from the target.
 */
export function createAutosave(
  { all, mock, unsaved: { touched, removed } }: Pick<InnerMock, 'all' | 'mock' | 'unsaved'>,
  target: Pick<SaveTarget, 'save'>,
  initialIsSaved: boolean,
  onNotice: (notice: string) => void = () => {},
) {
  const known = new WeakMap<SandboxMachine, SandboxMachine['versions']>()
  const waiting = new Map<string | null, PendingSave>()
  const busy = new Map<string | null, { since: number; saving: Promise<void> }>()
  /** Until when sandboxes rest, by `performance.now`. */
  const resting = new Map<string | null, number>()
  let lookedAt = performance.now()
  /** By `performance.now`. */
  let triesAt = 0
  let isOver = false
  /** What could not be saved at the end, and why. */
  const failedAtEnd = new Map<string | null, unknown>()
  let hasWarned = false
  let failure: unknown
  const saves: Saves = { succeeded: 0, failed: 0, ageMs }

  function onFunction(id: string): void {
    if (hasWarned) return
    hasWarned = true
    notify(
      onNotice,
      `${id} is a function, which is not part of the state: it will not be there after the next start.`,
    )
  }

  /** To be called before the state is saved: a change meanwhile is another one. */
  const note = ({ machine }: InnerSandbox): void => void known.set(machine, { ...machine.versions })

  function hasChanged({ machine }: InnerSandbox): boolean {
    const before = known.get(machine)
    const now = machine.versions
    const parts = Object.keys(now) as (keyof typeof now)[]
    return before === undefined || parts.some((part) => before[part] !== now[part])
  }

  /** Finds what has changed since the call before. */
  function look(): void {
    const since = lookedAt
    lookedAt = performance.now()
    const add = (name: string | null, sandbox: InnerSandbox | undefined): void =>
      void waiting.set(name, { sandbox, since: waiting.get(name)?.since ?? since })
    // Deletions first: a sandbox that was created again under the name replaces its deletion.
    for (const name of removed) add(name, undefined)
    for (const one of touched) {
      if (mock.sandboxes.isCurrent(one) && hasChanged(one)) {
        note(one)
        add(one.name ?? null, one)
      }
    }
    removed.clear()
    touched.clear()
  }

  function start(): void {
    const now = performance.now()
    if (now < triesAt && !isOver) return
    for (const [name, change] of waiting) {
      if (busy.size >= maxSaves) return
      const rests = isOver ? failedAtEnd.has(name) : now < (resting.get(name) ?? 0)
      if (rests || busy.has(name)) continue
      waiting.delete(name)
      const saving = save(name, change).finally(() => {
        busy.delete(name)
        start()
      })
      busy.set(name, { since: change.since, saving })
    }
  }

  async function save(name: string | null, { sandbox, since }: PendingSave): Promise<void> {
    const startedAt = performance.now()
    try {
      if (sandbox === undefined) await target.save({ name })
      else {
        note(sandbox)
        const state = sandbox.machine.save(onFunction)
        await target.save({ name, state, startedAt: sandbox.startedAt })
      }
      failure = undefined
      saves.succeeded += 1
      const restMs = restShare * (performance.now() - startedAt)
      if (restMs > lookMs) resting.set(name, performance.now() + restMs)
      else resting.delete(name)
    } catch (error) {
      failure = error
      saves.failed += 1
      if (isOver) failedAtEnd.set(name, error)
      triesAt = performance.now() + retryMs
      // Behind the others, so that they are tried first; as what it has become meanwhile, and as old as it was.
      const later = waiting.get(name)
      waiting.delete(name)
      waiting.set(name, { sandbox, ...later, since })
    }
  }

  function ageMs(): number {
    look()
    let oldest = Infinity
    for (const { since } of [...waiting.values(), ...busy.values()])
      oldest = Math.min(oldest, since)
    return oldest === Infinity ? 0 : performance.now() - oldest
  }

  if (initialIsSaved) {
    for (const one of all()) note(one)
    touched.clear()
    removed.clear()
  }
  const tick = (): void => {
    look()
    start()
  }
  const timer = setInterval(tick, lookMs)
  tick()
  return {
    /** False while changes cannot be saved. */
    isHealthy: () => failure === undefined && ageMs() < unsafeMs,
    saves: saves as Readonly<Saves>,
    /** Saves what is left. Rejects, after all others, with the first failure. */
    async end() {
      clearInterval(timer)
      const ended = async (): Promise<void> =>
        void (await Promise.all(Array.from(busy.values(), ({ saving }) => saving)))
      // What is being saved may fail, and is then tried once more.
      while (busy.size > 0) await ended()
      look()
      isOver = true
      while (busy.size > 0 || waiting.size > failedAtEnd.size) {
        start()
        await ended()
      }
      for (const error of failedAtEnd.values()) throw error
    },
  }
}
