import { UsageError } from '../errors.ts'
import { parseFlags, showFlags } from '../options.ts'
import type { Console } from './console.ts'
import { reportersOf } from './deployments.ts'
import { readJsonFile } from './files.ts'
import { exitCodeWith, openOutputs, writeOutputs, writeStepSummary } from './outputs.ts'
import { createProgress } from './progress.ts'
import { inFlags } from './flag-issues.ts'
import { readRunOptions } from './run-options.ts'
import { verifyFlags } from './verify-flags.ts'

const usage = `Usage: petstore verify URL [options]
       petstore verify DEPLOYMENT [options]

Verifies that the deployment at a base URL, such as https://staging.example.com/v1,
or one that petstore.config.json names, keeps the contract of the Pet Store Service.

Options:
${showFlags(verifyFlags)}

Exit codes:
  0  no requirement is violated, and at least one is verified; with --only or --skip: the
     selected checks finished and found no violation
  1  a requirement is violated
  2  the command line is wrong
  3  nothing could be verified (unreachable, key rejected), a selected check could not finish,
     or less was verified than --strict or --min-verified asks for
  4  an output could not be written; 1 goes before 4, and 4 before 3 and 0
`

/** `petstore verify`: prints reports. Returns the exit code. */
export async function verifyCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(verifyFlags, console.args, console.env)
  const contract = await import('../contract/index.ts')
  if (flags.has('list')) {
    await console.print(contract.listSuite())
    return 0
  }
  const [target, ...more] = flags.words
  if (target === undefined) {
    throw new UsageError('petstore verify needs the base URL: petstore verify http://127.0.0.1:4010/v1')
  }
  // The words are not repeated: one of them may be a key whose flag was forgotten.
  if (more.length > 0) throw new UsageError(`petstore verify takes one base URL, and got ${flags.words.length} words`)
  const { input, deployment } = await readRunOptions(console, flags, target)
  const baselineFile = flags.text('baseline') ?? deployment?.baseline
  const baseline =
    baselineFile === undefined
      ? undefined
      : contract.readBaseline(await readJsonFile(baselineFile, 'the baseline'), baselineFile)
  const least = flags.text('min-verified')
  const wanted = flags.has('reporter')
    ? flags.list('reporter')
    : ((deployment && (await reportersOf(deployment, console.folder))) ?? ['text'])
  const options = {
    ...input,
    baseline,
    strict: flags.has('strict'),
    minVerified: least !== undefined && /^\d+$/.test(least) ? Number(least) : (least ?? deployment?.minVerified),
    only: flags.list('only'),
    skip: flags.list('skip'),
  }
  try {
    contract.checkOptions(options)
  } catch (error) {
    throw error instanceof UsageError ? inFlags(error) : error
  }
  const outputs = await openOutputs(wanted, contract.reporters)
  const stop = new AbortController()
  void console.interrupted.then(() => stop.abort())
  const progress = createProgress(console)
  const report = await contract.verify({ ...options, onProgress: progress.show, signal: stop.signal })
  progress.end()
  const isWritten = await writeOutputs(console, outputs, report, flags.has('verbose'))
  // Where no reporter has stdout, the verdict would be in files alone.
  if (outputs.every(({ file }) => file !== undefined)) console.tell(`${contract.verdictLine(report)}\n`)
  const wantsSummary = outputs.some(({ name }) => name === 'github')
  const isSummed = !wantsSummary || (await writeStepSummary(console, contract.toMarkdown(report)))
  return exitCodeWith(report.exitCode, isWritten && isSummed)
}
