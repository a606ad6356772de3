import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { fuzzKey } from './fuzz/wire.ts'

/** What the process of the mock has in use. */
interface Footprint {
  /** Bytes of memory after a garbage collection. */
  bytes: number
  /** Open sockets, the listening one among them. */
  sockets: number
  /** Unhandled rejections and warnings since the last time. */
  faults: string[]
}

/** A mock that runs in a process of its own, as a user starts it. */
export type MockProcess = Awaited<ReturnType<typeof startMockProcess>>

const probe = new URL('probe.mjs', import.meta.url).href
const builtCli = fileURLToPath(new URL('../dist/bin/petstore.js', import.meta.url))
/** More memory than the mock needs, and little enough that a leak ends it. */
const heapLimitMb = 256

/** Starts `petstore mock` with these options, and waits until it listens. */
export async function startMockProcess(flags: readonly string[] = [], cli = builtCli) {
  const own = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|NODE_|VITEST)/.test(name))
  const node = ['--expose-gc', `--max-old-space-size=${heapLimitMb}`, '--import', probe]
  const child = spawn(process.execPath, [...node, cli, 'mock', '--port', '0', '--quiet', '--key', fuzzKey, ...flags], {
    env: Object.fromEntries(own),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let [stdout, stderr] = ['', '']
  let ended: string | undefined
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-10_000)))
  const whenEnded = once(child, 'exit')
  void whenEnded.then(
    ([code, signal]) =>
      (ended = signal === null ? `it ended with the exit code ${String(code)}` : `it was ended by ${String(signal)}`),
  )
  const listens = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text).includes('\n') && resolve())
  })
  await Promise.race([listens, whenEnded])
  if (!URL.canParse(stdout.trim())) throw new Error(`The mock did not start: ${stderr}`)

  return {
    port: Number(new URL(stdout.trim()).port),
    /** Why it ended by itself, or undefined while it runs. */
    ended: () => ended,
    /** What it has printed to stderr so far. */
    stderr: () => stderr,
    async footprint(): Promise<Footprint> {
      if (ended === undefined) child.send('footprint')
      const [message] = (await Promise.race([once(child, 'message'), whenEnded])) as [Footprint]
      if (ended !== undefined) throw new Error(ended)
      return message
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      const impatient = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await whenEnded
      clearTimeout(impatient)
    },
  }
}
