import type { PetStatus } from 'petstore-kit'
import { useCallback, useEffect, useState } from 'react'

import { AddPet } from './add-pet.tsx'
import { type Listing, PetList } from './pet-list.tsx'
import { type PetStore, PetStoreError } from './pet-store.ts'

const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

export function Page({ store }: { store: PetStore }) {
  const [status, setStatus] = useState<PetStatus>()
  const [listing, setListing] = useState<Listing>({ state: 'loading' })
  const [loads, setLoads] = useState(0)
  const reload = useCallback(() => setLoads((count) => count + 1), [])

  useEffect(() => {
    // A late response to an earlier filter is ignored.
    const abort = new AbortController()
    const show = (next: Listing): void => {
      if (!abort.signal.aborted) setListing(next)
    }
    setListing({ state: 'loading' })
    store.list(status, abort.signal).then(
      (pets) => show({ state: 'shown', pets }),
      (error: unknown) => {
        const message =
          error instanceof PetStoreError ? error.message : 'The response was not valid.'
        show({ state: 'failed', message })
      },
    )
    return () => abort.abort()
  }, [store, status, loads])

  return (
    <main>
      <h1>Pet store</h1>
      <label>
        Show{' '}
        <select
          value={status ?? ''}
          onChange={({ target }) => setStatus(statuses.find((one) => one === target.value))}
        >
          <option value="">all pets</option>
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <PetList listing={listing} onRetry={reload} />
      <AddPet
        statuses={statuses}
        add={async (pet) => {
          const added = await store.add(pet)
          reload()
          return added
        }}
      />
    </main>
  )
}
