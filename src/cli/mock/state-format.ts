/** The lines of a state file: a head, a copy of the state, and changes in the order in which they were kept. */
import { createHash } from 'node:crypto'
import { UsageError } from '../../errors.ts'
import { type JsonValue, printJson } from '../../json.ts'
import type { StoredPet } from '../../mock/pets/pet.ts'
import type { SandboxState } from '../../mock/sandbox/machine.ts'
import {
  mapPets,
  type MockState,
  partsOf,
  type SandboxChange,
} from '../../mock/sandbox/saved-state.ts'
import type { StartOptions } from '../../mock/index.ts'
import type { Int64 } from '../../spec/types.ts'
import { version } from '../../spec/version.ts'
import { tryParseJson } from '../../validate.ts'

const formatVersion = 3

/** The first line. */
export type Head = ReturnType<typeof headOf>

/** A line after the first: a sandbox or what has changed in it, or pets of the sandbox before. */
interface Line {
  sandbox?: string | null
  /** With the number of their lines instead of pets. */
  state?: SandboxState<number>
  pets?: readonly StoredPet[]
  /** Its pets one by one: `[after]` for a new one, `[id, after]` for a changed one, `[id]` for a deleted one. */
  change?: Omit<Extract<SandboxChange, { parts: object }>, 'name' | 'pets'> & {
    pets: readonly (readonly [StoredPet] | readonly [Int64, StoredPet?])[]
  }
  isDeleted?: true
  /** After a state, and after the changes of one write: the hash of the bytes since the hash before. */
  sha256?: string
}

export function headOf({ seed = 1, pets = 100, ids = 'small', data, ...options }: StartOptions) {
  const {
    profile = {},
    defects = [],
    overrides = true,
    explain = false,
    rules = [],
    now = null,
  } = options
  const given = data === undefined ? null : hash([text(data)]).digest('hex')
  return {
    petstoreState: formatVersion,
    /** The version of the kit that wrote the file. */
    kit: version,
    /** What pets and ids derive from; it must match the command line. */
    start: { seed, pets: given === null ? pets : null, ids, data: given },
    /** The initial options of the command line. */
    options: { profile, defects, overrides, explain, rules, now } as unknown as Readonly<
      Record<string, JsonValue>
    >,
  }
}

export const text = (value: unknown): string => printJson(value as JsonValue)

const hash = (pieces: readonly (string | Uint8Array)[]): ReturnType<typeof createHash> =>
  pieces.reduce((sum, piece) => sum.update(piece), createHash('sha256'))

/** The complete bytes of a file, and those of the copy at its beginning. */
export interface Sizes {
  all: number
  copy: number
}

interface Found {
  head: Head
  state: MockState
  sizes: Sizes
}

/** @throws {UsageError} when it holds no state that this mock can resume */
export function read(bytes: Buffer, name: string, own: Head): Found {
  const lines = split(bytes)
  const [head, ...rest] = lines.map(
    ({ from, to }) => tryParseJson(bytes.toString('utf8', from, to)) ?? null,
  )
  const { petstoreState, kit, start } = (head ?? {}) as unknown as Partial<Head>
  const stays = 'it was not changed; move it, or give another file'
  if (petstoreState !== undefined && petstoreState !== formatVersion) {
    throw new UsageError(
      `--state ${name} was written by petstore-kit ${kit} in format ${petstoreState}, and ${version} reads only format ${formatVersion}: ${stays}`,
    )
  }
  const whole = wholeOf(bytes, lines, rest as (Line | null)[])
  if (start === undefined || whole === undefined) {
    throw new UsageError(`--state ${name} is damaged, or not a state file: ${stays}`)
  }
  const others = (['seed', 'pets', 'ids', 'data'] as const).filter(
    (part) => start[part] !== own.start[part],
  )
  if (others.length > 0) {
    const differences = others.map((part) =>
      part === 'data'
        ? 'other pets of --data or --pets-from'
        : `--${part} ${shown(start[part])}, not ${shown(own.start[part])}`,
    )
    throw new UsageError(`--state ${name} was created with ${differences.join(', and ')}: ${stays}`)
  }
  const { count, ...sizes } = whole
  return {
    head: head as unknown as Head,
    state: collect(rest.slice(0, count) as Line[]),
    sizes,
  }
}

/**
 * How far a file is complete: the number of its lines, and its bytes. The last write may be torn; undefined if anything
 * before it is damaged.
 */
function wholeOf(
  bytes: Buffer,
  lines: readonly { from: number; to: number }[],
  rest: readonly (Line | null)[],
): (Sizes & { count: number }) | undefined {
  let whole: (Sizes & { count: number }) | undefined
  for (const [index, line] of rest.entries()) {
    const { sha256 } = line ?? {}
    const { from = 0, to = 0 } = lines[index + 1] ?? {}
    if (sha256 === undefined) continue
    const all = to + 1
    const sum = hash([bytes.subarray(whole?.all ?? 0, from)]).digest('hex')
    if (sha256 !== sum || all > bytes.length) {
      const hasLater = rest.slice(index + 1).some((later) => later?.sha256 !== undefined)
      return hasLater ? undefined : whole
    }
    whole = { count: index + 1, all, copy: whole?.copy ?? all }
  }
  return whole
}

const shown = (value: string | number | null): string =>
  value === null ? 'of --data or --pets-from' : String(value)

/** Line positions: the whole file may exceed the maximum string length. */
function split(bytes: Buffer): { from: number; to: number }[] {
  const lines: { from: number; to: number }[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from)
    const to = end === -1 ? bytes.length : end
    lines.push({ from, to })
    from = to + 1
  }
  return lines
}

function collect(lines: readonly Line[]): MockState {
  const left = lines.values()
  const found = new Map<string | null, { state: SandboxState; pets: Map<Int64, StoredPet> }>()
  const take = (count: number): StoredPet[] =>
    Array.from({ length: count }, () => left.next().value?.pets ?? []).flat()
  const byId = (pets: readonly StoredPet[]) => new Map(pets.map((pet) => [pet.id, pet]))
  for (const { sandbox: name = null, state, change, isDeleted } of left) {
    const known = found.get(name)
    // The latest change is the latest use.
    if (state !== undefined || isDeleted || change !== undefined) found.delete(name)
    if (state !== undefined) {
      const complete = mapPets(state, take)
      found.set(name, { state: complete, pets: byId(complete.pets.pets) })
    } else if (change !== undefined && known !== undefined) {
      const { parts, store, pets } = change
      known.state = { ...known.state, ...parts, pets: { ...known.state.pets, ...store } }
      for (const one of pets) known.pets = applied(known.pets, one)
      found.set(name, known)
    }
  }
  const sandboxes = Array.from(found, ([name, { state, pets }]) => ({
    name,
    state: { ...state, pets: { ...state.pets, pets: [...pets.values()] } },
  }))
  return { sandboxes }
}

function applied(
  pets: Map<Int64, StoredPet>,
  change: readonly [StoredPet] | readonly [Int64, StoredPet?],
): Map<Int64, StoredPet> {
  const [first, after] = change
  if (typeof first === 'object') return pets.set(first.id, first)
  if (after === undefined) pets.delete(first)
  else if (after.id === first) pets.set(first, after)
  // A changed id keeps its place.
  else return new Map(Array.from(pets, (one) => (one[0] === first ? [after.id, after] : one)))
  return pets
}

export const lineOf = (value: object): string => `${text(value)}\n`

export function* sandboxLines(name: string | null, state: SandboxState): Generator<string> {
  const parts: (readonly StoredPet[])[] = []
  const counted = mapPets(state, (pets) => {
    const own = partsOf(pets)
    parts.push(...own)
    return own.length
  })
  yield lineOf({ sandbox: name, state: counted })
  for (const pets of parts) yield lineOf({ pets })
}

export function* changeLines(changes: readonly SandboxChange[]): Generator<string> {
  for (const { copy: _, name, ...change } of changes) {
    if ('state' in change) yield* sandboxLines(name, change.state)
    else if ('isDeleted' in change) yield lineOf({ sandbox: name, isDeleted: true })
    else {
      const pets = change.pets.map(({ before, after }) => [
        ...(before === undefined ? [] : [before.id]),
        ...(after === undefined ? [] : [after]),
      ])
      yield lineOf({ sandbox: name, change: { ...change, pets } })
    }
  }
}

/** Adds the line with the hash of some lines. */
export function* withSum(lines: Iterable<string>): Generator<string> {
  const sum = hash([])
  for (const line of lines) {
    sum.update(line)
    yield line
  }
  yield lineOf({ sha256: sum.digest('hex') })
}
