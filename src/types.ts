/** `petstore-kit/types`: the types of the interface. There is nothing to run. */

export type { components, operations, paths } from './spec/paths.gen.ts'
export type * from './spec/types.ts'
