import { useState } from 'preact/hooks'
import { type JsonValue, parseJson, printJson } from '../../../json.ts'
import type { Rule } from '../../../mock/schemas/schemas.gen.ts'
import { Curl } from '../../parts/copy.tsx'
import { Submit } from '../../parts/layout.tsx'
import { SchemaField, type Schemas } from '../../parts/schema-form.tsx'
import { change, useResource } from '../../state/resource.ts'
import { href, useRoute } from '../../state/route.ts'
import { type Kind, kindOf, kinds, ofKind } from './kinds.ts'
import { Sentence } from './sentence.tsx'

const first: Rule = ofKind('fail', { when: { operation: 'listPets' } })

/** A rule as a sentence, or by its schema. The URL may contain a draft. */
export function RuleForm() {
  const { query } = useRoute()
  const draft = query['draft']
  return <Form key={draft} text={draft ?? ''} isDraft={draft !== undefined} />
}

function Form({ text, isDraft }: { text: string; isDraft: boolean }) {
  const [rule, setRule] = useState(() => readDraft(text))
  const kind = kindOf(rule)
  const [isAdvanced, setAdvanced] = useState(kind === undefined)
  const { data } = useResource<{ components: { schemas: Schemas } }>('/openapi.json')
  const schemas = data?.components.schemas ?? {}

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
            onClick={() => setRule(ofKind(name, rule))}
          >
            {kinds[name].name}
          </button>
        ))}
      </div>
      {kind === undefined ? (
        <p class="soft">A sentence cannot show all of this rule. Advanced shows it.</p>
      ) : (
        <Sentence key={kind} kind={kind} rule={rule} onChange={setRule} />
      )}
      <Submit>Add the rule</Submit>
      <details open={isAdvanced} onToggle={(event) => setAdvanced(event.currentTarget.open)}>
        <summary>Advanced</summary>
        <div class="columns">
          {schemas['Rule'] !== undefined && (
            <SchemaField
              name="rule"
              schema={schemas['Rule']}
              schemas={schemas}
              value={rule as JsonValue}
              onChange={(next) => setRule(next as Rule)}
            />
          )}
          <pre class="preview" tabIndex={0} aria-label="The rule as JSON">
            <code>{printJson(rule, 2)}</code>
          </pre>
        </div>
      </details>
      <Curl method="POST" path="/rules" body={rule} />
    </form>
  )
}

/** A link may contain anything: it only fills the form. */
function readDraft(text: string): Rule {
  try {
    const draft = parseJson(text)
    return typeof draft === 'object' && draft !== null ? (draft as Rule) : first
  } catch {
    return first
  }
}
