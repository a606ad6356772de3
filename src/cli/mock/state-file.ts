import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../../errors.ts'
import { type JsonValue, printJson } from '../../json.ts'
import type { StoredPet } from '../../mock/pets/pet.ts'
import type { SandboxState } from '../../mock/sandbox/machine.ts'
import type { StartOptions } from '../../mock/start.ts'
import { mapPets, type MockState, partsOf } from '../../mock/sandbox/saved-state.ts'
import { version } from '../../spec/version.ts'
import { tryParseJson } from '../../validate.ts'
import { type Console, note, warn } from '../command.ts'
import { readBytes, writeTextFile } from '../files.ts'
import { lockState, type StateLock } from './state-lock.ts'

const formatVersion = 2

/** The first line. */
type Head = ReturnType<typeof headOf>

/** A line after the first: a sandbox, or pets of the sandbox before. */
interface Line {
  sandbox?: string | null
  /** With the number of their lines in place of pets. */
  state?: SandboxState<number>
  pets?: readonly StoredPet[]
  /** On the last line: the hash of all bytes before it. */
  sha256?: string
}

/**
 * Reads the file of `--state` if it exists, and keeps it current. A failure to do so is reported once on stderr.
 *
 * @throws {UsageError} when it cannot be read; the file stays
 */
export async function openStateFile(
  console: Console,
  name: string,
  options: StartOptions,
): Promise<Pick<StartOptions, 'state' | 'keepState'> & { release: () => Promise<void> }> {
  const file = resolve(name)
  const lock = await lockState(file, name)
  try {
    return { ...(await keepIn(console, file, { name, options, lock })), release: lock.release }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function keepIn(
  console: Console,
  file: string,
  { name, options, lock }: { name: string; options: StartOptions; lock: StateLock },
): Promise<Pick<StartOptions, 'state' | 'keepState'>> {
  const own = headOf(options)
  const found = existsSync(file)
    ? read(await readBytes(file, 'the state file'), name, own)
    : undefined
  const others = Object.keys(own.options).filter(
    (part) => text(own.options[part]) !== text(found?.head.options[part]),
  )
  if (found !== undefined && others.length > 0) {
    const flags = others.map((part) => flagsOf[part]).join(', ')
    note(
      console,
      `${name} was created with another value of ${flags}, which stays in use until a reset.`,
    )
  }
  const head: Head = { ...own, options: found?.head.options ?? own.options }
  let known = await stampOf(file)
  let said = ''

  async function write(state: MockState): Promise<void> {
    if (!(await lock.isHeld()))
      throw new UsageError(`another mock has taken over ${file}, which was not overwritten`)
    const found = await stampOf(file)
    // An editor, a backup, or a mock that does not see the lock.
    if (found !== undefined && known !== undefined && found !== known) {
      throw new UsageError(`another process changed ${file}, which was not overwritten`)
    }
    await writeTextFile(file, linesOf(head, state), true)
    known = await stampOf(file)
  }
  return {
    ...(found !== undefined && { state: found.state }),
    keepState: (state) =>
      write(state).catch((error: Error) => {
        if (error.message !== said) warn(console, error.message)
        said = error.message
        throw error
      }),
  }
}

function headOf({ seed = 1, pets = 100, ids = 'small', data, ...options }: StartOptions) {
  const {
    profile = {},
    deviations = [],
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
    options: { profile, deviations, overrides, explain, rules, now } as unknown as Readonly<
      Record<string, JsonValue>
    >,
  }
}

const text = (value: unknown): string => printJson(value as JsonValue)

const hash = (pieces: readonly (string | Uint8Array)[]): ReturnType<typeof createHash> =>
  pieces.reduce((sum, piece) => sum.update(piece), createHash('sha256'))

/** Identifies a version of the file: its inode and modification time. */
const stampOf = (file: string): Promise<string | undefined> =>
  stat(file, { bigint: true }).then(
    ({ ino, mtimeNs }) => `${ino} ${mtimeNs}`,
    () => undefined,
  )

const flagsOf: Readonly<Record<string, string>> = {
  profile: '--choose, --profile or --vary',
  deviations: '--deviate',
  overrides: '--no-overrides',
  explain: '--explain',
  rules: '--rules, --delay or --rate-limit',
  now: '--now',
}

/** @throws {UsageError} when it holds no state that this mock can resume */
function read(bytes: Buffer, name: string, own: Head): { head: Head; state: MockState } {
  const lines = split(bytes)
  const [head, ...rest] = lines.map(
    ({ from, to }) => tryParseJson(bytes.toString('utf8', from, to)) ?? null,
  )
  const { petstoreState, kit, start } = (head ?? {}) as unknown as Partial<Head>
  const stays = 'it was not changed; move it, or give another file'
  if (petstoreState !== undefined && petstoreState !== formatVersion) {
    throw new UsageError(
      `--state ${name} was written by petstore-kit ${kit}, in a format that ${version} cannot read`,
    )
  }
  const last = lines.at(-1)
  const sum = last && hash([bytes.subarray(0, last.from)]).digest('hex')
  if (start === undefined || (rest.at(-1) as Line | undefined)?.sha256 !== sum) {
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
  return { head: head as unknown as Head, state: collect(rest as Line[]) }
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
  const sandboxes: MockState['sandboxes'][number][] = []
  const take = (count: number): StoredPet[] =>
    Array.from({ length: count }, () => left.next().value?.pets ?? []).flat()
  for (const { sandbox = null, state } of left) {
    if (state !== undefined) sandboxes.push({ name: sandbox, state: mapPets(state, take) })
  }
  return { sandboxes }
}

function* linesOf(head: Head, { sandboxes }: MockState): Generator<string> {
  const sum = hash([])
  function* line(value: object): Generator<string> {
    const printed = `${text(value)}\n`
    sum.update(printed)
    yield printed
  }
  yield* line(head)
  for (const { name, state } of sandboxes) {
    const parts: (readonly StoredPet[])[] = []
    const counted = mapPets(state, (pets) => {
      const own = partsOf(pets)
      parts.push(...own)
      return own.length
    })
    yield* line({ sandbox: name, state: counted })
    for (const pets of parts) yield* line({ pets })
  }
  yield `${text({ sha256: sum.digest('hex') })}\n`
}
