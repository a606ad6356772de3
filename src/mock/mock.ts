import type { HttpRequest } from '../spec/http.ts'
import { type CollectionClass, createPetCollection, type PetCollection } from './collection.ts'
import { deviations } from './deviations.ts'
import { loadCollection } from './load-collection.ts'
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
  /**
   * The pets that the mock holds, as a Collection of @msw/data: a pet made over HTTP is found in it, a record created,
   * updated or deleted in it shows over HTTP. Loaded at the first use, which takes a moment; each of its look-ups walks
   * through all records. Records are changed by `update`, never by assignment, and its hooks tell of what is done
   * through the collection, not of creations over HTTP.
   *
   * @throws {UsageError} where it cannot be loaded: see the option `Collection`. Creating or updating a record rejects
   * with a UsageError when another pet has its id.
   * @example
   * await mock.pets.create({ name: 'Rex', categoryId: 1, status: 'sold' }) // gets the next id
   * mock.pets.findFirst((query) => query.where({ name: 'Rex' }))?.id // 101
   * mock.pets.clear()
   */
  readonly pets: PetCollection
  /**
   * Everything back to the start: the pets, their ids, and what deviations remember. Until then no id is assigned
   * twice; afterwards they begin again behind the seeded pets.
   */
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
  return createEngine(readSettings(options), options.Collection).mock
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
export function createEngine(settings: Settings, Collection?: CollectionClass): Engine {
  const world = createWorld(settings)
  let service = bent()
  let pets: PetCollection | undefined

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
    get pets() {
      pets ??= createPetCollection(Collection ?? loadCollection(), world.store)
      return pets
    },
    reset() {
      world.reset()
      service = bent()
    },
    settings,
  }
  return { mock, respond, refuse }
}
