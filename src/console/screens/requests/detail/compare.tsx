import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { isLost } from '../../../../mock/schemas/faults.ts'
import { inert } from '../../../../report/text.ts'
import { rows } from '../../../state/live.ts'
import { Waiting } from '../../../parts/layout.tsx'
import { href, type Query } from '../../../state/route.ts'
import { useCell } from '../../../state/store.ts'
import { diff, shown } from './body.ts'
import { useEntry } from './entry.ts'

/** The maximum number of requests in the menu. */
const mostOffered = 50

/** A menu of earlier requests, those of the same operation first. */
export function CompareWith({ entry, query }: { entry: JournalEntry; query: Query }) {
  const earlier = useCell(rows)
    .filter(({ number }) => number < entry.number)
    .toReversed()
    .toSorted(
      (a, b) => Number(b.operation === entry.operation) - Number(a.operation === entry.operation),
    )
    .slice(0, mostOffered)
  if (earlier.length === 0) return null
  return (
    <select
      aria-label="Compare with an earlier request"
      value=""
      onChange={(event) => {
        location.hash = href('requests', entry.number, {
          ...query,
          compare: event.currentTarget.value,
        })
      }}
    >
      <option value="">Compare with…</option>
      {earlier.map(({ number, request, response, fault }) => (
        <option key={number} value={number}>
          #{number} {isLost(fault) ? fault : response.status} {request.method}{' '}
          {inert(request.target.slice(0, 60))}
        </option>
      ))}
    </select>
  )
}

/** A line diff of two requests and their responses. */
export function Compare({ number, other, query }: { number: string; other: string; query: Query }) {
  const { entry: now, error } = useEntry(number)
  const { entry: before, error: otherError } = useEntry(other)
  const { compare: _, ...rest } = query
  return (
    <>
      <header class="head">
        <h2>
          #{number} compared with #{other}
        </h2>
        <a class="button" href={href('requests', number, rest)}>
          Close
        </a>
      </header>
      {now === undefined || before === undefined ? (
        <Waiting error={error ?? otherError} />
      ) : (
        (['request', 'response'] as const).map((part) => (
          <Difference
            key={part}
            title={part}
            before={linesOf(before, part)}
            now={linesOf(now, part)}
          />
        ))
      )}
    </>
  )
}

function Difference({ title, before, now }: { title: string; before: string[]; now: string[] }) {
  const lines = diff(before, now)
  const isSame = lines.every(({ sign }) => sign === ' ')
  return (
    <section>
      <h3>{title === 'request' ? 'Request' : 'Response'}</h3>
      {isSame ? (
        <p class="soft">No difference.</p>
      ) : (
        <pre class="diff" tabIndex={0} aria-label={`Differences of the ${title}`}>
          {lines.map(({ sign, line }, index) => (
            <span key={index} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
              {sign} {line}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </section>
  )
}

function linesOf(entry: JournalEntry, part: 'request' | 'response'): string[] {
  const { headers, body } = entry[part]
  const first =
    part === 'request'
      ? `${entry.request.method} ${entry.request.target}`
      : String(entry.response.status)
  const fields = Object.entries(headers).map(
    ([name, value]) => `${name}: ${[value].flat().join(', ')}`,
  )
  return [first, ...fields.toSorted(), ...(body === '' ? [] : ['', ...shown(body).split('\n')])]
}
