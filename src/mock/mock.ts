import type { HttpRequest } from '../spec/http.ts'
import type { CollectionClass, LoggedRequest, MockOptions, Sandbox, Sandboxes, Settings } from './types.ts'
import type { Deviation } from './deviations/deviation.ts'
import { sizes } from './int64.ts'
import { shrinkJournals } from './journal.ts'
import { type MockReply, type MockRequest, notify, type Respond } from './message.ts'
import { createControls, type ControlledSandbox } from './controls.ts'
import type { StoredPet } from './catalog.ts'
import { hash } from './sandbox-key.ts'
import { createSandboxes } from './sandboxes.ts'
import type { Scorecard } from './scorecard/types.ts'
import { createSeed } from './seed.ts'
import { readSettings } from './settings.ts'

/**
 * The Pet Store Service in memory. It is a sandbox itself, that of the keys it was given: `mock.use(...)`, `mock.pets`
 * and the like concern what requests with these keys see.
 */
export interface Mock extends Sandbox {
  /**
   * Responds to one request. Never throws and never rejects: a mistake in the request is an Error body.
   * A reply with `delayMs` is to be sent after that many milliseconds, and one with `wire` as that says. When the client
   * is gone before, `onAbandoned` notifies the journal.
   */
  handle: (request: HttpRequest) => Promise<MockReply>
  /** The sandboxes of sandbox keys. */
  readonly sandboxes: Sandboxes
  /** The scorecards of this sandbox and of all others that are there. */
  allScorecards: () => Promise<Scorecard[]>
}

/** Responds when the mocks that share the sandbox agree. */
export type RespondAsync = (request: MockRequest) => Promise<MockReply>

/** What mocks that are shared do in place of others. It is filled before the first request. */
export interface SharedHooks {
  /** In place of `respond`. */
  respond?: RespondAsync
  /** Takes over a sandbox that has been made. */
  take?: (controlled: ControlledSandbox) => void
}

/** What an adapter needs of a mock. */
export interface Engine {
  mock: Mock
  /** As `handle`, without a promise. */
  respond: Respond
  /** An Error reply to what is no HTTP request. */
  refuse: (status: number, message: string) => MockReply
  /** All sandboxes: that of the mock's own keys first, then the least recently used first. */
  all: () => ControlledSandbox[]
  /** The sandbox with a name, made at its first use; null for that of the mock's own keys. */
  enter: (name: string | null) => ControlledSandbox
  /** The sandbox that a request leads to. */
  sandboxOf: (request: HttpRequest) => ControlledSandbox
  /** Drops a sandbox: the next request with its key finds a new one. */
  forget: (controlled: ControlledSandbox) => void
  /** To be called when a sandbox has responded. */
  afterResponse: (controlled: ControlledSandbox) => void
}

/**
 * A mock of the Pet Store Service, without a server: requests are given to `handle` as plain data.
 *
 * @param table the deviations that the options name by id.
 * @throws {UsageError} when options are wrong; the message has a line for each mistake.
 */
export function createMock(options: MockOptions = {}, table: readonly Deviation[] = []): Mock {
  const settings = readSettings(options, table)
  return createEngine(settings, { ...options, table: { deviations: table } }).mock
}

/** What a mock is made of besides its settings. */
export interface EngineOptions {
  Collection?: CollectionClass | undefined
  onNotice?: ((notice: string) => void) | undefined
  onRequest?: ((request: LoggedRequest) => void) | undefined
  table: { deviations: readonly Deviation[] }
  /** Set when other mocks share the sandboxes. */
  later?: SharedHooks | undefined
  /** The token of the control API: no journal and no scorecard shows it. */
  controlToken?: string | undefined
  /** Bytes that the process may take for values. A heap of 2 GiB, which Node has by default, is enough for all bounds. */
  heapBytes?: number
}

/** Bytes that the pets, rules and snapshots of all sandboxes take: 512 MiB, less in a small heap; one takes an eighth. */
const maxBytes = 512 * 2 ** 20

/** A mock with its inner side. */
export function createEngine(
  settings: Settings,
  { Collection, onNotice, onRequest, table, later, controlToken, heapBytes = Infinity }: EngineOptions,
): Engine {
  const budget = { used: 0 }
  const secrets = controlToken === undefined ? settings.keys : [...settings.keys, controlToken]
  const allBytes = maxBytes * Math.min(1, heapBytes / 2 ** 31)
  const again: Respond = (request) => respond(request)
  const isShared = later !== undefined
  const shared = { table, Collection, secrets, budget, capacity: allBytes / 8, again, isShared }
  const own = createControls({ name: undefined, settings, start: startOf(settings), ...shared })
  const keyed = createSandboxes({
    create({ name, key, wasDropped }) {
      const seed = hash(`${settings.seed} ${key}`)
      const theirs = Object.freeze({ ...settings, seed, keys: Object.freeze([key]) })
      const made = createControls({ name, settings: theirs, start: startOf(theirs), wasDropped, ...shared })
      later?.take?.(made)
      return made
    },
    enabled: settings.sandboxes,
    capacity: allBytes,
    onNotice,
    isShared,
  })
  const ownHeaders = new Set(settings.keys.map((key) => `Bearer ${key}`))

  function sandboxOf(request: HttpRequest): ControlledSandbox {
    const { authorization } = request.headers
    if (!settings.sandboxes || (typeof authorization === 'string' && ownHeaders.has(authorization))) return own
    const found = typeof authorization === 'string' ? keyed.find(authorization) : undefined
    return found ?? keyed.findMisplaced(request) ?? own
  }

  const respond: Respond = (request) => {
    const controlled = sandboxOf(request)
    const reply = controlled.respond(request)
    afterResponse(controlled)
    return reply
  }

  function afterResponse(controlled: ControlledSandbox): void {
    if (onRequest !== undefined) {
      const entry = controlled.journal.last()
      if (entry !== undefined) notify(onRequest, { ...entry, sandbox: controlled.sandbox.name })
    }
    shrinkJournals(() => [...keyed.all(), own].map(({ journal }) => journal), budget)
  }

  const all = (): ControlledSandbox[] => [own, ...keyed.all()]
  const mock = Object.defineProperties(
    {
      handle: async (request: HttpRequest) =>
        isRequest(request) ? (later?.respond ?? respond)(request) : own.refuse(400, noRequest),
      sandboxes: keyed.sandboxes,
      allScorecards: async () => (await Promise.all(all().map(({ sandbox }) => sandbox.scorecards()))).flat(),
    },
    // A spread would trigger the getter of the pets, which are loaded at their first use.
    Object.getOwnPropertyDescriptors(own.sandbox),
  ) as Mock
  const enter = (name: string | null): ControlledSandbox => (name === null ? own : keyed.enter(name))
  return { mock, respond, refuse: own.refuse, all, enter, sandboxOf, forget: keyed.forget, afterResponse }
}

const noRequest = 'A request has a method and a target, which are texts, headers, and a body, which is a text.'

/** Callers without types may forget a part. */
function isRequest({ method, target, headers, body }: HttpRequest): boolean {
  const areTexts = [method, target, body].every((part) => typeof part === 'string')
  return areTexts && typeof headers === 'object' && headers !== null
}

/** The pets at the start. Those that somebody gave are the same in each sandbox. */
function startOf({ data, seed, pets, ids }: Settings): () => readonly StoredPet[] {
  if (data !== undefined) return () => data
  return () => {
    const seeded = createSeed(seed)
    const [all, size] = [Array.from({ length: pets }, (_, index) => seeded.pet(index + 1)), sizes[ids]]
    return ids === 'small' ? all : all.map((pet) => ({ ...pet, id: size(pet.id), categoryId: size(pet.categoryId) }))
  }
}
