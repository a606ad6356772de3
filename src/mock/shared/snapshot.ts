import { parseJson, printJson } from '../../json.ts'
import { printPet, type StoredPet, toStoredPet } from '../catalog.ts'
import type { SandboxState } from '../sandbox.ts'
import { mapPets } from '../state.ts'
import type { SharedEngine } from './engine.ts'
import type { Progress } from './replica.ts'
import type { Sealer } from './sealer.ts'

/** Pets in one hash field of the engine. */
interface Chunk {
  field: string
  pets: readonly StoredPet[]
}

/** A snapshot in the engine. The next one only writes chunks that have changed. */
export interface SavedSnapshot {
  index: number
  chunks: readonly Chunk[]
}

interface Snapshot extends Pick<Progress, 'startedAt' | 'era'> {
  state: SandboxState
  /** The last entry of the log that the state includes. */
  place: { index: number; op: string }
  saved: SavedSnapshot | undefined
}

/** The content of the field `meta`. */
interface Meta extends Pick<Progress, 'startedAt' | 'era'> {
  index: number
  op: string
  /** With the names of chunks in place of pets. */
  state: SandboxState<string[]>
}

/** Pets of one chunk. */
const chunkSize = 1_000
/** Fields of one write or read. */
const fieldsAtOnce = 10

/**
 * Writes a snapshot: first the changed chunks, then atomically the list of all chunks.
 *
 * @returns undefined when another mock was first.
 */
export async function saveSnapshot(
  engine: SharedEngine,
  keys: { log: string; state: string },
  sealer: Sealer,
  { state, place, startedAt, era, saved }: Snapshot,
): Promise<SavedSnapshot | undefined> {
  const base = (await engine.use((client) => client.hget(keys.state, 'base'))) ?? '0'
  // When another mock has written a snapshot since, the known chunks are gone.
  const known = saved !== undefined && String(saved.index) === base ? saved.chunks : []
  const byFirst = new Map(known.map((chunk) => [chunk.pets[0], chunk]))
  const chunks: Chunk[] = []
  const fresh: Chunk[] = []
  let count = 0
  const store = (pets: readonly StoredPet[]): string[] => {
    const fields: string[] = []
    for (let at = 0; at < pets.length; at += chunkSize) {
      const part = pets.slice(at, at + chunkSize)
      const same = byFirst.get(part[0])
      const isSame = same?.pets.length === part.length && part.every((pet, index) => pet === same.pets[index])
      const chunk = isSame ? same : { field: `c:${place.op}:${(count += 1)}`, pets: part }
      if (!isSame) {
        fresh.push(chunk)
        // Named snapshots may contain the same pets.
        byFirst.set(part[0], chunk)
      }
      if (!chunks.includes(chunk)) chunks.push(chunk)
      fields.push(chunk.field)
    }
    return fields
  }
  const meta: Meta = { ...place, startedAt, era, state: mapPets(state, store) }
  for (let at = 0; at < fresh.length; at += fieldsAtOnce) {
    const some = fresh.slice(at, at + fieldsAtOnce)
    const written = some.flatMap(({ field, pets }) => [field, sealer.seal(`[${pets.map(printPet).join(',')}]`)])
    await engine.use((client) => client.hset(keys.state, ...written))
  }
  const fields = chunks.map(({ field }) => field)
  const sealed = sealer.seal(printJson(meta))
  const both = [keys.log, keys.state]
  const isFirst = await engine.run('commitSnapshot', both, place.index, place.op, base, sealed, ...fields)
  return isFirst === 1 ? { index: place.index, chunks } : undefined
}

/** Numbers that `JSON.parse` may round. It is five times as fast. */
const needsCare = /\d{16}|\d[.eE]/

function readPets(text: string): StoredPet[] {
  const pets = (needsCare.test(text) ? parseJson(text) : JSON.parse(text)) as unknown as StoredPet[]
  return pets.map(toStoredPet)
}

/** Returns undefined without a snapshot. */
export async function loadSnapshot(
  engine: SharedEngine,
  key: string,
  sealer: Sealer,
  before = 0,
): Promise<Snapshot | undefined> {
  const sealed = await engine.use((client) => client.hgetBuffer(key, 'meta'))
  if (sealed === null) return undefined
  const { index, op, startedAt, era, state } = parseJson(sealer.open(sealed)) as unknown as Meta
  const fields = [...new Set([state, ...state.snapshots].flatMap(({ pets }) => pets.pets))]
  const chunks = new Map<string, Chunk>()
  for (let at = 0; at < fields.length; at += fieldsAtOnce) {
    const some = fields.slice(at, at + fieldsAtOnce)
    const values = await engine.use((client) => client.hmgetBuffer(key, ...some))
    for (const [place, value] of values.entries()) {
      const field = some[place] ?? ''
      // A newer snapshot has replaced it meanwhile, or the engine has lost data.
      if (value === null) return index === before ? undefined : loadSnapshot(engine, key, sealer, index)
      chunks.set(field, { field, pets: readPets(sealer.open(value)) })
    }
  }
  return {
    state: mapPets(state, (own) => own.flatMap((field) => chunks.get(field)?.pets ?? [])),
    place: { index, op },
    startedAt,
    era,
    saved: { index, chunks: [...chunks.values()] },
  }
}
