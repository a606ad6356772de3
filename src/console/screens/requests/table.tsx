import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JournalSummary as Row } from '../../../mock/journal/entry.ts'
import { isLost } from '../../../mock/schemas/faults.ts'
import { inert } from '../../../report/text.ts'
import { Columns, Status, Time } from '../../parts/layout.tsx'
import { words } from '../../parts/quote.tsx'
import { href, type Query } from '../../state/route.ts'
import { isMade } from './detail/why.tsx'

/** Rows that are shown at first, and added by "Show more". */
const step = 200
/** Older rows that are shown below a linked one. */
const neighbors = 20
/** Characters of a target or a message in a row. */
const mostShown = 300

/** The newest request first; equal ones in a row are one, with their number. */
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
  /** The first requests of the groups that are shown in full. */
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const isOpen = (row: Row): boolean => String(row.number) === open
  const groups = groupsOf(rows).flatMap((group) =>
    unfolded.has(first(group).number) || group.slice(0, -1).some(isOpen)
      ? group.map((row) => [row])
      : [group],
  )
  const at = groups.findIndex((group) => group.some(isOpen))
  const isThere = at !== -1
  const shown = groups
    .slice(isThere ? Math.min(groups.length - most, Math.max(0, at - neighbors)) : -most)
    .toReversed()
  const isNew = (index: number): boolean =>
    shown[index]?.[0]?.client !== shown[index - 1]?.[0]?.client
  const heads = shown.filter((_, index) => isNew(index)).length
  // Clients that take turns would have a heading for each request.
  const hasHeads = heads > 1 && heads <= shown.length / 3
  const current = useRef<HTMLTableRowElement>(null)
  // A linked request is among its neighbors.
  useEffect(() => {
    if (isThere) current.current?.scrollIntoView({ block: 'nearest' })
  }, [open, isThere])
  const { compare: _, ...filter } = query
  return (
    <>
      <table class="requests">
        <caption class="hidden">Requests, the newest first</caption>
        <Columns
          names={{ '#': 'number', Time: 'wide', Status: '', Request: '', ms: 'number wide' }}
        />
        <tbody>
          {shown.map((group, index) => {
            const row = group.at(-1) ?? first(group)
            return (
              <Fragment key={row.number}>
                {hasHeads && isNew(index) && (
                  <tr class="client">
                    <th colSpan={5} scope="rowgroup">
                      {inert(row.client ?? 'no User-Agent')}
                    </th>
                  </tr>
                )}
                <tr
                  {...(isOpen(row) && { ref: current })}
                  class={isOpen(row) ? 'is-open' : ''}
                  onClick={(event) => follow(event)}
                >
                  <td class="number">{row.number}</td>
                  <td class="wide">
                    <Time at={row.at} />
                  </td>
                  <td>
                    <Status {...row} />
                  </td>
                  <td class="target">
                    {group.length > 1 && (
                      <button
                        type="button"
                        class="small plain"
                        title={`Show all ${group.length}`}
                        onClick={() => setUnfolded(new Set([...unfolded, first(group).number]))}
                      >
                        +{group.length - 1}
                      </button>
                    )}
                    <a
                      href={href('requests', row.number, filter)}
                      {...(isOpen(row) && { 'aria-current': 'true' })}
                    >
                      <span class="method">{row.request.method}</span>{' '}
                      {inert(row.request.target.slice(0, mostShown))}
                    </a>
                    <Why {...row} />
                  </td>
                  <td class="number wide">
                    {row.durationMs < 1 ? '<1' : Math.round(row.durationMs)}
                  </td>
                </tr>
              </Fragment>
            )
          })}
        </tbody>
      </table>
      {shown.length < groups.length && (
        <p>
          <button type="button" onClick={() => setMost(shown.length + step)}>
            Show {Math.min(step, groups.length - shown.length)} more
          </button>
        </p>
      )}
    </>
  )
}

const first = (group: readonly Row[]): Row => group[0] as Row

/** Only what cannot have a body of its own may be equal. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  const lookOf = (row: Row): string =>
    JSON.stringify([
      row.client,
      row.request,
      row.response,
      row.fault,
      row.message,
      whatHappened(row),
    ])
  for (const row of rows) {
    const group = groups.at(-1)
    const isEqual =
      group !== undefined && row.request.method === 'GET' && lookOf(first(group)) === lookOf(row)
    if (isEqual) group.push(row)
    else groups.push([row])
  }
  return groups
}

/** Below the target, where there is something to say. */
function Why(row: Row) {
  const { message } = row
  const happened = whatHappened(row)
  if (message === undefined && happened === '') return null
  return (
    <div class="why">
      {message !== undefined && <>{words(inert(message.slice(0, mostShown)))} </>}
      <span class={message === undefined ? '' : 'soft'}>{happened}</span>
    </div>
  )
}

/** `rule-1`, `truncated-body, rule-1` */
const whatHappened = (row: Row): string =>
  [
    !isLost(row.fault) && row.fault,
    row.abandoned && `instead of ${row.fault ?? row.response.status}`,
    reasonOf(row),
  ]
    .filter(Boolean)
    .join(', ')

function reasonOf(row: Row): string {
  const { rule, reason, source, judged, message, delayMs } = row
  if (judged !== undefined) {
    return judged.violations?.[0] === undefined
      ? (judged.reason ?? '')
      : `violates ${judged.violations[0].requirement}`
  }
  if (source.defects?.[0] !== undefined) return `defect ${source.defects[0]}`
  // A rule that let the request pass, such as a limit that is not exceeded, explains nothing.
  if (rule !== undefined && (isMade(row) || delayMs !== undefined))
    return rule === 'prefer' ? 'Prefer header' : rule
  // A message says it in words, and a success as specified needs none.
  return message === undefined && source.behavior !== undefined ? (reason ?? '') : ''
}

/** A click anywhere on a row opens it; keyboard users have the link. */
function follow({
  target,
  currentTarget,
}: {
  target: EventTarget | null
  currentTarget: HTMLElement
}): void {
  if (target instanceof Element && target.closest('a, button') !== null) return
  if (getSelection()?.type !== 'Range') currentTarget.querySelector('a')?.click()
}
