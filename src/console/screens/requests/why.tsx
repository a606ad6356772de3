import type { JournalEntry } from '../../../mock/journal-entry.ts'
import { Curl } from '../../parts/copy.tsx'
import { Waiting } from '../../parts/layout.tsx'
import { Quote } from '../../parts/quote.tsx'
import { change, useResource } from '../../resource.ts'
import { href } from '../../route.ts'

/** What `GET /explain/{id}` returns. */
interface Explanation {
  kind: 'clause' | 'choice'
  id: string
  section: string
  sentence: string
  question?: string
  options?: { value: string; meaning: string }[]
  default?: string
  chosen?: string
}

/** The sentence, the option or the rule that made a response. */
export function Why({ entry: { reason, rule, source } }: { entry: JournalEntry }) {
  return (
    <section>
      <h3>Why this response?</h3>
      {rule === 'prefer' && (
        <p>
          The request asked for it with its header <code>Prefer</code>.
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
        rule === undefined && <p class="soft">Nothing is known of it.</p>
      ) : (
        <Reason id={reason} />
      )}
    </section>
  )
}

function Reason({ id }: { id: string }) {
  const { data, error } = useResource<Explanation>(`/explain/${encodeURIComponent(id)}`)
  if (data === undefined) return <Waiting error={error} />
  return (
    <>
      {data.question && <p class="question">{data.question}</p>}
      <Quote
        text={data.sentence}
        source={data.kind === 'choice' ? `${data.section} leaves this unspecified` : data.section}
        id={data.id}
      />
      {data.options !== undefined && <Options behavior={{ ...data, options: data.options }} />}
    </>
  )
}

/** The options of an unspecified behavior, with a button that switches to each. */
function Options({ behavior }: { behavior: Explanation & { options: { value: string; meaning: string }[] } }) {
  const { data: settings } = useResource<{ profile: Record<string, string> }>('/settings')
  const active = settings?.profile[behavior.id]

  const choose = (value: string): Promise<boolean> =>
    change(`${behavior.id} is now ${value}. It applies to the next request.`, 'PATCH', '/settings', {
      profile: { [behavior.id]: value },
    })

  return (
    <>
      <ul class="options">
        {behavior.options.map(({ value, meaning }) => (
          <li key={value} class={value === active ? 'is-active' : ''}>
            <div>
              <code>{value}</code>
              {value === behavior.chosen && <span class="tag good">made this response</span>}
              {value === active && value !== behavior.chosen && <span class="tag">active now</span>}
              {value === behavior.default && <span class="tag">default</span>}
              <p>{meaning}</p>
            </div>
            {value !== active && (
              <button type="button" class="small" aria-label={`Switch to ${value}`} onClick={() => void choose(value)}>
                Switch
              </button>
            )}
          </li>
        ))}
      </ul>
      <p class="soft">
        A switch applies to the next request. <a href={href('behavior', behavior.id)}>All unspecified behaviors</a>
      </p>
      <Curl method="PATCH" path="/settings" body={{ profile: { [behavior.id]: behavior.chosen ?? active ?? '' } }} />
    </>
  )
}
