/** The checker agrees with Porcupine, an independent checker with a model in another language. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { judge, type Recorded } from './linearizable.ts'
import { infer, type Operation, sandboxModel } from './register.ts'
import { makeFolder } from '../../support/folder.ts'
import { byLevel } from '../../support/level.ts'
import { makeHistory, type PlantedFault, plantedFaults, start } from './histories.ts'

const hasGo = spawnSync('go', ['version']).status === 0
const wanted = byLevel({ usual: false, slow: false, all: true }) && hasGo
const folder = makeFolder({}, afterAll)

const faults = [undefined, undefined, ...(Object.keys(plantedFaults) as PlantedFault[])]
const pets = start.pets.rows
  .slice(0, start.pets.length)
  .map(({ text }) => JSON.parse(text) as unknown)

// Skipped without Go, and outside of `npm run test:all`, which may use the Go module proxy.
test.runIf(wanted)(
  'Porcupine and the checker agree on correct histories and planted faults',
  () => {
    const program = join(folder, 'porcupine')
    execFileSync('go', ['build', '-buildvcs=false', '-o', program, '.'], {
      cwd: join(import.meta.dirname, 'porcupine'),
    })
    const histories = Array.from({ length: 50 }, (_, seed) =>
      faults.map((fault) => [seed + 1, fault] as const),
    )
      .flat()
      .flatMap(([seed, fault]) => {
        const history = makeHistory({
          seed,
          clients: 5,
          operations: 250,
          oneLostIn: seed % 2 === 0 ? 50 : undefined,
          fault,
        })
        return history === undefined ? [] : [history]
      })
    const input = histories
      .map((history) => `${JSON.stringify({ start: pets, events: history.map(toEvent) })}\n`)
      .join('')
    const output = execFileSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 26 })
    const theirs = output
      .trim()
      .split('\n')
      .map((line) => line.replace(/ \d+$/, ''))
    const ours = histories.map((history) => judge(sandboxModel, start, infer(history)).verdict)
    const both = ours.map((verdict, index) => `${verdict} / ${theirs[index]}`)
    const counts = Object.fromEntries(
      [...new Set(both)].map((pair) => [pair, both.filter((one) => one === pair).length]),
    )
    process.stdout.write(`the checker / Porcupine: ${JSON.stringify(counts)}\n`)
    const [right, wrong] = ['linearizable / linearizable', 'not linearizable / not linearizable']
    // Porcupine does not merge equivalent operations, and may give up if many responses are lost.
    const isAgreed = (pair: string): boolean =>
      [right, wrong].includes(pair) || pair.endsWith('/ not checked')
    expect(both.filter((pair) => !isAgreed(pair))).toEqual([])
    expect(Math.min(counts[right] ?? 0, counts[wrong] ?? 0)).toBeGreaterThan(50)
  },
)

const toEvent = ({ op, call, return: end, result }: Recorded<Operation>): object => ({
  op,
  call,
  ...(end !== Infinity && { return: end, result }),
})
