import type { Report, VerifyInput } from '../../../src/contract/index.ts'
import { verifyBy } from '../../../src/contract/suite/verify.ts'
import { createMock, type Mock, type MockOptions } from '../../../src/mock/index.ts'
import type { MockReply, MockRequest } from '../../../src/mock/service/message.ts'
import { key } from '../../support/store.ts'
import { dispatcherOf } from '../../support/verify-in-process.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** No server listens here: requests that are not handled in process fail. */
const baseUrl = 'http://localhost:1/v1'

/** A request with its index in this target, from 0. */
export type Received = MockRequest & { index: number }

/** Responds in place of the mock; undefined passes the request on to it. */
export type Override = (
  request: Received,
  mock: Mock,
) => MockReply | 'silence' | undefined | Promise<MockReply | undefined>

export const json = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): MockReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

export const error = (status: number): MockReply =>
  json(status, { code: 'rejected', message: '', status })

export const isAuthorized = ({ headers }: MockRequest): boolean =>
  headers['authorization'] === `Bearer ${key}`

/** A mock in process and in virtual time, with an override for some responses; records its requests. */
export function target(
  options: MockOptions = {},
  override: Override = () => undefined,
): {
  clock: VirtualClock
  requests: Received[]
  run: (more?: Partial<VerifyInput>) => Promise<Report>
} {
  const clock = new VirtualClock()
  const mock = createMock({
    ...(options.data === undefined && { pets: 30 }),
    keys: [key],
    now: () => new Date(clock.now()),
    ...options,
  })
  const requests: Received[] = []
  const handle: Mock['handle'] = async (received) => {
    const request = { ...received, index: requests.length }
    requests.push(request)
    const reply = await override(request, mock)
    return reply === 'silence' ? new Promise(() => {}) : (reply ?? mock.handle(received))
  }
  const dispatcher = dispatcherOf(handle, clock)
  return {
    clock,
    requests,
    run: (more = {}) => verifyBy(clock, { baseUrl, apiKey: key, dispatcher, ...more }),
  }
}
