import { ApiError } from './api.ts'
import { cell, useCell } from './store.ts'

const notice = cell<
  { text: string; isBad: boolean; undo?: (() => unknown) | undefined } | undefined
>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a notice for a few seconds, optionally with Undo. */
export function say(text: string, isBad = false, undo?: () => unknown): void {
  clearTimeout(timer)
  notice.set({ text, isBad, undo })
  timer = setTimeout(() => notice.set(undefined), isBad || undo ? 12_000 : 5_000)
}

/** Runs an action, and shows its success or its error. Returns whether it succeeded. */
export async function act(
  done: string | (() => string),
  action: () => Promise<unknown>,
  undo?: () => unknown,
  /** The file that was sent as the body. */
  of?: string,
): Promise<boolean> {
  try {
    await action()
    say(typeof done === 'string' ? done : done(), false, undo)
    return true
  } catch (error) {
    say(
      error instanceof ApiError
        ? error.message.replace(/^The body\b/, of ?? 'The body')
        : `The mock cannot be reached: ${(error as Error).message}`,
      true,
    )
    return false
  }
}

/** Shows the notices; screen readers read them aloud. */
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
          <button type="button" class="small" onClick={() => notice.set(undefined)}>
            Close
          </button>
        </p>
      )}
    </div>
  )
}
