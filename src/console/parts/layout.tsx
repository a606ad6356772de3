import type { ComponentChildren } from 'preact'
import type { JournalSummary } from '../../mock/journal-entry.ts'
import { setQuery } from '../route.ts'

/** The head of a screen: its name, what it is for, and its actions. */
export function Head({ title, lead, children }: { title: string; lead?: string; children?: ComponentChildren }) {
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="soft">{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

/** The button that sends a form. */
export function Submit({ end = false, children }: { end?: boolean; children: string }) {
  return (
    <div class={end ? 'actions end' : 'actions'}>
      <button type="submit" class="primary">
        {children}
      </button>
    </div>
  )
}

/** The head of a table: the classes of each column by its name. */
export function Columns({ names }: { names: Readonly<Record<string, string>> }) {
  return (
    <thead>
      <tr>
        {Object.entries(names).map(([name, style]) => (
          <th key={name} scope="col" class={style}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** What stands where there is nothing yet. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

/** What stands until something is loaded, or when it cannot be. */
export function Waiting({ error }: { error: string | undefined }) {
  return error === undefined ? <p class="soft">Loading…</p> : <p class="notice bad">{error}</p>
}

/** What the client got: a status with the color of its class, or the fault that kept it from getting one. */
export function Status({ response: { status }, fault }: Pick<JournalSummary, 'response' | 'fault'>) {
  if (fault === 'reset' || fault === 'silence') return <span class="status s5">{fault}</span>
  return <span class={`status s${Math.floor(status / 100)}`}>{status}</span>
}

/** A time as the user's clock shows it; the title has it in UTC. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  const text = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(11, 23)
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {text}
    </time>
  )
}

/** A filter of the address. */
export function Choose({
  name,
  label,
  value,
  options,
}: {
  name: string
  label: string
  value: string | undefined
  options: readonly string[]
}) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{label}: all</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  )
}
