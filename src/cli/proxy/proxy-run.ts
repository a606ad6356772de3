import { Buffer } from 'node:buffer'
import {
  findProxy,
  readCertificates,
  readHeaders as expectHeaders,
  readPrivateKey,
} from '../../contract/http/connection-options.ts'
import { readBaseUrl } from '../../contract/session/options.ts'
import type { Responder } from '../../mock/http/reply.ts'
import { listen } from '../../mock/http/listen.ts'
import { createControlApi } from '../../mock/control/control-api.ts'
import { consolePath, hostInUrl, tokenOn } from '../../mock/control/guard.ts'
import { prefix } from '../../mock/control/routes/route.ts'
import { expectValid, tokenCheck } from '../../option-checks.ts'
import type { Parsed } from '../../options.ts'
import { type Console, readInFlags, throwInFlags, wantsColor } from '../command.ts'
import { openConclusion } from './conclusion.ts'
import { createForward, ownReply, type Passed, type ProxyOptions } from '../../proxy/forward.ts'
import { createJudge } from '../../proxy/judge.ts'
import { createLog } from '../mock/request-log.ts'
import { reachedBy } from '../verify/reached.ts'
import {
  keyForCommand,
  proxiesOf,
  readCertificateFiles,
  readDeployment,
  readHeaders,
} from '../verify/verify-options.ts'

/** A pause that lets the same client send its next request. */
const pauseMs = 2
/** Judging starts anyway with this many waiting exchanges, or after this many pauses. */
const maxWaiting = 100
const maxWaits = 50
/** How long the queue is judged when the proxy ends: containers are killed after ten seconds. */
const lastMs = 4_000

/** Starts a proxy that judges traffic after it passed. Throws a UsageError when it cannot listen, or be protected. */
export async function startProxy(options: ProxyOptions) {
  const { target, host, port, controlToken, controlHosts = [], onRequest } = options
  expectValid({ controlToken }, { controlToken: tokenCheck })
  const basePath = target.pathname.replace(/\/$/, '')
  const baseUrl = target.origin + basePath
  const closing = new AbortController()
  const { mock, judge, skip, ...judged } = createJudge(
    baseUrl,
    onRequest,
    Object.values(options.headers ?? {}),
  )
  const token = tokenOn(host, controlToken)

  const queue: Passed[] = []
  /** Resolves when the queue is empty; undefined while it is. */
  let working: Promise<void> | undefined
  /** Judges in pauses of the traffic, so that it adds no latency; a long queue a few at a time. */
  const work = async (): Promise<void> => {
    for (let waits = 0; queue.length > 0; waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      // A slow response does not hold up the others.
      if (!isIdle() && queue.length < maxWaiting && waits < maxWaits && !closing.signal.aborted)
        continue
      for (const passed of queue.splice(0, 1 + (queue.length >> 5))) judge(passed)
    }
    working = undefined
  }
  const onPassed = (passed: Passed): void => {
    queue.push(passed)
    working ??= work()
  }

  const control = createControlApi({
    mock,
    host,
    proxyOf: baseUrl,
    allowedHosts: controlHosts,
    baseUrl: () => url,
    readInterface: (form) =>
      import('../../mock/http/interface-document.ts').then((files) => files.readInterface(form)),
    respondConsole: (path) =>
      import('../../mock/http/console-files.ts').then((files) => files.respond(path)),
    ...(token !== undefined && { token }),
  })
  const { forward, isIdle } = createForward(options, {
    ownUrl: () => url,
    onPassed,
    closing: closing.signal,
  })
  const unescaped = [
    400,
    'The request target has a character that must be percent-encoded.',
  ] as const
  /** What is not valid HTTP is recorded, and never forwarded. */
  const respond: Responder['respond'] = (request) => {
    const [status, message] = request.rejection ?? unescaped
    onPassed({
      request,
      sent: { bytes: Buffer.alloc(0), isPart: false },
      at: Date.now(),
      durationMs: 0,
      own: { status, message },
      isAbandoned: false,
      release() {},
    })
    return ownReply(status, message)
  }
  const server = await listen(
    { forward, control, reject: ownReply, respond, bodyLimit: Infinity },
    { port, host, requestTimeoutMs: 300_000 },
  )
  const origin = `http://${hostInUrl(host)}:${server.port}`
  const url = origin + basePath
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await server.close()
    control.close()
    closing.abort()
    const timer = setTimeout(() => skip(queue.splice(0)), lastMs)
    await working
    clearTimeout(timer)
  }
  return {
    url,
    controlUrl: `${origin}${prefix}`,
    consoleUrl: `${origin}${consolePath}/`,
    controlToken: token,
    /** A request to try it. */
    example: `curl -H "Authorization: Bearer $PETSTORE_API_KEY" '${url}/pets?limit=3'`,
    scorecards: () => mock.scorecards(),
    ...judged,
    /** Closes every connection, and judges what is queued. */
    close: () => (closed ??= close()),
  }
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>

/** Starts the proxy of a command line. `log` is the default of --log; with `isForCommand`, a command gets the key. */
export async function openProxy(
  console: Console,
  flags: Parsed,
  { target, log, isForCommand = false }: { target: string; log: string; isForCommand?: boolean },
) {
  const deployment = await readDeployment(console, flags, target)
  const key = isForCommand ? await keyForCommand(console, flags, deployment) : undefined
  const certificates = await readCertificateFiles(flags)
  const { baseUrl, headers } = readInFlags(flags, (issues) => {
    const { ca, cert, certKey } = certificates
    readCertificates(ca, issues)
    readPrivateKey(certKey, readCertificates(cert, issues, 'cert'), issues)
    return {
      baseUrl: readBaseUrl(deployment?.baseUrl ?? target, issues),
      headers: expectHeaders(readHeaders(console, flags, deployment).headers, issues),
    }
  })
  const conclude = await openConclusion(
    console,
    flags,
    reachedBy(flags, deployment?.name, ['access']),
  )
  const url = new URL(baseUrl)
  const color = wantsColor(console, console.terminal.stderr)
  const { onRequest } = createLog(flags, {
    usual: log,
    color,
    columns: console.columns,
    write: console.notify,
  })
  const started = startProxy({
    target: url,
    proxy: findProxy(url, proxiesOf(console)),
    ...certificates,
    headers,
    insecure: flags.has('insecure'),
    timeoutMs: Number(flags.milliseconds('timeout')),
    port: Number(flags.integer('port')),
    host: String(flags.text('host')),
    controlToken: flags.text('control-token'),
    controlHosts: flags.list('control-host'),
    onRequest,
  })
  const proxy = await started.catch((error: unknown) => throwInFlags(error, flags))
  return {
    proxy,
    baseUrl,
    /** The key of the deployment, for a command. */
    key,
    /** Stops the proxy and writes the reports. Returns the exit code. */
    async end(): Promise<number> {
      await proxy.close()
      return conclude(proxy, {
        reason: 'no client has called an operation through the proxy yet',
        advice: (kind) =>
          kind === 'failed' || kind === 'rejected' || kind === 'foreign'
            ? `Check the base URL, and that the deployment is up: petstore verify ${baseUrl} says what it responds.`
            : isForCommand
              ? 'Let the command send its requests to PETSTORE_BASE_URL.'
              : `Let a client call the proxy:\n  ${proxy.example}`,
      })
    },
  }
}
