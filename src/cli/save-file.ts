import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { printJson } from '../json.ts'
import type { ExactPet } from '../spec/types.ts'
import { type Place, checkBeside, findPlace, reasonNotWritten, replaceFile } from './files.ts'

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
  save: (pets: readonly ExactPet[]) => Promise<void>
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
    const place = await findOrdinary(file)
    isThere = place.kind === 'file'
    if (isThere) await access(file, constants.W_OK)
    await checkBeside(place.path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`--save ${name} cannot be written: ${reasonNotWritten(error, file)}`, { cause: error })
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

async function write(file: string, pets: readonly ExactPet[]): Promise<void> {
  try {
    await replaceFile(await findOrdinary(file), pieces(pets))
  } catch (error) {
    if (error instanceof UsageError) throw error
    const why = reasonNotWritten(error, file)
    throw new UsageError(`The pets could not be saved to ${file}, which is as it was before: ${why}.`, { cause: error })
  }
}

async function findOrdinary(file: string): Promise<Place> {
  const place = await findPlace(file)
  if (place.kind === 'file' || place.kind === 'nothing') return place
  const kind = place.kind === 'folder' ? 'a folder' : 'no ordinary file'
  throw new UsageError(`--save takes a file, and ${file} is ${kind}`)
}

/** A JSON array with one pet a line, in pieces. */
function* pieces(pets: readonly ExactPet[]): Generator<string> {
  if (pets.length === 0) yield '[]\n'
  for (let at = 0; at < pets.length; at += petsAtOnce) {
    const lines = pets.slice(at, at + petsAtOnce).map((pet) => printJson(pet))
    yield `${at === 0 ? '[\n' : ',\n'}${lines.join(',\n')}${at + petsAtOnce >= pets.length ? '\n]\n' : ''}`
  }
}
