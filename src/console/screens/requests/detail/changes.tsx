import { printJson } from '../../../../json.ts'
import type { JournalEntry } from '../../../../mock/journal/entry.ts'
import { inert } from '../../../../report/text.ts'
import { pathOf, send } from '../../../state/api.ts'
import { act } from '../../../state/feedback.tsx'
import { refresh } from '../../../state/resource.ts'

type ChangeList = NonNullable<JournalEntry['changes']>

/** The changes of the request to the pets, with Undo. */
export function Changes({ changes }: { changes: ChangeList }) {
  if (changes.length === 0) return null
  return (
    <section>
      <div class="head">
        <h3>What it changed</h3>
        <button type="button" class="small" onClick={() => void undo(changes)}>
          Undo
        </button>
      </div>
      {changes.map(({ before, after }, index) => (
        <pre key={index} class="diff" tabIndex={0} aria-label="Before and after">
          {before !== undefined && <span class="removed">- {inert(printJson(before))}</span>}
          {after !== undefined && <span class="added">+ {inert(printJson(after))}</span>}
        </pre>
      ))}
    </section>
  )
}

/** Restores the previous state of each pet, last change first. */
async function undo(changes: ChangeList): Promise<void> {
  await act('The changes of the request were undone.', async () => {
    for (const { before, after } of changes.toReversed()) {
      if (before !== undefined && before.id === after?.id) {
        // It keeps its place in the order of creation.
        const { id, name, categoryId, status = null } = before
        await send('PATCH', pathOf(`/pets/${id}`), { name, categoryId, status })
        continue
      }
      if (after !== undefined) await send('DELETE', pathOf(`/pets/${after.id}`))
      if (before !== undefined) await send('POST', pathOf('/pets'), before)
    }
  })
  refresh()
}
