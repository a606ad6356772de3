import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
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

export const install = (home: string, ...packages: readonly string[]): Promise<string> =>
  run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], home)

/** Copies an example, and installs what it depends on from the registry, some packages in other versions. */
export async function installExample(
  name: string,
  home: string,
  versions: Readonly<Record<string, string>>,
): Promise<void> {
  // Skip local installations and builds.
  const filter = (path: string): boolean =>
    !/\/(node_modules|dist|public|\.next|\.angular)(\/|$)/.test(path)
  cpSync(join(root, 'examples', name), home, { recursive: true, filter })
  const file = join(home, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: object }
  Object.assign(manifest.devDependencies, versions)
  writeFileSync(file, JSON.stringify(manifest))
  await install(home)
}
