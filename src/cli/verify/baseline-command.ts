import type { Baseline } from '../../contract/index.ts'
import { count, toInertJson } from '../../report/text.ts'
import { isDay } from '../../validate.ts'
import { UsageError } from '../../errors.ts'
import { flagsOf, type Parsed, takes } from '../../options.ts'
import { type Command, type Console, theWord } from '../command.ts'
import { type Output, prepareOutputs, writeOutputs } from '../outputs.ts'
import { readReport } from './verify-command.ts'

export const command: Command = {
  usage: ['petstore baseline REPORT --reason TEXT [options]'],
  about: `Creates a file of known failures from a JSON report of petstore verify. A run with
--baseline FILE accepts them until they expire, and lists those that are fixed.`,
  flags: flagsOf('Options', {
    'output FILE': 'write the file of known failures here (default: stdout)',
    'reason TEXT': 'why these failures are accepted',
    'ticket TEXT': 'the ticket that tracks them',
    'expires DATE': {
      check: takes('a day such as 2027-01-31', isDay),
      help: 'the last day on which these failures are accepted (default: 30 days from today)',
    },
  }),
  examples: [
    'petstore baseline report.json --reason "limit is ignored until release 12"',
    'petstore baseline report.json --reason "see ticket" --ticket SHOP-12 --output known.json',
    'petstore baseline report.json --reason "see ticket" --expires 2027-01-31',
  ],
  exitCodes: {
    0: 'the file was written',
    2: 'the command line or the report is wrong',
    4: 'the file could not be written',
  },
  run: writeBaseline,
}

async function writeBaseline(console: Console, flags: Parsed): Promise<number> {
  const file = theWord(flags, 'one report', 'petstore baseline report.json --reason "..."')
  const reason = flags.text('reason')
  if (reason === undefined || reason.trim() === '') {
    throw new UsageError('--reason is required: why are these failures accepted for now?')
  }
  const ticket = flags.text('ticket')
  const expires = flags.text('expires')
  const isPast = expires !== undefined && expires < new Date().toISOString().slice(0, 10)
  if (isPast) throw new UsageError(`--expires ${expires} is in the past`)
  const contract = await import('../../contract/index.ts')
  const report = await readReport(file)
  if (report.findings.length === 0)
    throw new UsageError(`${file} has no findings, so there is nothing to accept`)
  const terms = { reason, ticket, expires }
  const output: Output<Baseline> = {
    name: 'baseline',
    file: flags.text('output'),
    render: toInertJson,
    describe: ({ failures }) => {
      // Counted like verify does: one violation may break several requirements.
      const violated = report.requirements.filter(({ verdict }) => verdict === 'violated').length
      const entries = `${failures.length} ${failures.length === 1 ? 'entry' : 'entries'}`
      return `it accepts ${count(violated, 'known failure')} (${entries}). Use it with petstore verify --baseline ${flags.text('output')}`
    },
  }
  await prepareOutputs([output])
  const baseline = contract.readBaseline(contract.toBaseline(report, terms), file)
  return writeOutputs(console, [output], baseline)
}
