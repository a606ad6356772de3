import { observedIn, type Report } from '../../contract/report/report.ts'
import type { Shown } from '../../contract/judge/catalog.ts'
import type { Parsed } from '../../options.ts'
import { count, inertJson, toInertJson } from '../../report/text.ts'
import type { ExactPet } from '../../spec/types.ts'
import type { Output } from '../outputs.ts'

/** The input of the files for `petstore mock --data FILE --profile FILE`. */
interface RecordedRun {
  shown: Shown
  report: Pick<Report, 'profile' | 'candidates'>
}

/** Reads the options of recording. */
export async function readRecording(flags: Parsed): Promise<Output<RecordedRun>[]> {
  const data = flags.text('save')
  const profileFile = flags.text('save-profile')
  const outputs: Output<RecordedRun>[] = []
  if (data !== undefined) {
    const { printPets } = await import('../../mock/pets/pet.ts')
    const seed = (await import('../../mock/pets/seed.ts')).createSeed(1)
    const isAnonymous = !flags.has('keep-names')
    outputs.push({
      name: 'save',
      file: data,
      isPrivate: true,
      render: ({ shown, report: { profile } }) => {
        const pets = oldestFirst(shown, profile['list.order'])
        return inertJson(
          printPets(isAnonymous ? anonymize(pets, (number) => seed(number).name) : pets),
        )
      },
      describe: ({ shown: { listed, created } }) =>
        `${count(listed.length + created.length, 'pet')}, ${isAnonymous ? 'with generated names' : 'with their names'}`,
    })
  }
  if (profileFile !== undefined) {
    const { readProfile } = await import('../../mock/sandbox/profile.ts')
    const observed = ({ report: { profile, candidates } }: RecordedRun): object => {
      const shown = Object.fromEntries(observedIn({ profile }))
      return { ...readProfile({ profile, candidates }, 'the run').profile, ...shown }
    }
    outputs.push({
      name: 'save-profile',
      file: profileFile,
      isPrivate: true,
      render: (recorded) => toInertJson(observed(recorded)),
      describe: (recorded) => count(Object.keys(observed(recorded)).length, 'observed option'),
    })
  }
  return outputs
}

/** Oldest first, as `--data` wants them, so that a mock lists them in the observed order. */
const oldestFirst = ({ listed, created }: Shown, order: string | undefined): ExactPet[] =>
  order === 'oldest-first' ? [...listed, ...created] : [...listed.toReversed(), ...created]

/** Replaces names by seeded ones; equal names stay equal. */
function anonymize(pets: readonly ExactPet[], seededName: (number: number) => string): ExactPet[] {
  const names = new Map<string, string>()
  const used = new Set<string>()
  for (const { name } of pets) {
    if (names.has(name)) continue
    const number = names.size + 1
    const drawn = seededName(number)
    const own = used.has(drawn) ? `${drawn} ${number}` : drawn
    used.add(own)
    names.set(name, own)
  }
  return pets.map((pet) => ({ ...pet, name: names.get(pet.name) as string }))
}
