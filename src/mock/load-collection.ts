import { UsageError } from '../errors.ts'
import type { CollectionClass } from './types.ts'

/**
 * Loads @msw/data, which takes 200 ms, when somebody asks for it. Nothing here is imported from Node, so that the rest
 * of the mock runs in a browser, too.
 *
 * @throws {UsageError} where modules cannot be loaded at once.
 */
export function loadCollection(): CollectionClass {
  const node = (globalThis as { process?: NodeJS.Process }).process
  const { createRequire } = node?.getBuiltinModule?.('node:module') ?? {}
  if (createRequire === undefined) throw needed()
  try {
    return (createRequire(import.meta.url)('@msw/data') as { Collection: CollectionClass }).Collection
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
