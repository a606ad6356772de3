import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { environment } from './environment.ts'
import { seed } from './level.ts'

/** What a module that runs in a process with a limit of CPU time exports. `begin` names the step that begins. */
export type Limited = (begin: (step: string) => void, argument?: string) => Promise<string[]>

const program = fileURLToPath(new URL('limited.mjs', import.meta.url))

/** The faults that `main` of a module found, or that one of its steps took more CPU time than allowed. */
export function runLimited(module: URL, seconds: number, argument = ''): Promise<string[]> {
  const args = [program, fileURLToPath(module), String(seconds), argument]
  const child = spawn(process.execPath, args, {
    env: environment({ TEST_LEVEL: process.env['TEST_LEVEL'] ?? 'usual', TEST_SEED: String(seed) }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve) =>
    child.once('close', (code, signal) => {
      const isDone = code === 0 && stdout !== ''
      resolve(isDone ? (JSON.parse(stdout) as string[]) : [`${signal ?? code}: ${stderr}`])
    }),
  )
}
