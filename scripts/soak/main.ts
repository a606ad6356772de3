import { parseArgs } from 'node:util'

import { mebibytes, soak } from './soak.ts'

const usage = `Usage: npm run soak -- [options]

Starts a mock in a process of its own and puts a mixed load on it for a long time: all operations, errors, faults, sandboxes, resets.

  --minutes N    for how long; 10 by default
  --requests N   for so many requests instead
  --seed S       any text; the same seed, the same load. Drawn at random by default
  --cli FILE     the command to start, in place of dist/bin/petstore.js

Exit code: 0 when all is well, 1 when anything was wrong, 2 for a mistake in the options.
`

/** How often progress is told: milliseconds. */
const progressMs = 15_000

/** Runs the soak from the command line. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${usage}`)
    return 2
  }
  if (options.help === true) {
    process.stdout.write(usage)
    return 0
  }
  const { seed = String(Math.floor(Math.random() * 1e9)), cli, requests, minutes } = options
  process.stdout.write(`soak: seed ${seed}\n`)
  let toldAt = performance.now()
  const report = await soak({
    seed,
    ...(requests === undefined ? { minutes: Number(minutes ?? 10) } : { requests: Number(requests) }),
    ...(cli !== undefined && { cli }),
    onProgress(line) {
      if (performance.now() - toldAt < progressMs) return
      toldAt = performance.now()
      process.stdout.write(`${line}\n`)
    },
  })
  for (const fault of report.faults) process.stdout.write(`WRONG ${fault}\n`)
  const { memory, created, audits, resets } = report
  process.stdout.write(
    `soak: ${report.requests} requests in ${report.seconds.toFixed(0)} s, ${created} creations confirmed and found in ${audits} audits, ` +
      `${report.spoilt} spoilt on purpose, ${resets} resets, memory from ${mebibytes(memory[0] ?? 0)} to ${mebibytes(memory.at(-1) ?? 0)}, seed ${seed}: ` +
      `${report.faults.length === 0 ? 'nothing wrong' : 'WRONG'}\n`,
  )
  return report.faults.length === 0 ? 0 : 1
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string' },
        requests: { type: 'string' },
        seed: { type: 'string' },
        cli: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
    for (const name of ['minutes', 'requests'] as const) {
      const value = values[name]
      if (value !== undefined && !(/^\d{1,7}(\.\d+)?$/.test(value) && Number(value) > 0)) {
        return `--${name} takes a number above 0, not ${JSON.stringify(value)}.`
      }
    }
    return values
  } catch (error) {
    return (error as Error).message
  }
}
