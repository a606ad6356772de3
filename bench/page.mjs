/** Writes the measurements as text, for docs/project/performance.md. */
import { cpus, release, totalmem, type } from 'node:os'

import { operations } from './contestants.mjs'
import { connections } from './servers.mjs'

const none = '-'
export const thousands = (number) => Math.round(number).toLocaleString('en')
const megabytes = (bytes) => (bytes === undefined ? none : String(Math.round(bytes / 1_000_000)))

/** Creates the page. */
export function toPage(results) {
  const { plan, throughput } = results
  return `${[
    '# Performance',
    '<!-- Written by `npm run bench`. To change it, run the benchmark again. -->',
    "The floor is a bare `node:http` server that checks the key and responds with a constant text as long as the mock's own " +
      'response. The parsing floor also parses the body and prints a pet, as a creation must. Every ratio compares with a ' +
      'floor in the same round, on the same machine: 1 is as fast as the floor. ' +
      'Absolute numbers say more about the machine than about the server.',
    table(
      ['', ''],
      [
        ['Date', results.date],
        ['Machine', machine()],
        ['Node', process.version],
        [
          'Load',
          `${results.generator}, ${connections} connections, slices of ${plan.seconds} s in turns`,
        ],
        ['Other load', otherLoadOf(results.otherLoad)],
        ['Rounds', `${plan.rounds}; medians, with minimum and maximum in parentheses`],
      ],
    ),
    '## The mock compared with the floor',
    'Requests per second as a ratio to the floor.',
    ratios(results, 'perSecond'),
    'Processor time for one request, as a ratio to the floor: less is better. It counts all threads of the server ' +
      'process, and does not depend on the speed of the load generator.',
    ratios(results, 'cpuMicros'),
    'Aims: lists, get and 401 at 0.95 of the floor, a creation at 0.90 of the parsing floor and 1.25 of its processor time, a start in 1.3 times the floor\'s time, and a 99th percentile of at most 1.5 times the floor\'s. What was tried for it, and what it gained, is in `bench/README.md`, "What was tried".',
    `Absolute numbers at ${thousands(plan.sizes[0])} pets: requests per second, and the median and 99th percentile ` +
      'of the response time in milliseconds.',
    table(
      ['', ...operations.map(({ title }) => title)],
      ['floor', 'mock'].map((who) => [
        who,
        ...operations.map(({ id }) => absolute(throughput[plan.sizes[0]][id][who])),
      ]),
    ),
    ...startSection(results),
    ...memorySection(results),
    '## The suite',
    `\`petstore verify\` against the mock sends ${results.suite.requests} requests and takes ` +
      `${spreadMs(results.suite.wallMs)} ms from the start of its process to its end, ` +
      `${spreadMs(results.suite.runMs)} ms of them for the run itself.`,
    ...proxySection(results),
    ...(results.contestants.length > 1 ? peerSection(results) : []),
  ].join('\n\n')}\n`
}

/** Ratios of the mock to the floor by operation and number of pets, and of a creation to the floor that parses. */
const ratios = ({ plan, throughput }, measure) =>
  table(
    ['pets', ...operations.map(({ title }) => title), 'create / parsing floor'],
    plan.sizes.map((size) => [
      thousands(size),
      ...operations.map(({ id }) => spread(ratioOf(throughput[size][id], 'mock', measure))),
      spread(ratioOf(throughput[size].create, 'mock', measure, 'parsing')),
    ]),
  )

/** Describes the machine. */
export function machine() {
  const { length: count } = cpus()
  return `${count} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`
}

export function otherLoadOf(shares) {
  const percent = (share) => `${Math.round(share * 100)} %`
  const { median, least, greatest } = summary(shares)
  const text = `other programs took ${percent(median)} of the processors (${percent(least)}-${percent(greatest)})`
  return median > 0.05 ? `${text}: the numbers below are noisy` : text
}

function startSection({ start, plan }) {
  const { ms: floorMs } = start['floor 0']
  const rows = plan.ends.map((size) => {
    const { ms } = start[`mock ${size}`]
    return [`mock, ${thousands(size)} pets`, spreadMs(ms), spread(ratio(ms, floorMs))]
  })
  return [
    '## Start-up',
    'Milliseconds from the start of the process to the first response with status 200.',
    table(['', 'ms', 'ratio'], [['floor', spreadMs(floorMs), '1'], ...rows]),
  ]
}

function memorySection({ memory }) {
  return [
    '## Memory',
    `Resident megabytes with ${thousands(memory.pets)} pets that no request has touched: at the first response, ` +
      `after ${thousands(memory.requests / 2)} and after ${thousands(memory.requests)} requests that read.`,
    table(
      ['', 'start', 'half', 'all'],
      ['floor', 'mock'].map((who) => [
        who,
        ...Object.values(memory[who]).map((bytes) => megabytes(bytes)),
      ]),
    ),
  ]
}

function proxySection({ proxy }) {
  const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]
  const added = ([floor, whole]) =>
    [0.5, 0.99].map((share) => (at(whole, share) - at(floor, share)).toFixed(2))
  return [
    '## The proxy',
    'Milliseconds that `petstore proxy` adds to the floor on one connection, median and 99th percentile. The proxy judges ' +
      'traffic between requests, so the table shows pauses of 5 ms between a response and the next request, and no pauses.',
    table(
      ['', 'pauses of 5 ms', 'no pauses'],
      operations
        .filter(({ id }) => proxy[id] !== undefined)
        .map(({ id, title }) => [
          title,
          added(proxy[id][5]).join(' / '),
          added(proxy[id][0]).join(' / '),
        ]),
    ),
  ]
}

function peerSection({ contestants, plan, throughput, start }) {
  return [
    '## Peers',
    'Measured in the same rounds as the mock, each with its own equivalent requests. Prism stores no pets: it responds ' +
      'with an example of the same length. json-server needs no key. A dash means that a server has no such operation or ' +
      'did not start within a minute. Memory is in megabytes, at the first response and after the rounds.',
    ...plan.sizes.flatMap((size) => [
      `### ${thousands(size)} pets`,
      table(
        [
          '',
          ...operations.map(({ title }) => title),
          ...(size === plan.sizes[0] ? ['start, ms', 'memory'] : ['memory']),
        ],
        contestants
          .filter(({ keepsPets }) => keepsPets !== false || size === plan.sizes[0])
          .map(({ id, title, version }) => {
            const began = start[`${id} ${size}`]
            const after = megabytes(throughput[size].memory?.[id])
            return [
              version === undefined ? title : `${title} ${version}`,
              ...operations.map((operation) =>
                spread(ratioOf(throughput[size][operation.id], id, 'perSecond')),
              ),
              ...(size === plan.sizes[0]
                ? [spreadMs(began.ms), `${megabytes(summary(began.memory)?.median)} / ${after}`]
                : [after]),
            ]
          }),
      ),
    ]),
  ]
}

function ratioOf(byContestant, who, measure, floor = 'floor') {
  const numbers = (id) => (byContestant[id] ?? []).map((one) => one[measure])
  return ratio(numbers(who), numbers(floor))
}

function absolute(measured) {
  const middle = (measure) => summary(measured.map((one) => one[measure])).median
  return `${thousands(middle('perSecond'))} (${middle('p50Ms').toFixed(2)} / ${middle('p99Ms').toFixed(2)})`
}

export function spread(numbers) {
  if (numbers === undefined) return none
  const digits = numbers.median < 0.1 ? 4 : 2
  const [median, least, greatest] = [numbers.median, numbers.least, numbers.greatest].map((one) =>
    one < 0.0001 ? '<0.0001' : one.toFixed(digits),
  )
  return `${median} (${least}-${greatest})`
}

function spreadMs(numbers) {
  const found = summary(numbers)
  return found === undefined
    ? none
    : `${thousands(found.median)} (${thousands(found.least)}-${thousands(found.greatest)})`
}

/** A table with aligned columns, like the formatter of this repository writes them. */
export function table(head, rows) {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column].length)),
  )
  const line = (cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(row)),
  ].join('\n')
}

export function summary(numbers) {
  if (numbers.length === 0) return undefined
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const median =
    sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, least: sorted[0], greatest: sorted.at(-1) }
}

/** The ratio of two rows of numbers, round by round, and its spread. Skips rounds without a value of the floor. */
export function ratio(above, below) {
  const pairs = above.map((number, round) => [number, below[round]])
  return summary(pairs.filter(([a, b]) => a !== undefined && b > 0).map(([a, b]) => a / b))
}
