import { UsageError } from '../errors.ts'
import { inertLines } from '../report/inert.ts'
import { parseFlags, showFlags } from '../options.ts'
import { type Console, wantsColor } from './console.ts'
import { createLog, readLogFormat } from './log-format.ts'
import { mockFlags } from './mock-flags.ts'
import { readMockOptions } from './mock-options.ts'
import { readSave, runMock } from './run-mock.ts'

const usage = (): string => `Usage: petstore mock [options]

Runs the Pet Store Service in memory until it is stopped with Ctrl-C.

Options:
${showFlags(mockFlags)}

With --log json, stdout holds the log alone, and stderr what the mock says besides.

Exit codes:
  0  it was stopped
  2  the command line, or a file that it names, is wrong
  4  it was stopped, and its pets could not be saved, or its log could not be written
`

/** `petstore mock`: serves until it is interrupted. Returns the exit code. */
export async function mockCommand(console: Console): Promise<number> {
  if (console.args.includes('--help')) {
    await console.print(usage())
    return 0
  }
  const flags = parseFlags(mockFlags, console.args, console.env)
  const [word] = flags.words
  if (word !== undefined) throw new UsageError(`petstore mock takes options only, not ${JSON.stringify(word)}`)
  if (flags.has('list-deviations')) {
    await console.print(await listDeviations())
    return 0
  }
  const log = readLogFormat(flags, console.terminal.stdout && !flags.has('quiet') ? 'text' : 'none')
  const input = await readMockOptions(console, flags, 4010)
  const save = await readSave(flags.text('save'))
  let isLogged = true
  const write = (text: string): void =>
    void console.print(text).catch((error: Error) => {
      if (isLogged) console.tell(inertLines(`petstore: ${error.message}; the mock goes on\n`))
      isLogged = false
    })
  const { mock, end } = await runMock(console, input, {
    save,
    onRequest: await createLog(log, wantsColor(console, console.terminal.stdout), write),
  })
  let isSaved = false
  try {
    const { greeting, warnings } = await import('./greeting.ts')
    const said = flags.has('quiet')
      ? `${mock.url}\n`
      : inertLines(`${greeting(mock, input, flags)}${log === 'text' ? '\n' : ''}`)
    if (log === 'json') console.tell(said)
    else await console.print(said)
    console.tell(inertLines(warnings(mock, flags, save)))
    await console.interrupted
  } finally {
    isSaved = await end()
  }
  return isSaved && isLogged ? 0 : 4
}

async function listDeviations(): Promise<string> {
  const { deviations } = await import('../mock/deviations.ts')
  return deviations.map(({ id, clause, description }) => `${id}\n  breaks ${clause}: ${description}\n`).join('')
}
