import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type {
  Comparison as Compared,
  ReportedExchange,
} from '../../../contract/report/report.gen.ts'
import type { SuiteRun as Run } from '../../../mock/schemas/schemas.gen.ts'
import { count } from '../../../report/text.ts'
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
  const { causes, consequences } = splitRegressed(data)
  const requirementGroups = [
    ['Regressed', 'bad', causes],
    ['Probably consequences', '', consequences],
    ['Fixed', 'good', requirements.fixed],
    ['Not comparable', '', requirements.incomparable],
  ] as const
  const behaviorGroups = [
    ['Different behavior', 'warn', behaviors.differing],
    ['Seen in one run', '', behaviors.oneSided],
  ] as const
  return (
    <details class="card changes">
      <summary>
        <strong>Changed since {other}:</strong> {summaryOf(data)}
      </summary>
      {requirementGroups.map(([title, color, changes]) => (
        <Group key={title} title={title} count={changes.length}>
          {changes.map((change) => (
            <Difference key={change.id} color={color} change={change}>
              <p>{change.message}</p>
              {change.exchange && (
                <>
                  <Snippet line={change.exchange.curl} what={`the curl line of ${change.id}`} />
                  <Explained id={change.id} />
                </>
              )}
            </Difference>
          ))}
        </Group>
      ))}
      {behaviorGroups.map(([title, color, changes]) => (
        <Group key={title} title={title} count={changes.length}>
          {changes.map((change) => (
            <Difference key={change.id} color={color} change={change}>
              <p>{words(change.question)}</p>
              <p>A client is safe with both if it {words(change.safe)}.</p>
              <Shown name={other} exchange={change.exchanges.before} />
              <Shown name={id} exchange={change.exchanges.after} />
            </Difference>
          ))}
        </Group>
      ))}
      <p class="soft">
        {requirements.same} requirements and {behaviors.same} behaviors are the same;{' '}
        {behaviors.unknown} {behaviors.unknown === 1 ? 'behavior was' : 'behaviors were'} not
        observed in both.
      </p>
    </details>
  )
}

/** A regression that follows from another one has no exchange of its own. */
function splitRegressed({ requirements: { regressed } }: Compared) {
  return {
    causes: regressed.filter(({ exchange }) => exchange !== undefined),
    consequences: regressed.filter(({ exchange }) => exchange === undefined),
  }
}

/** `1 regression (and 6 consequences), 2 different behaviors` */
function summaryOf(data: Compared): string {
  const { requirements, behaviors } = data
  const { causes, consequences } = splitRegressed(data)
  const also =
    consequences.length === 0 ? '' : ` (and ${count(consequences.length, 'consequence')})`
  const parts = [
    [causes.length, `${count(causes.length, 'regression')}${also}`],
    [requirements.fixed.length, `${requirements.fixed.length} fixed`],
    [requirements.incomparable.length, `${requirements.incomparable.length} not comparable`],
    [behaviors.differing.length, count(behaviors.differing.length, 'different behavior')],
    [behaviors.oneSided.length, `${count(behaviors.oneSided.length, 'behavior')} seen in one run`],
  ] as const
  return (
    parts.flatMap(([number, words]) => (number === 0 ? [] : [words])).join(', ') ||
    'no known differences'
  )
}

/** Changes of one kind; nothing without any. */
function Group({
  title,
  count: number,
  children,
}: {
  title: string
  count: number
  children: ComponentChildren
}) {
  if (number === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h3>
        {title} ({number})
      </h3>
      <ul class="stack">{children}</ul>
    </section>
  )
}

/** The change of a requirement or a behavior. */
function Difference({
  color,
  change: { id, before, after },
  children,
}: {
  color: string
  change: { id: string; before: string; after: string }
  children: ComponentChildren
}) {
  return (
    <li>
      <details class="issue">
        <summary>
          <code>{id}</code>{' '}
          <span class={`tag ${color}`}>
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
