/**
 * Measures how long people wait for a failed run: verifies the mock with each deliberate defect, over sockets, in real time
 * and with the defaults of `petstore verify`, and writes the section "Time to red" of docs/project/performance.md. Needs
 * `npm run build`.
 *
 *     node scripts/time-to-red.mjs [--every N] [--at-once N] [--pets N]
 *
 * With --every, it only prints.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { verify } from '../dist/contract/index.js'
import { defaultKey, defects, startMock } from '../dist/mock/index.js'
import { sectionTitle, withSection } from './time-to-red-section.mjs'

const page = 'docs/project/performance.md'
/** The bar of most defects; those above it must be ones that only time can show. */
const [mostSeconds, mostRequests] = [30, 300]

/** Why these take long: nothing else is violated, and no other response refutes a delay. */
const needsTime = {
  'create.lists-cached': 'lists are often cached for a minute',
  'create.never-filtered': 'only new pets are missing, from every list of a status',
  'create.never-listed': 'only new pets are missing, from every list',
  'create.not-stored': 'no new pet is ever found',
  'create.large-id-lost': 'the newest pet is the one that is missing',
  'get.greatest-id-missing': 'the newest pet is the one that is missing',
  'reject.absent-hangs': 'a request without a response takes the whole `--timeout`, several times',
}

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '4' },
    pets: { type: 'string', default: '130' },
  },
})

const queue = defects.filter((_, index) => index % Number(values.every) === 0)
const rows = []

async function measure({ id, requirement, pets = Number(values.pets) }) {
  const mock = await startMock({ port: 0, pets, defects: [id] })
  const { verdict, durationMs, counts, requirements } = await verify({
    baseUrl: mock.url,
    apiKey: defaultKey,
  })
  await mock.close()
  const isNamed = requirements.some((one) => one.id === requirement && one.verdict === 'violated')
  rows.push({ id, seconds: durationMs / 1000, requests: counts.requests, verdict, isNamed })
}

await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await measure(next)
  }),
)
rows.sort((a, b) => b.seconds - a.seconds)

for (const { id, seconds, requests, verdict, isNamed } of rows) {
  const odd = isNamed ? '' : `  ${verdict}, and its requirement is not violated`
  console.log(`${seconds.toFixed(1).padStart(6)} s ${String(requests).padStart(5)}  ${id}${odd}`)
}
const at = (name, share) => {
  const sorted = rows.map((row) => row[name]).sort((a, b) => a - b)
  return Number(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1))
}
const distributions = [
  ['seconds', 's'],
  ['requests', 'requests'],
].map(([name, unit]) => ({ unit, shares: [0.5, 0.9, 1].map((share) => at(name, share)) }))
for (const { unit, shares } of distributions)
  console.log(`${unit}: median ${shares[0]}, 90 % within ${shares[1]}, at most ${shares[2]}`)

const unexplained = rows.filter(({ id, seconds }) => seconds > mostSeconds && !needsTime[id])
for (const { id } of unexplained)
  console.log(`${id}: over ${mostSeconds} s, and not for time alone`)
process.exitCode = rows.every(({ isNamed }) => isNamed) && unexplained.length === 0 ? 0 : 1

if (values.every === '1') {
  const text = readFileSync(page, 'utf8')
  writeFileSync(page, withSection(text, toSection()))
  console.log(`${page} is written.`)
}

function toSection() {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const slow = rows.filter(({ seconds, requests }) => seconds > 8 || requests > mostRequests)
  return [
    sectionTitle,
    '<!-- Written by `node scripts/time-to-red.mjs`. -->',
    `\`petstore verify\` at its defaults against the mock with ${values.pets} pets, over sockets and in real time, with each of the ${rows.length} deliberate defects by itself.`,
    [
      line(['', 'median', '90 % within', 'at most']),
      line(['---', '---', '---', '---']),
      ...distributions.map(({ unit, shares }) =>
        line([unit === 's' ? 'seconds' : unit, ...shares]),
      ),
    ].join('\n'),
    `The defects that take over 8 seconds or ${mostRequests} requests:`,
    [
      line(['defect', 'seconds', 'requests', 'why over 30 seconds']),
      line(['---', '---', '---', '---']),
      ...slow.map(({ id, seconds, requests }) =>
        line([
          `\`${id}\``,
          seconds.toFixed(1),
          requests,
          seconds >= mostSeconds ? (needsTime[id] ?? '') : '',
        ]),
      ),
    ].join('\n'),
  ].join('\n\n')
}
