import { inertJson, inertLines } from '../report/inert.ts'
import { isDay } from '../contract/baseline.ts'
import { UsageError } from '../errors.ts'
import type { Flag } from '../options.ts'
import { parseFlags, showFlags } from '../options.ts'
import type { Console } from './console.ts'
import { makeWritable, writeTextFile } from './files.ts'
import { readReport } from './replay-command.ts'

/** The options of `petstore baseline`. */
export const baselineFlags: Flag[] = [
  { name: 'output', value: 'FILE', help: 'write the file of known failures here (default: stdout)' },
  { name: 'reason', value: 'TEXT', help: 'why they are put up with' },
  { name: 'ticket', value: 'TEXT', help: 'where they are being worked on' },
  {
    name: 'expires',
    value: 'DATE',
    help: 'the last day on which they do not fail a run (default: 30 days from today)',
  },
]

const usage = `Usage: petstore baseline REPORT --reason TEXT [options]

Makes a file of known failures from a JSON report of petstore verify. A run with
--baseline FILE does not fail for them until they expire, and tells which are mended.

Options:
${showFlags(baselineFlags)}
`

const dayMs = 24 * 60 * 60 * 1000

/** `petstore baseline`: writes known failures. Returns the exit code. */
export async function baselineCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage)
    return 0
  }
  const flags = parseFlags(baselineFlags, console.args, console.env)
  const [file, ...more] = flags.words
  if (file === undefined || more.length > 0) {
    throw new UsageError('petstore baseline needs one report: petstore baseline report.json --reason "..."')
  }
  const reason = flags.text('reason')
  if (reason === undefined || reason.trim() === '') {
    throw new UsageError('--reason is missing: say why these failures are put up with')
  }
  const contract = await import('../contract/index.ts')
  const report = await readReport(file)
  if (report.findings.length === 0) throw new UsageError(`${file} has no findings, so no baseline is needed`)
  const ticket = flags.text('ticket')
  const given = flags.text('expires')
  if (given !== undefined && !isDay(given)) {
    throw new UsageError(`--expires takes a day such as 2027-01-31, not ${JSON.stringify(given)}`)
  }
  const expires = given ?? new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10)
  const baseline = contract.toBaseline(report, { reason, ...(ticket !== undefined && { ticket }), expires })
  contract.readBaseline(baseline, file)
  const text = `${inertJson(JSON.stringify(baseline, null, 2))}\n`
  const output = flags.text('output')
  if (output === undefined) await console.print(text)
  else {
    await makeWritable(output)
    await writeTextFile(output, text)
    const count = baseline.failures.length
    console.tell(
      inertLines(
        `${output} holds ${count} known ${count === 1 ? 'failure' : 'failures'}. Use it with petstore verify --baseline ${output}\n`,
      ),
    )
  }
  return 0
}
