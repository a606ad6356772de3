import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { sleep, type RunClock } from '../../src/contract/http/waiting.ts'
import type { Check, Report, VerifyInput } from '../../src/contract/index.ts'
import { runSuite } from '../../src/contract/suite/runner.ts'
import { checkOptions } from '../../src/contract/suite/verify.ts'
import { type Payload, toPayload } from '../../src/mock/http/payload.ts'
import { createMock, defaultKey, type Mock, type MockOptions } from '../../src/mock/index.ts'
import { createChance } from './variants/chance.ts'
import { VirtualClock } from './virtual-clock.ts'

/** No server listens here: a request that is not handled in process fails. */
const baseUrl = 'http://localhost:1/v1'

type More = Omit<VerifyInput, 'baseUrl' | 'apiKey' | 'dispatcher'> & {
  jitter?: number
  /** How many runs the mock has seen before, which have left their pets. */
  runsBefore?: number
}

/**
 * Verifies a mock in process and in virtual time; takes the options of `verify` except for the target.
 *
 * @param suite the checks that run. Default: those of the depth
 */
export async function verifyMock(
  mockOptions: MockOptions,
  { jitter, runsBefore = 0, ...more }: More = {},
  suite?: readonly Check[],
): Promise<Report> {
  const clock = new VirtualClock()
  const mock = createMock({ now: () => new Date(clock.now()), ...mockOptions })
  const dispatcher = withJitter(dispatcherOf(mock.handle, clock), jitter)
  const apiKey = mockOptions.keys?.[0] ?? defaultKey
  // Random names could change the result from run to run.
  const input = { baseUrl, apiKey, dispatcher, runId: 'Bcdfgh', observations: false, ...more }
  for (let run = 0; run < runsBefore; run += 1) {
    await carryOutAt(clock, { ...input, runId: `Wxyz${'bcdfghjk'[run]}w` }, suite)
    await clock.sleep(60_000)
  }
  return carryOutAt(clock, input, suite)
}

export async function carryOutAt(
  clock: RunClock,
  input: VerifyInput,
  suite?: readonly Check[],
): Promise<Report> {
  const { options, selection } = checkOptions(input)
  const early: Report[] = []
  const onFailing = (soFar: Report): void => {
    early.push(soFar)
    options.onFailing?.(soFar)
  }
  const { report } = await runSuite({ ...options, onFailing }, selection, clock, suite)
  expectKept(early, report)
  return report
}

/** @throws when what a run has shown as certain before its end is not in its report */
function expectKept(early: readonly Report[], report: Report): void {
  if (early.length > 1) throw new Error(`The run said ${early.length} times that it fails.`)
  for (const { requirement, message } of early.flatMap(({ findings }) => findings)) {
    const { verdict } = report.requirements.find(({ id }) => id === requirement) ?? {}
    if (report.verdict !== 'violates' || verdict !== 'violated')
      throw new Error(
        `The report has no violation of ${requirement}, which was certain: ${message}`,
      )
  }
}

/**
 * Passes the requests of the suite to a mock whose delays use the given clock. The suite calls only `request` of a
 * Dispatcher. The complete dispatcher in `petstore-kit/undici` would take a fifth of the time of a run.
 */
export function dispatcherOf(handle: Mock['handle'], clock: RunClock): Dispatcher {
  const request = async ({ path, method, headers, body }: Dispatcher.RequestOptions) => {
    if (!/^\/v1(?:[/?]|$)/.test(path)) throw new Error(`Nobody listens at ${path}.`)
    const sent = {
      method,
      target: path,
      headers: { host: 'localhost:1', ...(headers as Record<string, string>) },
      body: (body as string | null) ?? '',
    }
    const reply = await handle(sent)
    const { delayMs = 0, wire } = reply
    if (delayMs > 0) await sleep(clock, delayMs)
    if (wire?.silent) return new Promise(() => {})
    if (wire?.reset) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    const payload = toPayload(reply, method)
    return {
      statusCode: payload.status,
      headers: payload.headers,
      body: Object.assign(chunksOf(payload), { destroy() {} }),
    }
  }
  return { request } as unknown as Dispatcher
}

/** Delays each request by up to six turns of the event loop, depending on the seed, so that requests are reordered. */
export function withJitter(dispatcher: Dispatcher, seed: number | undefined): Dispatcher {
  if (seed === undefined) return dispatcher
  const chance = createChance(seed)
  const request = async (options: Dispatcher.RequestOptions) => {
    // A virtual clock jumps after ten idle turns.
    for (let turns = Math.floor(chance() * 7); turns > 0; turns -= 1) await nextTurn()
    return dispatcher.request(options)
  }
  return { request } as unknown as Dispatcher
}

async function* chunksOf({ bytes, isCut }: Payload): AsyncGenerator<Buffer> {
  if (bytes !== undefined && bytes.length > 0) yield Buffer.from(bytes)
  if (isCut) throw new Error('other side closed')
}
