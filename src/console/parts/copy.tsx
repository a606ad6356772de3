import { curlOf } from '../state/api.ts'
import { say } from '../state/feedback.tsx'
import type { JsonValue } from '../../json.ts'
import { RowButton } from './layout.tsx'

/** Copies a text. `what` may end with a sentence of its own. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    if (navigator.clipboard === undefined) copySelected(text)
    else await navigator.clipboard.writeText(text)
    say(`Copied ${what}${what.endsWith('.') ? '' : '.'}`)
  } catch {
    say(
      'The browser blocked copying: the page must have the focus and be loaded from this machine or over HTTPS.',
      true,
    )
  }
}

/** Pages from another machine without HTTPS have no clipboard, but they may copy a selection. */
function copySelected(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  // oxlint-disable-next-line typescript/no-deprecated -- It is the only way there.
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('The selection was not copied.')
}

/** A button that copies a text. With a label, it is an item of a menu, which it closes. */
export function Copy({ text, what, label }: { text: string; what: string; label?: string }) {
  return label === undefined ? (
    <RowButton verb="Copy" name={what} onClick={() => copy(text, what)} />
  ) : (
    <button
      type="button"
      disabled={text === ''}
      onClick={(event) => {
        void copy(text, what)
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
      }}
    >
      {label}
    </button>
  )
}

/** The curl line that does the same as the form. */
export function Curl({
  method,
  path,
  body,
}: {
  method: string
  path: string
  body?: JsonValue | object
}) {
  const line = curlOf(method, path, body)
  return (
    <details class="curl">
      <summary>The same with curl</summary>
      <Snippet line={line} what="the curl line" />
    </details>
  )
}

/** A command to copy. */
export function Snippet({ line, what }: { line: string; what: string }) {
  return (
    <div class="snippet">
      <pre tabIndex={0}>
        <code>{line}</code>
      </pre>
      <Copy text={line} what={what} />
    </div>
  )
}
