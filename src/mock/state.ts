import { notify } from './message.ts'
import type { Engine } from './mock.ts'
import type { SandboxState } from './sandbox.ts'

/** The whole state of a mock but its journals: a plain value, which `printJson` and `parseJson` keep as it is. */
export interface MockState {
  /** That of the mock's own keys first, whose name is null, then the least recently used first. */
  readonly sandboxes: readonly { readonly name: string | null; readonly state: SandboxState }[]
}

/** @throws {UsageError} when this version does not know the form or the settings of a state. */
export function restoreState({ enter }: Engine, { sandboxes }: MockState): void {
  for (const { name, state } of sandboxes) enter(name).machine.restore(state)
}

/** How often a change is looked for, in milliseconds, and how many times longer than keeping it took. */
const keepMs = 200
const keepShare = 4

/**
 * Hands the state over while it changes. Requests pay nothing: what has changed is found by looking.
 *
 * @param isKept whether the state at the start is kept already
 */
export function createKeeper(
  { all }: Engine,
  {
    keep,
    isKept,
    onNotice,
  }: {
    keep: (state: MockState) => Promise<void>
    isKept: boolean
    onNotice?: (notice: string) => void
  },
): { end: () => Promise<void> } {
  const stamps = (): readonly unknown[] => all().flatMap(({ machine }) => [machine, ...machine.stamps])
  let kept = isKept ? stamps() : []
  let last = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let hasWarned = false

  function onFunction(id: string): void {
    if (hasWarned || onNotice === undefined) return
    hasWarned = true
    notify(onNotice, `${id} is a function, which is not part of the state: it will not be there after the next start.`)
  }
  async function look(): Promise<void> {
    const now = stamps()
    if (now.length === kept.length && now.every((stamp, index) => stamp === kept[index])) return
    const sandboxes = all().map(({ sandbox, machine }) => ({
      name: sandbox.name ?? null,
      state: machine.save(onFunction),
    }))
    await keep({ sandboxes })
    kept = now
  }
  function schedule(ms: number): void {
    timer = setTimeout(() => {
      const startedAt = performance.now()
      const goOn = (): void => {
        if (!isOver) schedule(Math.max(keepMs, (performance.now() - startedAt) * keepShare))
      }
      last = look().then(goOn, goOn)
    }, ms)
  }
  schedule(0)
  return {
    async end() {
      isOver = true
      clearTimeout(timer)
      await last
      await look()
    },
  }
}
