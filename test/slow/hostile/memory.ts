import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { environment } from '../../support/environment.ts'
import type { HostileServer } from '../../support/hostile/hostile-server.ts'

const cli = fileURLToPath(new URL('../../../dist/bin/petstore.js', import.meta.url))
const peakMemory = new URL('peak-memory.mjs', import.meta.url).href

/** Heap limit in MiB. A run that needs more ends without a report. */
const heap = 256
/** Limit of the process in MiB, including memory outside the heap: response bytes and decompression. */
export const mostMemory = 400

/** The result of `petstore verify` with all checks. */
export interface Ended {
  code: number | null
  /** The verdict of the report, if there is one. */
  verdict: string | undefined
  reason: string | undefined
  /** Peak memory of the process in MiB. */
  peak: number
  stderr: string
}

/** Runs the complete suite in a separate process with little memory. */
export async function verifyInLittleMemory({ start }: HostileServer): Promise<Ended> {
  const server = await start()
  const flags = '--timeout 3 --retry-budget 3 --max-duration 40 --settle 0.3 --reporter json'.split(
    ' ',
  )
  const args = [
    `--max-old-space-size=${heap}`,
    '--import',
    peakMemory,
    cli,
    'verify',
    server.url,
    ...flags,
  ]
  const child = spawn(process.execPath, args, {
    env: environment({ PETSTORE_API_KEY: server.key }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await server.close()
  const peak = Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024
  const reason = /"reason": ?"([^"]*)"/.exec(stdout)?.[1]
  return { code, reason, verdict: /"verdict": ?"([a-z-]+)"/.exec(stdout)?.[1], peak, stderr }
}
