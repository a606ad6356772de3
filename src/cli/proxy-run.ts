import type { Responder } from '../mock/adapters/node-reply.ts'
import { listen } from '../mock/adapters/node.ts'
import { createControlApi } from '../mock/control/control-api.ts'
import { consolePath, hostInUrl, prefix, tokenOn } from '../mock/control/guard.ts'
import { expectValid, tokenCheck } from '../mock/settings.ts'
import type { LoggedRequest } from '../mock/types.ts'
import { createForward, type ForwardOptions, ownReply, type Passed } from './proxy-forward.ts'
import { createJudge } from './proxy-judge.ts'

export interface ProxyOptions extends Pick<
  ForwardOptions,
  'target' | 'proxy' | 'ca' | 'cert' | 'certKey' | 'timeoutMs'
> {
  port: number
  host: string
  controlToken?: string | undefined
  controlHosts?: readonly string[]
  onRequest?: ((request: LoggedRequest) => void) | undefined
}

/** A pause that lets the same client send its next request. */
const pauseMs = 2
/** Judging starts anyway with this many waiting exchanges, or after this many pauses. */
const maxWaiting = 100
const maxWaits = 50

/** Starts a proxy that judges traffic after it passed. Throws a UsageError when it cannot listen, or be protected. */
export async function startProxy(options: ProxyOptions) {
  const { target, host, port, controlToken, controlHosts = [], onRequest } = options
  expectValid({ controlToken }, { controlToken: tokenCheck })
  const basePath = target.pathname.replace(/\/$/, '')
  const baseUrl = target.origin + basePath
  const closing = new AbortController()
  const { mock, judge, ...judged } = createJudge(baseUrl, onRequest)
  const token = tokenOn(host, controlToken)

  const queue: Passed[] = []
  /** Resolves when the queue is empty. */
  let idle = Promise.resolve()
  let isAtWork = false
  /** Judges in pauses of the traffic, so that it adds no latency; a long queue a few at a time. */
  const work = async (): Promise<void> => {
    for (let waits = 0; queue.length > 0; waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      // A slow response does not hold up the others.
      if (!isIdle() && queue.length < maxWaiting && waits < maxWaits && !closing.signal.aborted) continue
      for (const passed of queue.splice(0, 1 + (queue.length >> 5))) judge(passed)
    }
    isAtWork = false
  }
  const onPassed = (passed: Passed): void => {
    queue.push(passed)
    if (isAtWork) return
    isAtWork = true
    idle = work()
  }

  const control = createControlApi({
    mock,
    host,
    proxyOf: baseUrl,
    allowedHosts: controlHosts,
    baseUrl: () => url,
    readInterface: () => import('../mock/adapters/node-console.ts').then((files) => files.readInterface()),
    respondConsole: (path) => import('../mock/adapters/node-console.ts').then((files) => files.respond(path)),
    ...(token !== undefined && { token }),
  })
  const { forward, isIdle } = createForward(
    { ...options, allowedHosts: controlHosts, ownUrl: () => url, onPassed },
    closing.signal,
  )
  const respond: Responder['respond'] = (_request, send) =>
    send(ownReply(400, 'The request target has a character that must be percent-encoded.'))
  const server = await listen(
    { forward, control, refuse: ownReply, respond, bodyLimit: Infinity },
    { port, host, requestTimeoutMs: 300_000, headersTimeoutMs: 15_000 },
  )
  const origin = `http://${hostInUrl(host)}:${server.port}`
  const url = origin + basePath
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await server.close()
    control.close?.()
    closing.abort()
    await idle
  }
  return {
    url,
    controlUrl: `${origin}${prefix}`,
    consoleUrl: `${origin}${consolePath}/`,
    controlToken: token,
    scorecards: () => mock.scorecards(),
    ...judged,
    /** Closes every connection, and judges what is queued. */
    close: () => (closed ??= close()),
  }
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>
