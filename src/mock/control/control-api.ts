import { UsageError } from '../../errors.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import { createGuard, isControlTarget, isForConsole, isHostName, probes } from './guard.ts'
import {
  type ControlOptions,
  health,
  onceLoaded,
  problem,
  readiness,
  type RespondToControl,
  type StreamReply,
} from './routes/route.ts'

/** The control API as a server uses it. */
export interface ControlApi {
  matches: (target: string) => boolean
  /** Rejects a request before its body is read. */
  reject: (request: MockRequest) => MockReply | undefined
  /** The largest request body in bytes. A larger one arrives with the body fault `too-large`. */
  bodyLimit: number
  /** Cancels runs of the suite. */
  close: () => void
  respond: RespondToControl
}

/** The largest body of any operation, an import of pets: 64 MiB. */
const bodyLimit = 64 * 1_048_576

/**
 * The control API of a mock with a server, below `/_petstore`: reads and changes what the interface has no operations for.
 * It accepts only requests with a known Host header that do not come from a page of another origin; beyond loopback, they
 * need the token. The app is loaded with the first request other than `health` and `ready`.
 *
 * @throws {UsageError} as {@link checkControl}
 */
export function createControlApi(options: ControlOptions): ControlApi {
  const { respondConsole, suite } = options
  checkControl(options.mock.settings.basePath, options.allowedHosts)
  const guard = createGuard(options)
  const closing = new AbortController()
  const api = {
    instance: Math.random().toString(36).slice(2, 10),
    isReady: () => true,
    health,
    rejection: () => undefined,
    baseUrl: () => '',
    metrics: () => '',
    ...options,
  }
  const load = onceLoaded(async () => {
    const [{ createApp }, { createRuns }] = await Promise.all([
      import('./app.ts'),
      import('./routes/suite-runs.ts'),
      options.prepare?.(),
    ])
    return createApp({
      ...api,
      runs: suite && { runs: createRuns(api, suite, closing.signal), suite },
    })
  })
  async function respond(
    request: MockRequest,
    isGone?: () => boolean,
  ): Promise<MockReply | StreamReply> {
    try {
      const rejection = guard(request)
      if (rejection !== undefined) return rejection
      if (respondConsole !== undefined && isForConsole(request))
        return await respondConsole(request.target)
      if (request.method === 'GET') {
        if (request.target === probes.health) return api.health()
        if (request.target === probes.ready) return readiness(api.isReady())
      }
      const why = api.rejection()
      if (why !== undefined) return problem(503, why, { 'retry-after': '1' })
      return await load().then((handle) => handle(request, isGone))
    } catch {
      return problem(500, 'The control API failed to handle this request.')
    }
  }
  return {
    matches: isControlTarget,
    bodyLimit,
    reject: guard,
    respond,
    close: () => closing.abort(),
  }
}

/** @throws {UsageError} with all mistakes: a host name with a port, a base path below `/_petstore` */
export function checkControl(basePath: string, allowedHosts: readonly string[] = []): void {
  const mistakes = allowedHosts
    .filter((name) => !isHostName(name))
    .map(
      (name) => `${JSON.stringify(name)} is not a host: give a name or an address, without a port.`,
    )
  if (isControlTarget(basePath)) {
    mistakes.push(
      `The base path ${basePath} belongs to the control API. Choose another one, or turn the control API off.`,
    )
  }
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
}
