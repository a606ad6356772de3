import type { HttpRequest } from '../spec/http.ts'
import { deviations } from './deviations.ts'
import type { MockReply, Respond } from './message.ts'
import { createService } from './service.ts'
import { type MockOptions, readSettings, type Settings } from './settings.ts'
import { createWorld } from './world.ts'

/** The Pet Store Service in memory. */
export interface Mock {
  /**
   * Answers one request. It never throws and never rejects: whatever is wrong with a request is an Error body.
   * A reply with `delayMs` is to be sent after that many milliseconds.
   */
  handle: (request: HttpRequest) => Promise<MockReply>
  /** Everything back to the start: the pets, their ids, and what deviations remember. */
  reset: () => void
  /** The options in force. */
  readonly settings: Settings
}

/**
 * A mock of the Pet Store Service, without a server: requests are given to `handle` as plain data.
 *
 * @throws {UsageError} when options are wrong; the message tells all mistakes, a line each.
 * @example
 * const mock = createMock({ pets: 3 })
 * const reply = await mock.handle({
 *   method: 'GET',
 *   target: '/v1/pets?limit=2',
 *   headers: { authorization: `Bearer ${defaultKey}` },
 *   body: '',
 * })
 * reply.status // 200
 * JSON.parse(reply.body) // [{ id: 1, name: 'Bella the Whippet', ... }, { id: 2, ... }]
 */
export function createMock(options: MockOptions = {}): Mock {
  return createEngine(readSettings(options)).mock
}

/** What an adapter needs of a mock. */
export interface Engine {
  mock: Mock
  /** As `handle`, without a promise. */
  respond: Respond
  /** An Error reply to what is no HTTP request. */
  refuse: (status: number, message: string) => MockReply
}

/** A mock with its inner side. */
export function createEngine(settings: Settings): Engine {
  const world = createWorld(settings)
  let service = bent()

  function bent(): Respond {
    const chosen = settings.deviations.map((id) => deviations.find((deviation) => deviation.id === id))
    return chosen.reduce((respond, deviation) => deviation?.bend(respond, world) ?? respond, createService(world))
  }

  const refuse = (status: number, message: string): MockReply => world.problems.refused(String(status), message)
  const respond: Respond = (request) => {
    try {
      return service(request)
    } catch {
      return refuse(500, 'The mock failed at this request.')
    }
  }
  const mock: Mock = {
    handle: async (request) => respond(request),
    reset() {
      world.reset()
      service = bent()
    },
    settings,
  }
  return { mock, respond, refuse }
}
