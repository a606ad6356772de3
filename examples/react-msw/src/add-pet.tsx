import type { ExactNewPet, ExactPet, PetStatus } from 'petstore-kit'
import { type SubmitEvent, useState } from 'react'

import { toInteger } from './exact-json.ts'
import { PetStoreError } from './pet-store.ts'

interface AddPetProps {
  statuses: readonly PetStatus[]
  add: (pet: ExactNewPet) => Promise<ExactPet>
}

export function AddPet({ statuses, add }: AddPetProps) {
  const [busy, setBusy] = useState(false)
  const [notice, setNotice] = useState<{ role: 'status' | 'alert'; text: string }>()

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    const textOf = (name: string): string => {
      const value = fields.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const categoryId = toInteger(textOf('categoryId'))
    if (categoryId === undefined) {
      setNotice({ role: 'alert', text: 'The category must be a whole number.' })
      return
    }
    const status = statuses.find((one) => one === textOf('status'))
    setBusy(true)
    setNotice(undefined)
    try {
      // Without a status, the service chooses one.
      const pet = await add({ name: textOf('name'), categoryId, ...(status && { status }) })
      setNotice({ role: 'status', text: `Added ${pet.name} as no. ${pet.id}.` })
      form.reset()
    } catch (error) {
      const known =
        error instanceof PetStoreError ? error : new PetStoreError('The response was not valid.')
      // After a 5xx or no response, the pet may have been added: an automatic retry could add it twice.
      const isRejected = known.status !== undefined && known.status < 500
      setNotice({
        role: 'alert',
        text: `${known.message}${isRejected ? '' : ' Check the list before you add the pet again.'}`,
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <form aria-label="Add a pet" onSubmit={(event) => void submit(event)}>
      <label>
        Name <input name="name" required />
      </label>
      <label>
        Category <input name="categoryId" inputMode="numeric" required />
      </label>
      <label>
        Status of the new pet{' '}
        <select name="status">
          <option value="">default</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button disabled={busy}>Add</button>
      {notice && <p role={notice.role}>{notice.text}</p>}
    </form>
  )
}
