import { createReadStream, existsSync, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { getSystemErrorMap } from 'node:util'
import { UsageError } from '../errors.ts'

/** An output could not be written after the work was done. */
export class OutputError extends UsageError {
  readonly exitCode = 4

  constructor(output: string, cause: unknown) {
    super(`${output} could not be written: ${reasonNotWritten(cause, output)}`, { cause })
  }
}

/** Common errors of the file system; the system describes the others. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EEXIST: 'a file has that name',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  EROFS: 'the file system is read-only',
}

export function reasonOf(error: unknown): string {
  const { code = '', errno = 0, message } = error as NodeJS.ErrnoException
  return reasons[code] ?? getSystemErrorMap().get(errno)?.[1] ?? message
}

/** ENOENT on writing means that the folder is missing, or allows no new files. */
function reasonNotWritten(error: unknown, file: string): string {
  if (codeOf(error) !== 'ENOENT') return reasonOf(error)
  const folder = dirname(file)
  return existsSync(folder) ? `no file can be created in ${folder}` : `there is no folder ${folder}`
}

/** @throws {UsageError} when the file cannot be read */
export const readTextFile = async (file: string, what: string): Promise<string> =>
  decode(await readBytes(file, what))

/** Reads UTF-8, or UTF-16 with a byte order mark, which PowerShell 5 writes. */
export const decode = (bytes: Uint8Array, fatal = false): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal }).decode(
    bytes,
  )

/** Bytes that are read of a pipe or a device, which may have no end: 256 MiB. */
const maxPiped = 2 ** 28

/** @throws {UsageError} when a file cannot be read; `hint` is added when it does not exist */
export async function readBytes(file: string, what: string, hint = ''): Promise<Buffer> {
  try {
    const found = await fs.stat(file)
    if (found.isFile()) return await fs.readFile(file)
    await expectNoPipe(file, found)
    const bytes = await buffer(createReadStream(file, { end: maxPiped }))
    if (bytes.length <= maxPiped) return bytes
    throw new Error('it has more than 256 MiB')
  } catch (error) {
    const problem =
      codeOf(error) === 'ENOENT' ? `does not exist${hint}` : `cannot be read: ${reasonOf(error)}`
    throw new UsageError(`${what} ${file} ${problem}`, { cause: error })
  }
}

/** Opening a named pipe waits for its other end. One that is open already, as that of `<(...)` or of stdin, does not. */
async function expectNoPipe(file: string, found: Stats): Promise<void> {
  if (!found.isFIFO()) return
  const places = [resolve(file), await fs.realpath(file).catch(() => '/proc')]
  if (places.every((place) => !/^\/(?:dev|proc)(?:\/|$)/.test(place)))
    throw new Error('it is not a regular file')
}

/** Identifies a version of the file: its inode and modification time. */
export const stampOf = (file: string): Promise<string | undefined> =>
  fs.stat(file, { bigint: true }).then(
    ({ ino, mtimeNs }) => `${ino} ${mtimeNs}`,
    () => undefined,
  )

/** Creates the folder of a file. Throws a UsageError early when the file could not be written. */
export async function makeWritable(file: string): Promise<void> {
  const folder = dirname(file)
  try {
    await makeFolder(folder)
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? '' : `: ${reasonOf(error)}`
    const problem = `its folder ${folder} cannot be created${why}`
    throw new UsageError(`${file} cannot be written: ${problem}; name another file`, {
      cause: error,
    })
  }
  try {
    const place = await findPlace(file)
    if (place.kind === 'other') await expectNoPipe(file, await fs.stat(file))
    await checkWritable(place)
  } catch (error) {
    throw new UsageError(
      `${file} cannot be written: ${reasonNotWritten(error, file)}; name another file`,
      {
        cause: error,
      },
    )
  }
}

/** Level by level: Node's recursive mkdir hangs below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  await fs.mkdir(folder).catch(async (error: unknown) => {
    if (!(await isFolder(folder))) throw error
  })
}

const isFolder = async (path: string): Promise<boolean> =>
  (await fs.stat(path).catch(() => undefined))?.isDirectory() ?? false

async function checkWritable({ path, kind }: Place): Promise<void> {
  // Opening and closing a pipe would end its reader.
  if (kind === 'file' || kind === 'other') await fs.access(path, fs.constants.W_OK)
  if (kind === 'other') return
  try {
    if (kind !== 'folder') return await checkBeside(path)
  } catch (error) {
    if (!mayBeInPlace(error)) throw error
  }
  await (await fs.open(path, 'a')).close()
}

/**
 * Writes a text file atomically, and to a device or a pipe directly. Only the owner may read a private file.
 *
 * @throws {OutputError} when it cannot; a regular file stays as it was
 */
export async function writeTextFile(
  file: string,
  text: string | Iterable<string>,
  isPrivate = false,
): Promise<void> {
  const pieces = typeof text === 'string' ? [text] : text
  try {
    const place = await findPlace(file)
    if (place.kind === 'other' || place.kind === 'folder') await fs.writeFile(file, pieces)
    else if (isPrivate) await replaceFile({ ...place, mode: 0o600 }, pieces)
    else
      await replaceFile(place, pieces).catch((error: unknown) =>
        writeInPlace(place.path, pieces, error),
      )
  } catch (error) {
    throw new OutputError(file, error)
  }
}

/**
 * Replaces a private file, or creates it, atomically. The system writes it to the disk later: a killed process has saved it,
 * a power failure may damage it.
 *
 * @throws {OutputError} when it cannot; the file stays as it was
 */
export async function replacePrivately(path: string, pieces: Iterable<string>): Promise<void> {
  try {
    await replaceFile({ path, mode: 0o600 }, pieces, false)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new OutputError(path, error)
  }
}

/**
 * Gives what a file has now a second name, which may be that of another file; a replacement of the first file leaves it as
 * it is. `isDurable`: as soon as it is on disk.
 */
export async function nameAlso(file: string, name: string, isDurable: boolean): Promise<void> {
  const temporary = temporaryOf(name)
  try {
    // Some file systems have no links.
    await fs.link(file, temporary).catch(() => fs.copyFile(file, temporary))
    if (isDurable) {
      const handle = await fs.open(temporary, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    await whenFree(() => fs.rename(temporary, name))
  } finally {
    // Also if both names are those of one file already: then renaming does nothing.
    await fs.unlink(temporary).catch(() => {})
  }
}

/** Whether a file that cannot be renamed may still be writable, such as one mounted into a container. */
const mayBeInPlace = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(codeOf(error))

async function writeInPlace(path: string, pieces: Iterable<string>, error: unknown): Promise<void> {
  if (!mayBeInPlace(error)) throw error
  try {
    await fs.writeFile(path, pieces)
  } catch (second) {
    await fs.truncate(path).catch(() => {})
    throw second
  }
}

type Place = Awaited<ReturnType<typeof findPlace>>

/** Resolves the links of a regular file. Renaming would turn a device, a pipe or a link into a file. */
async function findPlace(file: string) {
  try {
    const found = await fs.stat(file)
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
    return {
      path: kind === 'file' ? await fs.realpath(file) : file,
      kind,
      mode: found.mode & 0o7777,
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { path: file, kind: 'nothing' as const, mode: undefined }
    throw error
  }
}

const isPrivate = (mode: number): boolean => (mode & 0o77) === 0

/** @param isDurable whether it is on disk when this returns */
async function replaceFile(
  { path, mode }: Omit<Place, 'kind'>,
  pieces: Iterable<string>,
  isDurable = true,
): Promise<void> {
  const { temporary, handle } = await openBeside(path, mode)
  try {
    try {
      for (const piece of pieces) await handle.writeFile(piece)
      // Opening makes only the rights of others fewer.
      if (mode !== undefined && !isPrivate(mode)) await handle.chmod(mode)
      // The content must be on disk before the name changes.
      if (isDurable) await handle.sync()
    } finally {
      await handle.close()
    }
    await whenFree(() => fs.rename(temporary, path))
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  if (isDurable) await syncFolder(dirname(path))
}

/** Windows cannot replace a file while another program, such as a virus scanner, has it open: tries again for a second. */
export async function whenFree(
  act: () => Promise<void>,
  tries = process.platform === 'win32' ? 20 : 1,
): Promise<void> {
  return act().catch(async (error: unknown) => {
    if (tries <= 1 || !mayBeInPlace(error)) throw error
    await setTimeout(50)
    await whenFree(act, tries - 1)
  })
}

/** Checks that a file can be replaced. */
async function checkBeside(path: string): Promise<void> {
  const { temporary, handle } = await openBeside(path)
  await handle.close()
  // A mock may sweep it.
  await fs.rm(temporary, { force: true })
}

/** A temporary file in the same folder, where renaming is atomic. */
async function openBeside(
  file: string,
  mode?: number,
): Promise<{ temporary: string; handle: fs.FileHandle }> {
  const temporary = temporaryOf(file)
  const handle = await fs.open(temporary, 'wx', mode)
  return { temporary, handle }
}

const temporaryOf = (file: string): string =>
  join(dirname(file), `.${basename(file)}.${crypto.randomUUID()}.tmp`)

/** Makes the rename durable where the system can sync a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
