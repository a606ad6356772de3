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
  const [told, setTold] = useState<{ role: 'status' | 'alert'; text: string }>()

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
      setTold({ role: 'alert', text: 'The category is a whole number.' })
      return
    }
    const status = statuses.find((one) => one === textOf('status'))
    setBusy(true)
    setTold(undefined)
    try {
      // A member that is left out lets the service decide.
      const pet = await add({ name: textOf('name'), categoryId, ...(status && { status }) })
      setTold({ role: 'status', text: `${pet.name} is in the store now, as no. ${pet.id}.` })
      form.reset()
    } catch (error) {
      const known = error instanceof PetStoreError ? error : new PetStoreError('The pet store sent something odd.')
      // Without a clear answer nobody knows whether the pet was added, and the interface cannot tell: sending it again
      // by itself could add it twice.
      const isClear = known.status !== undefined && known.status < 500
      setTold({
        role: 'alert',
        text: `${known.message}${isClear ? '' : ' Look at the list before you add the pet again.'}`,
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
          <option value="">as the store likes</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button disabled={busy}>Add</button>
      {told && <p role={told.role}>{told.text}</p>}
    </form>
  )
}
