import { useEffect } from 'preact/hooks'
import { parseJson } from '../json.ts'
import { ApiError, pathOf, sandbox, send, token } from './api.ts'
import { act } from './parts/feedback.tsx'
import { type Cell, cell, useCell } from './store.ts'

/** What was last read of an operation. */
export interface Loaded<Value> {
  data?: Value
  /** How many there are in all, where only a page was read. */
  total?: number
  error?: string
}

interface Entry {
  state: Cell<Loaded<unknown>>
  isStale: boolean
  users: number
  isLoading: boolean
}

const all = new Map<string, Entry>()
/** What stays the same as long as the mock runs. */
const fixed = /^\/(?:openapi|explain|requirements|behaviors|deviations)/

/** What is kept for screens that are left: more is forgotten. */
const mostUnused = 100

function entryFor(whole: string): Entry {
  const found = all.get(whole)
  if (found !== undefined) return found
  const unused = [...all].filter(([, { users }]) => users === 0)
  for (const [path] of unused.slice(0, -mostUnused)) all.delete(path)
  const entry = { state: cell<Loaded<unknown>>({}), isStale: true, users: 0, isLoading: false }
  all.set(whole, entry)
  return entry
}

async function load(whole: string): Promise<void> {
  const entry = entryFor(whole)
  if (entry.isLoading) return
  entry.isLoading = true
  entry.isStale = false
  try {
    const response = await send('GET', whole)
    const total = response.headers.get('x-total-count')
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    entry.state.set({ data: isJson ? parseJson(text) : text, ...(total !== null && { total: Number(total) }) })
  } catch (error) {
    entry.isStale = true
    // What was read before a lost connection is better than nothing; what is gone is not.
    entry.state.set({ ...(!(error instanceof ApiError) && entry.state.get()), error: (error as Error).message })
    return
  } finally {
    entry.isLoading = false
  }
  // What changed meanwhile may not be in it.
  if (entry.isStale && entry.users > 0) await load(whole)
}

/** What an operation returns, read again whenever it changes in the mock. The path is that of the shown sandbox. */
export function useResource<Value>(path: string): Loaded<Value> {
  useCell(sandbox)
  const key = useCell(token)
  const whole = pathOf(path)
  useEffect(() => hold(whole), [whole, key])
  return useCell(entryFor(whole).state) as Loaded<Value>
}

/** Keeps what an operation returns up to date until the returned function is called. */
function hold(whole: string): () => void {
  const entry = entryFor(whole)
  entry.users += 1
  if (entry.isStale) void load(whole)
  return () => void (entry.users -= 1)
}

/** Reads again what begins with one of these paths, in any sandbox; all that can change where there are none. */
export function refresh(...paths: readonly string[]): void {
  for (const [whole, entry] of all) {
    const path = whole.replace(/^\/sandboxes\/[^/]+(?=\/)/, '')
    if (paths.length === 0 ? fixed.test(path) : !paths.some((start) => path.startsWith(start))) continue
    entry.isStale = true
    if (entry.users > 0) void load(whole)
  }
}

/** Words that say that something is done, and the request to the control API that does it. */
type Change = readonly [done: string, method: string, path: string, body?: object | string | undefined]

/** Changes something in the shown sandbox, says how it went, and reads what may have changed. Returns whether it worked. */
export const change = (...of: Change): Promise<boolean> => apply(here(of))

/** The same, and offers for a while to change it back: in the same sandbox, whichever is shown by then. */
export const changeWithUndo = (of: Change, undo: Change): Promise<boolean> => apply(here(of), here(undo))

const here = ([done, method, path, body]: Change): Change => [done, method, pathOf(path), body]

async function apply([done, method, path, body]: Change, undo?: Change): Promise<boolean> {
  const isDone = await act(done, () => send(method, path, body), undo && (() => apply(undo)))
  refresh()
  return isDone
}

/** Changes all pets of the shown sandbox, and offers those from before. */
export async function replacePets(...of: Change): Promise<boolean> {
  const pets = await send('GET', pathOf('/pets')).catch(() => undefined)
  // What fails here fails again, and says why.
  return pets === undefined
    ? change(...of)
    : changeWithUndo(of, ['Restored the pets from before.', 'PUT', '/pets', await pets.text()])
}
