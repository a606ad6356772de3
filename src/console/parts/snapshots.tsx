import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { change, replacePets, useResource } from '../state/resource.ts'
import { Curl } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { RowButton, Waiting } from './layout.tsx'

/** Saves and restores snapshots of the pets. */
export function Snapshots() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Snapshots
      </button>
      {isOpen && (
        <Dialog title="Snapshots of the pets" onClose={() => setOpen(false)}>
          <SnapshotList />
        </Dialog>
      )}
    </>
  )
}

function SnapshotList() {
  const { data, error } = useResource<ControlSchemas['Snapshots']>('/snapshots')
  const [name, setName] = useState(
    () => `before-${new Date().toISOString().slice(11, 19).replaceAll(':', '')}`,
  )

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    await change(`Saved the pets as ${name}.`, 'PUT', `/snapshots/${name}`)
  }

  return (
    <div class="stack">
      <form class="actions" onSubmit={(event) => void submit(event)}>
        <input
          aria-label="Name of the snapshot"
          required
          pattern="[A-Za-z0-9_.\-]{1,100}"
          title="Letters, digits, dots, hyphens and underscores"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Save a snapshot
        </button>
      </form>
      {data === undefined ? (
        <Waiting error={error} />
      ) : data.snapshots.length === 0 ? (
        <p class="soft">None yet. A snapshot saves all pets of this sandbox under a name.</p>
      ) : (
        <ul class="rows">
          {data.snapshots.toReversed().map((one) => (
            <li key={one.name}>
              <span>
                <strong>{one.name}</strong>{' '}
                <span class="soft">
                  {one.pets} pets
                  <span class="wide">, {one.savedAt.slice(11, 19)} UTC</span>
                </span>
              </span>
              <span class="actions">
                <RowButton
                  verb="Restore"
                  name={one.name}
                  onClick={() =>
                    replacePets(
                      `Restored the pets of ${one.name}.`,
                      'POST',
                      `/snapshots/${one.name}/restore`,
                    )
                  }
                />
                <RowButton
                  verb="Delete"
                  name={one.name}
                  kind="danger"
                  onClick={() =>
                    confirm(`Delete ${one.name}?`) &&
                    change(`Deleted ${one.name}.`, 'DELETE', `/snapshots/${one.name}`)
                  }
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Curl method="PUT" path={`/snapshots/${name}`} />
    </div>
  )
}
