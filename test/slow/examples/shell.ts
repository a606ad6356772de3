import { execFile, spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { environment } from '../../support/environment.ts'

export interface Result {
  code: number
  stdout: string
  stderr: string
}

export function has(program: string, option = '--version'): boolean {
  return spawnSync(program, [option], { stdio: 'ignore' }).status === 0
}

/**
 * Runs a command to its end in the folder of an example, with its installed commands in the PATH, like an npm script,
 * and without the variables of the test run.
 */
export function run(
  folder: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const path = [join(folder, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter)
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd: folder, env: environment({ PATH: path, NO_COLOR: '1', ...env }) },
      (error, stdout, written) => {
        // npm may print notices about the local configuration.
        const stderr = written.replaceAll(/^npm (warn|notice) .*\n/gm, '')
        if (error === null) resolve({ code: 0, stdout, stderr })
        else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr })
        else reject(new Error(`${command} did not end by itself`, { cause: error }))
      },
    )
    child.stdin?.end()
  })
}

/** Runs a shell script like a CI service: it ends at the first command that fails. */
export function shell(
  folder: string,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  return run(folder, 'sh', ['-e', '-c', script], env)
}
