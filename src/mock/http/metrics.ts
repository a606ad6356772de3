import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

import { operationIds } from '../../spec/operations.ts'
import { version } from '../../spec/version.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import type { InnerMock } from '../sandbox/mock.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import { createRoutes, operationIn } from '../service/route.ts'
import type { Saves } from '../sandbox/autosave.ts'

const names = [...operationIds, 'none'] as const
const classes = ['own', 'keyed'] as const
/** Sandboxes that the metrics name: the busiest, by their work, which counts half as much after each five minutes. */
const maxNamed = 10
const halfLifeMs = 300_000
/** The interval at which the lag of the event loop is measured, which Node adds to it. */
const delayMs = 20

/** What a server has open. */
export interface Load {
  connections: number
  /** Event streams of the control API. */
  streams: number
  /** Connections that wait for a response, and streams of HTTP/2 that do. */
  inFlight: number
}

/** What the parts of a mock count for themselves. */
export interface Sources {
  load?: () => Load
  saves?: Readonly<Saves>
  /** Further metrics. */
  more?: (() => readonly string[]) | undefined
}

/** The lines of a metric. Counters are named so. */
export const metric = (
  name: string,
  help: string,
  values: number | readonly string[],
  type = name.endsWith('_total') ? 'counter' : 'gauge',
): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...(typeof values === 'number' ? [` ${values}`] : values).map((value) => `${name}${value}`),
    '',
  ].join('\n')

/** Upper bounds of latency histograms in seconds. */
const bounds = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** A histogram of latencies, as Prometheus reads it. */
export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1)
  #seconds = 0

  /** Counts a latency. */
  observe(seconds: number): void {
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Infinity)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#seconds += seconds
  }

  /** The lines without their common name. `labels`: `operation="getPet"`, or empty. */
  lines(labels = ''): string[] {
    let total = 0
    const buckets = Array.from(this.#counts, (count, at) => {
      total += count
      const le = `le="${bounds[at] ?? '+Inf'}"`
      return `_bucket{${[labels, le].filter(Boolean).join(',')}} ${total}`
    })
    const own = labels === '' ? '' : `{${labels}}`
    return [...buckets, `_sum${own} ${this.#seconds}`, `_count${own} ${total}`]
  }
}

/** Metrics for Prometheus. `sources` may be completed until the first call of `text`. */
export function createMetrics(inner: InnerMock, sources: Sources) {
  const { basePath } = inner.mock.settings
  const findRoute = createRoutes(basePath)
  const requests = new Float64Array(1_000 * names.length * classes.length)
  const latencies = names.map(() => new Histogram())
  const control = new Map<string, number>()
  let malformed = 0
  /** Measures from the first call of `text` on, so that only mocks that are watched pay for it. */
  let delays: IntervalHistogram | undefined

  const loadLines = ({ connections, streams, inFlight }: Load): string[] => [
    metric('petstore_connections', 'Open connections.', connections),
    metric('petstore_event_streams', 'Open event streams of the control API.', streams),
    metric(
      'petstore_requests_in_flight',
      'Requests that wait for their body or their response, event streams not included.',
      inFlight,
    ),
  ]
  const saveLines = ({ succeeded, failed, ageMs }: Saves): string[] => [
    metric('petstore_state_saves_total', 'Saves of a sandbox.', succeeded),
    metric('petstore_state_save_failures_total', 'Failed saves of a sandbox.', failed),
    metric(
      'petstore_state_unsaved_seconds',
      'The age of the oldest change that is not saved; 0 when all are.',
      ageMs() / 1000,
    ),
  ]

  const busy = new WeakMap<InnerSandbox, { seen: number; recent: number }>()
  let rankedAt = 0
  function busiestLines(): string[] {
    const kept = 0.5 ** ((performance.now() - rankedAt) / halfLifeMs)
    rankedAt = performance.now()
    const named = inner
      .all()
      .filter(({ work }) => work.requests > 0)
      .map((one) => {
        const { requests, microseconds } = one.work
        const { seen, recent } = busy.get(one) ?? { seen: 0, recent: 0 }
        const now = { seen: microseconds, recent: recent * kept + microseconds - seen }
        busy.set(one, now)
        // No sandbox can have this name.
        const label = `{sandbox="${one.name ?? 'own keys'}"}`
        return { label, requests, seconds: microseconds / 1e6, recent: now.recent }
      })
      .sort((one, other) => other.recent - one.recent)
      .slice(0, maxNamed)
    return [
      metric(
        'petstore_sandbox_requests_total',
        'Requests to the busiest sandboxes.',
        named.map(({ label, requests }) => `${label} ${requests}`),
      ),
      metric(
        'petstore_sandbox_work_seconds_total',
        'How long the mock has worked for the busiest sandboxes, without delays.',
        named.map(({ label, seconds }) => `${label} ${seconds}`),
      ),
    ]
  }

  /** The lag of the event loop since the call before. */
  function delayLines(): string[] {
    const isFirst = delays === undefined
    delays ??= monitorEventLoopDelay({ resolution: delayMs })
    if (isFirst) delays.enable()
    // Before the first measurement, Node reports a number that is no time.
    const lag = (ns: number): number =>
      delays?.count === 0 ? 0 : Math.max(0, ns / 1e9 - delayMs / 1000)
    const lines = [
      metric(
        'nodejs_eventloop_lag_p99_seconds',
        'The lag of the event loop since the scrape before, 99th percentile.',
        lag(delays.percentile(99)),
      ),
      metric(
        'nodejs_eventloop_lag_max_seconds',
        'The longest lag of the event loop since the scrape before.',
        lag(delays.max),
      ),
    ]
    delays.reset()
    return lines
  }

  return {
    /**
     * Counts a request by its operation, its status and the kind of its key.
     *
     * @param ms the time to compute the response, without its delay.
     */
    count(
      { method, target, headers, rejection }: MockRequest,
      { status, delayMs = 0 }: MockReply,
      ms: number,
    ): void {
      if (rejection !== undefined) malformed += 1
      const operation = names.indexOf(operationIn(findRoute(target), method) ?? 'none')
      const { authorization } = headers
      const isKeyed =
        typeof authorization === 'string' && authorization.startsWith('Bearer petstore_sandbox_')
      const index = (status * names.length + operation) * classes.length + (isKeyed ? 1 : 0)
      requests[index] = (requests[index] ?? 0) + 1
      latencies[operation]?.observe((ms + delayMs) / 1000)
    },
    /** Counts a request to the control API. */
    countControl({ method }: MockRequest, { status }: Pick<MockReply, 'status'>): void {
      const known = /^(?:GET|HEAD|PUT|POST|PATCH|DELETE)$/.test(method) ? method : 'other'
      const labels = `{method="${known}",status="${status}"}`
      control.set(labels, (control.get(labels) ?? 0) + 1)
    },
    /** All metrics in the text format 0.0.4. `isNaming`: with the names of the busiest sandboxes. */
    text(isReady: boolean, isNaming = false): string {
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
      const histogram = names.flatMap(
        (operation, index) => latencies[index]?.lines(`operation="${operation}"`) ?? [],
      )
      const { dropped } = inner.mock.sandboxes
      const { bytes, capacity } = inner.usage()
      const { droppedBodies, droppedEntries } = inner.budget
      const pets = sandboxes.reduce((sum, { machine }) => sum + machine.store.size, 0)
      const latencyHelp = 'From a whole request to its response, delays included.'
      const { load, saves, more } = sources
      return [
        metric('petstore_build_info', 'The versions of petstore-kit and Node.js.', [
          `{version="${version}",node="${process.versions.node}"} 1`,
        ]),
        metric('petstore_ready', 'Whether the mock is ready.', isReady ? 1 : 0),
        metric('petstore_requests_total', 'Requests to the interface.', counted),
        metric(
          'petstore_malformed_requests_total',
          'Requests rejected as invalid HTTP, which petstore_requests_total includes.',
          malformed,
        ),
        metric('petstore_request_duration_seconds', latencyHelp, histogram, 'histogram'),
        metric('petstore_sandboxes', 'Sandboxes in memory.', sandboxes.length - 1),
        metric(
          'petstore_sandboxes_bytes',
          'What the pets, rules, snapshots and journals of sandboxes take, approximately.',
          bytes,
        ),
        metric(
          'petstore_sandboxes_capacity_bytes',
          'What they may take before the least recently used sandbox is dropped.',
          capacity,
        ),
        ...(isNaming ? busiestLines() : []),
        metric(
          'petstore_sandboxes_dropped_total',
          'Sandboxes dropped for lack of capacity.',
          dropped,
        ),
        metric(
          'petstore_journal_entries_dropped_total',
          'Entries that the largest journals lost for lack of capacity.',
          droppedEntries,
        ),
        metric(
          'petstore_journal_bodies_dropped_total',
          'Response bodies that the largest journals lost for lack of capacity.',
          droppedBodies,
        ),
        metric('petstore_pets', 'Pets in all sandboxes in memory.', pets),
        metric(
          'petstore_control_requests_total',
          'Requests to the control API, rejected ones included.',
          Array.from(control, ([labels, number]) => `${labels} ${number}`),
        ),
        ...(load === undefined ? [] : loadLines(load())),
        ...(saves === undefined ? [] : saveLines(saves)),
        ...(more?.() ?? []),
        ...delayLines(),
        metric(
          'process_resident_memory_bytes',
          'Memory of the process.',
          process.memoryUsage.rss(),
        ),
        metric(
          'nodejs_heap_size_used_bytes',
          'The used heap of JavaScript.',
          process.memoryUsage().heapUsed,
        ),
        metric(
          'nodejs_heap_size_limit_bytes',
          'The heap at which the process would end.',
          getHeapStatistics().heap_size_limit,
        ),
        metric('process_cpu_seconds_total', 'Time of processors.', (user + system) / 1e6),
        metric(
          'process_start_time_seconds',
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
