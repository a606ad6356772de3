import { empty, json, problem } from '../control/reply.ts'
import type { Call, Route, SharedControl } from '../control/route.ts'
import { missingEntry } from '../control/routes/journal.ts'
import { missingSandbox } from '../control/routes/mock.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { MockReply } from '../message.ts'
import { toSandboxName } from '../sandbox-key.ts'
import type { SharedContext } from './context.ts'
import { UnavailableError } from './engine.ts'
import type { Journals } from './journals.ts'
import type { SandboxLog } from './log.ts'
import { patienceMs } from './queue.ts'
import { loggedRoutes } from './replica.ts'
import { unlistScript } from './scripts.ts'

/** Sandboxes whose state a list brings up to date. */
const maxListed = 1_000

/** What is the same in each mock. */
const stateless = new Set([
  'readIndex',
  'readHealth',
  'readReadiness',
  'readMetrics',
  'readDocument',
  'readInterface',
  'listRequirements',
  'explain',
])
const runs = new Set(['listRuns', 'startRun', 'readRun', 'deleteRun', 'readRunReport', 'compareRuns', 'makeBaseline'])

const noRuns =
  'A shared mock runs no suite: only the mock that starts a run knows it, and the next request may reach another one. ' +
  'Run `petstore verify` against the base URL.'

/** What responds with entries of the journal, or judges them. */
const journals = new Set([
  'listJournal',
  'exportJournal',
  'readEntry',
  'readScorecards',
  'readSandbox',
  'repeatRequest',
])
const streams = new Set(['streamJournal', 'streamEvents'])

/** Carries out calls of the control API: those that change a sandbox at their place in its log. */
export function createControlCalls(
  { engine, inner, sealer, settings, prefix, sandboxTtlMs, ring }: SharedContext,
  logOf: (controlled: ControlledSandbox) => SandboxLog,
  { catchUp, watch }: Pick<Journals, 'catchUp' | 'watch'>,
): SharedControl {
  const list = `${prefix}:sandboxes`

  async function has(name: string): Promise<boolean> {
    const controlled = inner.enter(name)
    const isThere = await logOf(controlled).look(false)
    if (!isThere) inner.forget(controlled)
    return isThere
  }

  /** Brings the sandboxes up to date that a list shows. */
  async function refresh(): Promise<void> {
    if (sandboxTtlMs > 0) {
      await engine.use((client) => client.zremrangebyscore(list, '-inf', Date.now() - 2 * sandboxTtlMs))
    }
    const there = await engine.use((client) => client.zrange(list, `-${maxListed}`, '-1'))
    const known = inner.all().flatMap(({ sandbox: { name } }) => name ?? [])
    await Promise.all(Array.from(new Set([...known, ...there]), (name) => has(name)))
  }

  async function remove(controlled: ControlledSandbox, name: string): Promise<MockReply> {
    if (!(await logOf(controlled).end())) return missingSandbox(name)
    // It has ended: one that stays in the list is not shown.
    await engine.run(unlistScript, [list], name, controlled.machine.clock.at).catch(() => {})
    return empty()
  }

  async function make(route: Route, call: Call): Promise<MockReply> {
    if (!settings.sandboxes) return route.handle(call) as MockReply
    const name = toSandboxName((call.body as unknown as { name: string }).name)
    const wasThere = await has(name)
    await logOf(inner.enter(name)).look(true)
    ring(undefined)
    return { ...(route.handle(call) as MockReply), status: wasThere ? 200 : 201 }
  }

  /** Sends a request again, whichever mock has recorded it. */
  async function repeat(controlled: ControlledSandbox, number: string): Promise<MockReply> {
    const { journal } = controlled
    const request = /^\d{1,15}$/.test(number) ? journal.requestOf(Number(number)) : undefined
    if (request === undefined) return missingEntry(number)
    await logOf(inner.sandboxOf(request)).respond(request)
    return json(201, journal.last() ?? {})
  }

  /**
   * Does what takes the engine.
   *
   * @returns the response, or undefined where the route responds from what is here then.
   */
  async function prepare(
    controlled: ControlledSandbox,
    { id, method }: Pick<Route, 'id' | 'method'>,
    call: Call,
    isKeyed: boolean,
  ) {
    const { name } = controlled.sandbox
    // Somebody may end it at any moment: a call that comes behind that must not make it again.
    const creates = name === undefined || isKeyed
    const log = logOf(controlled)
    if (!(await log.look(creates))) {
      inner.forget(controlled)
      return missingSandbox(name ?? '')
    }
    const ofAll = (id === 'listSandboxes' && 'scores' in call.query) || (id === 'readScorecards' && name === undefined)
    if (id === 'listSandboxes' || id === 'readScorecards') await refresh()
    if (ofAll) await Promise.all(inner.all().map(catchUp))
    else if (journals.has(id) || streams.has(id)) await catchUp(controlled)
    if (id === 'repeatRequest') return repeat(controlled, call.path['number'] ?? '')
    if (!loggedRoutes.has(id) || (method === 'GET' && controlled.machine.store.waiting.length === 0)) return undefined
    const { path, query } = call
    const body = id === 'addRules' ? sealer.hideRules(call.body) : call.body
    const reply = await log.control({ route: id, path, query, body }, creates)
    ring(name)
    return reply ?? missingSandbox(name ?? '')
  }

  return async (route, call, isKeyed) => {
    const id = route.id.replace(/InSandbox$/, '')
    const { name } = call.sandbox
    if (stateless.has(id)) return route.handle(call)
    if (runs.has(id)) return problem(501, noRuns)
    const controlled = inner.enter(name ?? null)
    const act = (): Promise<MockReply | undefined> => {
      if (id === 'makeSandbox') return make(route, call)
      if (id === 'deleteSandbox' && name !== undefined) return remove(controlled, name)
      return prepare(controlled, { ...route, id }, call, isKeyed)
    }
    try {
      const reply = await inTime(act())
      if (reply !== undefined) return reply
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      engine.counters.unavailable += 1
      return problem(503, 'The engine of this shared mock does not respond. Try again.', { 'retry-after': '1' })
    }
    const followed = streams.has(id) && { watch: () => watch(controlled) }
    return route.handle({ ...call, ...(name !== undefined && { sandbox: controlled.sandbox }), ...followed })
  }
}

/** @throws {UnavailableError} when it takes longer than a request may wait for the engine. What is under way may still be done. */
function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnavailableError('It takes too long.')), patienceMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
