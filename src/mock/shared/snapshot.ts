import { parseJson, printJson } from '../../json.ts'
import { printPet, type StoredPet, toStoredPet } from '../catalog.ts'
import type { SandboxState } from '../sandbox.ts'
import type { SharedEngine } from './engine.ts'
import { commitScript } from './scripts.ts'
import type { Sealer } from './sealer.ts'

/** The pets of one field of the engine. */
interface Chunk {
  field: string
  pets: readonly StoredPet[]
}

/** What of a snapshot stands in the engine, so that the next one writes only what has changed. */
export interface SavedSnapshot {
  index: number
  chunks: readonly Chunk[]
}

/** A state, and the entry of the log behind which it stands. */
interface Snapshot {
  state: SandboxState
  place: { index: number; op: string }
  /** When the sandbox was made: milliseconds since 1970. */
  startedAt: number
  /** The number of the latest request before the pets were replaced. */
  era: number
  saved: SavedSnapshot | undefined
}

type Pets = SandboxState['pets']
/** A store whose pets stand in fields. */
type Stored = Omit<Pets, 'pets'> & { fields: string[] }

/** What stands in the field `meta`. */
interface Meta {
  index: number
  op: string
  startedAt: number
  era: number
  state: Omit<SandboxState, 'pets' | 'snapshots'>
  pets: Stored
  snapshots: (Omit<SandboxState['snapshots'][number], 'pets'> & { pets: Stored })[]
}

/** Pets of one field. */
const chunkSize = 1_000
/** Fields that are written or read at once. */
const fieldsAtOnce = 10

/**
 * Writes a snapshot: first the chunks of pets that have changed, then, at once, what names them.
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
  // Others may have written since: then nothing that this mock knows of is there.
  const known = saved !== undefined && String(saved.index) === base ? saved.chunks : []
  const byFirst = new Map(known.map((chunk) => [chunk.pets[0], chunk]))
  const chunks: Chunk[] = []
  const fresh: Chunk[] = []
  let count = 0
  const store = ({ pets, ...rest }: Pets): Stored => {
    const fields: string[] = []
    for (let at = 0; at < pets.length; at += chunkSize) {
      const part = pets.slice(at, at + chunkSize)
      const same = byFirst.get(part[0])
      const isSame = same?.pets.length === part.length && part.every((pet, index) => pet === same.pets[index])
      const chunk = isSame ? same : { field: `c:${place.op}:${(count += 1)}`, pets: part }
      if (!isSame) {
        fresh.push(chunk)
        // Named snapshots hold the same pets.
        byFirst.set(part[0], chunk)
      }
      if (!chunks.includes(chunk)) chunks.push(chunk)
      fields.push(chunk.field)
    }
    return { ...rest, fields }
  }
  const { pets, snapshots, ...others } = state
  const meta: Meta = {
    ...place,
    startedAt,
    era,
    state: others,
    pets: store(pets),
    snapshots: snapshots.map((one) => ({ ...one, pets: store(one.pets) })),
  }
  for (let at = 0; at < fresh.length; at += fieldsAtOnce) {
    const some = fresh.slice(at, at + fieldsAtOnce)
    const written = some.flatMap(({ field, pets }) => [field, sealer.seal(`[${pets.map(printPet).join(',')}]`)])
    await engine.use((client) => client.hset(keys.state, ...written))
  }
  const fields = chunks.map(({ field }) => field)
  const sealed = sealer.seal(printJson(meta))
  const both = [keys.log, keys.state]
  const isFirst = await engine.run(commitScript, both, place.index, place.op, base, sealed, ...fields)
  return isFirst === 1 ? { index: place.index, chunks } : undefined
}

/** Numbers that `JSON.parse` may change. It takes a fifth of the time. */
const needsCare = /\d{16}|\d[.eE]/

function readPets(text: string): StoredPet[] {
  const pets = (needsCare.test(text) ? parseJson(text) : JSON.parse(text)) as unknown as StoredPet[]
  return pets.map(toStoredPet)
}

/** The snapshot of a sandbox; undefined when there is none. */
export async function loadSnapshot(
  engine: SharedEngine,
  key: string,
  sealer: Sealer,
  before = 0,
): Promise<Snapshot | undefined> {
  const sealed = await engine.use((client) => client.hgetBuffer(key, 'meta'))
  if (sealed === null) return undefined
  const { index, op, startedAt, era, state, pets, snapshots } = parseJson(sealer.open(sealed)) as unknown as Meta
  const fields = [...new Set([pets, ...snapshots.map((one) => one.pets)].flatMap((one) => one.fields))]
  const chunks = new Map<string, Chunk>()
  for (let at = 0; at < fields.length; at += fieldsAtOnce) {
    const some = fields.slice(at, at + fieldsAtOnce)
    const values = await engine.use((client) => client.hmgetBuffer(key, ...some))
    for (const [place, value] of values.entries()) {
      const field = some[place] ?? ''
      // A newer snapshot has taken its place meanwhile, or the engine has lost a part of it.
      if (value === null) return index === before ? undefined : loadSnapshot(engine, key, sealer, index)
      chunks.set(field, { field, pets: readPets(sealer.open(value)) })
    }
  }
  const load = ({ fields, ...rest }: Stored): Pets => ({
    ...rest,
    pets: fields.flatMap((field) => chunks.get(field)?.pets ?? []),
  })
  return {
    state: {
      ...state,
      pets: load(pets),
      snapshots: snapshots.map((one) => ({ ...one, pets: load(one.pets) })),
    },
    place: { index, op },
    startedAt,
    era,
    saved: { index, chunks: [...chunks.values()] },
  }
}
