import type { ComponentChildren } from 'preact'
import { setQuery, useRoute } from '../route.ts'

/** Searches a list, or narrows it to some of its rows; both stand in the link of the screen. */
export function Search({
  label,
  placeholder = label,
  only,
  children,
}: {
  label: string
  placeholder?: string
  /** What the link says when the list is narrowed. */
  only: string
  /** Which rows are left then. */
  children: ComponentChildren
}) {
  const { query } = useRoute()
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={query['search'] ?? ''}
        onInput={(event) => setQuery({ search: event.currentTarget.value })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={query['only'] !== undefined}
          onChange={(event) => setQuery({ only: event.currentTarget.checked ? only : undefined })}
        />
        {children}
      </label>
    </form>
  )
}
