import { join } from 'node:path'
import { baselineCommand } from '../../../src/cli/baseline-command.ts'
import { runCommand } from '../../../src/cli/command.ts'
import { replayCommand, verifyCommand } from '../../../src/cli/verify-command.ts'
import { UsageError } from '../../../src/errors.ts'

const commands = { verify: verifyCommand, replay: replayCommand, baseline: baselineCommand }

/**
 * Runs a command in this process, and demands that it refuses its command line and prints nothing.
 *
 * @param args words that end in `.json` are files of the folder; the message names them without it
 * @returns the message
 */
export async function refusalOf(
  name: keyof typeof commands,
  args: readonly string[],
  { env = {}, folder = '/' }: { env?: Record<string, string>; folder?: string } = {},
): Promise<string> {
  let printed = ''
  try {
    const status = await runCommand(commands[name], {
      args: args.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg)),
      env,
      folder,
      print: async (text) => void (printed += text),
      notify: (text) => void (printed += text),
      terminal: { stdout: false, stderr: false },
      interrupted: new Promise(() => {}),
    })
    throw new Error(`it was not refused; it ended with ${status}`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (printed !== '') throw new Error(`it printed ${printed}`, { cause: error })
    return error.message.replaceAll(join(folder, '/'), '')
  }
}
