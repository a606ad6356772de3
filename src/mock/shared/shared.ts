import { randomBytes } from 'node:crypto'

import { type Issue, UsageError } from '../../errors.ts'
import type { JsonValue } from '../../json.ts'
import { empty, json, problem } from '../control/reply.ts'
import { isLoopbackHost } from '../control/guard.ts'
import type { Call, Route, SharedControl } from '../control/route.ts'
import { journalRoutes } from '../control/routes/journal.ts'
import { missingSandbox } from '../control/routes/mock.ts'
import { petRoutes } from '../control/routes/pets.ts'
import { stateRoutes } from '../control/routes/state.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { MockReply } from '../message.ts'
import type { Engine, Later, RespondLater } from '../mock.ts'
import { toSandboxName } from '../sandbox-key.ts'
import type { MockOptions, Settings } from '../types.ts'
import { readEngineUrl, type SharedCounters, SharedEngine } from './engine.ts'
import { SandboxLog } from './log.ts'
import { UnavailableError } from './queue.ts'
import { recordOf, refusal } from './record.ts'
import { refuse } from './replica.ts'
import { Sealer, UnreadableError } from './sealer.ts'

/** How a mock is shared: all that have the same engine and name are one. */
export interface SharedOptions {
  /** The URL of Redis 7.0 or Valkey 7.2: `redis://HOST:PORT/DB`, or `rediss`, `valkey`, `valkeys`, with user and password. */
  url: string
  /** One engine takes several mocks, each with a name of letters, digits, dots, hyphens and underscores: `default` by default. */
  name?: string
  /** Milliseconds after which an unused sandbox is gone. Never by default. */
  sandboxTtlMs?: number
}

/** Where the mock listens, and what protects its control API. */
interface Listening {
  host?: string
  control?: boolean
  controlToken?: string
}

/** What tests put in the place of parts, to see that the faults are found. */
export interface SharedParts {
  script?: string
  Log?: typeof SandboxLog
}

/** A mock that is shared. */
export interface Shared extends Required<Later> {
  control: SharedControl
  readonly counters: SharedCounters
  /** Whether the engine responds, and this mock can read what stands there. */
  isReady: () => boolean
  /** Brings what the mock shows of a sandbox up to date. */
  catchUp: (name?: string) => Promise<void>
  close: () => Promise<void>
}

/** A mock that has not been heard of for so long is gone: milliseconds. */
const goneMs = 5_000
/** Sandboxes whose state a list brings up to date. */
const mostListed = 1_000

/** What the log holds of the control API: what these routes do depends on nothing but the sandbox and its time. */
const routes = new Map<string, Route>(
  [...stateRoutes, ...petRoutes, ...journalRoutes]
    .filter(({ method, id }) => (method !== 'GET' && id !== 'repeatRequest') || id === 'exportPets')
    .map((route) => [route.id, route]),
)
/** What is the same in each mock. */
const stateless = new Set([
  'readIndex',
  'readHealth',
  'readReadiness',
  'readDocument',
  'readInterface',
  'listRequirements',
  'explain',
])
const runs = new Set(['listRuns', 'startRun', 'readRun', 'deleteRun', 'readRunReport', 'compareRuns', 'makeBaseline'])

const noRuns = 'A shared mock runs no suite: run `petstore verify` against its base URL.'

/** Does again what a control call has done. Its route needs no more than the sandbox. */
function replay({ sandbox }: ControlledSandbox, logged: JsonValue): MockReply {
  const { route, path, query, body } = logged as unknown as Pick<Call, 'path' | 'query' | 'body'> & { route: string }
  const row = routes.get(route)
  if (row === undefined) throw new UnreadableError(`it calls ${route}`)
  const call: Partial<Call> = { sandbox, path, query, body }
  return row.handle(call as Call) as MockReply
}

const namePattern = /^[\w.-]{1,100}$/

/**
 * Reads how a mock is shared.
 *
 * @returns its settings without credentials, and what hides them.
 * @throws {UsageError} with all mistakes.
 */
export function readShared(
  { url, name = 'default', sandboxTtlMs = 0, ...unknown }: SharedOptions,
  { now, rules, host, control, controlToken }: Pick<MockOptions, 'now' | 'rules'> & Listening,
  settings: Settings,
): { settings: Settings; sealer: Sealer } {
  const issues: Issue[] = []
  if (typeof url !== 'string') issues.push({ path: 'shared', message: 'takes a URL.' })
  else readEngineUrl(url)
  if (!namePattern.test(name)) {
    issues.push({ path: 'sharedName', message: 'takes 1 to 100 letters, digits, dots, hyphens and underscores.' })
  }
  if (!Number.isSafeInteger(sandboxTtlMs) || sandboxTtlMs < 0 || (sandboxTtlMs > 0 && sandboxTtlMs < 1_000)) {
    issues.push({ path: 'sandboxTtl', message: 'must be at least one second.' })
  }
  for (const option of Object.keys(unknown)) issues.push({ path: 'shared', message: `has no option ${option}.` })
  const hasFunction = typeof now === 'function' || rules?.some((rule) => typeof rule === 'function')
  if (hasFunction)
    issues.push({
      path: 'shared',
      message: 'takes no rule and no clock that is a function: other mocks cannot call it.',
    })
  if (control !== false && controlToken === undefined && host !== undefined && !isLoopbackHost(host)) {
    issues.push({
      path: 'controlToken',
      message: 'is needed beside --shared where other machines reach the mock: the same for all mocks of a name.',
    })
  }
  if (issues.length > 0) throw new UsageError(issues)
  const sealer = new Sealer(settings.keys, name)
  return { settings: Object.freeze({ ...settings, rules: sealer.hideRules(settings.rules) }), sealer }
}

/**
 * Makes a mock one with all others of its name.
 *
 * @throws {UsageError} when it cannot reach the engine, or the others have other settings.
 */
export async function share(
  options: SharedOptions,
  { inner, settings, controlToken }: { inner: Engine; settings: Settings; controlToken: string | undefined },
  { sealer, parts, onNotice }: { sealer: Sealer; parts: SharedParts; onNotice: (notice: string) => void },
): Promise<Shared> {
  const { url, name: mockName = 'default', sandboxTtlMs = 0 } = options
  const Log = parts.Log ?? SandboxLog
  const { engine, notices } = await SharedEngine.connect(url, parts.script)
  for (const notice of notices) onNotice(notice)
  const node = randomBytes(6).toString('base64url')
  const all = { mock: `petstore:{${mockName}}:mock`, mocks: `petstore:{${mockName}}:mocks` }
  const list = `petstore:{${mockName}}:sandboxes`
  const logs = new WeakMap<ControlledSandbox, SandboxLog>()
  let operations = 0
  let unreadable: string | undefined

  const join = async (): Promise<void> => {
    const own = recordOf(settings, sealer, controlToken)
    const there = await engine.use((client) => client.joinMock(all.mock, all.mocks, own, node, goneMs))
    if (there !== '') throw refusal(own, there, mockName)
  }
  try {
    await join()
  } catch (error) {
    engine.close()
    throw error
  }
  engine.watch(() =>
    join().catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
      unreadable ??= error.message
    }),
  )

  function logOf(controlled: ControlledSandbox): SandboxLog {
    const known = logs.get(controlled)
    if (known !== undefined) return known
    const { name } = controlled.sandbox
    const tag = `petstore:{${mockName}:${name ?? '*'}}`
    const log = new Log(controlled, {
      engine,
      sealer,
      keys: { log: `${tag}:log`, state: `${tag}:state` },
      ttlMs: name === undefined ? 0 : sandboxTtlMs,
      nextOp: () => `${node}-${(operations += 1).toString(36)}`,
      replay,
      afterResponse: inner.afterResponse,
      async enlist(at) {
        if (name !== undefined) await engine.use((client) => client.zadd(list, 'GT', at, name))
      },
      onEnd: inner.forget,
      onUnreadable: (reason) => (unreadable ??= `An entry of the log cannot be read: ${reason}.`),
    })
    logs.set(controlled, log)
    return log
  }

  inner.mock.sandboxes.delete = refuse
  logOf(inner.enter(null))
  const enter = (name: string | undefined): SandboxLog => logOf(inner.enter(name ?? null))
  const respond: RespondLater = (request) => logOf(inner.sandboxOf(request)).respond(request)

  async function has(name: string): Promise<boolean> {
    const controlled = inner.enter(name ?? null)
    const isThere = await logOf(controlled).look(false)
    if (!isThere) inner.forget(controlled)
    return isThere
  }

  /** Brings the sandboxes up to date that a list shows. */
  async function refresh(): Promise<void> {
    if (sandboxTtlMs > 0) {
      await engine.use((client) => client.zremrangebyscore(list, '-inf', Date.now() - 2 * sandboxTtlMs))
    }
    const there = await engine.use((client) => client.zrange(list, `-${mostListed}`, '-1'))
    const known = inner.all().flatMap(({ sandbox: { name } }) => name ?? [])
    await Promise.all(Array.from(new Set([...known, ...there]), (name) => has(name)))
  }

  async function remove(name: string): Promise<MockReply> {
    const controlled = inner.enter(name ?? null)
    if (!(await logOf(controlled).end())) return missingSandbox(name)
    await engine.use((client) => client.unlistSandbox(list, name, String(controlled.machine.clock.at)))
    return empty()
  }

  async function make(route: Route, call: Call): Promise<MockReply> {
    if (!settings.sandboxes) return route.handle(call) as MockReply
    const name = toSandboxName((call.body as unknown as { name: string }).name)
    const wasThere = await has(name)
    await enter(name).look(true)
    return { ...(route.handle(call) as MockReply), status: wasThere ? 200 : 201 }
  }

  /** Sends a request again that this mock has recorded. */
  async function repeat(controlled: ControlledSandbox, number: string): Promise<MockReply> {
    const { journal } = controlled
    const recorded = journal.recorded().entries.find((entry) => String(entry.number) === number)
    if (recorded === undefined) return problem(404, `The journal of this mock has no entry ${JSON.stringify(number)}.`)
    const { method, target, headers, body, bodyFault } = recorded
    await respond({ method, target, headers, body, ...(bodyFault !== undefined && { bodyFault }) })
    return json(201, journal.last() ?? {})
  }

  const control: SharedControl = async (route, call, isKeyed) => {
    const id = route.id.replace(/InSandbox$/, '')
    const { name } = call.sandbox
    try {
      if (stateless.has(id)) return await route.handle(call)
      if (runs.has(id)) return problem(501, noRuns)
      if (id === 'makeSandbox') return await make(route, call)
      if (id === 'deleteSandbox' && name !== undefined) return await remove(name)
      if (name !== undefined && !isKeyed && !(await has(name))) return missingSandbox(name)
      const controlled = inner.enter(name ?? null)
      const log = logOf(controlled)
      await log.look(true)
      if (routes.has(id) && (route.method !== 'GET' || controlled.machine.store.waiting.length > 0)) {
        const { path, query } = call
        const body = id === 'addRules' ? sealer.hideRules(call.body) : call.body
        return await log.control({ route: id, path, query, body } as unknown as JsonValue)
      }
      if (id === 'repeatRequest') return await repeat(controlled, call.path['number'] ?? '')
      if (id === 'listSandboxes') await refresh()
      return await route.handle(name === undefined ? call : { ...call, sandbox: controlled.sandbox })
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      engine.counters.unavailable += 1
      return problem(503, 'The engine of this shared mock does not respond. Try again.', { 'retry-after': '1' })
    }
  }

  // What this kit cannot read shows before the first request.
  await enter(undefined)
    .look(true)
    .catch(() => {})
  if (unreadable !== undefined) {
    engine.close()
    throw new UsageError([{ path: 'shared', message: unreadable }])
  }

  return {
    respond,
    take: (controlled) => void logOf(controlled),
    control,
    counters: engine.counters,
    isReady: () => engine.isUp && unreadable === undefined,
    async catchUp(name) {
      await enter(name).look(true)
    },
    async close() {
      await engine.use((client) => client.zrem(all.mocks, node)).catch(() => {})
      engine.close()
    },
  }
}
