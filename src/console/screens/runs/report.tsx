import { useState } from 'preact/hooks'
import { pathOf, send } from '../../api.ts'
import { Curl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { act } from '../../parts/feedback.tsx'
import { download, saveFrom } from '../../parts/files.tsx'
import { Submit, Waiting } from '../../parts/layout.tsx'
import { useResource } from '../../resource.ts'

/** A run of the suite, as the control API has it. */
export interface Run {
  id: string
  target: string
  startedAt: string
  endedAt?: string
  state: 'running' | 'ended' | 'cancelled' | 'failed'
  progress: { done: number; of: number; check?: string }
  verdict?: 'conforms' | 'violates' | 'not-verified'
  counts?: { verified: number; violated: number; notVerified: number; requests: number }
  message?: string
}

const formats = { json: 'application/json', html: 'text/html', markdown: 'text/markdown', junit: 'application/xml' }

/** The report of a run, its comparison with an earlier one, and what can be made of it. */
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
            Save as {name === 'markdown' ? 'Markdown' : name === 'junit' ? 'JUnit' : name.toUpperCase()}
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
      {html === undefined ? (
        <Waiting error={error} />
      ) : (
        // A frame cannot send a token. This one has no origin and runs no script, under its own policy and that of the console.
        <iframe class="report" title={`HTML report of ${run.id}`} sandbox="" srcdoc={html} />
      )}
      {isBaseline && <BaselineDialog id={run.id} onClose={() => setBaseline(false)} />}
    </section>
  )
}

interface Change {
  id: string
  before: string
  after: string
}

/** What differs from another run. */
function Comparison({ id, other }: { id: string; other: string }) {
  const { data, error } = useResource<{
    requirements: { regressed: Change[]; fixed: Change[]; incomparable: Change[]; same: number }
    behaviors: { differing: Change[]; same: number }
  }>(`/runs/${id}/compare?with=${other}`)
  if (data === undefined) return <Waiting error={error} />
  const { requirements, behaviors } = data
  const groups: [title: string, color: string, changes: Change[]][] = [
    ['regressed', 'bad', requirements.regressed],
    ['fixed', 'good', requirements.fixed],
    ['not comparable', '', requirements.incomparable],
    ['behaves otherwise', 'warn', behaviors.differing],
  ]
  const isSame = groups.every(([, , changes]) => changes.length === 0)
  return (
    <div class="card stack">
      <h2>Compared with {other}</h2>
      {isSame && <p>No difference.</p>}
      <ul class="stack">
        {groups.flatMap(([title, color, changes]) =>
          changes.map((one) => (
            <li key={`${title} ${one.id}`}>
              <span class={`tag ${color}`}>{title}</span> <code>{one.id}</code>{' '}
              <span class="soft">
                {one.before} → {one.after}
              </span>
            </li>
          )),
        )}
      </ul>
      <p class="soft">
        {requirements.same} requirements and {behaviors.same} behaviors are the same.
      </p>
    </div>
  )
}

/** Accepts the failures of a run for a while. */
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
          <input required value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
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
