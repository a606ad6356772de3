import type { Int64, ExactPet, PetStatus } from '../spec/types.ts'
import { toInt64 } from './int64.ts'
import { isPetStatus } from './parameters.ts'

/** What makes a pet in the collection: without an id, it gets the next one. */
export type PetInput = Omit<ExactPet, 'id'> & { id?: Int64 }

interface Issue {
  message: string
  path: readonly string[]
}

/** A Standard Schema (https://standardschema.dev) of Pet. */
export interface PetSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'petstore-kit'
    readonly types?: { readonly input: PetInput; readonly output: ExactPet }
    readonly validate: (value: unknown) => { value: ExactPet } | { issues: readonly Issue[] }
  }
}

/** Reads a pet that somebody gave. Members beyond those of the specification are kept. */
export const petSchema: PetSchema = {
  '~standard': {
    version: 1,
    vendor: 'petstore-kit',
    validate(value) {
      if (typeof value !== 'object' || value === null) return { issues: [issue('A pet must be an object.')] }
      const { id, name, categoryId, status, ...others } = value as Record<string, never>
      const [exactId, exactCategoryId] = [toInt64(id), toInt64(categoryId)]
      const issues: Issue[] = []
      if (exactId === undefined) issues.push(issue('id must be an integer within int64.', 'id'))
      if (typeof name !== 'string') issues.push(issue('name must be a string.', 'name'))
      if (exactCategoryId === undefined) issues.push(issue('categoryId must be an integer within int64.', 'categoryId'))
      if (status !== undefined && !isPetStatus(status)) {
        issues.push(issue('status must be one of available, pending, sold.', 'status'))
      }
      if (exactId === undefined || exactCategoryId === undefined || issues.length > 0) return { issues }
      const pet: ExactPet = {
        ...(others as object),
        id: exactId,
        name: name as unknown as string,
        categoryId: exactCategoryId,
      }
      if (status !== undefined) pet.status = status as PetStatus
      return { value: pet }
    },
  },
}

function issue(message: string, member?: string): Issue {
  return { message, path: member === undefined ? [] : [member] }
}
