/** The folder of `--state`: a head, a lock, and a file for each sandbox, which is replaced as a whole. */
import { createHash, type Hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { enumerate, UsageError } from '../../errors.ts'
import { type JsonValue, printJson } from '../../json.ts'
import type { StartOptions } from '../../mock/index.ts'
import { printPet, type StoredPet, toStoredPet } from '../../mock/pets/pet.ts'
import { chunksOf } from '../../mock/journal/slices.ts'
import { mapPets, type SandboxState } from '../../mock/sandbox/machine.ts'
import type { KeptSandbox, SaveTarget } from '../../mock/sandbox/autosave.ts'
import type { Parsed } from '../../options.ts'
import { version } from '../../spec/version.ts'
import { tryParseJson } from '../../validate.ts'
import { type Console, note, warn } from '../command.ts'
import { nameAlso, readBytes, reasonOf, replacePrivately, writeTextFile } from '../files.ts'
import { lockState } from './state-lock.ts'

const formatVersion = 4
export const headName = 'petstore-state.json'
const fileOf = (name: string | null): string =>
  name === null ? 'own.json' : `sandbox.${name}.json`
const sandboxFile = /^(?:own|sandbox\.[a-z0-9-]+)\.json$/
/** The latest version of a file that is on disk for certain; the file itself may be newer. */
const onDiskOf = (file: string): string => `.${file}.on-disk`
const onDiskFile = /^\.(?:own|sandbox\.[a-z0-9-]+)\.json\.on-disk$/
const isState = (file: string): boolean =>
  file === headName || sandboxFile.test(file) || onDiskFile.test(file)
/** What killed mocks may leave. */
const leftOver =
  /^\.+(?:lock|petstore-state\.json|(?:own|sandbox\.[a-z0-9-]+)\.json(?:\.on-disk|\.damaged-\w+)?)\.[\da-f-]{36}\.tmp$/
/** How often what was saved is brought on disk, and for how long at the end: the system does it later, too. */
const onDiskMs = 1_000
/** Files that are read in one turn of the event loop. */
const atOnce = 64
/** The characters of one write. */
const writeLength = 2 ** 16
/** How often a failure that lasts is repeated. */
const repeatMs = 60_000

type Head = ReturnType<typeof headOf>

/** The first line of a sandbox, before its pets in lines of their own, and the hash of all. */
interface FirstLine {
  sandbox: string | null
  savedAt: number
  startedAt: number
  /** With the number of their lines instead of pets. */
  state: SandboxState<number>
}

type SavedSandbox = KeptSandbox & Pick<FirstLine, 'savedAt'>

interface OpenState {
  state: readonly KeptSandbox[] | undefined
  target: SaveTarget
  release: () => Promise<void>
}

/**
 * Reads the folder of `--state`, and keeps it current. A failure to do so is reported on stderr, at once and each minute.
 * A sandbox that is damaged is set aside.
 *
 * @throws {UsageError} when it cannot be read, or belongs to something else; it stays as it is
 */
export async function openStateFolder(
  console: Console,
  flags: Parsed,
  name: string,
  options: StartOptions,
): Promise<OpenState> {
  const folder = resolve(name)
  const { rejection, release } = await lockState(folder, name, {
    onWait: (text) => note(console, text),
    onLost: (text) => warn(console, text),
  })
  try {
    const own = headOf(options)
    const entries = await fs.readdir(folder, { withFileTypes: true })
    const files = entries.map((entry) => entry.name)
    const other = entries.find((entry) => isState(entry.name) && !entry.isFile())
    if (other !== undefined)
      throw new UsageError(`${join(folder, other.name)} is no regular file; remove it`)
    const found = await readHead(folder, name, files)
    if (found === undefined) await writeTextFile(join(folder, headName), `${text(own)}\n`, true)
    else compareHeads(console, flags, name, { found, own })
    const sandboxes = files.filter((file) => sandboxFile.test(file))
    const kept = new Set(sandboxes.map(onDiskOf))
    const isLeft = (file: string): boolean =>
      leftOver.test(file) || (onDiskFile.test(file) && !kept.has(file))
    // A mock that starts now removes its own trial.
    await Promise.all(
      files.filter(isLeft).map((file) => fs.rm(join(folder, file), { force: true })),
    )
    const state = found && (await readSandboxes(console, folder, sandboxes))
    const disk = createDisk(folder, rejection)
    const save: SaveTarget['save'] = async (sandbox) => {
      const file = fileOf(sandbox.name)
      const path = join(folder, file)
      const expectLock = (): void => {
        const why = rejection()
        if (why !== undefined) throw new UsageError(why)
      }
      expectLock()
      if (sandbox.state !== undefined) {
        await replacePrivately(path, inPieces(linesOf(sandbox), expectLock))
        return disk.add(file)
      }
      await fs.rm(join(folder, onDiskOf(file)), { force: true })
      await fs.rm(path, { force: true })
    }
    return {
      state: state?.length === 0 ? undefined : state,
      target: { save: reporting(console, name, save), rejection },
      async release() {
        await disk.end()
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

/** @throws {UsageError} when there is something else */
export async function expectFolder(name: string): Promise<void> {
  const found = await fs.stat(resolve(name)).catch(() => undefined)
  if (found !== undefined && !found.isDirectory())
    throw new UsageError(`--state ${name} is not a folder, which a state is: name a new one`)
}

function headOf({ seed = 1, pets = 100, ids = 'small', data, ...options }: StartOptions) {
  const {
    profile = {},
    defects = [],
    overrides = true,
    explain = false,
    rules = [],
    now = null,
  } = options
  const given = data === undefined ? null : hash().update(text(data)).digest('hex')
  return {
    petstoreState: formatVersion,
    /** The version of the kit that wrote the folder. */
    kit: version,
    /** What pets and ids derive from; it must match the command line. */
    start: { seed, pets: given === null ? pets : null, ids, data: given },
    /** The initial options of the command line. */
    options: { profile, defects, overrides, explain, rules, now } as unknown as Readonly<
      Record<string, JsonValue>
    >,
  }
}

const stays = 'it was not changed; move it, or give another folder'

/** @throws {UsageError} when the folder holds no state that this version can resume */
async function readHead(
  folder: string,
  name: string,
  files: readonly string[],
): Promise<Head | undefined> {
  if (!files.includes(headName)) {
    const other = files.find((file) => !file.startsWith('.') && file !== 'lost+found')
    if (other === undefined) return undefined
    throw new UsageError(
      `--state ${name} has other files, such as ${other}, and no state; name a folder of its own`,
    )
  }
  const bytes = await readBytes(join(folder, headName), 'the head of the state')
  const head = (tryParseJson(bytes.toString()) ?? {}) as unknown as Partial<Head>
  const { petstoreState, kit, start, options } = head
  if (petstoreState !== undefined && petstoreState !== formatVersion)
    throw new UsageError(
      `--state ${name} was written by petstore-kit ${kit} in format ${petstoreState}, and ${version} reads only format ${formatVersion}: ${stays}`,
    )
  if (petstoreState === undefined || !isObject(start) || !isObject(options))
    throw new UsageError(`--state ${name} is damaged: ${headName} is not complete; ${stays}`)
  return head as Head
}

/** @throws {UsageError} when the state was created with other pets */
function compareHeads(
  console: Console,
  flags: Parsed,
  name: string,
  { found, own }: { found: Head; own: Head },
): void {
  const others = (['seed', 'pets', 'ids', 'data'] as const).filter(
    (part) => found.start[part] !== own.start[part],
  )
  const shown = (value: string | number | null): string =>
    value === null ? 'of --data or --pets-from' : String(value)
  if (others.length > 0) {
    const differences = others.map((part) =>
      part === 'data'
        ? 'other pets of --data or --pets-from'
        : `--${part} ${shown(found.start[part])}, not ${shown(own.start[part])}`,
    )
    throw new UsageError(`--state ${name} was created with ${differences.join(', and ')}: ${stays}`)
  }
  const changed = Object.keys(own.options)
    .filter((part) => text(own.options[part]) !== text(found.options[part]))
    .flatMap((part) => flags.flagsOf(part).map((flag) => `--${flag.name}`))
  if (changed.length > 0)
    note(
      console,
      `${name} was created with another value of ${enumerate(changed, 'or')}, which stays in use until a reset.`,
    )
}

/** The sandboxes of files, in the order of saving. */
async function readSandboxes(
  console: Console,
  folder: string,
  files: readonly string[],
): Promise<KeptSandbox[]> {
  const found: SavedSandbox[] = []
  /** Undefined when it is damaged, or the sandbox is not that of the file. */
  function read(from: string, file: string): SavedSandbox | undefined {
    let bytes: Buffer
    try {
      // Several times as fast as with a promise for each step.
      bytes = readFileSync(join(folder, from))
    } catch (error) {
      throw new UsageError(`${join(folder, from)} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      })
    }
    const sandbox = readSandbox(bytes)
    return sandbox !== undefined && fileOf(sandbox.name) === file ? sandbox : undefined
  }
  for (const [nth, file] of files.entries()) {
    // The lock must be renewed meanwhile.
    if (nth % atOnce === 0) await setImmediate()
    const current = read(file, file)
    const older = onDiskOf(file)
    const sandbox = current ?? (existsSync(join(folder, older)) ? read(older, file) : undefined)
    if (current === undefined) await setAside(console, folder, file, sandbox !== undefined)
    if (sandbox !== undefined) found.push(sandbox)
  }
  return found.toSorted((one, other) => one.savedAt - other.savedAt)
}

/** Until the last step, a killed start changes nothing. */
async function setAside(
  console: Console,
  folder: string,
  name: string,
  hasOlder: boolean,
): Promise<void> {
  const file = join(folder, name)
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`
  try {
    await nameAlso(file, aside, false)
    if (hasOlder) await nameAlso(join(folder, onDiskOf(name)), file, false)
    else await fs.rm(file)
  } catch (error) {
    throw new UsageError(`${file} is damaged, and cannot be renamed: ${reasonOf(error)}`, {
      cause: error,
    })
  }
  const how = hasOlder ? 'continues from an older version' : 'starts anew'
  warn(console, `${file} is damaged: its sandbox ${how}, and the file is now ${aside}`)
}

/**
 * Brings saved files on disk, one after another, so that a power failure damages no older state. A save does not wait for
 * that: a disk may take seconds, and a killed process needs only the system.
 */
function createDisk(folder: string, rejection: () => string | undefined) {
  const waiting = new Set<string>()
  let until = Infinity
  let current: Promise<void> | undefined

  async function bring(): Promise<void> {
    // Those that are saved again meanwhile have their turn a second later.
    for (const file of Array.from(waiting)) {
      if (performance.now() > until || rejection() !== undefined) break
      waiting.delete(file)
      // A deleted file needs nothing. If the disk fails, so does the next save, which says so.
      await nameAlso(join(folder, file), join(folder, onDiskOf(file)), true).catch(() => {})
    }
    current = undefined
  }
  const timer = setInterval(() => {
    if (waiting.size > 0) current ??= bring()
  }, onDiskMs)
  timer.unref()
  return {
    add: (file: string): void => void waiting.add(file),
    async end(): Promise<void> {
      clearInterval(timer)
      until = performance.now() + onDiskMs
      await current
      await bring()
    },
  }
}

/** Undefined when it is not complete. */
function readSandbox(bytes: Buffer): SavedSandbox | undefined {
  const lines: { from: number; to: number }[] = []
  // The whole file may exceed the maximum length of a string.
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(10, from)
    if (to === -1) return undefined
    lines.push({ from, to })
    from = to + 1
  }
  const last = lines.pop()
  if (last === undefined) return undefined
  const sum = hash().update(bytes.subarray(0, last.from)).digest('hex')
  if (bytes.toString('utf8', last.from, last.to) !== sumLine(sum)) return undefined
  const [first, ...rest] = lines.map(({ from, to }) =>
    tryParseJson(bytes.toString('utf8', from, to)),
  ) as unknown as [FirstLine, ...StoredPet[][]]
  let taken = 0
  const take = (count: number): StoredPet[] =>
    rest.slice(taken, (taken += count)).flatMap((pets) => pets.map(toStoredPet))
  const { sandbox: name, savedAt, startedAt, state } = first
  return { name, savedAt, startedAt, state: mapPets(state, take) }
}

function* linesOf({ name, state, startedAt = 0 }: KeptSandbox): Generator<string> {
  const parts: (readonly StoredPet[])[] = []
  const counted = mapPets(state as SandboxState, (pets) => {
    const own = chunksOf(pets)
    parts.push(...own)
    return own.length
  })
  const first: FirstLine = { sandbox: name, savedAt: Date.now(), startedAt, state: counted }
  const sum = hash()
  const lines = function* (): Generator<string> {
    yield `${text(first)}\n`
    // Six times as fast as `text`.
    for (const pets of parts) yield `[${pets.map(printPet).join(',')}]\n`
  }
  for (const line of lines()) {
    sum.update(line)
    yield line
  }
  yield `${sumLine(sum.digest('hex'))}\n`
}

/** Joins lines, since a write of each would take longer than its text. Calls `atEnd` before the file is used. */
function* inPieces(lines: Iterable<string>, atEnd: () => void): Generator<string> {
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < writeLength) continue
    yield piece
    piece = ''
  }
  yield piece
  atEnd()
}

function reporting(console: Console, name: string, save: SaveTarget['save']): SaveTarget['save'] {
  const failing = new Set<string | null>()
  let saidAt = 0
  return async (sandbox) => {
    try {
      await save(sandbox)
    } catch (error) {
      const now = Date.now()
      if (failing.size === 0 || now - saidAt >= repeatMs) {
        warn(console, (error as Error).message)
        saidAt = now
      }
      failing.add(sandbox.name)
      throw error
    }
    if (failing.delete(sandbox.name) && failing.size === 0)
      note(console, `The state is in ${name} again.`)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const hash = (): Hash => createHash('sha256')
const sumLine = (sha256: string): string => `{"sha256":"${sha256}"}`
const text = (value: unknown): string => printJson(value as JsonValue)
