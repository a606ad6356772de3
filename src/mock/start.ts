import { listen } from './adapters/node.ts'
import type { Responder } from './adapters/node-reply.ts'
import { UsageError } from '../errors.ts'
import { createMetrics, heapBytes, type Metrics } from './adapters/node-metrics.ts'
import { version } from '../spec/version.ts'
import { createControl } from './control/control.ts'
import { consolePath, hostInUrl, isLoopbackHost, prefix } from './control/guard.ts'
import type { Suite } from './control/runs.ts'
import type { Deviation } from './deviations/deviation.ts'
import { bodyLimit } from './errors.ts'
import type { Respond } from './message.ts'
import { createEngine, type Engine, type SharedHooks, type Mock } from './mock.ts'
import type { Shared, SharedOptions, SharedParts } from './shared/shared.ts'
import { createKeeper, type MockState, restoreState } from './state.ts'
import type { MockOptions, Settings } from './types.ts'
import { boolean, isCount, listener, type OptionChecks, readSettings } from './settings.ts'

/** What `startMock` takes: what `createMock` takes, and where to listen. */
export interface StartOptions extends MockOptions {
  /** A TCP port; 0, the default, takes a free one. */
  port?: number
  /** The address to listen on: `127.0.0.1` by default, so that no other machine reaches the mock. */
  host?: string
  /**
   * Serves HTTPS: a certificate with its chain and its private key, in PEM. Clients choose HTTP/2 or HTTP/1.1. By default
   * HTTP/1.1 without encryption.
   */
  tls?: { cert: string; key: string }
  /** Whether the control API is served below `/_petstore`. True by default. */
  control?: boolean
  /** Whether the console is served below `/_petstore/console/`, where the control API is. True by default. */
  console?: boolean
  /**
   * What requests to the control API must carry as their bearer token: 16 characters or more. None by default when
   * `host` is loopback; else one is made: `controlToken` of the running mock.
   */
  controlToken?: string
  /** Names and addresses, without a port, by which the control API may be called besides loopback and `host`. None by default. */
  controlHosts?: readonly string[]
  /** Writes the pets somewhere for the control API, and returns where. */
  save?: () => Promise<string>
  /** Where all sandboxes go on, with their pets, rules and clocks: what `keepState` got last. Default: at the start. */
  state?: MockState
  /**
   * Gets the state of all sandboxes, a plain value that `printJson` and `parseJson` keep as it is: within a second of a
   * change, not before the call before has ended, and when the mock is closed. Called again when it rejects; `close` then
   * rejects, too. A rule that is a function is left out; one among the options is refused. Default: nothing is kept.
   */
  keepState?: (state: MockState) => Promise<void>
  /**
   * Makes the mock one with all others that have the same engine and name: pets, rules, clock, settings and sandboxes. What
   * `mock.use`, `mock.pets` and the like would change goes through the control API instead. Not shared by default.
   */
  shared?: SharedOptions
  /** Loads the contract suite, which the control API then runs on request. None by default. */
  suite?: () => Promise<Suite>
}

/** A mock that listens. */
export interface RunningMock extends Mock {
  /** The base URL: `http://127.0.0.1:4010/v1`. */
  readonly url: string
  readonly port: number
  /** Where the control API is: `http://127.0.0.1:4010/_petstore`. Undefined when it is off. */
  readonly controlUrl: string | undefined
  /** Where the console is: `http://127.0.0.1:4010/_petstore/console/`. Undefined when it is off. */
  readonly consoleUrl: string | undefined
  /** What the control API wants as a bearer token, if any. */
  readonly controlToken: string | undefined
  /**
   * Brings what the mock shows up to date with the others that share it: the sandbox of its own keys, or that with a name.
   * Rejects when the engine does not respond. Of no effect without `shared`.
   */
  catchUp: (sandbox?: string) => Promise<void>
  /**
   * Serves new connections with another certificate; those that are open stay. Of no effect without `tls`.
   *
   * @throws {UsageError} when it cannot be used; the one before stays.
   */
  renewTls: (tls: { cert: string; key: string }) => void
  /** What is counted of a shared mock, and whether its engine responds. Undefined without `shared`. */
  readonly shared: Pick<Shared, 'counters' | 'isReady'> | undefined
  /** Lets replies that are written out, ends every connection, and stops listening. May be called twice. */
  close: () => Promise<void>
}

/** The table of deviations, or what loads it: most mocks never need it. */
export type DeviationTable = readonly Deviation[] | (() => Promise<readonly Deviation[]>)

const checks: OptionChecks = {
  port: ['an integer from 0 to 65535', (port) => isCount(port, 65_535)],
  host: ['an address or a name', (host) => typeof host === 'string' && host !== ''],
  tls: ['a certificate and its key, in PEM', (tls) => isPem(tls, 'cert') && isPem(tls, 'key')],
  control: boolean,
  console: boolean,
  controlToken: [
    'at least 16 characters of printable ASCII without spaces',
    (token) => typeof token === 'string' && /^[\x21-\x7e]{16,}$/.test(token),
  ],
  controlHosts: ['a list of names', Array.isArray],
  save: listener,
  state: ['a state that was kept', (state) => Array.isArray((state as Partial<MockState> | null)?.sandboxes)],
  keepState: listener,
  suite: listener,
  shared: ['an object with url, name and sandboxTtlMs', (shared) => typeof shared === 'object' && shared !== null],
}

/** As `startMock` of the package, with a table of deviations that may be loaded when it is needed. */
export async function startMock(
  options: StartOptions,
  deviations: DeviationTable,
  parts: SharedParts = {},
): Promise<RunningMock> {
  const { port = 0, host = '127.0.0.1', control = true, console = true, controlHosts = [], save, suite } = options
  const load = async (): Promise<readonly Deviation[]> => (typeof deviations === 'function' ? deviations() : deviations)
  const { state, keepState } = options
  const named = [options, ...(state?.sandboxes ?? []).map((one) => one.state.settings)].flatMap((one) => one.deviations)
  // Another mock that shares this one may choose deviations at any time.
  const isOpen = options.shared !== undefined
  const isNeeded = typeof deviations !== 'function' || isOpen || named.some((id) => id !== undefined)
  const table = { deviations: isNeeded ? await load() : [] }
  const given = readSettings(options, table.deviations, checks)
  const controlToken = control ? (options.controlToken ?? (isLoopbackHost(host) ? undefined : madeToken())) : undefined
  const isKept = state !== undefined || keepState !== undefined
  if (isKept && options.rules?.some((rule) => typeof rule === 'function')) {
    throw new UsageError('rules: a rule that is a function is not part of the state. Add it by `use` after the start.')
  }
  const later: SharedHooks | undefined = options.shared && {}
  const { share, settings } = options.shared
    ? await prepareShared(options, given, { controlToken, parts })
    : { settings: given }
  const engine = createEngine(settings, {
    ...options,
    table,
    controlToken,
    heapBytes: heapBytes(),
    later,
  })
  const { mock, respond, refuse } = engine
  if (state !== undefined) restoreState(engine, state)
  const shared = await share?.(engine)
  if (later && shared) Object.assign(later, shared)
  const metrics = control ? createMetrics(engine, shared?.counters) : undefined
  const files = () => import('./adapters/node-console.ts')
  const api = control
    ? createControl({
        mock,
        host,
        version,
        save,
        suite,
        token: controlToken,
        allowedHosts: controlHosts,
        allScorecards: mock.allScorecards,
        baseUrl: () => running.url,
        prepare: async () => void (table.deviations = await load()),
        readInterface: async () => (await files()).readInterface(),
        respondConsole: console ? async (target) => (await files()).respond(target) : undefined,
        ...(metrics && { metrics: metrics.text }),
        ...(shared && {
          shared: shared.control,
          instance: shared.instance,
          isReady: shared.isReady,
          reloads: () => shared.counters.reloads,
        }),
      })
    : undefined
  const responder: Responder = {
    respond: metrics === undefined ? respond : counting(metrics, respond),
    respondAsync: shared && metrics ? countingAsync(metrics, shared.respond) : shared?.respond,
    refuse,
    bodyLimit,
    ...(api && { control: shared ? { ...api, respond: async (request) => shared.finish(api.respond(request)) } : api }),
  }
  const server = await listen(responder, { port, host, tls: options.tls }).catch(async (error: unknown) => {
    await shared?.close()
    throw error
  })
  const keeper = keepState && createKeeper(engine, { keep: keepState, isKept: state !== undefined, ...options })
  let closed: Promise<void> | undefined
  const origin = `${options.tls === undefined ? 'http' : 'https'}://${hostInUrl(host)}:${server.port}`
  const close = async (): Promise<void> => {
    api?.close?.()
    await shared?.drain()
    await server.close()
    await keeper?.end()
    await shared?.close()
  }
  const running = {
    url: `${origin}${settings.basePath}`,
    port: server.port,
    controlUrl: control ? `${origin}${prefix}` : undefined,
    consoleUrl: control && console ? `${origin}${consolePath}/` : undefined,
    controlToken,
    catchUp: async (sandbox?: string) => shared?.catchUp(sandbox),
    renewTls: server.renewTls,
    shared,
    close: () => (closed ??= close()),
  }
  // A spread would trigger the getter of the pets, which are loaded at their first use.
  return Object.defineProperties(running, Object.getOwnPropertyDescriptors(mock)) as typeof running & Mock
}

/** Reads how a mock is shared, and loads what that takes. */
async function prepareShared(
  { shared = { url: '' }, onNotice = () => {}, ...options }: StartOptions,
  settings: Settings,
  { controlToken, parts }: { controlToken: string | undefined; parts: SharedParts },
): Promise<{ settings: Settings; share: (engine: Engine) => Promise<Shared> }> {
  const { readShared, share } = await import('./shared/shared.ts')
  const { sealer, settings: hidden } = readShared(shared, options, settings)
  return {
    settings: hidden,
    share: (engine) => share(shared, { inner: engine, settings: hidden, controlToken }, { sealer, parts, onNotice }),
  }
}

const isPem = (tls: unknown, name: string): boolean =>
  typeof (tls as Record<string, unknown> | null)?.[name] === 'string'

function counting({ count }: Metrics, respond: Respond): Respond {
  return (request) => {
    const since = performance.now()
    const reply = respond(request)
    count(request, reply, performance.now() - since)
    return reply
  }
}

function countingAsync({ count }: Metrics, respond: Shared['respond']): Shared['respond'] {
  return async (request) => {
    const since = performance.now()
    const reply = await respond(request)
    count(request, reply, performance.now() - since)
    return reply
  }
}

/** 122 random bits. */
function madeToken(): string {
  return crypto.randomUUID()
}
