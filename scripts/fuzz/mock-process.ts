import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { fuzzKey } from './wire.ts'

/** What the process of the mock has in use. */
export interface Footprint {
  /** Bytes of memory after a garbage collection. */
  bytes: number
  /** Open sockets, the listening one among them. */
  sockets: number
  /** Unhandled rejections and warnings since the last time. */
  faults: string[]
}

/** A mock that runs in a process of its own, as a user starts it. */
export interface MockProcess {
  port: number
  /** Why it ended by itself, or undefined while it runs. */
  ended: () => string | undefined
  /** What it has printed to stderr so far. */
  stderr: () => string
  footprint: () => Promise<Footprint>
  stop: () => Promise<void>
}

const probe = new URL('probe.mjs', import.meta.url).href
const builtCli = fileURLToPath(new URL('../../dist/bin/petstore.js', import.meta.url))

/** More memory than the mock needs, and little enough that a leak ends it. */
const heapLimitMb = 256

/**
 * Starts `petstore mock` and waits until it listens.
 *
 * @param flags further options of the command
 */
export async function startMockProcess(flags: readonly string[] = [], cli = builtCli): Promise<MockProcess> {
  const own = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|NODE_|VITEST)/.test(name))
  const child = spawn(
    process.execPath,
    ['--expose-gc', `--max-old-space-size=${heapLimitMb}`, '--import', probe, cli]
      .concat(['mock', '--port', '0', '--quiet', '--key', fuzzKey])
      .concat(flags),
    { env: Object.fromEntries(own), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  let ended: string | undefined
  let stderr = ''
  const whenEnded = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = signal === null ? `it ended with the exit code ${code}` : `it was ended by ${signal}`
      resolve()
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-10_000)
  })
  const url = await firstLine(child, whenEnded)
  if (url === undefined) throw new Error(`The mock did not start: ${stderr}`)

  return {
    port: Number(new URL(url).port),
    ended: () => ended,
    stderr: () => stderr,
    footprint: () =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) reject(new Error(ended))
        child.once('message', (message) => resolve(message as Footprint))
        void whenEnded.then(() => reject(new Error(ended)))
        child.send('footprint')
      }),
    async stop() {
      child.kill('SIGTERM')
      const impatient = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await whenEnded
      clearTimeout(impatient)
    },
  }
}

function firstLine(child: ChildProcess, ended: Promise<void>): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    void ended.then(() => resolve(undefined))
  })
}
