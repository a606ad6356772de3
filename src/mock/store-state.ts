import type { Int64, PetStatus } from '../spec/types.ts'
import type { Base } from './base.ts'
import type { IdsState } from './ids.ts'
import type { PetFormat, StoredPet } from './pet-text.ts'

/** A pet as it is kept: its text is made once. */
export interface Entry {
  readonly id: Int64
  readonly status: PetStatus | undefined
  readonly text: string
}

/** What happened to the pets, for whoever keeps a picture of them. */
export type Change =
  | { kind: 'inserted'; pet: StoredPet }
  | { kind: 'updated'; id: Int64; pet: StoredPet }
  | { kind: 'removed'; id: Int64 }
  | { kind: 'replaced' }

/** What a store held at some moment. Entries are never changed, so they are shared. */
export interface StoreState {
  readonly base: Base
  readonly format: PetFormat
  readonly changed: ReadonlyMap<number, Entry | undefined>
  readonly added: readonly (Entry | undefined)[]
  readonly firstAddedId: number
  readonly strays: ReadonlyMap<Int64, number>
  readonly ids: IdsState
  readonly removed: number
  readonly bytes: number
}

/** Bytes that a pet takes beside its text: an entry, and its place in an array. */
const entryBytes = 100

/** About how many bytes an entry takes. */
export function bytesOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : entry.text.length + entryBytes
}
