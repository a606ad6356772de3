import type { ComponentChildren } from 'preact'
import { setQuery, useRoute } from '../state/route.ts'

/** A search field and a checkbox that narrows the list. Both are part of the URL. */
export function Search({
  label,
  placeholder = label,
  only,
  children,
}: {
  label: string
  placeholder?: string
  /** The value of `only` in the URL when the checkbox is checked. */
  only: string
  /** The label of the checkbox. */
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
