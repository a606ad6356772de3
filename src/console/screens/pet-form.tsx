import { useState } from 'preact/hooks'
import { readNumber } from '../../json.ts'
import type { ExactPet } from '../../spec/types.ts'
import { Curl } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { change, changeWithUndo } from '../state/resource.ts'

export const deletePet = (pet: ExactPet): Promise<boolean> =>
  changeWithUndo([`Deleted pet ${pet.id}.`, 'DELETE', `/pets/${pet.id}`], (deleted) => {
    const position = deleted.headers.get('x-position') ?? ''
    return [`Restored pet ${pet.id}.`, 'POST', `/pets?position=${position}`, pet]
  })

/** A dialog to add or change a pet. Ids are text: a number field would round them. */
export function PetForm({ pet, onClose }: { pet: ExactPet | undefined; onClose: () => void }) {
  const [name, setName] = useState(pet?.name ?? '')
  const [category, setCategory] = useState(String(pet?.categoryId ?? '1'))
  const [status, setStatus] = useState<string>(
    pet?.status ?? (pet === undefined ? 'available' : ''),
  )
  const isInteger = /^-?\d{1,19}$/.test(category)
  const fields = { name, ...(isInteger && { categoryId: readNumber(category) }) }
  const body =
    pet === undefined
      ? { ...fields, ...(status && { status }) }
      : { ...fields, status: status || null }
  const [method, path] = pet === undefined ? ['POST', '/pets'] : ['PATCH', `/pets/${pet.id}`]

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const done = pet === undefined ? `Added ${name}.` : `Changed pet ${pet.id}.`
    if (await change(done, method, path, body)) onClose()
  }

  return (
    <Dialog title={pet === undefined ? 'Add a pet' : `Edit pet ${pet.id}`} onClose={onClose}>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Name
          <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          Category id
          <input
            required
            inputMode="numeric"
            pattern="-?[0-9]{1,19}"
            title="An integer within int64"
            value={category}
            onInput={(event) => setCategory(event.currentTarget.value.trim())}
          />
        </label>
        <label>
          Status
          <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
            <option value="">none</option>
            <option>available</option>
            <option>pending</option>
            <option>sold</option>
          </select>
        </label>
        <Curl method={method} path={path} body={body} />
        <div class="actions end">
          {pet !== undefined && (
            <button
              type="button"
              class="danger"
              onClick={() => void deletePet(pet).then((isDone) => isDone && onClose())}
            >
              Delete this pet
            </button>
          )}
          <button type="submit" class="primary">
            {pet === undefined ? 'Add' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
