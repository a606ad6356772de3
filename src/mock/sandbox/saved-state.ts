import { notify } from '../service/message.ts'
import type { ControlledSandbox } from './sandbox.ts'
import type { SandboxState } from './machine.ts'
import type { StoreState } from '../pets/store.ts'

/** The complete state of a mock except its journals: a plain value that survives `printJson` and `parseJson`. */
export interface MockState {
  /** The sandbox of the mock's own keys, whose name is null, then the least recently used first. */
  readonly sandboxes: readonly { readonly name: string | null; readonly state: SandboxState }[]
}

/** Puts something else in place of the pets of a state and of those of its snapshots, in this order. */
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
  /** When the latest success was; 0 for never. */
  lastAt: number
}

/** The interval of polling for changes: at least 200 ms, and four times as long as saving took. */
const keepMs = 200
const keepShare = 4

/** Calls `keep` with each changed state; `isKept`: the initial one is saved already. Polling costs requests nothing. */
export function createKeeper(
  all: () => readonly ControlledSandbox[],
  keep: (state: MockState) => Promise<void>,
  isKept: boolean,
  onNotice: (notice: string) => void = () => {},
): { end: () => Promise<void>; isKept: () => boolean; saves: Readonly<Saves> } {
  const versions = (): readonly unknown[] =>
    all().flatMap(({ machine }) => [machine, ...Object.values(machine.versions)])
  let kept = isKept ? versions() : []
  let last = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let hasWarned = false
  let hasFailed = false
  const saves: Saves = { succeeded: 0, failed: 0, lastAt: 0 }

  function onFunction(id: string): void {
    if (hasWarned) return
    hasWarned = true
    notify(
      onNotice,
      `${id} is a function, which is not part of the state: it will not be there after the next start.`,
    )
  }
  async function keepChanges(): Promise<void> {
    const now = versions()
    if (now.length === kept.length && now.every((version, index) => version === kept[index])) return
    const sandboxes = all().map(({ sandbox, machine }) => ({
      name: sandbox.name ?? null,
      state: machine.save(onFunction),
    }))
    try {
      await keep({ sandboxes })
      hasFailed = false
      saves.succeeded += 1
      saves.lastAt = Date.now()
    } catch (error) {
      hasFailed = true
      saves.failed += 1
      throw error
    }
    kept = now
  }
  function schedule(ms: number): void {
    timer = setTimeout(() => {
      const startedAt = performance.now()
      const goOn = (): void => {
        if (!isOver) schedule(Math.max(keepMs, (performance.now() - startedAt) * keepShare))
      }
      last = keepChanges().then(goOn, goOn)
    }, ms)
  }
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
