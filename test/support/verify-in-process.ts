import type { Clock } from '../../src/contract/waiting.ts'
import type { Report, VerifyInput } from '../../src/contract/index.ts'
import { carryOutSuite, checkOptions } from '../../src/contract/runner.ts'
import { createDispatcher } from '../../src/mock/adapters/undici.ts'
import { createMock, defaultKey } from '../../src/mock/index.ts'
import type { Mock, MockOptions } from '../../src/mock/index.ts'
import type { MockRequest } from '../../src/mock/message.ts'
import { VirtualClock } from './virtual-clock.ts'

/** Where nobody listens: what is not answered in process fails. */
const baseUrl = 'http://localhost:1/v1'

/**
 * Verifies a mock in process and in virtual time, the options of `verify` apart from where it is.
 *
 * @param hangs requests that never get a response
 */
export async function verifyMock(
  options: MockOptions,
  more: Omit<VerifyInput, 'baseUrl' | 'apiKey' | 'dispatcher'> = {},
  hangs: (request: MockRequest) => boolean = () => false,
): Promise<Report> {
  return (await carryOutAtMock(options, more, hangs)).report
}

/** As `verifyMock`, with the checks through which violations were seen. */
export function carryOutAtMock(
  mockOptions: MockOptions,
  more: Omit<VerifyInput, 'baseUrl' | 'apiKey' | 'dispatcher'> = {},
  hangs: (request: MockRequest) => boolean = () => false,
): ReturnType<typeof carryOutSuite> {
  const clock = new VirtualClock()
  const mock = createMock({ now: () => new Date(clock.now()), ...mockOptions })
  const dispatcher = createDispatcher(delayedBy(mock, clock, hangs), { baseUrl, passthrough: false })
  const apiKey = mockOptions.keys?.[0] ?? defaultKey
  // Names that are drawn anew could make a run see other things than the one before.
  return carryOutAt(clock, { baseUrl, apiKey, dispatcher, runId: 'Bcdfgh', ...more })
}

/** Carries out the suite in the time of a clock. */
export function carryOutAt(clock: Clock, input: VerifyInput): ReturnType<typeof carryOutSuite> {
  const { options, selection } = checkOptions(input)
  return carryOutSuite(options, selection, clock)
}

/** A mock whose delays take the time of a clock. */
function delayedBy(mock: Mock, clock: Clock, hangs: (request: MockRequest) => boolean): Mock {
  const handle: Mock['handle'] = async (request) => {
    if (hangs(request)) return new Promise(() => {})
    const { delayMs = 0, ...reply } = await mock.handle(request)
    if (delayMs > 0) await clock.sleep(delayMs)
    return reply
  }
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(mock), handle: { value: handle } }) as Mock
}
