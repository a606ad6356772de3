/** `petstore-kit/types`: the types of the interface. There is nothing to run. */

export type { components, operations, paths } from './spec/paths.gen.ts'
export type {
  ErrorBody,
  ExactNewPet,
  ExactPet,
  Int64,
  NewPet,
  Pet,
  Pets,
  PetStatus,
} from './spec/types.ts'
