import type { ComponentChildren } from 'preact'
import { setQuery, useRoute } from '../state/route.ts'

/** A search field, and what else narrows the list, from its first page on. All are part of the URL. */
export function Search({
  label,
  placeholder = label,
  children,
}: {
  label: string
  placeholder?: string
  children?: ComponentChildren
}) {
  const { query } = useRoute()
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={query['search'] ?? ''}
        onInput={(event) => setQuery({ search: event.currentTarget.value, page: undefined })}
      />
      {children}
    </form>
  )
}

/** A checkbox that narrows the list. `value`: that of `only` in the URL when it is checked. */
export function Only({ value, children }: { value: string; children: ComponentChildren }) {
  const { query } = useRoute()
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={query['only'] !== undefined}
        onChange={(event) => setQuery({ only: event.currentTarget.checked ? value : undefined })}
      />
      {children}
    </label>
  )
}
