import type { ExactPet } from 'petstore-kit'

/** What the page knows of the list at one moment. */
export type Listing = { state: 'loading' } | { state: 'shown'; pets: ExactPet[] } | { state: 'failed'; message: string }

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
  if (listing.pets.length === 0) return <p role="status">There are no such pets.</p>
  return (
    <ul aria-label="Pets">
      {listing.pets.map(({ id, name, categoryId, status }) => (
        // A bigint must not go through a number: its text is exact.
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
