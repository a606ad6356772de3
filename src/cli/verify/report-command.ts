import type { Report } from '../../contract/index.ts'
import { flagsOf } from '../../options.ts'
import { formatNames } from '../../report/formats.ts'
import { type Command, theWord } from '../command.ts'
import { prepareOutputs, readOutputs, reporterTable, writeOutputs } from '../outputs.ts'
import { readReport } from './verify-command.ts'

export const command: Command = {
  usage: ['petstore report REPORT [options]'],
  about: `Shows a JSON report of petstore verify again, or writes it in another form, such as an HTML page
to share. It opens no connections.`,
  flags: flagsOf('Output', {
    ...reporterTable('the report', formatNames),
    verbose: 'also list what was verified',
  }),
  examples: [
    'petstore report report.json',
    'petstore report report.json --reporter html=report.html',
    'petstore report report.json --reporter markdown',
  ],
  exitCodes: {
    0: 'the report was written',
    2: 'the command line or the report is wrong',
    4: 'an output could not be written',
  },
  async run(console, flags) {
    const file = theWord(flags, 'one report', 'petstore report report.json')
    const report = await readReport(file)
    const { reporters, toText } = await import('../../contract/index.ts')
    const outputs = readOutputs<Report>(console, flags.list('reporter'), {
      ...reporters,
      text: (subject, { files, ...shown } = {}) =>
        toText(subject, { ...shown, files: { json: file, ...files } }),
    })
    await prepareOutputs(outputs)
    return writeOutputs(console, outputs, report, 0, flags.has('verbose'))
  },
}
