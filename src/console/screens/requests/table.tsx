import { useState } from 'preact/hooks'
import type { JournalSummary as Row } from '../../../mock/journal/entry.ts'
import { inert } from '../../../report/text.ts'
import { Columns, Status, Time } from '../../parts/layout.tsx'
import { words } from '../../parts/quote.tsx'
import { href, type Query } from '../../state/route.ts'

/** Rows that are shown at first, and added by "Show more". */
const step = 200
/** Characters of a target or a message in a row. */
const mostShown = 300

/** The newest request first. */
export function RequestTable({
  rows,
  open,
  query,
}: {
  rows: readonly Row[]
  open: string | undefined
  query: Query
}) {
  const [most, setMost] = useState(step)
  const shown = rows.slice(-most).toReversed()
  const { compare: _, ...filter } = query
  return (
    <>
      <table class="requests">
        <caption class="hidden">Requests, the newest first</caption>
        <Columns
          names={{
            '#': 'number',
            Time: 'wide',
            Status: '',
            Request: '',
            ms: 'number wide',
            Why: 'wide',
          }}
        />
        <tbody>
          {shown.map((row) => (
            <tr
              key={row.number}
              class={String(row.number) === open ? 'is-open' : ''}
              onClick={(event) => follow(event.currentTarget)}
            >
              <td class="number">{row.number}</td>
              <td class="wide">
                <Time at={row.at} />
              </td>
              <td>
                <Status {...row} />
              </td>
              <td class="target">
                <a
                  href={href('requests', row.number, filter)}
                  {...(String(row.number) === open && { 'aria-current': 'true' })}
                >
                  <span class="method">{row.request.method}</span>{' '}
                  {inert(row.request.target.slice(0, mostShown))}
                </a>
              </td>
              <td class="number wide">{duration(row.durationMs)}</td>
              <td class="why wide">
                <Why {...row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <p>
          <button type="button" onClick={() => setMost(most + step)}>
            Show {Math.min(step, rows.length - most)} more
          </button>
        </p>
      )}
    </>
  )
}

function Why(row: Row) {
  const { message } = row
  return (
    <>
      {message !== undefined && <>{words(inert(message.slice(0, mostShown)))} </>}
      <span class={message === undefined ? '' : 'soft'}>{whatHappened(row)}</span>
    </>
  )
}

const duration = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

/** `rule-1`, `truncated-body, rule-1` */
const whatHappened = (row: Row): string =>
  [
    row.fault?.endsWith('-body') && row.fault,
    row.abandoned && `instead of ${row.fault ?? row.response.status}`,
    reasonOf(row),
  ]
    .filter(Boolean)
    .join(', ')

function reasonOf({ rule, reason, source, judged }: Row): string {
  if (judged !== undefined) {
    return judged.violations?.[0] === undefined
      ? (judged.reason ?? '')
      : `violates ${judged.violations[0].requirement}`
  }
  if (source.defects?.[0] !== undefined) return `defect ${source.defects[0]}`
  if (rule !== undefined) return rule === 'prefer' ? 'Prefer header' : rule
  return reason ?? ''
}

/** A click anywhere on a row opens it; keyboard users have the link. */
function follow(row: HTMLElement): void {
  if (getSelection()?.type !== 'Range') row.querySelector('a')?.click()
}
