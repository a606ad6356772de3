import type { ComponentChildren } from 'preact'
import type { JournalSummary } from '../../mock/journal/entry.ts'
import { isLost } from '../../mock/schemas/faults.ts'
import { setQuery } from '../state/route.ts'

/** The heading of a screen, with its purpose and actions. */
export function Head({
  title,
  lead,
  children,
}: {
  title: string
  lead?: string
  children?: ComponentChildren
}) {
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

/** A button of a row; assistive technology hears the name of the row, too. */
export function RowButton({
  verb,
  name,
  kind = '',
  onClick,
}: {
  verb: string
  name: string
  kind?: string
  onClick: () => unknown
}) {
  return (
    <button
      type="button"
      class={`small ${kind}`}
      aria-label={`${verb} ${name}`}
      onClick={() => void onClick()}
    >
      {verb}
    </button>
  )
}

/** The head of a table: column names and their classes. */
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

/** A placeholder for an empty list. */
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

/** A placeholder while data is loading or cannot be loaded. */
export function Waiting({ error }: { error: string | undefined }) {
  return error === undefined ? <p class="soft">Loading…</p> : <p class="notice bad">{error}</p>
}

/** The status of a response, colored by its class, or what the client got instead. */
export function Status({
  response: { status },
  fault,
  abandoned,
}: Pick<JournalSummary, 'response' | 'fault' | 'abandoned'>) {
  if (abandoned) return <span class="status">aborted</span>
  if (isLost(fault)) return <span class="status s5">{fault}</span>
  return <span class={`status s${Math.floor(status / 100)}`}>{status}</span>
}

/** A time in the user's time zone; its title shows UTC. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  const text = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(11, 23)
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {text}
    </time>
  )
}

/** A filter in the URL. */
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
