import { useEffect } from 'preact/hooks'
import { parseJson } from '../../json.ts'
import { ApiError, pathOf, sandbox, send, token } from './api.ts'
import { act } from './feedback.tsx'
import { type Cell, cell, useCell } from './store.ts'

/** The latest response of an operation. */
export interface Loaded<Value> {
  data?: Value
  /** The number of all items, if the response is a page of them. */
  total?: number
  error?: string
}

interface Entry {
  state: Cell<Loaded<unknown>>
  isStale: boolean
  users: number
  isLoading: boolean
  /** When it may be loaded again after an event: looking must not slow what one looks at. */
  restUntil: number
  timer?: ReturnType<typeof setTimeout> | undefined
}

/** After a response that took a second, the next one is requested ten seconds later. */
const restFactor = 10

const all = new Map<string, Entry>()
/** Paths whose responses never change while the mock runs. */
const fixed = /^\/(?:openapi|explain|requirements|behaviors|defects)/

/** Responses that are kept although no screen shows them. */
const mostUnused = 100

function entryFor(whole: string): Entry {
  const found = all.get(whole)
  if (found !== undefined) return found
  const unused = [...all].filter(([, { users }]) => users === 0)
  for (const [path] of unused.slice(0, -mostUnused)) all.delete(path)
  const entry = {
    state: cell<Loaded<unknown>>({}),
    isStale: true,
    users: 0,
    isLoading: false,
    restUntil: 0,
  }
  all.set(whole, entry)
  return entry
}

async function load(whole: string): Promise<void> {
  const entry = entryFor(whole)
  if (entry.isLoading) return
  clearTimeout(entry.timer)
  entry.timer = undefined
  entry.isLoading = true
  entry.isStale = false
  const since = performance.now()
  try {
    const response = await send('GET', whole)
    const total = response.headers.get('x-total-count')
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    entry.state.set({
      data: isJson ? parseJson(text) : text,
      ...(total !== null && { total: Number(total) }),
    })
  } catch (error) {
    entry.isStale = true
    // While the connection is lost, old data is better than none; after an error response it is not.
    entry.state.set({
      ...(!(error instanceof ApiError) && entry.state.get()),
      error: (error as Error).message,
    })
    return
  } finally {
    entry.isLoading = false
    const now = performance.now()
    entry.restUntil = now + restFactor * (now - since)
  }
  // A change during the request may be missing from the response.
  if (entry.isStale) loadLater(whole)
}

/** Loads a response again that somebody can see. */
function loadLater(whole: string): void {
  const entry = entryFor(whole)
  if (entry.users === 0 || document.hidden) return
  entry.timer ??= setTimeout(
    () => {
      entry.timer = undefined
      if (entry.users > 0 && !document.hidden) void load(whole)
    },
    Math.max(0, entry.restUntil - performance.now()),
  )
}

/** Loads what has changed while the page was hidden. */
export function refreshShown(): void {
  for (const [whole, { isStale }] of all) if (isStale) loadLater(whole)
}

/** The response of an operation in the current sandbox, requested again after each change in the mock. */
export function useResource<Value>(path: string): Loaded<Value> {
  useCell(sandbox)
  const key = useCell(token)
  const whole = pathOf(path)
  useEffect(() => hold(whole), [whole, key])
  return useCell(entryFor(whole).state) as Loaded<Value>
}

/** Keeps the response of an operation up to date until the returned function is called. */
function hold(whole: string): () => void {
  const entry = entryFor(whole)
  entry.users += 1
  if (entry.isStale) void load(whole)
  return () => void (entry.users -= 1)
}

/** Requests everything below these paths again, in any sandbox; without paths, everything that can change. */
export function refresh(...paths: readonly string[]): void {
  for (const [whole, entry] of all) {
    const path = whole.replace(/^\/sandboxes\/[^/]+(?=\/)/, '')
    if (paths.length === 0 ? fixed.test(path) : !paths.some((start) => path.startsWith(start)))
      continue
    entry.isStale = true
    if (paths.length > 0) loadLater(whole)
    else if (entry.users > 0) void load(whole)
  }
}

/** A success message, which may need the response, and the request to the control API. */
type Change = readonly [
  done: string | ((response: Response) => Promise<string>),
  method: string,
  path: string,
  body?: object | string | undefined,
  /** The file that the body comes from. */
  file?: string | undefined,
]

/** Changes the current sandbox, shows the result, and refreshes all data. Returns whether it succeeded. */
export const change = (...of: Change): Promise<boolean> => apply(here(of))

/** Also offers Undo for a few seconds. It applies to the same sandbox, even if another one is shown by then. */
export const changeWithUndo = (
  of: Change,
  undo: Change | ((response: Response) => Change),
): Promise<boolean> => {
  const base = pathOf('')
  return apply(here(of), (response) => {
    const [done, method, path, body] = typeof undo === 'function' ? undo(response) : undo
    return [done, method, base + path, body]
  })
}

const here = ([done, method, path, ...rest]: Change): Change => [
  done,
  method,
  pathOf(path),
  ...rest,
]

async function apply(
  [done, method, path, body, file]: Change,
  undoOf?: (response: Response) => Change,
): Promise<boolean> {
  let undo: Change | undefined
  let text = ''
  const isDone = await act(
    () => text,
    async () => {
      const response = await send(method, path, body)
      undo = undoOf?.(response)
      text = typeof done === 'string' ? done : await done(response)
    },
    undoOf && (() => undo && apply(undo)),
    file,
  )
  refresh()
  return isDone
}

/** Replaces all pets of the current sandbox, with Undo. */
export async function replacePets(...of: Change): Promise<boolean> {
  const pets = await send('GET', pathOf('/pets')).catch(() => undefined)
  // The change fails for the same reason, and shows it.
  return pets === undefined
    ? change(...of)
    : changeWithUndo(of, ['Restored the pets from before.', 'PUT', '/pets', await pets.text()])
}
