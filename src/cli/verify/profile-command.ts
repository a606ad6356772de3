import { didYouMean, UsageError } from '../../errors.ts'
import { count, inert, wrap } from '../../report/text.ts'
import { behaviors, type Behavior } from '../../spec/behaviors.ts'
import { type Command, widthOf } from '../command.ts'
import { readJsonFile } from '../json-file.ts'

export const command: Command = {
  usage: ['petstore profile list', 'petstore profile diff A B'],
  about: `list shows every unspecified behavior and its options. diff compares two profiles or JSON
reports of petstore verify, and shows where they differ.`,
  flags: [],
  examples: [
    'petstore profile list',
    'petstore verify staging --reporter json=staging.json',
    'petstore profile diff staging.json production.json',
  ],
  exitCodes: {
    0: 'the options were listed, or the profiles are the same',
    1: 'the profiles differ',
  },
  async run(console, { words: [name = '', ...files] }) {
    const { print } = console
    if (name === 'list' && files.length === 0) {
      await print(list(widthOf(console)))
      return 0
    }
    const [before, after, ...more] = files
    if (name !== 'diff' || before === undefined || after === undefined || more.length > 0) {
      if (name === 'list')
        throw new UsageError(
          `petstore profile list shows all; did you mean petstore explain ${before ?? ''}?`,
        )
      throw new UsageError(
        `petstore profile takes list, or diff and two files: petstore profile diff a.json b.json${name === 'diff' ? '' : didYouMean(name, ['list', 'diff'])}`,
      )
    }
    if ([before, after].some((file) => /^https?:/.test(file))) {
      throw new UsageError(
        'profile diff compares files; petstore compare takes URLs, names of deployments and reports',
      )
    }
    const { text, differ } = diff(await readOptions(before), await readOptions(after))
    await print(text)
    return differ ? 1 : 0
  },
}

function list(width: number): string {
  const entries = (behaviors as readonly Behavior[]).flatMap(
    ({ id, question, quote, options, free, default: fallback }) => [
      id,
      ...wrap(question, width, '  '),
      ...wrap(`unspecified in: "${quote}"`, width, '  ', '    '),
      ...options.flatMap(({ value, meaning }) =>
        wrap(
          `${value}${value === fallback ? ' (default)' : ''}: ${meaning}`,
          width,
          '    ',
          '      ',
        ),
      ),
      ...(free === undefined ? [] : [`    ${free}, as a text; ${fallback} (default)`]),
      '',
    ],
  )
  return entries.join('\n')
}

/** Reads the options of a profile or a JSON report. Throws a UsageError when the file has none. */
export async function readOptions(file: string): Promise<Map<string, string>> {
  const value = (await readJsonFile(file, 'the profile')).value as { profile?: object } | null
  const profile = Object.entries(value?.profile ?? value ?? {})
  const options = profile.filter(
    ([id, option]) =>
      typeof option === 'string' && behaviors.some((behavior) => behavior.id === id),
  )
  if (options.length === 0)
    throw new UsageError(`${file} is neither a profile nor a report of petstore verify`)
  return new Map(options as [string, string][])
}

/** An option that only one side observed is no difference. */
function diff(
  before: Map<string, string>,
  after: Map<string, string>,
): { text: string; differ: boolean } {
  const optionOf = (profile: Map<string, string>, id: string): string =>
    profile.get(id) ?? 'unknown'
  const rows = behaviors
    .map(({ id }) => ({ id, from: optionOf(before, id), to: optionOf(after, id) }))
    .filter(({ from, to }) => from !== to)
  const differences = rows.filter(({ from, to }) => from !== 'unknown' && to !== 'unknown')
  const untold = rows.length - differences.length
  const lines = [
    differences.length === 0 ? 'No differences.' : `${count(differences.length, 'difference')}:`,
    ...differences.map(({ id, from, to }) => `  ${id}  ${inert(from)} -> ${inert(to)}`),
    ...(untold === 0
      ? []
      : [`${untold} more ${untold === 1 ? 'was' : 'were'} observed on one side only.`]),
    '',
  ]
  return { text: lines.join('\n'), differ: differences.length > 0 }
}
