import { parseJson, printJson } from '../../json.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import { printPet, type StoredPet, toStoredPet } from '../pets/pet.ts'
import { mapPets, type SandboxState } from '../sandbox/machine.ts'
import { chunksOf } from '../journal/slices.ts'
import type { SharedContext } from './context.ts'
import type { SharedEngine } from './engine.ts'
import type { LogPosition } from './replica.ts'
import { type Sealer, UnreadableError } from './sealer.ts'

/** A state, and the last entry of the log that it includes. */
interface StoredSnapshot<Pets = readonly StoredPet[]> extends LogPosition {
  state: SandboxState<Pets>
  startedAt: number
  era: number
}

/** The content of the field `meta`, with the names of the fields that hold them instead of pets. */
type Meta = StoredSnapshot<string[]>

/** Fields of one write or read. */
const fieldsAtOnce = 10

/** Writes a snapshot, unless another mock is first: first the pets, then atomically the rest. */
export async function saveSnapshot(
  { engine, sealer }: SharedContext,
  keys: { log: string; state: string },
  { machine, startedAt, journal }: InnerSandbox,
  { index, op }: LogPosition,
): Promise<void> {
  const { era } = journal.progress
  const state = machine.save()
  const base = (await engine.use((client) => client.hget(keys.state, 'base'))) ?? '0'
  const chunks: [field: string, pets: readonly StoredPet[]][] = []
  const store = (pets: readonly StoredPet[]): string[] =>
    chunksOf(pets).map((part) => {
      const field = `c:${op}:${chunks.length}`
      chunks.push([field, part])
      return field
    })
  const meta: Meta = { index, op, startedAt, era, state: mapPets(state, store) }
  for (const some of chunksOf(chunks, fieldsAtOnce)) {
    const written = some.flatMap(([field, pets]) => [
      field,
      sealer.seal(`[${pets.map(printPet).join(',')}]`),
    ])
    await engine.use((client) => client.hset(keys.state, ...written))
  }
  const fields = chunks.map(([field]) => field)
  const sealed = sealer.seal(printJson(meta))
  const both = [keys.log, keys.state]
  engine.counters.snapshots += Number(
    await engine.run('commitSnapshot', both, index, op, base, sealed, ...fields),
  )
}

/**
 * Returns undefined without a snapshot.
 *
 * @throws {UnreadableError}
 */
export async function loadSnapshot(
  engine: SharedEngine,
  key: string,
  sealer: Sealer,
  before = 0,
): Promise<StoredSnapshot | undefined> {
  const sealed = await engine.use((client) => client.hgetBuffer(key, 'meta'))
  if (sealed === null) return undefined
  const meta = parseJson(sealer.open(sealed)) as unknown as Meta
  const { index, state } = meta
  const fields = [state, ...state.snapshots].flatMap(({ pets }) => pets.pets)
  const chunks = new Map<string, StoredPet[]>()
  for (const some of chunksOf(fields, fieldsAtOnce)) {
    const values = await engine.use((client) => client.hmgetBuffer(key, ...some))
    for (const [place, value] of values.entries()) {
      // A newer snapshot has replaced it meanwhile.
      if (value === null && index !== before) return loadSnapshot(engine, key, sealer, index)
      if (value === null) throw new UnreadableError('a part of its snapshot is missing')
      const pets = parseJson(sealer.open(value)) as unknown as StoredPet[]
      chunks.set(some[place] ?? '', pets.map(toStoredPet))
    }
  }
  return {
    ...meta,
    state: mapPets(state, (own) => own.flatMap((field) => chunks.get(field) ?? [])),
  }
}
