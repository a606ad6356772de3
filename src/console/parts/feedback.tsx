import { ApiError } from '../api.ts'
import { cell, useCell } from '../store.ts'

const notice = cell<{ text: string; isBad: boolean; undo?: (() => unknown) | undefined } | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Says what happened, for a few seconds, and offers the way back. */
export function say(text: string, isBad = false, undo?: () => unknown): void {
  clearTimeout(timer)
  notice.set({ text, isBad, undo })
  timer = setTimeout(() => notice.set(undefined), isBad || undo ? 12_000 : 5_000)
}

/** Does something to the mock, and says how it went. Returns whether it worked. */
export async function act(done: string, action: () => Promise<unknown>, undo?: () => unknown): Promise<boolean> {
  try {
    await action()
    say(done, false, undo)
    return true
  } catch (error) {
    say(error instanceof ApiError ? error.message : `The mock cannot be reached: ${(error as Error).message}`, true)
    return false
  }
}

/** The place of these messages; screen readers read them out. */
export function Notices() {
  const shown = useCell(notice)
  return (
    <div class="notices" role="status">
      {shown && (
        <p class={shown.isBad ? 'notice bad' : 'notice'}>
          {shown.text}
          {shown.undo && (
            <button type="button" class="small undo" onClick={shown.undo}>
              Undo
            </button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => notice.set(undefined)}>
            ×
          </button>
        </p>
      )}
    </div>
  )
}
