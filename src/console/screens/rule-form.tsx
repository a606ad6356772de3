import { useState } from 'preact/hooks'
import { type JsonValue, parseJson, printJson } from '../../json.ts'
import { Curl } from '../parts/copy.tsx'
import { SchemaField, type Schemas } from '../parts/schema-form.tsx'
import { change, useResource } from '../state/resource.ts'
import { href, useRoute } from '../state/route.ts'
import { Submit } from '../parts/layout.tsx'

const first = '{"when":{"operation":"listPets"},"reply":{"status":503},"times":1}'

/** A form generated from the schema of a rule; the URL may contain a draft. */
export function RuleForm() {
  const { query } = useRoute()
  const draft = query['draft']
  return <Form key={draft} text={draft ?? first} isDraft={draft !== undefined} />
}

function Form({ text, isDraft }: { text: string; isDraft: boolean }) {
  const [rule, setRule] = useState(() => readDraft(text))
  const { data } = useResource<{ components: { schemas: Schemas } }>('/openapi.json')
  const schemas = data?.components.schemas ?? {}

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isAdded = await change(
      'The rule applies from the next request on.',
      'POST',
      '/rules',
      rule as object,
    )
    if (isAdded && isDraft) location.hash = href('rules')
  }

  return (
    <form class="card" aria-label="New rule" onSubmit={(event) => void submit(event)}>
      <h2>{isDraft ? 'A rule from the request' : 'New rule'}</h2>
      <div class="columns">
        {schemas['Rule'] !== undefined && (
          <SchemaField
            name="rule"
            schema={schemas['Rule']}
            schemas={schemas}
            value={rule}
            onChange={setRule}
          />
        )}
        <div class="stack">
          <pre class="preview" tabIndex={0} aria-label="The rule as JSON">
            <code>{printJson(rule, 2)}</code>
          </pre>
          <Submit>Add the rule</Submit>
          <Curl method="POST" path="/rules" body={rule} />
        </div>
      </div>
    </form>
  )
}

/** A link may contain anything: it only fills the form. */
function readDraft(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return parseJson(first)
  }
}
