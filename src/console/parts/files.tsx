import { pathOf, send } from '../state/api.ts'
import { act } from '../state/feedback.tsx'

/** Downloads a text as a file. */
export function download(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** A button to choose a file. Its transparent input covers it, so that a file can also be dropped there. */
export function FileButton({ label, onFile }: { label: string; onFile: (file: File) => void }) {
  return (
    <label class="button file">
      {label}
      <input
        type="file"
        accept="application/json,.json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file !== undefined) onFile(file)
          // Otherwise, choosing the same file again would not trigger a change.
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}

/** Downloads the response of an operation as a file. */
export async function saveFrom(path: string, name: string, type?: string): Promise<void> {
  await act(`Saved ${name}.`, async () =>
    download(name, await (await send('GET', pathOf(path))).text(), type),
  )
}
