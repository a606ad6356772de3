import { useState } from 'preact/hooks'
import { parseJson, printJson } from '../../../json.ts'
import type { Rule } from '../../../mock/schemas/schemas.gen.ts'
import { Curl } from '../../parts/copy.tsx'
import { Submit } from '../../parts/layout.tsx'
import { change } from '../../state/resource.ts'
import { href, useRoute } from '../../state/route.ts'
import { type Kind, kindOf, kinds, ofKind } from './kinds.ts'
import { Sentence } from './sentence.tsx'

const first: Rule = ofKind('fail', { when: { operation: 'listPets' } })

/** A rule as a sentence, or as JSON. The URL may contain a draft. */
export function RuleForm() {
  const { query } = useRoute()
  const draft = query['draft']
  return <Form key={draft} text={draft ?? ''} isDraft={draft !== undefined} />
}

function Form({ text, isDraft }: { text: string; isDraft: boolean }) {
  const [rule, setRule] = useState(() => readRule(text) ?? first)
  const kind = kindOf(rule)
  const [isAdvanced, setAdvanced] = useState(kind === undefined)
  /** The JSON as it was typed, until the sentence changes. */
  const [typed, setTyped] = useState<string>()
  const isBroken = typed !== undefined && readRule(typed) === undefined

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isAdded = await change(
      'The rule applies from the next request on.',
      'POST',
      '/rules',
      rule,
    )
    if (isAdded && isDraft) location.hash = href('rules')
  }

  function edit(rule: Rule): void {
    setTyped(undefined)
    setRule(rule)
  }
  return (
    <form
      class={isDraft ? 'card stack is-draft' : 'card stack'}
      aria-label="New rule"
      onSubmit={(event) => void submit(event)}
    >
      <h2>{isDraft ? 'A rule from the request' : 'New rule'}</h2>
      <div class="actions" role="group" aria-label="Kind of rule">
        {(Object.keys(kinds) as Kind[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === kind}
            onClick={() => edit(ofKind(name, rule))}
          >
            {kinds[name].name}
          </button>
        ))}
      </div>
      {kind === undefined ? (
        <p class="soft">A sentence cannot show all of this rule. Advanced shows it.</p>
      ) : (
        <Sentence key={kind} kind={kind} rule={rule} onChange={edit} />
      )}
      <Submit>Add the rule</Submit>
      <details open={isAdvanced} onToggle={(event) => setAdvanced(event.currentTarget.open)}>
        <summary>Advanced</summary>
        <label>
          The rule as JSON
          <textarea
            rows={8}
            value={typed ?? printJson(rule, 2)}
            aria-invalid={isBroken}
            onInput={(event) => {
              const text = event.currentTarget.value
              setTyped(text)
              setRule(readRule(text) ?? rule)
            }}
          />
          {isBroken && <span class="error">This is not a JSON object yet.</span>}
        </label>
      </details>
      <Curl method="POST" path="/rules" body={rule} />
    </form>
  )
}

/** A link may contain anything: it only fills the form. */
function readRule(text: string): Rule | undefined {
  try {
    const rule = parseJson(text)
    return typeof rule === 'object' && rule !== null ? (rule as Rule) : undefined
  } catch {
    return undefined
  }
}
