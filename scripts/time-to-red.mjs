/**
 * Measures how long people wait for a failed run: verifies the mock with each deliberate defect, over sockets, in real time
 * and with the defaults of `petstore verify`. Prints seconds and requests of each run, the slowest first, and how they are
 * distributed. Needs `npm run build`.
 *
 *     node scripts/time-to-red.mjs [--every N] [--at-once N] [--pets N]
 */
import { parseArgs } from 'node:util'
import { verify } from '../dist/contract/index.js'
import { defaultKey, deviations, startMock } from '../dist/mock/index.js'

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '4' },
    pets: { type: 'string', default: '130' },
  },
})

const queue = deviations.filter((_, index) => index % Number(values.every) === 0)
const rows = []

async function measure({ id, clause, pets = Number(values.pets) }) {
  const mock = await startMock({ port: 0, pets, deviations: [id] })
  const { verdict, durationMs, counts, clauses } = await verify({
    baseUrl: mock.url,
    apiKey: defaultKey,
  })
  await mock.close()
  const isNamed = clauses.some((one) => one.id === clause && one.verdict === 'violated')
  rows.push({ id, seconds: durationMs / 1000, requests: counts.requests, verdict, isNamed })
}

await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await measure(next)
  }),
)

for (const { id, seconds, requests, verdict, isNamed } of rows.toSorted(
  (a, b) => b.seconds - a.seconds,
)) {
  const odd = isNamed ? '' : `  ${verdict}, and its requirement is not violated`
  console.log(`${seconds.toFixed(1).padStart(6)} s ${String(requests).padStart(5)}  ${id}${odd}`)
}
const at = (name, share) => {
  const sorted = rows.map((row) => row[name]).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}
for (const name of ['seconds', 'requests']) {
  const [median, most, max] = [0.5, 0.9, 1].map((share) => Number(at(name, share).toFixed(1)))
  console.log(`${name}: median ${median}, 90 % within ${most}, at most ${max}`)
}
process.exitCode = rows.every(({ isNamed }) => isNamed) ? 0 : 1
