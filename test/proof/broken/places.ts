import type { Writable } from '../../support/variants/exact-json.ts'
import type { PetTable, StoredPet } from '../../support/variants/pet-table.ts'
import type { VariantOptions } from '../../support/variants/settings.ts'
import { editListed, editPets, editSingle, only, type Fields } from './response-edits.ts'
import type { Call } from './call.ts'
import type { Seams } from './fault.ts'

/** Changes each Pet in all responses. */
export const everywhere = (edit: (pet: Fields) => Writable, shop?: VariantOptions): Seams => ({
  ...(shop && { shop }),
  say: (reply) => editPets(reply, edit),
})

export const inLists = (
  edit: (pet: Fields, index: number, all: Fields[]) => Writable,
  shop?: VariantOptions,
  when: (call: Call) => boolean = () => true,
): Seams => ({
  ...(shop && { shop }),
  say: (reply, call) => (when(call) ? editListed(reply, edit) : reply),
})

export const inGet = (edit: (pet: Fields) => Writable, shop?: VariantOptions): Seams => ({
  ...(shop && { shop }),
  say: only('getPet', (reply) => editSingle(reply, edit)),
})

export const inCreate = (edit: (pet: Fields) => Writable, shop?: VariantOptions): Seams => ({
  ...(shop && { shop }),
  say: only('createPet', (reply) => editSingle(reply, edit)),
})

/** Stores and returns a changed pet. */
export const storing = (
  edit: (pet: Pick<StoredPet, 'name' | 'categoryId'>) => Partial<StoredPet>,
  shop?: VariantOptions,
): Seams => ({
  ...(shop && { shop }),
  store: (table) => ({ ...table, add: (pet) => table.add({ ...pet, ...edit(pet) }) }),
})

/** Finds pets by a custom rule. */
export const finding = (
  shop: VariantOptions,
  find: (id: bigint, found: StoredPet | undefined, all: () => StoredPet[]) => StoredPet | undefined,
): Seams => ({
  shop,
  store: (table) => ({
    ...table,
    find: (id) => find(id, table.find(id), () => table.page(10_000, undefined).pets),
  }),
})

/** Hides pets from lists. */
export const without = (
  table: PetTable,
  isGone: (pet: StoredPet, statuses: unknown) => boolean,
): PetTable => ({
  ...table,
  page(limit, statuses) {
    const pets = table.page(10_000, statuses).pets.filter((pet) => !isGone(pet, statuses))
    return { pets: pets.slice(0, limit), matching: pets.length }
  },
})

/** Hides pets from lists and getPet. */
export const withoutAnywhere = (
  table: PetTable,
  isGone: (pet: StoredPet) => boolean,
): PetTable => ({
  ...without(table, isGone),
  find(id) {
    const pet = table.find(id)
    return pet && !isGone(pet) ? pet : undefined
  },
})

export const watched = (table: PetTable, see: (added: StoredPet) => void): PetTable => ({
  ...table,
  add(pet) {
    const added = table.add(pet)
    see(added)
    return added
  },
})
