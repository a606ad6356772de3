import { parseArgs } from 'node:util'

import { fuzzCases } from './cases/index.ts'
import { describeFailure } from './failure-text.ts'
import { fuzz, isChosen } from './fuzz.ts'

const usage = `Usage: npm run fuzz -- [options]

Starts a mock in a process of its own, sends it hostile bytes over raw sockets, and judges what comes back.

  --seconds N   for how long; 60 by default. From 90 on, cases that wait for time limits are played, too
  --rounds N    for so many rounds instead; each plays every case once
  --seed S      any text; the same seed, the same bytes. Drawn at random by default
  --only CASE   group, group/name, or group/name#round: these alone
  --vary        against a lawful mock that makes other choices, drawn from the seed
  --cli FILE    the command to start, in place of dist/bin/petstore.js
  --list        shows the cases and ends

Exit code: 0 when all is well, 1 when anything failed, 2 for a mistake in the options.
`

/** Failures of one case that are told; the others are counted. */
const toldPerCase = 1
const toldAtMost = 30

/** Runs the fuzzer from the command line. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${usage}`)
    return 2
  }
  if (options.help === true) process.stdout.write(usage)
  else if (options.list === true) process.stdout.write(fuzzCases.map(({ id }) => `${id}\n`).join(''))
  else return run(options)
  return 0
}

type Options = Exclude<ReturnType<typeof readOptions>, string>

async function run({ seconds, rounds, seed, only, vary, cli }: Options): Promise<number> {
  const told = new Map<string, number>()
  const startedAt = performance.now()
  process.stdout.write(`fuzz: seed ${seed}, ${fuzzCases.length} cases\n`)
  const report = await fuzz({
    seed,
    ...(rounds === undefined ? { seconds: seconds ?? 60 } : { rounds }),
    ...(only !== undefined && { only }),
    ...(cli !== undefined && { cli }),
    vary: vary ?? false,
    onFailure(failure) {
      const [id = ''] = failure.name.split('#')
      const times = told.get(id) ?? 0
      told.set(id, times + 1)
      if (times < toldPerCase && told.size <= toldAtMost) {
        process.stdout.write(`\n${describeFailure(failure, seed, only === undefined ? 2_000 : 20_000)}\n`)
      }
    },
  })
  for (const [id, times] of told) process.stdout.write(`${times === 1 ? 'once' : `${times} times`}: ${id}\n`)
  const took = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(
    `fuzz: ${report.cases} cases in ${report.rounds} rounds and ${took} s, seed ${seed}: ` +
      `${report.failures.length === 0 ? 'nothing failed' : `${report.failures.length} FAILED`}\n`,
  )
  return report.failures.length === 0 ? 0 : 1
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        seed: { type: 'string' },
        only: { type: 'string' },
        cli: { type: 'string' },
        vary: { type: 'boolean' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    const { seed = String(Math.floor(Math.random() * 1e9)), only } = values
    for (const name of ['seconds', 'rounds'] as const) {
      const value = values[name]
      if (value !== undefined && !/^[1-9]\d{0,5}$/.test(value))
        return `--${name} takes a number, not ${JSON.stringify(value)}.`
    }
    const [id] = only?.split('#') ?? []
    if (id !== undefined && !fuzzCases.some((fuzzCase) => isChosen(fuzzCase.id, id))) {
      return `There is no case ${JSON.stringify(id)}. --list shows them.`
    }
    return {
      ...values,
      seed,
      seconds: values.seconds === undefined ? undefined : Number(values.seconds),
      rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    }
  } catch (error) {
    return (error as Error).message
  }
}
