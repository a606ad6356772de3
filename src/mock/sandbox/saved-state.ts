import { notify } from '../service/message.ts'
import type { SandboxMachine, SandboxState } from './machine.ts'
import type { ControlledSandbox } from './sandbox.ts'
import type { PetChange, StoreState } from '../pets/store.ts'
import type { Sandboxes } from './types.ts'

/** The complete state of a mock except its journals: a plain value that survives `printJson` and `parseJson`. */
export interface MockState {
  /** The sandbox of the mock's own keys, whose name is null, then the least recently used first. */
  readonly sandboxes: readonly { readonly name: string | null; readonly state: SandboxState }[]
}

/** Puts something else instead of the pets of a state and of those of its snapshots, in this order. */
export function mapPets<From, To>(
  state: SandboxState<From>,
  map: (pets: From) => To,
): SandboxState<To> {
  const inStore = (store: StoreState<From>): StoreState<To> => ({ ...store, pets: map(store.pets) })
  const pets = inStore(state.pets)
  return {
    ...state,
    pets,
    snapshots: state.snapshots.map((one) => ({ ...one, pets: inStore(one.pets) })),
  }
}

/** Pets in parts, or whatever else is too much for one string or one write. */
export const partsOf = <Item>(items: readonly Item[], size = 1_000): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )

/** What is known about saving. */
export interface Saves {
  succeeded: number
  failed: number
  /** Everything that happened before is saved; 0 for never. */
  lastAt: number
}

type NamedState = MockState['sandboxes'][number]

/** What has changed in a sandbox since its state was kept: all of it, parts of it, or it was deleted. */
export type SandboxChange = {
  readonly name: string | null
  /** The copy that includes the change. */
  readonly copy?: number
} & (
  | { readonly state: SandboxState }
  | {
      readonly parts: Partial<Omit<SandboxState, 'pets' | 'snapshots'>>
      /** `chosen` only if it has changed. */
      readonly store: Pick<StoreState, 'nextId' | 'waiting'> & Partial<Pick<StoreState, 'chosen'>>
      /** In their order. */
      readonly pets: readonly PetChange[]
    }
  | { readonly isDeleted: true }
)

/** All sandboxes one by one, each at the moment when it is read, while the mock goes on. */
export interface StateCopy {
  readonly number: number
  readonly sandboxes: Iterable<NamedState>
}

/** Keeps a state as changes after a copy. */
export interface StateLog {
  /** Keeps changes, one call at a time. After a failure it has them still, and is called again. */
  keep: (changes: readonly SandboxChange[], copyAll: () => StateCopy) => Promise<void>
  /** Whether it must be called although nothing has changed. */
  isBusy: () => boolean
  /** The pause after a call that took a number of milliseconds. */
  pauseMs: (taken: number) => number
  /** Why the mock may not respond: another one may keep its own state now. */
  rejection?: () => string | undefined
}

/** How often changes are kept. */
export const keepMs = 200
/** A function that gets everything each time is called after four times as long as it took. */
const keepShare = 4

/** Calls a function with the whole state at each change. */
export function logOf(keepState: (state: MockState) => Promise<void>): StateLog {
  let isKept = false
  return {
    async keep(_changes, copyAll) {
      isKept = false
      await keepState({ sandboxes: [...copyAll().sandboxes] })
      isKept = true
    },
    isBusy: () => !isKept,
    pauseMs: (taken) => Math.max(keepMs, taken * keepShare),
  }
}

/** What is kept of a mock. */
interface Kept {
  all: () => ControlledSandbox[]
  mock: { sandboxes: Pick<Sandboxes, 'isCurrent'> }
  /** Sandboxes that were used, and names of deleted ones. */
  unkept: { touched: Set<ControlledSandbox>; removed: Set<string> }
}

type Versions = SandboxMachine['versions'] & { chosen: number }

const versionsOf = (machine: SandboxMachine): Versions => ({
  ...machine.versions,
  chosen: machine.store.chosenCount,
})

/** Finds what has changed since the call before. Looks only at sandboxes in use. */
function createChanges({ all, mock, unkept }: Kept, onFunction: (id: string) => void) {
  const { touched, removed } = unkept
  const known = new WeakMap<SandboxMachine, Versions>()
  /** Changes that were found while a copy was made. */
  let found: SandboxChange[] = []
  let copy: { number: number; names: Set<string | null> } | undefined
  let copies = 0

  const isCurrent = ({ sandbox }: ControlledSandbox): boolean =>
    sandbox.name === undefined || mock.sandboxes.isCurrent(sandbox)

  function changeOf({ sandbox, machine }: ControlledSandbox): SandboxChange[] {
    const before = known.get(machine)
    const now = versionsOf(machine)
    const names = Object.keys(now) as (keyof Versions)[]
    if (before !== undefined && names.every((name) => before[name] === now[name])) return []
    known.set(machine, now)
    const name = sandbox.name ?? null
    const pets = machine.store.takeUnkept()
    if (before === undefined || pets === undefined || before.snapshots !== now.snapshots)
      return [{ name, state: machine.save(onFunction) }]
    const { settings, seed, clock, rules, random, defects } = machine.saveParts(onFunction)
    const { nextId, chosen, waiting } = machine.store.saveIds()
    return [
      {
        name,
        parts: {
          ...(before.settings !== now.settings && {
            settings,
            ...(seed !== undefined && { seed }),
          }),
          ...(before.clock !== now.clock && { clock }),
          ...(before.rules !== now.rules && { rules }),
          ...(before.random !== now.random && { random }),
          ...(before.memories !== now.memories && { defects }),
        },
        store: { nextId, waiting, ...(before.chosen !== now.chosen && { chosen }) },
        pets,
      },
    ]
  }

  function collect(): void {
    const deleted = Array.from(removed, (name): SandboxChange => ({ name, isDeleted: true }))
    const changed = Array.from(touched).filter(isCurrent).flatMap(changeOf)
    removed.clear()
    touched.clear()
    for (const change of [...deleted, ...changed]) {
      const isLater = copy === undefined || copy.names.has(change.name)
      found.push(isLater ? change : { ...change, copy: copy?.number ?? 0 })
    }
  }

  return {
    /** Notes that everything is kept as it is. */
    noteAll(): void {
      for (const { machine } of all()) {
        known.set(machine, versionsOf(machine))
        machine.store.takeUnkept()
      }
      touched.clear()
      removed.clear()
    },
    take(): readonly SandboxChange[] {
      collect()
      const taken = found
      found = []
      return taken
    },
    copyAll(): StateCopy {
      copies += 1
      const own = { number: copies, names: new Set<string | null>() }
      copy = own
      function* read(): Generator<NamedState> {
        // Sandboxes that are created meanwhile are read, too; a deleted one that is created again is a change.
        for (let before = -1; before < own.names.size;) {
          before = own.names.size
          for (const one of all()) {
            const name = one.sandbox.name ?? null
            if (own.names.has(name) || !isCurrent(one)) continue
            collect()
            own.names.add(name)
            yield { name, state: one.machine.save(onFunction) }
          }
        }
        if (copy === own) copy = undefined
      }
      return { number: own.number, sandboxes: read() }
    },
  }
}

/** Keeps each change soon; `isKept`: the initial state is kept already. Requests only note that a sandbox is in use. */
export function createKeeper(
  inner: Kept,
  log: StateLog,
  isKept: boolean,
  onNotice: (notice: string) => void = () => {},
): { end: () => Promise<void>; isKept: () => boolean; saves: Readonly<Saves> } {
  let last = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let hasWarned = false
  let hasFailed = false
  const saves: Saves = { succeeded: 0, failed: 0, lastAt: 0 }
  const changes = createChanges(inner, (id) => {
    if (hasWarned) return
    hasWarned = true
    notify(
      onNotice,
      `${id} is a function, which is not part of the state: it will not be there after the next start.`,
    )
  })

  async function keepChanges(): Promise<void> {
    const at = Date.now()
    const taken = changes.take()
    if (taken.length === 0 && !log.isBusy()) return
    try {
      await log.keep(taken, changes.copyAll)
      hasFailed = false
      saves.succeeded += 1
      saves.lastAt = at
    } catch (error) {
      hasFailed = true
      saves.failed += 1
      throw error
    }
  }
  function schedule(ms: number): void {
    timer = setTimeout(() => {
      const startedAt = performance.now()
      const goOn = (): void => {
        if (!isOver) schedule(log.pauseMs(performance.now() - startedAt))
      }
      last = keepChanges().then(goOn, goOn)
    }, ms)
  }
  if (isKept) changes.noteAll()
  schedule(0)
  return {
    /** False while the latest state cannot be kept. */
    isKept: () => !hasFailed,
    saves,
    async end() {
      isOver = true
      clearTimeout(timer)
      await last
      await keepChanges()
    },
  }
}
