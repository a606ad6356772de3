import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environment } from '../support/environment.ts'

export const root = join(import.meta.dirname, '../..')

export const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

/** Runs a command to its end, and returns its stdout. Throws with its output if it fails. */
export async function run(
  [program = '', ...args]: readonly string[],
  cwd = root,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    return (
      await promisify(execFile)(program, args, { cwd, env: environment(more), maxBuffer: 2 ** 26 })
    ).stdout
  } catch (error) {
    const {
      message,
      stdout = '',
      stderr = '',
    } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message}\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`, { cause: error })
  }
}

export const runShell = (
  command: string,
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => run(['sh', '-c', command], cwd, more)

/** Packs the built package, and returns the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const printed = await run([
    'npm',
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    folder,
  ])
  return join(folder, (JSON.parse(printed) as { filename: string }[])[0]?.filename ?? '')
}
