/**
 * `node limited.mjs MODULE SECONDS [argument]`: runs `main` of a module of TypeScript, and ends the process where one of its steps takes more CPU
 * time. A timer cannot do that: it waits for the very code that it should stop.
 */
import { Buffer } from 'node:buffer'
import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const second = 1_000_000
const used = () => process.cpuUsage().user + process.cpuUsage().system

if (isMainThread) {
  const [file, seconds, argument] = process.argv.slice(2)
  const shared = new SharedArrayBuffer(4_000)
  const [state, label] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)]
  const { createServer } = await import('vite')
  const server = await createServer({
    configFile: false,
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  })
  const module = await server.ssrLoadModule(file)
  const begin = (name) => {
    state[1] = new TextEncoder().encodeInto(name, label).written
    Atomics.add(state, 0, 1)
  }
  begin('the start')
  new Worker(new URL(import.meta.url), { workerData: { shared, seconds } }).unref()
  const faults = await module.main(begin, argument)
  process.stdout.write(JSON.stringify(faults), () => process.exit())
} else {
  const { shared, seconds } = workerData
  const [state, label] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)]
  let [step, since] = [0, used()]
  setInterval(() => {
    const now = Atomics.load(state, 0)
    if (now !== step) [step, since] = [now, used()]
    else if (used() - since > seconds * second) {
      writeSync(
        2,
        `More than ${seconds} s of CPU time: ${Buffer.from(label.slice(0, state[1])).toString()}`,
      )
      process.kill(process.pid, 'SIGKILL')
    }
  }, 20)
}
