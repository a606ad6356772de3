import type { PetStatus } from 'petstore-kit'
import { useCallback, useEffect, useState } from 'react'

import { AddPet } from './add-pet.tsx'
import { type Listing, PetList } from './pet-list.tsx'
import { type PetStore, PetStoreError } from './pet-store.ts'

const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

export function Page({ store }: { store: PetStore }) {
  const [status, setStatus] = useState<PetStatus>()
  const [listing, setListing] = useState<Listing>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  const again = useCallback(() => setTurn((last) => last + 1), [])

  useEffect(() => {
    // Who filters twice must not see the answer to the first when it is late.
    const leaving = new AbortController()
    const tell = (news: Listing): void => {
      if (!leaving.signal.aborted) setListing(news)
    }
    setListing({ state: 'loading' })
    store.list(status, leaving.signal).then(
      (pets) => tell({ state: 'shown', pets }),
      (error: unknown) => {
        const message = error instanceof PetStoreError ? error.message : 'The pet store sent something odd.'
        tell({ state: 'failed', message })
      },
    )
    return () => leaving.abort()
  }, [store, status, turn])

  return (
    <main>
      <h1>Pet store</h1>
      <label>
        Show{' '}
        <select value={status ?? ''} onChange={({ target }) => setStatus(statuses.find((one) => one === target.value))}>
          <option value="">all pets</option>
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <PetList listing={listing} onRetry={again} />
      <AddPet
        statuses={statuses}
        add={async (pet) => {
          const added = await store.add(pet)
          again()
          return added
        }}
      />
    </main>
  )
}
