import type { ControlSchemas } from '../../../../control.gen.ts'
import type { JournalEntry, JournalSummary } from '../../../../mock/journal/entry.ts'
import { inert } from '../../../../report/text.ts'
import { Waiting } from '../../../parts/layout.tsx'
import { Explained, Quote, useExplanation, words } from '../../../parts/quote.tsx'
import { useResource } from '../../../state/resource.ts'
import { href } from '../../../state/route.ts'
import { choose } from '../../behavior.tsx'
import { durationWords } from '../../rules/words.ts'

type Behavior = ControlSchemas['BehaviorExplanation']

/** What determined the response: the requirement, the option or the rule. */
export function Why({ entry }: { entry: JournalEntry }) {
  const { reason, rule, source, message, response } = entry
  return (
    <section>
      <h3>Why this response?</h3>
      {message !== undefined && (
        <p>
          <strong>{words(inert(message))}</strong>
        </p>
      )}
      {rule !== undefined && (
        <p>
          {rule === 'prefer' ? (
            <>
              The header <code>Prefer</code> of the request
            </>
          ) : (
            <a href={href('rules', rule)}>{rule}</a>
          )}{' '}
          {doneBy(entry)}.
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
      {isMade(entry) ? null : reason === undefined ? (
        <p class="soft">There is no information about it.</p>
      ) : (
        <Reason id={reason} isError={response.status >= 400} />
      )}
    </section>
  )
}

/** Whether a rule has made the response, and not only delayed that of the service. */
export const isMade = ({ rule, reason, source, fault }: JournalSummary): boolean =>
  rule !== undefined &&
  (fault !== undefined || reason === undefined || source.requirement === 'error.body')

/** `delayed it by 3 s`, `replaced it` */
function doneBy(entry: JournalEntry): string {
  const { fault, delayMs } = entry
  const made = fault === undefined ? 'replaced it' : `caused ${fault}`
  const delayed = delayMs === undefined ? [] : [`delayed it by ${durationWords(delayMs)}`]
  return [...(isMade(entry) ? [made] : []), ...delayed].join(' and ') || 'let it pass'
}

function Reason({ id, isError }: { id: string; isError: boolean }) {
  const { data, error } = useExplanation(id)
  if (data === undefined) return <Waiting error={error} />
  const { section, sentence } = data
  if (data.kind === 'requirement') {
    return (
      <>
        <Quote text={sentence} source={section} id={data.id} />
        {isError && (
          <Explained id={data.id} title="If you build the service: common causes and fix" />
        )}
      </>
    )
  }
  return (
    <>
      <Quote text={sentence} source={`${section} leaves this unspecified`} id={data.id} />
      <p>A client is safe with every option if it {words(data.safe)}.</p>
      <details class="explained">
        <summary>
          {words(data.question)} <code>{data.chosen}</code>
        </summary>
        <Options behavior={data} />
      </details>
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
    </>
  )
}
