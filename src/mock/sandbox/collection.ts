import { UsageError } from '../../errors.ts'
import type { Int64, ExactPet } from '../../spec/types.ts'
import {
  type PetInput,
  petSchema,
  readPet,
  type StoredPet,
  toPet,
  toStoredPet,
} from '../pets/pet.ts'
import type { SandboxMachine } from './machine.ts'
import type { PetChange, Store } from '../pets/store.ts'
import type { CollectionClass, PetCollection } from './types.ts'

type Update = (draft: ExactPet) => Promise<ExactPet | void> | ExactPet | void

/** The methods of the library, with simplified types. */
interface Methods {
  create: (values: PetInput) => Promise<ExactPet>
  update: (predicate: unknown, options: { data: Update }) => Promise<unknown>
  updateMany: (predicate: unknown, options: { data: Update }) => Promise<unknown>
  delete: (...args: unknown[]) => unknown
  deleteMany: (...args: unknown[]) => unknown
}

/** Syncs a collection, whose records are made asynchronously, and the store of the sandbox that `beginChange` returns. */
export function createPetCollection(
  Base: CollectionClass,
  store: Store,
  beginChange: () => Pick<SandboxMachine, 'store' | 'deletePet'>,
): PetCollection {
  const collection = new Base({ schema: petSchema })
  const records = collection.all() as ExactPet[]
  /** The records of the pets in the store, by id. */
  const known = new Map<Int64, ExactPet>()
  const making = new Set<Promise<void>>()
  /** Counts how often all pets were replaced: a record that was begun before is dropped. */
  let generation = 0
  let isOwnChange = false

  const hasListeners = (event: 'create' | 'delete'): boolean =>
    collection.hooks.listenerCount(event) > 0

  function add(pet: StoredPet): void {
    const made = make(pet)
    making.add(made)
    void made.finally(() => making.delete(made))
  }

  /** Makes the record of a pet that was not created through the collection. */
  async function make(pet: StoredPet): Promise<void> {
    const mine = generation
    // When a listener throws, the pet exists without a record.
    const record = await library.create(toPet(pet)).catch(() => undefined)
    const now = store.pet(pet.id)
    if (record === undefined) return
    if (mine !== generation || now === undefined || (known.get(pet.id) ?? record) !== record)
      drop(record)
    else {
      fill(record, now)
      known.set(pet.id, record)
    }
  }

  function drop(record: ExactPet | undefined): void {
    const index = records.indexOf(record as ExactPet)
    if (index !== -1) records.splice(index, 1)
  }

  function show({ before, after }: PetChange): void {
    if (isOwnChange) return
    const record = before && known.get(before.id)
    if (after !== undefined) {
      if (before === undefined) add(after)
      else if (record !== undefined) fill(record, after)
    } else if (before !== undefined) {
      drop(record)
      known.delete(before.id)
    } else {
      generation += 1
      known.clear()
      records.length = 0
      for (const pet of store.list()) add(pet)
    }
  }

  function changeStore(work: () => void): void {
    isOwnChange = true
    try {
      work()
    } finally {
      isOwnChange = false
    }
  }

  function updateStore(): void {
    const present = new Map(records.map((record) => [record.id, record]))
    changeStore(() => {
      for (const [id, before] of known) {
        const record = present.get(id)
        if (record === undefined) {
          beginChange().deletePet(id)
          known.delete(id)
        } else if (record !== before) {
          beginChange().store.update(id, petOf(record))
          known.set(id, record)
        }
      }
    })
  }

  async function create(input: PetInput): Promise<ExactPet> {
    const { id = beginChange().store.assignId(), ...fields } = { ...input }
    const values = { id, ...fields }
    const pet = readPet(values)
    const mine = generation
    changeStore(() => beginChange().store.insert(pet))
    try {
      const record = await library.create(values)
      // The pet may have been removed meanwhile.
      if (mine !== generation || !store.has(id)) drop(record)
      else {
        // A listener may have changed it.
        if (hasListeners('create')) changeStore(() => beginChange().store.update(id, petOf(record)))
        known.set(id, record)
      }
      return record
    } catch (error) {
      changeStore(() => beginChange().deletePet(id))
      throw error
    }
  }

  const guarded = (options: { data: Update }): { data: Update } => ({
    ...options,
    async data(draft) {
      const { id } = draft
      const result = await options.data(draft)
      if ((result ?? draft).id !== id) throw new UsageError(`A pet keeps its id, which is ${id}.`)
      return result
    },
  })

  const updating =
    (update: (predicate: unknown, options: { data: Update }) => Promise<unknown>) =>
    async (predicate: unknown, options: { data: Update }): Promise<unknown> => {
      try {
        await settled()
        return await update(predicate, guarded(options))
      } finally {
        updateStore()
      }
    }

  const removing =
    (remove: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      try {
        return remove(...args)
      } finally {
        updateStore()
      }
    }

  /** Unlike `clear` of the library, which removes while it iterates, this notifies listeners of every record. */
  function clear(): void {
    if (hasListeners('delete')) for (const record of Array.from(records)) library.delete(record)
    generation += 1
    records.length = 0
    known.clear()
    changeStore(() => beginChange().store.clear())
  }

  async function settled(): Promise<void> {
    while (making.size > 0) await Promise.all(making)
  }

  const methods = collection as unknown as Methods
  const library: Methods = {
    create: methods.create.bind(collection),
    update: methods.update.bind(collection),
    updateMany: methods.updateMany.bind(collection),
    delete: methods.delete.bind(collection),
    deleteMany: methods.deleteMany.bind(collection),
  }
  const added = {
    create,
    update: updating(library.update),
    updateMany: updating(library.updateMany),
    delete: removing(library.delete),
    deleteMany: removing(library.deleteMany),
    clear,
    settled,
  }
  store.onChange = show
  // As if all pets were replaced now.
  show({})
  return Object.assign(collection, added)
}

function fill(record: ExactPet, pet: StoredPet): void {
  const fields = toPet(pet)
  for (const name of Object.keys(record)) if (!(name in fields)) delete record[name as 'status']
  Object.assign(record, fields)
}

function petOf(record: ExactPet): StoredPet {
  const kept = Object.entries(record).filter(
    ([, value]) => value !== undefined && typeof value !== 'function',
  )
  return toStoredPet(Object.fromEntries(kept) as unknown as StoredPet)
}

/**
 * Loads @msw/data at the first use, since it takes 200 ms. Does not import from Node, so that the mock runs in browsers.
 *
 * @throws {UsageError} where modules cannot be loaded synchronously.
 */
export function loadCollection(): CollectionClass {
  const node = (globalThis as { process?: NodeJS.Process }).process
  const { createRequire } = node?.getBuiltinModule?.('node:module') ?? {}
  if (createRequire === undefined) throw needed()
  try {
    return (createRequire(import.meta.url)('@msw/data') as { Collection: CollectionClass })
      .Collection
  } catch (error) {
    throw needed(error)
  }
}

function needed(cause?: unknown): UsageError {
  return new UsageError(
    "mock.pets needs the class Collection here: import { Collection } from '@msw/data' and pass it to createMock({ Collection }).",
    { cause },
  )
}
