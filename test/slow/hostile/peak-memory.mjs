/** Loaded by `--import`: tells the most memory that the process held, in KiB, as the last line of stderr. */
import { existsSync, readFileSync, writeSync } from 'node:fs'

const status = '/proc/self/status'

process.on('exit', () => {
  // On Linux the other number is at least what the process had that started this one.
  const [, peak = process.resourceUsage().maxRSS] = existsSync(status)
    ? (/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8')) ?? [])
    : []
  writeSync(2, `\npeak ${peak}\n`)
})
