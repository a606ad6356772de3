import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that components follow. */
export interface Cell<Value> {
  get: () => Value
  set: (next: Value) => void
  /** Calls back after each change; returns what ends that. */
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

/** The value of a cell; the component renders again when it changes. */
export function useCell<Value>(source: Cell<Value>): Value {
  const [, render] = useState<unknown>()
  const value = source.get()
  useLayoutEffect(() => {
    // It may have changed since this was rendered.
    render(source.get())
    return source.follow(() => render(source.get()))
  }, [source])
  return value
}

/** A cell that this browser remembers, in this tab alone or in all. */
export function remembered(storage: Storage, name: string, initial: string): Cell<string> {
  const source = cell(storage.getItem(name) ?? initial)
  source.follow(() => storage.setItem(name, source.get()))
  return source
}
