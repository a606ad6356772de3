import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type {
  Comparison as Compared,
  ReportedExchange,
} from '../../../contract/report/report.gen.ts'
import type { SuiteRun as Run } from '../../../mock/schemas/schemas.gen.ts'
import { pathOf, send } from '../../state/api.ts'
import { Curl, Snippet } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { act } from '../../state/feedback.tsx'
import { download, saveFrom } from '../../parts/files.tsx'
import { Submit, Waiting } from '../../parts/layout.tsx'
import { Explained, words } from '../../parts/quote.tsx'
import { useResource } from '../../state/resource.ts'
import { shown } from '../requests/detail/body.ts'

const formats = {
  json: 'application/json',
  html: 'text/html',
  markdown: 'text/markdown',
  junit: 'application/xml',
}

/** The report of a run, with its comparison, exports and baseline. */
export function RunReport({ run, runs }: { run: Run; runs: readonly Run[] }) {
  const earlier = runs.filter((one) => one.verdict !== undefined && one.startedAt < run.startedAt)
  const [other, setOther] = useState(earlier.at(-1)?.id ?? '')
  const [isBaseline, setBaseline] = useState(false)
  const { data: html, error } = useResource<string>(`/runs/${run.id}/report?reporter=html`)

  const save = (name: string, type: string): Promise<void> => {
    const extension = { markdown: 'md', junit: 'xml' }[name] ?? name
    return saveFrom(`/runs/${run.id}/report?reporter=${name}`, `${run.id}.${extension}`, type)
  }

  return (
    <section class="stack" aria-label={`Report of ${run.id}`}>
      <div class="actions">
        {Object.entries(formats).map(([name, type]) => (
          <button key={name} type="button" onClick={() => void save(name, type)}>
            Save as{' '}
            {name === 'markdown' ? 'Markdown' : name === 'junit' ? 'JUnit' : name.toUpperCase()}
          </button>
        ))}
        {run.verdict === 'violates' && (
          <button type="button" onClick={() => setBaseline(true)}>
            Make a baseline
          </button>
        )}
        {earlier.length > 0 && (
          <select
            aria-label="Compare with an earlier run"
            value={other}
            onChange={(event) => setOther(event.currentTarget.value)}
          >
            {earlier.map(({ id }) => (
              <option key={id} value={id}>
                Compare with {id}
              </option>
            ))}
          </select>
        )}
      </div>
      {html === undefined ? (
        <Waiting error={error} />
      ) : (
        // A frame cannot send the token. This one has no origin and no scripts.
        <iframe
          class="report"
          title={`HTML report of ${run.id}`}
          sandbox=""
          srcdoc={withOwnLinks(html)}
        />
      )}
      {other !== '' && <Comparison id={run.id} other={other} />}
      {isBaseline && <BaselineDialog id={run.id} onClose={() => setBaseline(false)} />}
    </section>
  )
}

/** In a frame without an address of its own, `#x` would lead to this page. */
const withOwnLinks = (html: string): string =>
  html.replaceAll(/(<a\b[^>]*? href=")#/g, '$1about:srcdoc#')

/** The differences from another run. */
function Comparison({ id, other }: { id: string; other: string }) {
  const { data, error } = useResource<Compared>(`/runs/${id}/compare?with=${other}`)
  if (data === undefined) return <Waiting error={error} />
  const { requirements, behaviors } = data
  const groups = [
    ['regressed', 'bad', requirements.regressed],
    ['fixed', 'good', requirements.fixed],
    ['not comparable', '', requirements.incomparable],
  ] as const
  return (
    <details class="card">
      <summary>
        <strong>Changed since {other}:</strong> {summaryOf(data)}
      </summary>
      <ul class="stack">
        {groups.flatMap(([title, color, changes]) =>
          changes.map((change) => (
            <Difference key={change.id} title={title} color={color} change={change}>
              <p>{change.message}</p>
              {change.exchange && (
                <>
                  <Snippet line={change.exchange.curl} what={`the curl line of ${change.id}`} />
                  <Explained id={change.id} />
                </>
              )}
            </Difference>
          )),
        )}
        {[...behaviors.differing, ...behaviors.oneSided].map((change) => (
          <Difference
            key={change.id}
            title={behaviors.differing.includes(change) ? 'behaves differently' : 'seen in one run'}
            color={behaviors.differing.includes(change) ? 'warn' : ''}
            change={change}
          >
            <p>{words(change.question)}</p>
            <p>A client is safe with both if it {words(change.safe)}.</p>
            <Shown name={other} exchange={change.exchanges.before} />
            <Shown name={id} exchange={change.exchanges.after} />
          </Difference>
        ))}
      </ul>
      <p class="soft">
        {requirements.same} requirements and {behaviors.same} behaviors are the same;{' '}
        {behaviors.unknown} {behaviors.unknown === 1 ? 'behavior was' : 'behaviors were'} not
        observed in both.
      </p>
    </details>
  )
}

/** `1 regressed, 2 behave differently`. A regression that follows from another one has no exchange of its own. */
function summaryOf({ requirements, behaviors }: Compared): string {
  const { regressed, fixed, incomparable } = requirements
  const counts = [
    [regressed.length, 'regressed'],
    [fixed.length, 'fixed'],
    [incomparable.length, 'not comparable'],
    [behaviors.differing.length, 'different behavior'],
    [behaviors.oneSided.length, 'seen in one run'],
  ] as const
  const parts = counts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))
  return parts.join(', ') || 'no known differences'
}

/** The change of a requirement or a behavior. */
function Difference({
  title,
  color,
  change: { id, before, after },
  children,
}: {
  title: string
  color: string
  change: { id: string; before: string; after: string }
  children: ComponentChildren
}) {
  return (
    <li>
      <details class="issue">
        <summary>
          <span class={`tag ${color}`}>{title}</span> <code>{id}</code>{' '}
          <span class="soft">
            {before} → {after}
          </span>
        </summary>
        <div class="stack">{children}</div>
      </details>
    </li>
  )
}

/** The exchange that showed an option in a run. */
function Shown({ name, exchange }: { name: string; exchange: ReportedExchange | undefined }) {
  if (exchange === undefined) return null
  const { request, response } = exchange
  return (
    <details>
      <summary class="soft">
        {name}: {request.method} {request.url} → {response.status}
      </summary>
      <pre tabIndex={0} aria-label={`Response in ${name}`}>
        <code>{shown(response.body)}</code>
      </pre>
    </details>
  )
}

/** Creates a baseline from the failures of a run. */
function BaselineDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [ticket, setTicket] = useState('')
  const body = { reason, ...(ticket && { ticket }) }
  const path = `/runs/${id}/baseline`

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isDone = await act('Saved baseline.json, for petstore verify --baseline.', async () => {
      const response = await send('POST', pathOf(path), body)
      download('baseline.json', await response.text())
    })
    if (isDone) onClose()
  }

  return (
    <Dialog title="Accept these failures for now" onClose={onClose}>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Reason
          <input
            required
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <label>
          Ticket
          <input value={ticket} onInput={(event) => setTicket(event.currentTarget.value)} />
        </label>
        <Curl method="POST" path={path} body={body} />
        <Submit end>Save the baseline</Submit>
      </form>
    </Dialog>
  )
}
