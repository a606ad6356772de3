import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { mockUrl, sandbox, token } from '../state/api.ts'
import { copy, Copy, Curl } from '../parts/copy.tsx'
import { Empty, Head, Submit, Waiting } from '../parts/layout.tsx'
import { change, useResource } from '../state/resource.ts'
import { enter, setQuery, useRoute } from '../state/route.ts'
import { useCell } from '../state/store.ts'
import { invitationOf, isOnlyHere } from './invitation.ts'

/** Sandboxes that are shown at first, and added by "Show more". */
const step = 100

/** The sandboxes of the mock: each has pets, rules, a clock and a journal of its own. */
export function Sandboxes() {
  const { data, error } = useResource<ControlSchemas['Sandboxes']>('/sandboxes?scores=true')
  const shown = useCell(sandbox)
  const { search = '' } = useRoute().query
  const [most, setMost] = useState(step)
  if (data === undefined) return <Waiting error={error} />
  const all = data.sandboxes
  const found = all.filter(({ name }) => name.includes(search.toLowerCase()))
  return (
    <>
      <Head
        title="Sandboxes"
        lead="Each sandbox key has its own copy of the pets, and its own rules, clock and journal. Use one per tester, test or partner."
      />
      <div class="stack form-and-list">
        <NewSandbox />
        {data.sandboxes.length === 0 && (
          <Empty title="There are no sandboxes yet">
            <p>
              Create one here, or send a request with a key from <code>petstore key NAME</code>.
            </p>
          </Empty>
        )}
        {all.length > step && (
          <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
            <input
              type="search"
              aria-label="Search sandboxes"
              placeholder="Search sandboxes"
              value={search}
              onInput={(event) => setQuery({ search: event.currentTarget.value })}
            />
          </form>
        )}
        <ul class="cards">
          {found
            .toSorted((a, b) => (a.name < b.name ? -1 : 1))
            .slice(0, most)
            .map((one) => (
              <SandboxCard key={one.name} summary={one} isShown={one.name === shown} />
            ))}
        </ul>
        {found.length > most && (
          <p>
            <button type="button" onClick={() => setMost(most + step)}>
              Show {Math.min(step, found.length - most)} more of {found.length}
            </button>
          </p>
        )}
        {data.dropped > 0 && (
          <p class="soft">{data.dropped} were dropped because the capacity was reached.</p>
        )}
      </div>
    </>
  )
}

function NewSandbox() {
  const [name, setName] = useState('')
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (await change(`Created the sandbox ${name}.`, 'POST', '/sandboxes', { name })) setName('')
  }
  return (
    <form class="card narrow" onSubmit={(event) => void submit(event)}>
      <label>
        Name of a new sandbox
        <input
          required
          placeholder="team-a"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <Submit>Create a sandbox</Submit>
      <Curl method="POST" path="/sandboxes" body={{ name: name || 'team-a' }} />
    </form>
  )
}

function SandboxCard({
  summary: { name, key, pets, requests, score },
  isShown,
}: {
  summary: ControlSchemas['Sandbox']
  isShown: boolean
}) {
  const path = `/sandboxes/${name}`
  const { data: settings } = useResource<ControlSchemas['Settings']>('/settings')
  function invite(): void {
    const text = invitationOf(
      { name, key },
      { mockUrl, basePath: settings?.basePath ?? '', isGuarded: token.get() !== '' },
    )
    const hint = isOnlyHere(mockUrl)
      ? ' Its address is for this machine only: to invite others, start the mock with --host.'
      : ''
    void copy(text, `the invitation of ${name}.${hint}`)
  }
  return (
    <li class={isShown ? 'card stack is-open' : 'card stack'}>
      <div class="head">
        <h2>{name}</h2>
        {isShown && <span class="tag good">shown now</span>}
      </div>
      <dl class="facts">
        <div>
          <dt>Pets</dt>
          <dd>{pets}</dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd>{requests}</dd>
        </div>
        <div>
          <dt>Score</dt>
          <dd>{score ?? '–'}</dd>
        </div>
      </dl>
      <p class="key">
        <code>{key}</code>
        <Copy text={key} what={`the key of ${name}`} />
      </p>
      <div class="actions">
        {isShown ? (
          <button type="button" onClick={() => enter('')}>
            Leave
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            aria-label={`Enter ${name}`}
            onClick={() => enter(name, 'requests')}
          >
            Enter
          </button>
        )}
        <button type="button" aria-label={`Invite to ${name}`} onClick={invite}>
          Invite
        </button>
        <button
          type="button"
          aria-label={`Reset ${name}`}
          onClick={() =>
            confirm(`Reset everything in ${name}?`) &&
            void change(`Reset ${name}.`, 'POST', `${path}/reset`)
          }
        >
          Reset
        </button>
        <button
          type="button"
          class="danger"
          aria-label={`Delete ${name}`}
          onClick={() => {
            if (!confirm(`Delete ${name} and everything in it?`)) return
            if (isShown) enter('')
            void change(`Deleted ${name}.`, 'DELETE', path)
          }}
        >
          Delete
        </button>
      </div>
    </li>
  )
}
