import type { Report } from '../contract/index.ts'
import type { Shown } from '../contract/shown.ts'
import { UsageError } from '../errors.ts'
import { printJson } from '../json.ts'
import type { Parsed } from '../options.ts'
import { inertLines } from '../report/inert.ts'
import type { ExactPet } from '../spec/types.ts'
import type { Console } from './command.ts'
import { makeWritable, OutputError, writePrivateFile } from './files.ts'

/** What is recorded of a deployment, for `petstore mock --data FILE --profile FILE`. */
export interface DeploymentRecording {
  /**
   * Writes the files. What cannot be written is named on stderr.
   *
   * @param report the observed options, `unknown` for those that were not observed, and what is left of these
   * @returns whether all was written
   */
  write: (console: Console, shown: Shown, report: Pick<Report, 'profile' | 'candidates'>) => Promise<boolean>
}

/**
 * Reads where to record, and makes sure that it can be written. Undefined where nothing is to be recorded.
 *
 * @throws {UsageError} when the options contradict each other, or a file cannot be written
 */
export async function openRecording(flags: Parsed, target: URL): Promise<DeploymentRecording | undefined> {
  const [data, profileFile] = [flags.text('save'), flags.text('save-profile')]
  if (flags.has('anonymize') && flags.has('keep-names')) {
    throw new UsageError('--anonymize and --keep-names exclude each other')
  }
  const named = ['anonymize', 'keep-names'].find((name) => flags.has(name))
  if (named !== undefined && data === undefined) throw new UsageError(`--${named} needs --save FILE`)
  if (data !== undefined && data === profileFile) throw new UsageError('--save and --save-profile name the same file')
  const files = [data, profileFile].filter((file) => file !== undefined)
  if (files.length === 0) return undefined
  for (const file of files) await makeWritable(file)
  const { isLoopback } = await import('../contract/options.ts')
  const isAnonymous = flags.has('anonymize') || (!flags.has('keep-names') && !isLoopback(target.hostname))
  return {
    async write(console, shown, { profile, candidates }) {
      const { readProfile } = await import('../mock/choices.ts')
      const shownOptions = Object.fromEntries(Object.entries(profile).filter(([, option]) => option !== 'unknown'))
      const observed = { ...readProfile({ profile, candidates }, 'the run').profile, ...shownOptions }
      const pets = inAge(shown, profile['list.order'])
      const saved = isAnonymous ? await anonymize(pets) : pets
      const names = isAnonymous ? 'with seeded names' : 'with their names'
      const written: [file: string | undefined, text: () => string, what: string][] = [
        [data, () => printPets(saved), `${saved.length} pets, ${names}`],
        [
          profileFile,
          () => `${JSON.stringify(observed, null, 2)}\n`,
          `${Object.keys(observed).length} observed options`,
        ],
      ]
      let isWritten = true
      for (const [file, text, what] of written) {
        if (file === undefined) continue
        try {
          await writePrivateFile(file, text())
          console.notify(inertLines(`wrote ${file}: ${what}\n`))
        } catch (error) {
          if (!(error instanceof OutputError)) throw error
          console.notify(inertLines(`petstore: ${error.message}\n`))
          isWritten = false
        }
      }
      return isWritten
    },
  }
}

/** The oldest first, as `--data` wants them: a mock with the observed order, or its default, lists them as they were listed. */
function inAge({ listed, created }: Shown, order: string | undefined): ExactPet[] {
  return order === 'oldest-first' ? [...listed, ...created] : [...listed.toReversed(), ...created]
}

const printPets = (pets: readonly ExactPet[]): string =>
  pets.length === 0 ? '[]\n' : `[\n${pets.map((pet) => `  ${printJson(pet)}`).join(',\n')}\n]\n`

/** Seeded names in place of those of the pets; equal names stay equal. Nothing of a name is left. */
async function anonymize(pets: readonly ExactPet[]): Promise<ExactPet[]> {
  const { createSeed } = await import('../mock/seed.ts')
  const seeded = createSeed(1)
  const names = new Map<string, string>()
  const used = new Set<string>()
  let count = 0
  const nameOf = (name: string): string => {
    const known = names.get(name)
    if (known !== undefined) return known
    count += 1
    const drawn = seeded.pet(count).name
    const own = used.has(drawn) ? `${drawn} ${count}` : drawn
    used.add(own)
    names.set(name, own)
    return own
  }
  return pets.map((pet) => ({ ...pet, name: nameOf(pet.name) }))
}
