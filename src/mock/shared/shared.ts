import { createHash, randomBytes } from 'node:crypto'

import { expectNone, type Issue, UsageError } from '../../errors.ts'
import { printJson } from '../../json.ts'
import { isLoopback } from '../../option-checks.ts'
import { type CarryOut, health, problem } from '../control/routes/route.ts'
import { metric } from '../http/metrics.ts'
import { count } from '../../report/text.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import { notify, type MockReply, type MockRequest } from '../service/message.ts'
import {
  type InnerMock,
  type InnerOptions,
  maxTotalBytes,
  sandboxesAtCapacity,
} from '../sandbox/mock.ts'
import { readSettings } from '../sandbox/settings.ts'
import type { MockOptions, Settings } from '../sandbox/types.ts'
import type { SharedContext } from './context.ts'
import { createControlCalls } from './control.ts'
import { readEngineUrl, SharedEngine, unusable } from './engine.ts'
import { createJournals } from './journals.ts'
import { SandboxLog } from './log.ts'
import { Sealer, UnreadableError } from './sealer.ts'

/** How a mock is shared: mocks with the same engine and name share everything. */
export interface SharedOptions {
  /** The URL of Redis 7.0 or Valkey 7.2: `redis://USER:PASSWORD@HOST:PORT/DB`, or `rediss`, `valkey`, `valkeys`. */
  url: string
  /** Letters, digits, dots, hyphens and underscores; `default` by default. */
  name?: string | undefined
  /** Milliseconds after which an unused sandbox expires. Never by default. */
  sandboxTtlMs?: number | undefined
}

export type Shared = Awaited<ReturnType<typeof share>>

/**
 * The version of what mocks share: the format of logs and snapshots, what an entry does to a sandbox, and the defaults of
 * options. Mocks of different versions of the kit work together while it is the same. A test replays a recorded log.
 */
const protocol = 2
/** A mock counts as gone after this time without a sign. */
const goneMs = 5_000
/** How long `drain` waits, and its polling interval. */
const drainMs = 2_000
const drainTickMs = 5
/** How long a closing mock leaves its journals to the others. */
const handOverMs = 1_000

const ending = 'This mock is shutting down. Try again: another mock will respond.'

/** Returns settings without credentials in rules, and what joins the other mocks. Throws a UsageError with all mistakes. */
export function readShared(
  options: SharedOptions,
  own: MockOptions & {
    host?: string | undefined
    control?: boolean | undefined
    controlToken?: string | undefined
  },
  given: Settings,
) {
  const { url, name = 'default', sandboxTtlMs = 0, ...unknown } = options
  const { now, rules, host, control, controlToken, onNotice = () => {} } = own
  const issues: Issue[] = []
  const reject = (path: string, message: string): unknown => issues.push({ path, message })
  if (typeof url !== 'string') reject('shared', 'takes a URL.')
  else readEngineUrl(url)
  if (!/^[\w.-]{1,100}$/.test(name))
    reject('sharedName', 'takes 1 to 100 letters, digits, dots, hyphens and underscores.')
  if (
    !Number.isSafeInteger(sandboxTtlMs) ||
    sandboxTtlMs < 0 ||
    (sandboxTtlMs > 0 && sandboxTtlMs < 1_000)
  )
    reject('sandboxTtl', 'must be at least one second.')
  for (const option of Object.keys(unknown)) reject('shared', `has no option ${option}.`)
  if (typeof now === 'function' || rules?.some((rule) => typeof rule === 'function'))
    reject(
      'shared',
      'cannot be combined with a rule or a clock that is a function: other mocks cannot call it.',
    )
  if (control !== false && controlToken === undefined && host !== undefined && !isLoopback(host))
    reject(
      'controlToken',
      'is required with --shared when other machines can reach the mock: use the same token for all mocks of a name.',
    )
  expectNone(issues)
  const sealer = new Sealer(given.keys, name)
  // Time is what the log has.
  const time = (latest: number): number => latest
  const settings = Object.freeze({ ...given, rules: sealer.hideRules(given.rules), now: time })
  const ofSandboxes: Pick<InnerOptions, 'whyReadOnly' | 'sandboxCapacity'> = {
    whyReadOnly: 'Other mocks share this mock: change it through the control API.',
    // Each mock must accept the same pets, whatever its heap.
    sandboxCapacity: maxTotalBytes / sandboxesAtCapacity,
  }
  return {
    settings,
    ofSandboxes,
    share: (inner: InnerMock) =>
      share(options, { inner, settings, sealer }, (notice) => notify(onNotice, notice)),
  }
}

/** Joins the other mocks of the name. Throws a UsageError when the engine cannot be reached, or they have other settings. */
async function share(
  { url, name: mockName = 'default', sandboxTtlMs = 0 }: SharedOptions,
  { inner, settings, sealer }: Pick<SharedContext, 'inner' | 'settings' | 'sealer'>,
  onNotice: (notice: string) => void,
) {
  const { engine, notices } = await SharedEngine.connect(url)
  for (const notice of notices) onNotice(notice)
  const node = randomBytes(6).toString('base64url')
  const prefix = `petstore:{${mockName}}`
  /** Why this mock no longer responds. */
  let rejection: string | undefined

  const join = async (): Promise<void> => {
    const own = recordOf(settings, sealer, sandboxTtlMs)
    const existing = String(
      await engine.run('joinMocks', [`${prefix}:mock`, `${prefix}:mocks`], own, node, goneMs),
    )
    if (existing !== '') throw mismatch(own, existing, mockName)
  }
  const context: SharedContext = {
    engine,
    inner,
    sealer,
    settings,
    node,
    prefix,
    // The braces keep the parts of a sandbox on one node of a cluster.
    keyOf: ({ name = '*' }, part) => `petstore:{${mockName}:${name}}:${part}`,
    sandboxTtlMs,
    announce: (sandbox) => journals.announce(sandbox),
    onUnreadable: () => {},
  }
  const logs = new WeakMap<InnerSandbox, SandboxLog>()
  function logOf(sandbox: InnerSandbox): SandboxLog {
    const log = logs.get(sandbox) ?? new SandboxLog(sandbox, context)
    logs.set(sandbox, log)
    return log
  }
  const journals = createJournals(context, logOf)
  const carryOut = createControlCalls(context, logOf, journals)
  const own = logOf(inner.findOrCreate(null))

  try {
    await Promise.all([join(), journals.ready])
    // Detect unreadable data before the first request.
    await own.sync(true).catch((error: unknown) => {
      if (error instanceof UnreadableError)
        throw new UsageError([{ path: 'shared', message: error.message }])
    })
    context.onUnreadable = onNotice
  } catch (error) {
    journals.close()
    engine.close()
    throw unusable(error)
  }
  let isPrinted = false
  /** Reloads that a notice has mentioned. */
  let reported = 0
  let isDraining = false
  engine.watch(async () => {
    await join().catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
      rejection ??= error.message
    })
    if (rejection !== undefined && !isPrinted && !isDraining) onNotice(rejection)
    isPrinted = rejection !== undefined
    const { reloads } = engine.counters
    if (reloads > reported)
      onNotice(
        `The engine lost or replaced data: ${count(reloads - reported, 'sandbox')} started over, or went back to what is left.`,
      )
    reported = reloads
  }, onNotice)

  const pending = { count: 0 }
  /** Makes `drain` wait for a response. */
  async function finish<Value>(response: Promise<Value>): Promise<Value> {
    pending.count += 1
    try {
      return await response
    } finally {
      pending.count -= 1
    }
  }

  /** Whether the engine responds, and a restart is neither needed nor under way. */
  const isReady = (): boolean => engine.isUp && rejection === undefined && !isDraining
  const control: CarryOut = async (...call) =>
    rejection === undefined
      ? finish(carryOut(...call))
      : problem(503, rejection, { 'retry-after': '1' })

  return {
    respond(request: MockRequest): MockReply | Promise<MockReply> {
      const sandbox = inner.sandboxOf(request)
      const reply =
        rejection === undefined
          ? finish(logOf(sandbox).respond(request))
          : sandbox.unavailable(rejection)
      // The engine gives the journal entry its number, but the response does not wait for it.
      return request.rejection === undefined ? reply : inner.reject(...request.rejection)
    },
    counters: engine.counters,
    metrics: (): string[] => [
      ...Object.entries(engine.counters).map(([name, number]) => {
        const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        const help = `Of the log that mocks share: ${snake.replaceAll('_', ' ')}.`
        return metric(
          `petstore_shared_${snake}_${name === 'lag' ? 'entries' : 'total'}`,
          help,
          number,
        )
      }),
      metric(
        'petstore_engine_duration_seconds',
        'From a call of the engine to its reply or failure.',
        engine.latency.lines(),
        'histogram',
      ),
    ],
    isReady,
    /** Options of the control API. */
    ofControl: {
      carryOut: control,
      // Another mock may have created it.
      mayExist: () => settings.sandboxes !== false,
      /** Equal in all mocks, since they share the numbers of the journal. */
      instance: `shared${inner.findOrCreate(null).startedAt.toString(36)}`,
      /** 503 when only a restart helps. */
      health: (): MockReply =>
        rejection === undefined || isDraining
          ? health(engine.counters.reloads)
          : problem(503, 'The mock needs a restart.'),
    },
    /** Waits for pending responses: two seconds at most. */
    async drain(): Promise<void> {
      isDraining = true
      for (let waited = 0; pending.count > 0 && waited < drainMs; waited += drainTickMs) {
        // Stop accepting requests of clients that keep sending.
        if (waited > drainMs / 3) rejection ??= ending
        await new Promise((resolve) => setTimeout(resolve, drainTickMs))
      }
    },
    /** Updates a sandbox and its journal. */
    catchUp: (name?: string): Promise<void> => journals.catchUp(inner.findOrCreate(name ?? null)),
    async close(): Promise<void> {
      await journals.handOver(handOverMs).catch(() => {})
      await engine.use((client) => client.zrem(`${prefix}:mocks`, node)).catch(() => {})
      journals.close()
      engine.close()
    },
  }
}

/**
 * What all mocks of a name must have in common: what may change while none runs, then a line for each other option that is
 * not the default, so that a version may have more options than another.
 */
function recordOf(settings: Settings, sealer: Sealer, sandboxTtlMs: number): string {
  const hashOf = (value: object): string =>
    createHash('sha256').update(printJson(value)).digest('base64url').slice(0, 22)
  const { rules, data, stoppedAt } = settings
  const record = {
    ...valuesOf(settings),
    ...(data !== undefined && { data: hashOf(data) }),
    keys: sealer.fingerprint,
    ...(rules.length > 0 && { rules: hashOf(rules) }),
    ...(stoppedAt !== undefined && { now: new Date(stoppedAt).toISOString() }),
  }
  const first = `${protocol}${sandboxTtlMs === 0 ? '' : ` with a --sandbox-ttl of ${sandboxTtlMs} ms`}`
  const lines = Object.entries(record).filter(([option, value]) => value !== defaults[option])
  return [first, ...lines.map(([option, value]) => `${option}: ${value}`)].join('\n')
}

/** The options with values of their own, as texts. */
function valuesOf(settings: Settings): Readonly<Record<string, string>> {
  const {
    now: _,
    stoppedAt: _at,
    data: _data,
    rules: _rules,
    keys: _keys,
    profile,
    ...plain
  } = settings
  const all = Object.entries({ ...plain, ...profile })
  return Object.fromEntries(all.map(([option, value]) => [option, String(value)]))
}

const defaults: Readonly<Record<string, string>> = {
  ...valuesOf(readSettings({}, [])),
  data: 'seeded',
  rules: 'none',
  now: 'running',
}

/** Options whose values are secrets or hashes. */
const hidden = /^(keys|data|rules)$/

function mismatch(own: string, there: string, name: string): UsageError {
  const read = (record: string): Readonly<Record<string, string>> => ({
    ...defaults,
    ...Object.fromEntries(
      `protocol: ${record}`.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]),
    ),
  })
  const [mine, others] = [read(own), read(there)]
  const differing = Object.keys({ protocol: '', ...mine, ...others }).flatMap((option) => {
    const [value = 'the default', other = 'the default'] = [mine[option], others[option]]
    if (other === value) return []
    return [hidden.test(option) ? `other ${option}` : `${option} ${other}, not ${value}`]
  })
  const message =
    `the mock ${name} of this engine has ${differing.join('; ')}. All mocks with the same name need the same ` +
    'options and the same protocol: use the same ones, or another --shared-name.'
  return new UsageError([{ path: 'shared', message }])
}
