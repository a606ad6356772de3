import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { printJson } from '../../json.ts'
import { Dialog } from '../parts/dialog.tsx'
import { download, FileButton } from '../parts/files.tsx'
import { change } from '../state/resource.ts'
import { Submit } from '../parts/layout.tsx'

type Profile = Readonly<Record<string, string>>

/** Loads a profile from a file, picks random options, or exports the profile. */
export function ProfileActions({ profile, defaults }: { profile: Profile; defaults: Profile }) {
  const [isShuffling, setShuffling] = useState(false)
  async function take(file: File): Promise<void> {
    const done = async (taken: Response): Promise<string> => {
      const { leftOut } = (await taken.json()) as ControlSchemas['ProfileTaken']
      const notice = `From the next request on, the mock behaves according to ${file.name}.`
      return leftOut.length === 0
        ? notice
        : `${notice}\nIt does not support what the file says about ${leftOut.join(', ')}, and uses the default.`
    }
    await change(done, 'PUT', '/settings/profile', await file.text(), file.name)
  }
  const goBack = (): Promise<boolean> =>
    change('Every behavior now has its default option.', 'PATCH', '/settings', {
      profile: defaults,
    })

  return (
    <>
      <FileButton label="Load a profile or report" onFile={(file) => void take(file)} />
      <button type="button" onClick={() => setShuffling(true)}>
        Shuffle
      </button>
      <button type="button" onClick={() => download('profile.json', `${printJson(profile, 2)}\n`)}>
        Export
      </button>
      <button
        type="button"
        disabled={Object.entries(defaults).every(([id, option]) => profile[id] === option)}
        onClick={() => void goBack()}
      >
        Back to the defaults
      </button>
      {isShuffling && <ShuffleDialog onClose={() => setShuffling(false)} />}
    </>
  )
}

function ShuffleDialog({ onClose }: { onClose: () => void }) {
  const [seed, setSeed] = useState(String(Math.floor(Math.random() * 1_000)))
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const done = `From the next request on, the mock uses the options of --vary ${seed}.`
    if (await change(done, 'POST', '/settings/vary', { seed: Number(seed) })) onClose()
  }
  return (
    <Dialog title="Shuffle the options" onClose={onClose}>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <p class="soft">
          Another conforming service for each seed: a client that relies on an unspecified behavior
          fails with one of them. <code>petstore mock --vary SEED</code> selects the same options.
        </p>
        <label>
          Seed
          <input
            required
            inputMode="numeric"
            pattern="[0-9]{1,9}"
            title="An integer"
            value={seed}
            onInput={(event) => setSeed(event.currentTarget.value)}
          />
        </label>
        <Submit end>Shuffle</Submit>
      </form>
    </Dialog>
  )
}
