import { useLayoutEffect, useState } from 'preact/hooks'

/** An observable value. */
export interface Cell<Value> {
  get: () => Value
  set: (next: Value) => void
  /** Calls the listener after each change, until the returned function is called. */
  follow: (listener: () => void) => () => void
}

export function cell<Value>(initial: Value): Cell<Value> {
  const listeners = new Set<() => void>()
  let value = initial
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The value of a cell. The component renders again when it changes. */
export function useCell<Value>(source: Cell<Value>): Value {
  const [, render] = useState<unknown>()
  const value = source.get()
  useLayoutEffect(() => {
    // It may have changed since the component was rendered.
    render(source.get())
    return source.follow(() => render(source.get()))
  }, [source])
  return value
}

/** A cell that is stored in this browser. */
export function remembered(storage: Storage, name: string, initial: string): Cell<string> {
  const source = cell(storage.getItem(name) ?? initial)
  source.follow(() => storage.setItem(name, source.get()))
  return source
}
