import { useEffect } from 'preact/hooks'
import { pathOf, read, sandbox, token } from './api.ts'
import { type Cell, cell, useCell } from './store.ts'

/** What was last read of an operation. */
export interface Loaded<Value> {
  data?: Value
  error?: string
}

const all = new Map<string, { state: Cell<Loaded<unknown>>; isStale: boolean; isUsed: number }>()

function entryFor(path: string) {
  const whole = pathOf(path)
  const found = all.get(whole) ?? { state: cell<Loaded<unknown>>({}), isStale: true, isUsed: 0 }
  all.set(whole, found)
  return found
}

async function load(path: string): Promise<void> {
  const entry = entryFor(path)
  entry.isStale = false
  try {
    entry.state.set({ data: await read(path) })
  } catch (error) {
    entry.isStale = true
    entry.state.set({ ...entry.state.get(), error: (error as Error).message })
  }
}

/** What an operation returns, read again whenever it changes in the mock. */
export function useResource<Value>(path: string): Loaded<Value> {
  const name = useCell(sandbox)
  const key = useCell(token)
  useEffect(() => hold(path), [path, name, key])
  return useCell(entryFor(path).state) as Loaded<Value>
}

/** Keeps what an operation returns up to date until the returned function is called. */
function hold(path: string): () => void {
  const entry = entryFor(path)
  entry.isUsed += 1
  if (entry.isStale) void load(path)
  return () => void (entry.isUsed -= 1)
}

/** Reads again what begins with one of these paths: at once where it is shown, else when it is shown next. */
export function refresh(...paths: readonly string[]): void {
  for (const [whole, entry] of all) {
    const path = whole.replace(/^\/sandboxes\/[^/]+(?=\/)/, '')
    if (!paths.some((start) => path.startsWith(start))) continue
    entry.isStale = true
    if (entry.isUsed > 0 && whole === pathOf(path)) void load(path)
  }
}
