import { operations } from '../spec/operations.ts'
import type { OperationId } from '../spec/operations.ts'
import type { ClauseId } from '../spec/clauses.ts'

const patterns = Object.entries(operations).map(([id, { method, path }]) => ({
  id: id as OperationId,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The operation that a method and a path, with or without a query, call: the only place of this half that says so. */
export function operationOf(method: string, path: string): OperationId | undefined {
  const bare = path.split('?', 1)[0] ?? ''
  return patterns.find((one) => one.method === method && one.pattern.test(bare))?.id
}

/** The requirement that an operation succeeds. */
export const successClause: Readonly<Record<OperationId, ClauseId>> = {
  listPets: 'list.success',
  createPet: 'create.success',
  getPet: 'get.success',
}
