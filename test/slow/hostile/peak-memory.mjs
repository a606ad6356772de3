/** Loaded by `--import`: prints the peak memory of the process in KiB as the last line of stderr. */
import { existsSync, readFileSync, writeSync } from 'node:fs'

const status = '/proc/self/status'

process.on('exit', () => {
  // On Linux, maxRSS is at least the memory of the parent process.
  const [, peak = process.resourceUsage().maxRSS] = existsSync(status)
    ? (/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8')) ?? [])
    : []
  writeSync(2, `\npeak ${peak}\n`)
})
