import { randomUUID } from 'node:crypto'
import { type FileHandle, access, constants, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { printJson } from '../json.ts'
import type { Pet } from '../spec/types.ts'

/** A file that pets are written to. */
export interface SaveFile {
  /** Its absolute path. */
  file: string
  /** Whether it was there before. */
  isThere: boolean
  /**
   * Writes pets in place of what was there: wholly or, when that fails, not at all. Calls wait for one another.
   *
   * @throws {UsageError} when it cannot be written
   */
  save: (pets: readonly Pet[]) => Promise<void>
}

/** Pets that are printed before others get their turn. */
const petsAtOnce = 10_000

/**
 * Finds out whether pets can be saved to a file, before there is anything to lose.
 *
 * @throws {UsageError} when they cannot
 */
export async function openSaveFile(name: string): Promise<SaveFile> {
  const file = resolve(name)
  let isThere: boolean
  try {
    isThere = (await find(file)).mode !== undefined
    if (isThere) await access(file, constants.W_OK)
    const { temporary, handle } = await openBeside(file)
    await handle.close()
    await rm(temporary)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const why = codeOf(error) === 'ENOENT' ? `there is no folder ${dirname(file)}` : codeOf(error)
    throw new UsageError(`--save ${name} cannot be written (${why})`, { cause: error })
  }
  let last: Promise<void> = Promise.resolve()
  return {
    file,
    isThere,
    save(pets) {
      const next = last.then(() => write(file, pets))
      last = next.catch(() => {})
      return next
    },
  }
}

async function write(file: string, pets: readonly Pet[]): Promise<void> {
  let temporary: string | undefined
  try {
    const target = await find(file)
    const beside = await openBeside(target.path)
    temporary = beside.temporary
    const { handle } = beside
    try {
      for (const piece of pieces(pets)) await handle.writeFile(piece)
      if (target.mode !== undefined) await handle.chmod(target.mode)
      // A new name must not appear on the disk before what it stands for.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target.path)
    await syncFolder(dirname(target.path))
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => {})
    if (error instanceof UsageError) throw error
    throw new UsageError(`The pets could not be saved to ${file} (${codeOf(error)}), which is as it was before.`, {
      cause: error,
    })
  }
}

/** Where a file is behind links, and its mode if it is there. Renaming would replace a device or a pipe by a file. */
async function find(file: string): Promise<{ path: string; mode: number | undefined }> {
  try {
    const path = await realpath(file)
    const found = await stat(path)
    if (!found.isFile())
      throw new UsageError(
        `--save takes a file, and ${file} is ${found.isDirectory() ? 'a folder' : 'no ordinary file'}`,
      )
    return { path, mode: found.mode & 0o7777 }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path: file, mode: undefined }
    throw error
  }
}

/** A new file beside another one: names change at once only within a folder. */
async function openBeside(file: string): Promise<{ temporary: string; handle: FileHandle }> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  return { temporary, handle: await open(temporary, 'wx') }
}

/** A JSON array with one pet a line, in pieces. */
function* pieces(pets: readonly Pet[]): Generator<string> {
  if (pets.length === 0) yield '[]\n'
  for (let at = 0; at < pets.length; at += petsAtOnce) {
    const lines = pets.slice(at, at + petsAtOnce).map((pet) => printJson(pet))
    yield `${at === 0 ? '[\n' : ',\n'}${lines.join(',\n')}${at + petsAtOnce >= pets.length ? '\n]\n' : ''}`
  }
}

/** Not all systems can do it for a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // The pets are written; only a crash of the whole machine could still undo the new name.
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
