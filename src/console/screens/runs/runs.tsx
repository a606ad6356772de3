import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../../control.gen.ts'
import { parseJson } from '../../../json.ts'
import { count, inert } from '../../../report/text.ts'
import { pathOf, send } from '../../state/api.ts'
import { Curl } from '../../parts/copy.tsx'
import { Empty, Head, Waiting } from '../../parts/layout.tsx'
import { act } from '../../state/feedback.tsx'
import { change, refresh, useResource } from '../../state/resource.ts'
import { href, useRoute } from '../../state/route.ts'
import { RunReport } from './report.tsx'

/** Runs the suite against this mock or a configured deployment. */
export function Runs() {
  const { id } = useRoute()
  const { data, error } = useResource<ControlSchemas['Runs']>('/runs')
  const run = data?.runs.find((one) => one.id === id)
  return (
    <>
      <Head
        title="Contract run"
        lead="Run the contract suite against this mock, in a new sandbox with the settings of this one, or against a deployment in petstore.config.json."
      />
      {data === undefined ? (
        <Waiting error={error} />
      ) : (
        <>
          <div class="stack form-and-list">
            <NewRun
              targets={data.targets}
              isBusy={data.runs.some(({ state }) => state === 'running')}
            />
            {data.runs.length === 0 ? (
              <Empty title="No runs yet">
                <p>
                  A run takes a few seconds. Turn a deliberate defect on first to see how the suite
                  finds it.
                </p>
              </Empty>
            ) : (
              <ul class="stack" aria-label="Runs">
                {data.runs.toReversed().map((one) => (
                  <RunCard key={one.id} run={one} isOpen={one.id === id} />
                ))}
              </ul>
            )}
          </div>
          {run?.verdict !== undefined && <RunReport key={run.id} run={run} runs={data.runs} />}
        </>
      )}
    </>
  )
}

function NewRun({ targets, isBusy }: { targets: readonly string[]; isBusy: boolean }) {
  const [target, setTarget] = useState('mock')
  const [isReadOnly, setReadOnly] = useState(false)
  const [only, setOnly] = useState('')
  const ids = only.split(/[\s,]+/).filter(Boolean)
  const body = {
    ...(target !== 'mock' && { deployment: target }),
    ...(isReadOnly && { readOnly: true }),
    ...(ids.length > 0 && { only: ids }),
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    await act('The run has started.', async () => {
      const response = await send('POST', pathOf('/runs'), body)
      const { id } = parseJson(await response.text()) as { id: string }
      // Its report follows when it ends.
      location.hash = href('runs', id)
    })
    refresh()
  }

  return (
    <form class="card" aria-label="New run" onSubmit={(event) => void submit(event)}>
      <div class="columns">
        <label>
          Target
          <select value={target} onChange={(event) => setTarget(event.currentTarget.value)}>
            {targets.map((name) => (
              <option key={name} value={name}>
                {name === 'mock' ? 'this mock' : name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Only these requirements or checks
          <input
            placeholder="all, or for example list.status.*"
            value={only}
            onInput={(event) => setOnly(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          Run the suite
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isReadOnly}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
          Create no pets
        </label>
      </div>
      <Curl method="POST" path="/runs" body={body} />
    </form>
  )
}

const verdicts = {
  conforms: ['good', 'pass'],
  violates: ['bad', 'fail'],
  'not-verified': ['warn', 'inconclusive'],
} as const

function RunCard({ run, isOpen }: { run: ControlSchemas['Run']; isOpen: boolean }) {
  const { id, target, startedAt, state, progress, verdict, counts, summary, message } = run
  const [verb, done] = state === 'running' ? ['Cancel', 'Cancelled'] : ['Delete', 'Deleted']
  const [color, word] = verdict === undefined ? ['', state] : verdicts[verdict]
  return (
    <li class={isOpen ? 'card is-open' : 'card'}>
      <div class="head">
        <p>
          {verdict === undefined ? <code>{id}</code> : <a href={href('runs', id)}>{id}</a>} against{' '}
          <strong>{target === 'mock' ? 'this mock' : target}</strong>{' '}
          <span class={`tag ${color}`}>{word}</span>{' '}
          <span class="soft">
            {startedAt.slice(0, 19).replace('T', ' ')} UTC
            {counts !== undefined && `, ${count(counts.requests, 'request')}`}
            {summary !== undefined && `: ${inert(summary)}`}
          </span>
        </p>
        <button
          type="button"
          class={state === 'running' ? 'small' : 'small danger'}
          aria-label={`${verb} ${id}`}
          onClick={() =>
            (state === 'running' || confirm(`Delete ${id} and its report?`)) &&
            void change(`${done} ${id}.`, 'DELETE', `/runs/${id}`)
          }
        >
          {verb}
        </button>
      </div>
      {state === 'running' && (
        <label>
          <span class="soft">
            {progress.of === 0
              ? 'Starting…'
              : progress.done === progress.of
                ? 'All checks have run. Checking their findings again…'
                : `${progress.done} of ${progress.of} checks${progress.check === undefined ? '' : `: ${progress.check}`}`}
          </span>
          <progress value={progress.done} max={progress.of || 1} />
        </label>
      )}
      {message !== undefined && <p class="notice bad">{message}</p>}
    </li>
  )
}
