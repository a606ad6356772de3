import type { Comparable, Comparison } from '../../contract/index.ts'
import { UsageError } from '../../errors.ts'
import { flagsOf, type Parsed } from '../../options.ts'
import { commonFormats } from '../../report/formats.ts'
import {
  type Command,
  type Console,
  createProgress,
  note,
  notWritten,
  readInFlags,
} from '../command.ts'
import { prepareOutputs, readOutputs, reporterTable, writeOutputs } from '../outputs.ts'
import { verifyFlags } from './verify-flags.ts'
import { readReport } from './verify-command.ts'
import { readRunOptions } from './verify-options.ts'

/** Flags of `petstore verify` that are not those of a comparison. */
const notHere = new Set('read-only allow-writes list reporter history'.split(' '))

export const command: Command = {
  usage: ['petstore compare A B [options]'],
  about: `Verifies two deployments side by side and shows the differences: verdicts of requirements, and
unspecified behavior with the request, both responses, and how a client can work with both. A and B
are names in petstore.config.json, base URLs, or JSON reports of petstore verify. It compares verdicts
and options, not bytes. If the sides differ, both run a second time; what changes between two runs of
a side is listed as "varies". No pets are created without --allow-writes. Sides with keys or headers of
their own are deployments in petstore.config.json.`,
  flags: [
    ...verifyFlags.filter(
      ({ name, group }) => !notHere.has(name) && !['Verdict', 'Recording'].includes(group),
    ),
    ...flagsOf('Writes', {
      'allow-writes':
        'create pets on both sides to also compare creations, except on deployments configured as readOnly',
    }),
    ...flagsOf('Verdict', {
      'fail-on WHAT': {
        default: 'any',
        oneOf: ['any', 'regressions', 'none'],
        help: 'exit with 1 for any difference, for regressions (requirements that only B violates), or for none',
      },
      strict: 'exit with 3 if one side showed more than the other',
    }),
    ...flagsOf('Output', reporterTable('the report', commonFormats)),
  ],
  examples: [
    'petstore compare staging production',
    'petstore compare last-week.json https://staging.example.com/v1 --fail-on regressions',
    'petstore compare staging production --reporter markdown --reporter html=comparison.html',
  ],
  exitCodes: {
    0: 'no difference, or only differences that --fail-on ignores',
    1: 'the sides differ',
    3: 'a side could not be verified, or with --strict: one side showed more than the other',
    4: notWritten,
  },
  run,
}

async function run(console: Console, flags: Parsed): Promise<number> {
  const [a, b, ...more] = flags.words
  if (a === undefined || b === undefined || more.length > 0) {
    throw new UsageError(
      `petstore compare needs two deployments or reports: petstore compare staging production${more.length > 0 ? `; it got ${flags.words.length} words` : ''}`,
    )
  }
  const contract = await import('../../contract/index.ts')
  const stop = new AbortController()
  const progress = createProgress(console)
  const sideOf = async (word: string, side: 'a' | 'b'): Promise<Comparable> => {
    if (isFile(word)) return readReport(word)
    const { input, deployment } = await readRunOptions(console, flags, word)
    const options = {
      ...input,
      readOnly: !flags.has('allow-writes') || deployment?.readOnly === true,
      signal: stop.signal,
      onProgress: (line: string) => progress.show(`${side.toUpperCase()}  ${line}`),
    }
    readInFlags(flags, () => contract.checkOptions(options))
    return options
  }
  const sides = [await sideOf(a, 'a'), await sideOf(b, 'b')] as const
  const outputs = readOutputs<Comparison>(
    console,
    flags.list('reporter'),
    contract.comparisonReporters,
  )
  await prepareOutputs(outputs)
  void console.interrupted.then(() => stop.abort())
  const comparison = await contract.compare(...sides, { names: [a, b] })
  progress.end()
  const code = await writeOutputs(
    console,
    outputs,
    comparison,
    exitCodeOf(comparison, flags),
    flags.has('verbose'),
  )
  if (outputs.every(({ file }) => file !== undefined))
    note(console, contract.comparisonLine(comparison))
  return code
}

/** Neither a URL nor the name of a deployment. */
const isFile = (word: string): boolean =>
  /\.json$|^\.{0,2}\//.test(word) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(word)

function exitCodeOf(
  { verdict, before, after, requirements, behaviors }: Comparison,
  flags: Parsed,
): 0 | 1 | 3 {
  const level = flags.text('fail-on')
  if (verdict === 'differ' && level === 'any') return 1
  if (level === 'regressions' && requirements.regressed.length > 0 && verdict === 'differ') return 1
  const isOneSided = requirements.incomparable.length + behaviors.oneSided.length > 0
  const isOpen =
    verdict === 'not-verified' || [before, after].some((side) => side.verdict === 'not-verified')
  return isOpen || (flags.has('strict') && isOneSided) ? 3 : 0
}
