import { listen } from './http/listen.ts'
import type { Responder } from './http/reply.ts'
import { expectObject, UsageError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { Redact } from '../report/redact.ts'
import { createMetrics, heapBytes, type Sources } from './http/metrics.ts'
import { correlationOf, repeatedHeaders } from './journal/correlation.ts'
import { checkControl, createControlApi } from './control/control-api.ts'
import { consolePath, hostInUrl, isForConsole, pathOf, tokenOf, tokenOn } from './control/guard.ts'
import { prefix } from './control/routes/route.ts'
import type { Suite } from './control/routes/suite-runs.ts'
import type { Defect } from './defects/defect.ts'
import { bodyLimit } from './service/replies.ts'
import { type MockReply, type MockRequest, notify } from './service/message.ts'
import { createHide } from './journal/entry.ts'
import { createInnerMock, type InnerMock, type Mock } from './sandbox/mock.ts'
import { sandboxName } from './service/sandbox-key.ts'
import type { Shared, SharedOptions } from './shared/shared.ts'
import { createAutosave, type SaveTarget, type KeptSandbox } from './sandbox/autosave.ts'
import type { MockOptions } from './sandbox/types.ts'
import { boolean, integerIn, listener, type OptionChecks, tokenCheck } from '../option-checks.ts'
import { defaultHost, ranges, readSettings } from './sandbox/settings.ts'

/** The options of `startMock`: those of `createMock`, and where to listen. */
export interface StartOptions extends MockOptions {
  /** A TCP port; 0, the default, uses a free port. */
  port?: number | undefined
  /** The address to listen on: `127.0.0.1` by default, which other machines cannot reach; `localhost` is 127.0.0.1 and ::1. */
  host?: string | undefined
  /**
   * Serves HTTPS: a certificate with its chain and its private key, in PEM. Clients choose HTTP/2 or HTTP/1.1. By default
   * HTTP/1.1 without encryption.
   */
  tls?: { cert: string; key: string } | undefined
  /** Whether the control API is served below `/_petstore`. True by default. */
  control?: boolean | undefined
  /** Whether the console is served below `/_petstore/console/`; it needs the control API. True by default. */
  console?: boolean | undefined
  /**
   * The bearer token that requests to the control API need: 16 characters or more. By default none when `host` is
   * loopback, and otherwise a random one: `controlToken` of the running mock.
   */
  controlToken?: string | undefined
  /** Host names and addresses, without a port, that the control API accepts besides loopback and `host`. None by default. */
  controlHosts?: readonly string[] | undefined
  /** Called for each request to the control API that has changed something; it must not throw. None by default. */
  onControl?: ((change: ControlChange) => void) | undefined
  /** Writes the pets somewhere for the control API, and returns where. */
  save?: (() => Promise<string>) | undefined
  /** Restores sandboxes with their pets, rules and clocks: the last argument of `keepState` for each name. */
  state?: readonly KeptSandbox[] | undefined
  /**
   * Called with a sandbox soon after it has changed, and when the mock is closed: `kept.set(sandbox.name, sandbox)`, with
   * `state: [...kept.values()]` at the next start. It is a plain value that survives `printJson` and `parseJson`, without
   * `state` when the sandbox was deleted. There is one call for a sandbox at a time. Called again when it
   * rejects; `close` then rejects, too. A rule that is a function is omitted; among the options, it is rejected. Default:
   * nothing is kept.
   */
  keepState?: ((sandbox: KeptSandbox) => Promise<void>) | undefined
  /** Whether `GET /_petstore/ready` responds 503 while `keepState` fails, or a change has waited for it for five seconds. False by default. */
  readyNeedsState?: boolean | undefined
  /**
   * Shares pets, rules, clock, settings and sandboxes with all mocks that have the same engine and name. To change them,
   * use the control API instead of `mock.use`, `mock.pets` and so on. Not shared by default.
   */
  shared?: SharedOptions | undefined
  /** Loads the contract suite, so that the control API can run it. None by default. */
  suite?: (() => Promise<Suite>) | undefined
}

/** A successful request to the control API that may change something. */
export interface ControlChange {
  /** When the response was ready: `2026-11-20T12:00:00.000Z`. */
  at: string
  /** The address of the client. */
  address: string
  /** What gave access: the token of the control API, or the key of a sandbox. `anyone`: this mock needs neither. */
  caller: 'token' | 'sandbox key' | 'anyone'
  /** The header `X-Request-Id`, if it was sent. */
  requestId?: string
  /** The trace of the header `traceparent`, if it was sent. */
  traceId?: string
  request: { method: string; /** Without its query. */ target: string }
  response: { status: number }
}

/** A mock with a server. */
export interface RunningMock extends Mock {
  /** The base URL: `http://127.0.0.1:4010/v1`. */
  readonly url: string
  readonly port: number
  /** The URL of the control API: `http://127.0.0.1:4010/_petstore`. Undefined when it is off. */
  readonly controlUrl: string | undefined
  /** The URL of the console: `http://127.0.0.1:4010/_petstore/console/`. Undefined when it is off. */
  readonly consoleUrl: string | undefined
  /** The bearer token of the control API, if any. */
  readonly controlToken: string | undefined
  /**
   * Updates a sandbox of a shared mock with the changes of all others: by default, the one of the mock's own keys. Rejects
   * when the engine does not respond. Has no effect without `shared`.
   */
  catchUp: (sandbox?: string) => Promise<void>
  /**
   * Serves new connections with another certificate; open ones stay. Has no effect without `tls`.
   *
   * @throws {UsageError} when the certificate cannot be used; the current one stays.
   */
  renewTls: (tls: { cert: string; key: string }) => void
  /**
   * Takes other initial pets instead of the option `data`. The sandbox of the mock's own keys and new sandboxes show them
   * at once, the others after their next reset. Not for a shared mock.
   *
   * @throws {UsageError} that lists every mistake with its JSON pointer; then nothing changes.
   */
  renewData: (pets: readonly (JsonValue | object)[]) => void
  /** The counters of a shared mock, and whether its engine responds. Undefined without `shared`. */
  readonly shared: Pick<Shared, 'counters' | 'isReady'> | undefined
  /**
   * Announces the end to load balancers, before `close`: from now on `GET /_petstore/ready` responds 503, and each response
   * announces the end to its client (`Connection: close`, over HTTP/2 GOAWAY). The mock still responds to everything.
   */
  drain: () => void
  /**
   * Stops listening, flushes the responses that are written, and closes all connections; after `drain`, half a second
   * later, so that requests on their way get a response. May be called twice.
   */
  close: () => Promise<void>
}

const checks: OptionChecks = {
  port: integerIn(ranges.port),
  host: ['an address or a name', (host) => typeof host === 'string' && host !== ''],
  tls: ['a certificate and its key, in PEM', (tls) => isPem(tls, 'cert') && isPem(tls, 'key')],
  control: boolean,
  console: boolean,
  controlToken: tokenCheck,
  controlHosts: [
    'a list of names',
    (hosts) => Array.isArray(hosts) && hosts.every((host) => typeof host === 'string'),
  ],
  onControl: listener,
  save: listener,
  state: ['a list of what was kept', Array.isArray],
  keepState: listener,
  readyNeedsState: boolean,
  suite: listener,
  shared: [
    'an object with url, name and sandboxTtlMs',
    (shared) => typeof shared === 'object' && shared !== null,
  ],
}

/**
 * `startMock` of the package. `defects` are all of them, or a function that loads them: most mocks never need them.
 * `saveTarget` is instead of `keepState`.
 */
export async function startMock(
  options: StartOptions,
  defects: readonly Defect[] | (() => Promise<readonly Defect[]>),
  saveTarget?: SaveTarget,
): Promise<RunningMock> {
  expectObject(options)
  const {
    port = 0,
    host = defaultHost,
    control = true,
    console = true,
    controlHosts = [],
    state,
    keepState,
    readyNeedsState = false,
  } = options
  const target = saveTarget ?? (keepState && { save: keepState })
  const { rejection } = saveTarget ?? {}
  const load = async (): Promise<readonly Defect[]> =>
    typeof defects === 'function' ? defects() : defects
  const isNeeded = typeof defects !== 'function' || mayUseDefects(options)
  const loaded = { defects: isNeeded ? await load() : [] }
  const given = readSettings(options, loaded.defects, checks)
  if (
    (state ?? target) !== undefined &&
    options.rules?.some((rule) => typeof rule === 'function')
  ) {
    throw new UsageError(
      'rules: a rule that is a function is not part of the state. Add it by `use` after the start.',
    )
  }
  const controlToken = control ? tokenOn(host, options.controlToken) : undefined
  const sharing =
    options.shared &&
    (await import('./shared/shared.ts')).readShared(options.shared, options, given)
  const settings = sharing?.settings ?? given
  const inner = createInnerMock(settings, {
    ...options,
    loaded,
    controlToken,
    heapBytes: heapBytes(),
    ...sharing?.ofSandboxes,
    isAutosaved: target !== undefined,
  })
  for (const one of state ?? []) restore(inner, one)
  // Before the mock joins others, which would wait for it.
  if (control) checkControl(settings.basePath, controlHosts)
  const shared = await sharing?.share(inner)
  if (shared !== undefined) inner.handleBy(shared.respond)
  const autosave: { current?: ReturnType<typeof createAutosave> } = {}
  let isDraining = false
  const isReady = (): boolean =>
    !isDraining &&
    // On request, a mock that would lose its changes gets no more of them.
    (!readyNeedsState || (autosave.current?.isHealthy() ?? true)) &&
    rejection?.() === undefined &&
    (shared?.isReady() ?? true)
  const sources: Sources = { more: shared?.metrics }
  const metrics = control ? createMetrics(inner, sources) : undefined
  const api = control
    ? createControlApi({
        mock: inner.mock,
        host,
        save: options.save,
        suite: options.suite,
        token: controlToken,
        allowedHosts: controlHosts,
        baseUrl: () => running.url,
        prepare: async () => void (loaded.defects = await load()),
        readInterface: async (form) =>
          (await import('./http/interface-document.ts')).readInterface(form),
        respondConsole: console
          ? async (target) => (await loadConsole()).respond(target)
          : undefined,
        ...(metrics && { metrics: metrics.text }),
        ...shared?.ofControl,
        ...(rejection && { rejection }),
        isReady,
      })
    : undefined
  const hideIn = createHide([...given.keys, ...(controlToken === undefined ? [] : [controlToken])])
  const onControl = (request: MockRequest, reply: Pick<MockReply, 'status'>): void => {
    metrics?.countControl(request, reply)
    if (options.onControl === undefined) return
    const change = changeOf(request, reply, controlToken !== undefined, hideIn(request))
    if (change !== undefined) notify(options.onControl, change)
  }
  const handle = shared?.respond ?? inner.respond
  const hasConsole = control && console
  /** Hands a request to the mock, and counts it. */
  const respond: Responder['respond'] = (request) => {
    // A person who opens the address of the mock. Fast path, since this runs for each request.
    const isVisit =
      hasConsole &&
      request.target === '/' &&
      request.rejection === undefined &&
      isForConsole(request)
    if (isVisit) return loadConsole().then((page) => page.respond(request.target))
    const since = performance.now()
    const why = rejection?.()
    const reply = why === undefined ? handle(request) : inner.unavailable(why)
    /** Counts what the mock responds. */
    const count = (one: MockReply): MockReply => {
      metrics?.count(request, one, performance.now() - since)
      return one
    }
    return 'then' in reply ? reply.then(count) : count(reply)
  }
  const responder: Responder = {
    respond,
    reject: inner.reject,
    bodyLimit,
    ...(api && {
      control: {
        ...api,
        reject(request) {
          const reply = api.reject(request)
          if (reply !== undefined) onControl(request, reply)
          return reply
        },
        async respond(request, isGone) {
          const reply = await api.respond(request, isGone)
          onControl(request, reply)
          const repeated = repeatedHeaders(request, reply)
          return repeated === undefined
            ? reply
            : { ...reply, headers: { ...reply.headers, ...repeated } }
        },
      },
    }),
  }
  const server = await listen(responder, { port, host, tls: options.tls }).catch(
    async (error: unknown) => {
      await shared?.close()
      throw error
    },
  )
  if (target !== undefined)
    autosave.current = createAutosave(inner, target, state !== undefined, options.onNotice)
  Object.assign(sources, { load: server.load, saves: autosave.current?.saves })
  let closed: Promise<void> | undefined
  const origin = `${options.tls === undefined ? 'http' : 'https'}://${hostInUrl(host)}:${server.port}`
  const close = async (): Promise<void> => {
    api?.close()
    if (isDraining) await server.rejectConnections()
    await shared?.drain()
    await server.close()
    await autosave.current?.end()
    await shared?.close()
  }
  const running = {
    url: `${origin}${settings.basePath}`,
    port: server.port,
    controlUrl: control ? `${origin}${prefix}` : undefined,
    consoleUrl: hasConsole ? `${origin}${consolePath}/` : undefined,
    controlToken,
    catchUp: async (sandbox?: string) => shared?.catchUp(sandbox),
    renewTls: server.renewTls,
    renewData: inner.renewData,
    shared,
    drain(): void {
      isDraining = true
      server.drain()
    },
    close: () => (closed ??= close()),
  }
  return Object.assign(inner.mock, running)
}

function restore(inner: InnerMock, { name, state, startedAt }: KeptSandbox): void {
  if (state === undefined) return
  const sandbox = inner.findOrCreate(name)
  // Its journal begins anew.
  sandbox.machine.restore(state, 0)
  if (startedAt !== undefined) sandbox.startedAt = startedAt
}

/** Whether the options or the state name defects. In a shared mock, another one may activate some at any time. */
function mayUseDefects(options: StartOptions): boolean {
  const saved = (options.state ?? []).flatMap((one) => one.state?.settings ?? [])
  return (
    options.shared !== undefined ||
    [options, ...saved].flatMap((one) => one.defects).some((id) => id)
  )
}

const loadConsole = () => import('./http/console-files.ts')

/** What a request to the control API changed; undefined if nothing. */
function changeOf(
  request: MockRequest,
  { status }: Pick<MockReply, 'status'>,
  needsToken: boolean,
  hide: Redact,
): ControlChange | undefined {
  const { method, target, address = '' } = request
  if (method === 'GET' || method === 'HEAD' || status >= 400) return undefined
  const isKeyed = sandboxName(tokenOf(request) ?? '') !== undefined
  return {
    at: new Date().toISOString(),
    address,
    caller: isKeyed ? 'sandbox key' : needsToken ? 'token' : 'anyone',
    ...correlationOf(request, hide),
    request: { method, target: pathOf(target) },
    response: { status },
  }
}

const isPem = (tls: unknown, name: string): boolean =>
  typeof (tls as Record<string, unknown> | null)?.[name] === 'string'
