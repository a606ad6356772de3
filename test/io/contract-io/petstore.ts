import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What a command did. */
export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

const program = fileURLToPath(new URL('../../../dist/bin/petstore.js', import.meta.url))

/** Runs `petstore` with its arguments in a folder, and with no environment but what is given and the way to Node. */
export async function petstore(
  args: readonly string[],
  {
    env = {},
    folder,
    onStart = () => {},
  }: { env?: Record<string, string>; folder?: string; onStart?: (child: ChildProcess) => void } = {},
): Promise<Ran> {
  const { PATH = '', SystemRoot = '' } = process.env
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH, SystemRoot, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onStart(child)
  const ran: Ran = { status: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text))
  ran.status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  return ran
}
