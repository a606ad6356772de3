import {
  type CarryOut,
  type ControlCall,
  empty,
  json,
  problem,
  type ControlRoute,
} from '../control/routes/route.ts'
import { missingEntry, toEntryNumber } from '../control/routes/journal.ts'
import { missingSandbox } from '../control/routes/mock.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import type { MockReply } from '../service/message.ts'
import { toSandboxName } from '../service/sandbox-key.ts'
import type { SharedContext } from './context.ts'
import { unavailable, UnavailableError } from './engine.ts'
import type { Journals } from './journals.ts'
import type { SandboxLog } from './log.ts'
import { extraMsOf, patienceMs } from './queue.ts'
import { loggedRoutes } from './replica.ts'
import { UnreadableError } from './sealer.ts'

/** Sandboxes that a list brings up to date. */
const maxListed = 1_000

const noRuns =
  'A shared mock runs no suite: only the mock that starts a run knows it, and the next request may reach another one. ' +
  'Run `petstore verify` against the base URL.'

/** Handles calls of the control API. Calls that change a sandbox go through its log. */
export function createControlCalls(
  { engine, inner, sealer, settings, prefix, sandboxTtlMs, announce }: SharedContext,
  logOf: (sandbox: InnerSandbox) => SandboxLog,
  { catchUp, watch }: Pick<Journals, 'catchUp' | 'watch'>,
): CarryOut {
  const list = `${prefix}:sandboxes`

  const has = (name: string): Promise<boolean> => logOf(inner.findOrCreate(name)).sync(false, true)

  /** Updates the latest sandboxes, and forgets expired ones. The time is the engine's: clocks of machines may differ. */
  async function refresh(now: number, hasJournals: boolean): Promise<void> {
    const expired = sandboxTtlMs > 0 ? now - sandboxTtlMs : 0
    const latest = await engine.use((client) => client.zrange(list, `-${maxListed}`, '-1'))
    const known = inner.all().flatMap(({ name }) => name ?? [])
    const used = await engine.use((client) => client.zmscore(list, '', ...known))
    const old = known.filter((_, place) => Number(used[place + 1]) <= expired).slice(0, maxListed)
    const update = async (name: string): Promise<void> => {
      if ((await has(name)) && hasJournals) await catchUp(inner.findOrCreate(name), true)
    }
    await Promise.all(
      Array.from(new Set([...latest, ...old]), (name) => update(name).catch(ifUnreadable)),
    )
  }

  async function remove(sandbox: InnerSandbox, name: string): Promise<MockReply> {
    const log = logOf(sandbox)
    if (!(await log.recover(false)) || !(await log.end())) return missingSandbox(name)
    // A sandbox that has ended is not shown, even if it remains in the list.
    await engine.run('unlistSandbox', [list], name, sandbox.machine.clock.at).catch(() => {})
    return empty()
  }

  async function make(route: ControlRoute, call: ControlCall): Promise<MockReply> {
    if (!settings.sandboxes) return route.handle(call) as MockReply
    const name = toSandboxName((call.body as unknown as { name: string }).name)
    const wasThere = await has(name)
    await logOf(inner.findOrCreate(name)).sync(true)
    announce(undefined)
    return { ...(route.handle(call) as MockReply), status: wasThere ? 200 : 201 }
  }

  /** Sends a request again, whichever mock has recorded it. */
  async function repeat(sandbox: InnerSandbox, number: string): Promise<MockReply> {
    const { journal } = sandbox
    const request = journal.requestOf(toEntryNumber(number))
    if (request === undefined) return missingEntry(number)
    await logOf(inner.sandboxOf(request)).respond(request)
    return json(201, journal.last() ?? {})
  }

  /** Does what needs the engine. Returns the sandbox whose local state the route can respond from now, or the reply. */
  async function prepare(
    route: ControlRoute,
    call: ControlCall,
    isKeyed: boolean,
  ): Promise<InnerSandbox | MockReply> {
    const { method, needs, ofMock: id = route.id } = route
    const { name } = call.sandbox
    // Another call may delete the sandbox meanwhile; this one must not create it again.
    const creates = name === undefined || isKeyed
    const sandbox = inner.findOrCreate(name ?? null)
    const log = logOf(sandbox)
    if (!(await (id === 'reset' ? log.recover(creates) : log.sync(creates))))
      return missingSandbox(name ?? '')
    const { startedAt } = sandbox
    const isOfAll = id === 'listSandboxes' || (id === 'readScorecards' && name === undefined)
    if (isOfAll) await refresh(log.replica.at, id === 'readScorecards' || 'scores' in call.query)
    if (needs !== undefined) await catchUp(sandbox)
    // It ended while this waited for other mocks, and may exist again.
    if (sandbox.startedAt !== startedAt || inner.findOrCreate(name ?? null) !== sandbox)
      return prepare(route, call, isKeyed)
    if (id === 'repeatRequest') return repeat(sandbox, call.path['number'] ?? '')
    if (!loggedRoutes.has(id) || (method === 'GET' && sandbox.machine.store.waiting.length === 0))
      return sandbox
    const { path, query } = call
    const body = id === 'addRules' ? sealer.hideRules(call.body) : call.body
    const reply = await log.control({ route: id, path, query, body }, creates)
    announce(name)
    return reply ?? missingSandbox(name ?? '')
  }

  return async (route, call, isKeyed) => {
    const { needs, ofMock: id = route.id } = route
    const { name } = call.sandbox
    if (needs === 'nothing') return route.handle(call)
    if (needs === 'suite') return problem(501, noRuns)
    const act = async (): Promise<InnerSandbox | MockReply> => {
      if (id === 'makeSandbox') return make(route, call)
      if (id === 'deleteSandbox' && name !== undefined)
        return remove(inner.findOrCreate(name), name)
      return prepare(route, call, isKeyed)
    }
    let found: InnerSandbox | MockReply
    try {
      found = await inTime(act(), patienceMs + extraMsOf(call.body))
    } catch (error) {
      const isUnreadable = error instanceof UnreadableError
      if (!isUnreadable && !(error instanceof UnavailableError)) throw error
      engine.counters.unavailable += 1
      return problem(503, isUnreadable ? error.message : unavailable, { 'retry-after': '1' })
    }
    if ('status' in found) return found
    const sandbox = found
    const { startedAt } = sandbox
    // A sandbox that starts over counts its requests anew: a client that reconnects reads all of them.
    const isThere = (): boolean =>
      sandbox.startedAt === startedAt && inner.mock.sandboxes.isCurrent(sandbox)
    const follows = needs === 'stream' || 'wait' in call.query
    const followed = follows && { isThere, watch: () => watch(sandbox) }
    return route.handle({ ...call, ...(name !== undefined && { sandbox }), ...followed })
  }
}

/** A sandbox that cannot be read stays in the list, where it can be found and deleted. */
function ifUnreadable(error: unknown): void {
  if (!(error instanceof UnreadableError)) throw error
}

/** @throws {UnavailableError} after a timeout; the work may still be done. */
function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new UnavailableError('It takes too long.')), ms).unref()
  })
  return Promise.race([work, late])
}
