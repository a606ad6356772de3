/** What must be known of the inside of @msw/data to keep its records and a store the same. */

import { UsageError } from '../errors.ts'
import type { ExactPet } from '../spec/types.ts'
import type { CollectionClass, PetCollection } from './collection.ts'
import { type PetInput, petSchema } from './pet-schema.ts'

/** Changes a record. */
export type Update = (draft: ExactPet) => Promise<ExactPet | void> | ExactPet | void

/** The methods of the library, in the few types that matter here. */
export interface OwnMethods {
  create: (values: PetInput) => Promise<ExactPet>
  update: (predicate: unknown, options: { data: Update }) => Promise<unknown>
  updateMany: (predicate: unknown, options: { data: Update }) => Promise<unknown>
  delete: (...args: unknown[]) => unknown
  deleteMany: (...args: unknown[]) => unknown
}

/** The methods as the library made them. */
export function ownMethods(collection: PetCollection): OwnMethods {
  const methods = collection as unknown as OwnMethods
  return {
    create: methods.create.bind(collection),
    update: methods.update.bind(collection),
    updateMany: methods.updateMany.bind(collection),
    delete: methods.delete.bind(collection),
    deleteMany: methods.deleteMany.bind(collection),
  }
}

/** The two symbols by which the library knows its records. It asks a value for them before it does anything else. */
export function hiddenMembers(Base: CollectionClass): { primaryKey: symbol; relationMap: symbol } {
  const asked = new Map<string | undefined, symbol>()
  const note = (name: string | symbol): void => {
    if (typeof name === 'symbol') asked.set(name.description, name)
  }
  const probe = new Proxy({} as PetInput, {
    has(_target, name) {
      note(name)
      return true
    },
    get(_target, name) {
      note(name)
      return undefined
    },
  })
  const never = new Promise<never>(() => {})
  const scratch = new Base({ schema: { '~standard': { ...petSchema['~standard'], validate: () => never } } })
  void scratch.create(probe)
  const [primaryKey, relationMap] = [asked.get('kPrimaryKey'), asked.get('kRelationMap')]
  if (primaryKey === undefined || relationMap === undefined) {
    throw new UsageError('mock.pets does not know this version of @msw/data. Install the one that petstore-kit names.')
  }
  return { primaryKey, relationMap }
}
