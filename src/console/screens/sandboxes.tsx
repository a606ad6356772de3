import { useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { mockUrl, sandbox, token } from '../state/api.ts'
import { copy, Copy, Curl } from '../parts/copy.tsx'
import { Columns, Empty, Head, RowButton, Waiting } from '../parts/layout.tsx'
import { Search } from '../parts/search.tsx'
import { change, useResource } from '../state/resource.ts'
import { enter, useRoute } from '../state/route.ts'
import { useCell } from '../state/store.ts'
import { invitationOf, isOnlyHere } from './invitation.ts'

/** Sandboxes that are shown at first, and added by "Show more". */
const step = 100

/** The sandboxes of the mock: each has pets, rules, a clock and a journal of its own. */
export function Sandboxes() {
  const { data, error } = useResource<ControlSchemas['Sandboxes']>('/sandboxes?scores=true')
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
      <NewSandbox />
      {all.length > step && <Search label="Search sandboxes" />}
      {all.length === 0 ? (
        <Empty title="There are no sandboxes yet">
          <p>
            Create one here, or send a request with a key from <code>petstore key NAME</code>.
          </p>
        </Empty>
      ) : (
        <table>
          <caption class="hidden">Sandboxes</caption>
          <Columns
            names={{
              Name: '',
              Key: 'wide',
              Pets: 'number wide',
              Requests: 'number wide',
              Score: 'number',
              Actions: '',
            }}
          />
          <tbody>
            {found
              .toSorted((a, b) => (a.name < b.name ? -1 : 1))
              .slice(0, most)
              .map((one) => (
                <Row key={one.name} summary={one} />
              ))}
          </tbody>
        </table>
      )}
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
      <Curl method="POST" path="/sandboxes" body={{ name: 'team-a' }} />
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
    <form class="filters" onSubmit={(event) => void submit(event)}>
      <input
        required
        aria-label="Name of a new sandbox"
        placeholder="Name"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit">Create a sandbox</button>
    </form>
  )
}

function Row({
  summary: { name, key, pets, requests, score },
}: {
  summary: ControlSchemas['Sandbox']
}) {
  const isShown = useCell(sandbox) === name
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
    <tr class={isShown ? 'is-open' : ''}>
      <th scope="row" class="whole">
        {name}
      </th>
      <td class="wide whole">
        <code>{key}</code> <Copy text={key} what={`the key of ${name}`} />
      </td>
      <td class="number wide">{pets}</td>
      <td class="number wide">{requests}</td>
      <td class="number">{score ?? '–'}</td>
      <td class="actions end">
        <RowButton
          verb={isShown ? 'Leave' : 'Open'}
          name={name}
          onClick={() => (isShown ? enter('') : enter(name, 'requests'))}
        />
        <button type="button" class="small" aria-label={`Invite to ${name}`} onClick={invite}>
          Invite
        </button>
        <RowButton
          verb="Reset"
          name={name}
          onClick={() =>
            confirm(`Reset everything in ${name}?`) &&
            change(`Reset ${name}.`, 'POST', `${path}/reset`)
          }
        />
        <RowButton
          verb="Delete"
          name={name}
          kind="danger"
          onClick={() => {
            if (!confirm(`Delete ${name} and everything in it?`)) return
            if (isShown) enter('')
            void change(`Deleted ${name}.`, 'DELETE', path)
          }}
        />
      </td>
    </tr>
  )
}
