import { useEffect } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { Curl } from '../parts/copy.tsx'
import { Empty, Head, Waiting } from '../parts/layout.tsx'
import { Quote, words } from '../parts/quote.tsx'
import { Only, Search } from '../parts/search.tsx'
import { change, useResource } from '../state/resource.ts'
import { href, useRoute } from '../state/route.ts'
import { ProfileActions } from './profile-actions.tsx'

type Behavior = ControlSchemas['BehaviorExplanation']

/** Every unspecified behavior, with the current option of the sandbox. */
export function Behaviors() {
  const { id, query } = useRoute()
  const { data, error } = useResource<ControlSchemas['Behaviors']>('/behaviors')
  const { data: settings } = useResource<{ profile: Record<string, string> }>('/settings')
  useEffect(() => {
    if (id !== undefined && data !== undefined) document.getElementById(id)?.scrollIntoView()
  }, [id, data])
  if (data === undefined || settings === undefined) return <Waiting error={error} />
  const { profile } = settings
  const differs = (one: Behavior): boolean => profile[one.id] !== one.default
  const { search = '', only } = query
  const found = data.behaviors.filter(
    (one) =>
      (only === undefined || differs(one)) &&
      `${one.id} ${one.question} ${one.section}`.toLowerCase().includes(search.toLowerCase()),
  )
  const sections = [...new Set(found.map(({ section }) => section))]
  const changed = data.behaviors.filter(differs)
  return (
    <>
      <Head
        title="Behavior"
        lead="Behavior that the specification does not define: another service may use any of these options. Changes apply from the next request."
      >
        <ProfileActions
          profile={profile}
          defaults={Object.fromEntries(data.behaviors.map((one) => [one.id, one.default]))}
        />
      </Head>
      <Search label="Search behaviors">
        <Only value="changed">Show only changed ({changed.length})</Only>
      </Search>
      {found.length === 0 && (
        <Empty title={search ? 'No behavior matches' : 'Every behavior has its default option'}>
          <p>
            <a href={href('behavior')}>Show all behaviors</a>
          </p>
        </Empty>
      )}
      {sections.map((section) => (
        <section key={section} class="stack">
          <h2>{section}</h2>
          {found
            .filter((one) => one.section === section)
            .map((one) => (
              <BehaviorCard
                key={one.id}
                behavior={one}
                active={profile[one.id] ?? one.default}
                isOpen={one.id === id}
              />
            ))}
        </section>
      ))}
    </>
  )
}

export const choose = (id: string, value: string): Promise<boolean> =>
  change(`${id} is now ${value}. Applies from the next request on.`, 'PATCH', '/settings', {
    profile: { [id]: value },
  })

function BehaviorCard({
  behavior,
  active,
  isOpen,
}: {
  behavior: Behavior
  active: string
  isOpen: boolean
}) {
  const { id, question, options, sentence, section, why, safe } = behavior
  const isKnown = options.some(({ value }) => value === active)
  const all = isKnown ? options : [...options, { value: active, meaning: 'as set' }]
  return (
    <fieldset id={id} class={isOpen ? 'card behavior is-open' : 'card behavior'}>
      <legend class="hidden">{words(question)}</legend>
      <div class="head">
        <p>
          <strong>{words(question)}</strong>{' '}
          {active !== behavior.default && <span class="tag warn">differs from the default</span>}
        </p>
        <code class="soft">{id}</code>
      </div>
      <div class="toggles">
        {all.map(({ value, meaning }) => (
          <label key={value} class="toggle">
            <input
              type="radio"
              name={id}
              checked={value === active}
              onChange={() => void choose(id, value)}
            />
            <span>
              <code>{value}</code> {value === behavior.default && <span class="tag">default</span>}
              <span class="soft"> {meaning}</span>
            </span>
          </label>
        ))}
      </div>
      <details>
        <summary class="soft">Text of the specification</summary>
        <div class="stack">
          <Quote text={sentence} source={section} id={id} />
          <p>A client is safe with every option if it {words(safe)}.</p>
          <p class="soft">Why this default: {why}</p>
          <Curl method="PATCH" path="/settings" body={{ profile: { [id]: active } }} />
        </div>
      </details>
    </fieldset>
  )
}
