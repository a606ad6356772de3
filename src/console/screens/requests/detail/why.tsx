import type { ControlSchemas } from '../../../../control.gen.ts'
import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { inert } from '../../../../report/text.ts'
import { Curl } from '../../../parts/copy.tsx'
import { Waiting } from '../../../parts/layout.tsx'
import { Explained, Quote, useExplanation, words } from '../../../parts/quote.tsx'
import { useResource } from '../../../state/resource.ts'
import { href } from '../../../state/route.ts'
import { choose } from '../../behavior.tsx'

type Behavior = ControlSchemas['BehaviorExplanation']

/** The requirement, the option or the rule that determined the response. */
export function Why({ entry: { reason, rule, source, message } }: { entry: JournalEntry }) {
  return (
    <section>
      <h3>Why this response?</h3>
      {message !== undefined && (
        <p>
          <strong>{words(inert(message))}</strong>
        </p>
      )}
      {rule === 'prefer' && (
        <p>
          The request selected it with its header <code>Prefer</code>.
        </p>
      )}
      {rule !== undefined && rule !== 'prefer' && (
        <p>
          The rule <a href={href('rules', rule)}>{rule}</a> made it.
        </p>
      )}
      {source.defects !== undefined && (
        <p class="notice bad">
          <span>
            Deliberate defects changed it:{' '}
            {source.defects.map((id) => (
              <a key={id} class="link" href={href('defects', undefined, { search: id })}>
                {id}
              </a>
            ))}
          </span>
        </p>
      )}
      {reason === undefined ? (
        rule === undefined && <p class="soft">There is no information about it.</p>
      ) : (
        <Reason id={reason} />
      )}
    </section>
  )
}

function Reason({ id }: { id: string }) {
  const { data, error } = useExplanation(id)
  if (data === undefined) return <Waiting error={error} />
  const { section, sentence } = data
  if (data.kind === 'requirement') {
    return (
      <>
        <Quote text={sentence} source={section} id={data.id} />
        <Explained id={data.id} title="If you build the service: common causes and fix" />
      </>
    )
  }
  return (
    <>
      <p>{words(data.question)}</p>
      <Quote text={sentence} source={`${section} leaves this unspecified`} id={data.id} />
      <p>A client is safe with every option if it {words(data.safe)}.</p>
      <Options behavior={data} />
    </>
  )
}

/** The options of an unspecified behavior, with buttons to switch. */
function Options({ behavior }: { behavior: Behavior }) {
  const { data: settings } = useResource<{ profile: Record<string, string> }>('/settings')
  const active = settings?.profile[behavior.id]
  return (
    <>
      <ul class="options">
        {behavior.options.map(({ value, meaning }) => (
          <li key={value} class={value === active ? 'is-active' : ''}>
            <div>
              <code>{value}</code>
              {value === behavior.chosen && <span class="tag good">determined this response</span>}
              {value === active && value !== behavior.chosen && <span class="tag">active now</span>}
              {value === behavior.default && <span class="tag">default</span>}
              <p>{meaning}</p>
            </div>
            {value !== active && (
              <button
                type="button"
                class="small"
                aria-label={`Switch to ${value}`}
                onClick={() => void choose(behavior.id, value)}
              >
                Switch
              </button>
            )}
          </li>
        ))}
      </ul>
      <p class="soft">
        Changes apply from the next request.{' '}
        <a href={href('behavior', behavior.id)}>All unspecified behaviors</a>
      </p>
      <Curl
        method="PATCH"
        path="/settings"
        body={{ profile: { [behavior.id]: behavior.chosen ?? active ?? '' } }}
      />
    </>
  )
}
