import type { Collection } from '@msw/data'

import { UsageError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { Int64, ExactPet } from '../spec/types.ts'
import { hiddenMembers, ownMethods, type Update } from './collection-internals.ts'
import { type PetInput, type PetSchema, petSchema } from './pet-schema.ts'
import type { StoredPet } from './pet-text.ts'
import type { Change } from './store-state.ts'
import type { Store } from './store.ts'

/** The pets of a mock as a collection of @msw/data, to query and to change in tests. */
export type PetCollection = Collection<PetSchema>

/** The class that @msw/data exports. */
export type CollectionClass = typeof Collection

/**
 * A picture of a store, both ways: what changes in one shows in the other.
 *
 * The library keeps its records in an array that `all()` hands out, finds them by a hidden key, and creates them in
 * several turns of the event loop. A pet that came over HTTP must be found at once, so its record is put there.
 */
export function createPetCollection(Base: CollectionClass, store: Store): PetCollection {
  const { primaryKey, relationMap } = hiddenMembers(Base)
  const collection = new Base({ schema: petSchema })
  const records = collection.all() as ExactPet[]
  /** The records as the store knows them, by their hidden key. */
  const known = new Map<string, { id: Int64; record: ExactPet }>()
  const claimed = new Set<Int64>()
  let isOwnChange = false

  const keyOf = (record: ExactPet): string => (record as unknown as Record<symbol, string>)[primaryKey] as string
  const remember = (record: ExactPet): void => void known.set(keyOf(record), { id: record.id, record })
  const hasListeners = (event: 'create' | 'delete'): boolean => collection.hooks.listenerCount(event) > 0
  const indexOf = (id: Int64): number => records.findIndex((record) => record.id === id)

  function toRecord(pet: StoredPet, key: string = crypto.randomUUID()): ExactPet {
    const { status, others, ...members } = pet
    const record: ExactPet = { ...others, ...members, ...(status !== undefined && { status }) }
    Object.defineProperty(record, primaryKey, { value: key })
    Object.defineProperty(record, relationMap, { value: new Map() })
    remember(record)
    return record
  }

  function show(change: Change): void {
    if (isOwnChange) return
    if (change.kind === 'inserted') records.push(toRecord(change.pet))
    else if (change.kind === 'replaced') {
      known.clear()
      records.length = 0
      for (const pet of store.pets()) records.push(toRecord(pet))
    } else {
      const index = indexOf(change.id)
      if (index === -1) return
      const key = keyOf(records[index] as ExactPet)
      known.delete(key)
      if (change.kind === 'removed') records.splice(index, 1)
      else records[index] = toRecord(change.pet, key)
    }
  }

  function changeStore(change: () => void): void {
    isOwnChange = true
    try {
      change()
    } finally {
      isOwnChange = false
    }
  }

  /** Brings the store to what the collection holds. */
  function settle(): void {
    changeStore(() => {
      const present = new Set(records.map(keyOf))
      for (const [key, { id }] of known) {
        if (present.has(key)) continue
        store.remove(id)
        known.delete(key)
      }
      for (const record of records) {
        const before = known.get(keyOf(record))
        if (before?.record === record) continue
        if (before !== undefined) store.update(before.id, toStored(record))
        // One that is being created is in the store already.
        else if (!store.has(record.id)) store.insert(toStored(record))
        remember(record)
      }
    })
  }

  async function create(input: PetInput): Promise<ExactPet> {
    const values = input.id === undefined ? { ...input, id: store.assignId() } : input
    const checked = petSchema['~standard'].validate(values)
    // The library tells what is wrong.
    if ('issues' in checked) return own.create(values)
    const { id } = checked.value
    changeStore(() => store.insert(toStored(checked.value)))
    try {
      const record = await own.create(values)
      // A listener may have changed it.
      if (hasListeners('create')) changeStore(() => store.update(id, toStored(record)))
      remember(record)
      return record
    } catch (error) {
      changeStore(() => store.remove(id))
      throw error
    }
  }

  /** Refuses an update that would give a pet the id of another. */
  function guarded(options: { data: Update }, ids: Int64[]): { data: Update } {
    return {
      ...options,
      async data(draft) {
        const before = draft.id
        const result = await options.data(draft)
        const after = (result ?? draft).id
        if (after === before) return result
        if (store.has(after) || claimed.has(after)) throw new UsageError(`There is a pet with the id ${after} already.`)
        ids.push(after)
        claimed.add(after)
        store.reserve(after)
        return result
      },
    }
  }

  const updating =
    (update: (predicate: unknown, options: { data: Update }) => Promise<unknown>) =>
    async (predicate: unknown, options: { data: Update }): Promise<unknown> => {
      const ids: Int64[] = []
      try {
        return await update(predicate, guarded(options, ids))
      } finally {
        for (const id of ids) claimed.delete(id)
        settle()
      }
    }

  const removing =
    (remove: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      try {
        return remove(...args)
      } finally {
        settle()
      }
    }

  /** The library removes while it iterates, and so tells its listeners of every other record only. */
  function clear(): void {
    if (hasListeners('delete')) for (const record of Array.from(records)) own.delete(record)
    records.length = 0
    known.clear()
    changeStore(() => store.clear())
  }

  const own = ownMethods(collection)
  Object.assign(collection, {
    create,
    update: updating(own.update),
    updateMany: updating(own.updateMany),
    delete: removing(own.delete),
    deleteMany: removing(own.deleteMany),
    clear,
  })
  store.onChange = show
  show({ kind: 'replaced' })
  return collection
}

function toStored(record: ExactPet): StoredPet {
  const { id, name, categoryId, status, ...others } = record as ExactPet & Record<string, unknown>
  const pet: StoredPet = { id, name, categoryId, status }
  const kept = Object.entries(others).filter(([, value]) => value !== undefined && typeof value !== 'function')
  if (kept.length > 0) pet.others = Object.fromEntries(kept) as Record<string, JsonValue>
  return pet
}
