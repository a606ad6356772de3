import type { ExactPet } from 'petstore-kit'

/** The state of the list. */
export type Listing =
  | { state: 'loading' }
  | { state: 'shown'; pets: ExactPet[] }
  | { state: 'failed'; message: string }

export function PetList({ listing, onRetry }: { listing: Listing; onRetry: () => void }) {
  if (listing.state === 'loading') return <p role="status">Loading …</p>
  if (listing.state === 'failed') {
    return (
      <div role="alert">
        <p>{listing.message}</p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </div>
    )
  }
  if (listing.pets.length === 0) return <p role="status">No pets found.</p>
  return (
    <ul aria-label="Pets">
      {listing.pets.map(({ id, name, categoryId, status }) => (
        // The text of a bigint is exact; a number would round it.
        <li key={String(id)}>
          <strong>{name}</strong> <small>no. {String(id)}</small>
          <span>
            category {String(categoryId)}
            {status !== undefined && `, ${status}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
