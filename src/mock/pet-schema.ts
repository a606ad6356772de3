import type { Int64, ExactPet } from '../spec/types.ts'
import { issuesOf, toSentence } from '../validate.ts'
import { compact } from './int64.ts'
import { validators } from './validators.gen.ts'

/** What makes a pet in the collection: without an id, it gets the next one. */
export type PetInput = Omit<ExactPet, 'id'> & { id?: Int64 }

/** A Standard Schema (https://standardschema.dev) of Pet. */
export interface PetSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'petstore-kit'
    readonly types?: { readonly input: PetInput; readonly output: ExactPet }
    readonly validate: (
      value: unknown,
    ) => { value: ExactPet } | { issues: readonly { message: string; path: readonly string[] }[] }
  }
}

/** Reads a pet that somebody gave. Fields beyond those of the specification are kept. */
export const petSchema: PetSchema = {
  '~standard': {
    version: 1,
    vendor: 'petstore-kit',
    validate(value) {
      const issues = issuesOf(validators.Pet, value)
      if (issues.length > 0) {
        return {
          issues: issues.map((issue) => ({
            message: toSentence(issue, 'The pet'),
            path: issue.path ? [issue.path] : [],
          })),
        }
      }
      const { id, name, categoryId, status, ...others } = value as ExactPet
      const pet: ExactPet = { ...others, id: compact(id), name, categoryId: compact(categoryId) }
      return { value: status === undefined ? pet : { ...pet, status } }
    },
  },
}
