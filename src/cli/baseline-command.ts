import { inertJson, inertLines } from '../report/inert.ts'
import { count } from '../report/text.ts'
import { isDay } from '../validate.ts'
import { fail, UsageError } from '../errors.ts'
import { type Flag, flagsOf, type Parsed } from '../options.ts'
import { type Command, type Console, onlyWord } from './command.ts'
import { makeWritable, writeTextFile } from './files.ts'
import { readReport } from './verify-command.ts'

export const baselineFlags: Flag[] = flagsOf('Options', {
  'output FILE': 'write the file of known failures here (default: stdout)',
  'reason TEXT': 'why these failures are accepted',
  'ticket TEXT': 'the ticket that tracks them',
  'expires DATE': 'the last day on which these failures are accepted (default: 30 days from today)',
})

const dayMs = 24 * 60 * 60 * 1000

export const command: Command = {
  usage: ['petstore baseline REPORT --reason TEXT [options]'],
  about: `Creates a file of known failures from a JSON report of petstore verify. A run with
--baseline FILE accepts them until they expire, and lists those that are fixed.`,
  flags: baselineFlags,
  examples: [
    'petstore baseline report.json --reason "limit is ignored until release 12"',
    'petstore baseline report.json --reason "see ticket" --ticket SHOP-12 --output known.json',
    'petstore baseline report.json --reason "see ticket" --expires 2027-01-31',
  ],
  run: writeBaseline,
}

async function writeBaseline(console: Console, flags: Parsed): Promise<number> {
  const missing = 'petstore baseline needs one report: petstore baseline report.json --reason "..."'
  const file = onlyWord(flags, 'petstore baseline takes one report') ?? fail(missing)
  const reason = flags.text('reason')
  if (reason === undefined || reason.trim() === '') {
    throw new UsageError('--reason is required: why are these failures accepted for now?')
  }
  const ticket = flags.text('ticket')
  const given = flags.text('expires')
  if (given !== undefined && !isDay(given)) {
    throw new UsageError(`--expires takes a day such as 2027-01-31, not ${JSON.stringify(given)}`)
  }
  const today = new Date().toISOString().slice(0, 10)
  if (given !== undefined && given < today) throw new UsageError(`--expires ${given} is in the past`)
  const contract = await import('../contract/index.ts')
  const report = await readReport(file)
  if (report.findings.length === 0) throw new UsageError(`${file} has no findings, so no baseline is needed`)
  const expires = given ?? new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10)
  const baseline = contract.toBaseline(report, { reason, ...(ticket !== undefined && { ticket }), expires })
  contract.readBaseline(baseline, file)
  const text = `${inertJson(JSON.stringify(baseline, null, 2))}\n`
  const output = flags.text('output')
  if (output === undefined) await console.print(text)
  else {
    await makeWritable(output)
    await writeTextFile(output, text)
    // Counted like verify does: one violation may break several requirements.
    const violated = report.clauses.filter(({ verdict }) => verdict === 'violated').length
    const entries = baseline.failures.length
    console.notify(
      inertLines(
        `${output} excuses ${count(violated, 'known failure')} (${entries} ${entries === 1 ? 'entry' : 'entries'}). Use it with petstore verify --baseline ${output}\n`,
      ),
    )
  }
  return 0
}
