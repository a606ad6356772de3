import { getHeapStatistics } from 'node:v8'

import { operationIds } from '../../spec/operations.ts'
import { version } from '../../spec/version.ts'
import type { MockReply, MockRequest } from '../message.ts'
import type { InnerMock } from '../mock.ts'
import { createRoutes, operationOf } from '../route.ts'

/** Upper bounds of the latency histogram in seconds. */
const bounds = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
const names = [...operationIds, 'none'] as const
const classes = ['own', 'keyed'] as const

/** Metrics for Prometheus; `shared` are the counters of a shared mock. */
export function createMetrics(inner: InnerMock, shared?: Readonly<object>) {
  const { basePath } = inner.mock.settings
  const findRoute = createRoutes(basePath)
  const requests = new Float64Array(1_000 * names.length * classes.length)
  const latencies = names.map(() => new Float64Array(bounds.length + 1))
  const seconds = new Float64Array(names.length)
  let malformed = 0

  const total = (found: Float64Array): number => found.reduce((sum, value) => sum + value, 0)
  const metric = (name: string, type: string, help: string, values: readonly string[]): string =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...values.map((value) => `${name}${value}`),
      '',
    ].join('\n')
  const value = (name: string, type: string, help: string, number: number): string =>
    metric(name, type, help, [` ${number}`])

  return {
    /** @param ms the time to compute the response, without its delay. */
    count(
      { method, target, headers, refusal }: MockRequest,
      { status, delayMs = 0 }: MockReply,
      ms: number,
    ): void {
      if (refusal !== undefined) malformed += 1
      const operation = names.indexOf(operationOf(findRoute(target), method) ?? 'none')
      const { authorization } = headers
      const isKeyed =
        typeof authorization === 'string' && authorization.startsWith('Bearer petstore_sandbox_')
      const index = (status * names.length + operation) * classes.length + (isKeyed ? 1 : 0)
      requests[index] = (requests[index] ?? 0) + 1
      const took = (ms + delayMs) / 1000
      let bucket = 0
      while (took > (bounds[bucket] ?? Infinity)) bucket += 1
      const latency = latencies[operation] as Float64Array
      latency[bucket] = (latency[bucket] ?? 0) + 1
      seconds[operation] = (seconds[operation] ?? 0) + took
    },
    /** All metrics in the text format 0.0.4. */
    text(isReady: boolean): string {
      const sandboxes = inner.all()
      const { user, system } = process.cpuUsage()
      const counted = Array.from(requests.entries()).flatMap(([index, number]) => {
        if (number === 0) return []
        const sandbox = classes[index % classes.length]
        const rest = Math.floor(index / classes.length)
        const operation = names[rest % names.length]
        const status = Math.floor(rest / names.length)
        return [`{operation="${operation}",status="${status}",sandbox="${sandbox}"} ${number}`]
      })
      const histogram = names.flatMap((operation, index) => {
        const latency = latencies[index] as Float64Array
        const buckets = [...bounds.map(String), '+Inf'].map(
          (le, at) =>
            `_bucket{operation="${operation}",le="${le}"} ${total(latency.subarray(0, at + 1))}`,
        )
        const labels = `{operation="${operation}"}`
        return [...buckets, `_sum${labels} ${seconds[index]}`, `_count${labels} ${total(latency)}`]
      })
      const { dropped } = inner.mock.sandboxes
      const { droppedBodies, droppedEntries } = inner.budget
      const pets = sandboxes.reduce((sum, { machine }) => sum + machine.store.size, 0)
      const latencyHelp = 'From a whole request to its response, delays included.'
      const sharedLines = Object.entries(shared ?? {}).map(([name, number]) => {
        const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        const [type, end] = name === 'lag' ? ['gauge', '_entries'] : ['counter', '_total']
        const help = `Of the log that mocks share: ${snake.replaceAll('_', ' ')}.`
        return value(`petstore_shared_${snake}${end}`, type, help, Number(number))
      })
      return [
        metric('petstore_info', 'gauge', 'The version of petstore-kit.', [
          `{version="${version}"} 1`,
        ]),
        value('petstore_ready', 'gauge', 'Whether the mock is ready.', isReady ? 1 : 0),
        metric('petstore_requests_total', 'counter', 'Requests to the interface.', counted),
        value(
          'petstore_malformed_requests_total',
          'counter',
          'Requests rejected as invalid HTTP, which petstore_requests_total includes.',
          malformed,
        ),
        metric('petstore_request_duration_seconds', 'histogram', latencyHelp, histogram),
        value('petstore_sandboxes', 'gauge', 'Sandboxes in memory.', sandboxes.length - 1),
        value(
          'petstore_sandboxes_dropped_total',
          'counter',
          'Sandboxes dropped for lack of capacity.',
          dropped,
        ),
        value(
          'petstore_journal_entries_dropped_total',
          'counter',
          'Entries that the largest journals lost for lack of capacity.',
          droppedEntries,
        ),
        value(
          'petstore_journal_bodies_dropped_total',
          'counter',
          'Response bodies that the largest journals lost for lack of capacity.',
          droppedBodies,
        ),
        value('petstore_pets', 'gauge', 'Pets in all sandboxes in memory.', pets),
        ...sharedLines,
        value(
          'process_resident_memory_bytes',
          'gauge',
          'Memory of the process.',
          process.memoryUsage.rss(),
        ),
        value('process_cpu_seconds_total', 'counter', 'Time of processors.', (user + system) / 1e6),
        value(
          'process_start_time_seconds',
          'gauge',
          'When the process started.',
          Date.now() / 1000 - process.uptime(),
        ),
      ].join('')
    },
  }
}

/** The heap limit of this process in bytes. Bun reports the current size instead of the limit. */
export function heapBytes(): number {
  return process.versions['bun'] === undefined ? getHeapStatistics().heap_size_limit : Infinity
}
