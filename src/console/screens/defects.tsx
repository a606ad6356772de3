import type { ControlSchemas } from '../../control.gen.ts'
import { Curl } from '../parts/copy.tsx'
import { Columns, Empty, Head, Waiting } from '../parts/layout.tsx'
import { words } from '../parts/quote.tsx'
import { Only, Search } from '../parts/search.tsx'
import { change, useResource } from '../state/resource.ts'
import { href, useRoute } from '../state/route.ts'

/** The deliberate defects of the sandbox. */
function useDefects(): {
  active: readonly string[]
  set: (ids: readonly string[]) => Promise<boolean>
} {
  const { data } = useResource<ControlSchemas['Settings']>('/settings')
  return {
    active: data?.defects ?? [],
    set(ids) {
      const done =
        ids.length === 0
          ? 'All deliberate defects are off.'
          : `On from the next request: ${ids.join(', ')}.`
      return change(done, 'PATCH', '/settings', { defects: ids })
    },
  }
}

/** All deliberate defects, grouped by the requirement that they break. */
export function Defects() {
  const { query } = useRoute()
  const { data, error } = useResource<ControlSchemas['Defects']>('/defects')
  const { active, set } = useDefects()
  if (data === undefined) return <Waiting error={error} />
  const { search = '', only } = query
  const found = data.defects.filter(
    ({ id, requirement, description, sentence }) =>
      (only === undefined || active.includes(id)) &&
      `${id} ${requirement} ${description} ${sentence}`
        .toLowerCase()
        .includes(search.toLowerCase()),
  )
  const requirements = [...new Set(found.map(({ requirement }) => requirement))]
  const isNarrow = search !== '' || only !== undefined
  return (
    <>
      <Head
        title="Defects"
        lead="Break a requirement on purpose, to see whether a client or a test detects it."
      >
        <button type="button" disabled={active.length === 0} onClick={() => void set([])}>
          Turn all off
        </button>
      </Head>
      <Search label="Search defects" placeholder="Search by id, requirement or words">
        <Only value="active">Show only active ({active.length})</Only>
      </Search>
      <p class="soft count" role="status">
        {found.length} of {data.defects.length} defects, {requirements.length}{' '}
        {requirements.length === 1 ? 'requirement' : 'requirements'}
      </p>
      {found.length === 0 ? (
        <Empty title={search ? 'No defect matches' : 'No defect is on'}>
          <p>
            <a href={href('defects')}>Show all defects</a>
          </p>
        </Empty>
      ) : (
        <table>
          <caption class="hidden">Requirements and the defects that break them</caption>
          <Columns names={{ Requirement: '', Defects: 'number' }} />
          <tbody>
            {requirements.map((requirement) => (
              <Group
                key={requirement}
                requirement={requirement}
                defects={found.filter((one) => one.requirement === requirement)}
                active={active}
                isOpen={isNarrow}
                onChange={(id, isOn) =>
                  void set(isOn ? [...active, id] : active.filter((one) => one !== id))
                }
              />
            ))}
          </tbody>
        </table>
      )}
      <Curl
        method="PATCH"
        path="/settings"
        body={{ defects: active.length > 0 ? active : ['list.limit-ignored'] }}
      />
    </>
  )
}

function Group({
  requirement,
  defects,
  active,
  isOpen,
  onChange,
}: {
  requirement: string
  defects: ControlSchemas['Defects']['defects']
  active: readonly string[]
  isOpen: boolean
  onChange: (id: string, isOn: boolean) => void
}) {
  const on = defects.filter(({ id }) => active.includes(id)).length
  return (
    <tr>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- The summary has its text. */}
      <td>
        <details open={isOpen || on > 0}>
          <summary>
            <code class="soft">{requirement}</code> {words(defects[0]?.sentence ?? '')}
          </summary>
          <div class="toggles">
            {defects.map(({ id, description }) => (
              <label key={id} class="toggle">
                <input
                  type="checkbox"
                  checked={active.includes(id)}
                  onChange={(event) => onChange(id, event.currentTarget.checked)}
                />
                <span>
                  <code>{id}</code> <span class="soft">{description}</span>
                </span>
              </label>
            ))}
          </div>
        </details>
      </td>
      <td class="number">{on > 0 ? <span class="tag bad">{on} on</span> : defects.length}</td>
    </tr>
  )
}
