import type { JsonValue } from '../../json.ts'
import type { HttpRequest } from '../../spec/http.ts'
import type {
  CollectionClass,
  LoggedRequest,
  MockOptions,
  Sandbox,
  Sandboxes,
  Settings,
} from './types.ts'
import type { Defect } from '../defects/defect.ts'
import { type JournalBudget, maxJournalBytes, shrinkJournals } from '../journal/journal.ts'
import { type MockReply, type MockRequest, notify } from '../service/message.ts'
import { readPets } from '../pets/pet.ts'
import { createSandbox, type InnerSandbox, loadScorecards } from './sandbox.ts'
import { createSandboxes } from './sandboxes.ts'
import type { Scorecard } from '../scorecard/scorecard.gen.ts'
import { readSettings } from './settings.ts'
import { inSlices, type Sliced } from '../journal/slices.ts'

/**
 * The Pet Store Service in memory. It is itself the sandbox of its own keys: `mock.use(...)`, `mock.pets` and so on affect
 * what requests with these keys see.
 */
export interface Mock extends Sandbox {
  /**
   * Responds to one request. Never throws and never rejects: a mistake in the request results in an Error body. The caller
   * sends a reply with `delayMs` after that many milliseconds, applies `wire`, and calls `onAbandoned` when the client
   * disconnects before.
   */
  handle: (request: HttpRequest) => Promise<MockReply>
  /** All other sandboxes. */
  readonly sandboxes: Sandboxes
  /** The scorecards of this sandbox and all others. */
  allScorecards: () => Promise<Scorecard[]>
}

/** A mock, with what a server, a control API, an autosave, a log or a proxy need of it. */
export type InnerMock = ReturnType<typeof createInnerMock>

/**
 * A mock of the Pet Store Service without a server: `handle` takes requests as plain data.
 *
 * @param defects all of them.
 * @throws {UsageError} when options are wrong; the message has a line for each mistake.
 */
export function createMock(options: MockOptions = {}, defects: readonly Defect[] = []): Mock {
  const settings = readSettings(options, defects)
  return createInnerMock(settings, { ...options, loaded: { defects } }).mock
}

export interface InnerOptions {
  Collection?: CollectionClass | undefined
  onNotice?: ((notice: string) => void) | undefined
  onRequest?: ((request: LoggedRequest) => void) | undefined
  /** An object, since the control API loads all defects at its first use. */
  loaded: { defects: readonly Defect[] }
  /** Why users cannot change sandboxes: they are driven by logs. Default: they can. */
  whyReadOnly?: string
  /** The bytes that one sandbox may take. Default: an eighth of what all may, less with a small heap. */
  sandboxCapacity?: number
  /** Whether an autosave reads `unsaved`. */
  isAutosaved?: boolean
  /** The token of the control API, which journals and scorecards must not show. */
  controlToken?: string | undefined
  /** The heap limit of the process. 2 GiB, the minimum that Node has by default, allow the full `maxTotalBytes`. */
  heapBytes?: number
}

/** Pets, rules and snapshots of all sandboxes: 512 MiB, less with a small heap. */
export const maxTotalBytes = 512 * 2 ** 20
/** How many sandboxes may each take as much as one may. */
export const sandboxesAtCapacity = 8

/** Scorecards are loaded when a journal, or all together, have this size: in time to count the entries that leave. */
const loadAtEntries = 1_000
const loadAtBytes = 2 ** 22
/** Journals whose loss of entries is a notice. */
const maxLossNotices = 20

export function createInnerMock(
  settings: Settings,
  {
    Collection,
    onNotice,
    onRequest,
    loaded,
    whyReadOnly,
    sandboxCapacity,
    isAutosaved = false,
    controlToken,
    heapBytes = Infinity,
  }: InnerOptions,
) {
  const budget: JournalBudget = { used: 0, droppedBodies: 0, droppedEntries: 0 }
  const secrets = controlToken === undefined ? settings.keys : [...settings.keys, controlToken]
  const totalCapacity = maxTotalBytes * Math.min(1, heapBytes / 2 ** 31)
  /** Sandboxes that may differ from their saved state. */
  const unsaved = {
    touched: new Set<InnerSandbox>(),
    /** Names of deleted ones; there may be new ones with these names. */
    removed: new Set<string>(),
  }
  const onTouched = isAutosaved
    ? (one: InnerSandbox): void => void unsaved.touched.add(one)
    : undefined
  const common = {
    loaded,
    Collection,
    secrets,
    budget,
    capacity: sandboxCapacity ?? totalCapacity / sandboxesAtCapacity,
    resend: respond,
    whyReadOnly,
    onTouched,
  }
  let settingsOfNew = settings
  const own = createSandbox({ name: undefined, settings, ...common })
  const keyed = createSandboxes({
    create({ name, key }) {
      // The same initial pets as everywhere: a test sees them again with any worker, retry or title.
      const theirs = Object.freeze({ ...settingsOfNew, keys: Object.freeze([key]) })
      const created = createSandbox({ name, settings: theirs, ...common })
      onTouched?.(created)
      return created
    },
    onRemoved(removed, name) {
      unsaved.touched.delete(removed)
      if (isAutosaved) unsaved.removed.add(name)
    },
    names: settings.sandboxes,
    capacity: totalCapacity,
    onNotice,
    whyReadOnly,
  })
  onTouched?.(own)
  const all = (): InnerSandbox[] => [own, ...keyed.all()]
  const noted = new Set<string | undefined>()
  let hasStartedLoading = false
  const loadAt = Math.min(loadAtEntries, settings.journal / 2)
  const ownHeaders = new Set(settings.keys.map((key) => `Bearer ${key}`))
  let handle: (request: MockRequest) => MockReply | Promise<MockReply> = respond

  /** The sandbox whose key a request has, or shows somewhere. */
  function sandboxOf(request: MockRequest): InnerSandbox {
    // Its key may be missing or cut.
    if (request.rejection !== undefined) return own
    const { authorization } = request.headers
    if (!settings.sandboxes || (typeof authorization === 'string' && ownHeaders.has(authorization)))
      return own
    const found = typeof authorization === 'string' ? keyed.forHeader(authorization) : undefined
    return found ?? keyed.forMisplacedKey(request) ?? own
  }

  /** Lets the sandbox of a request respond. */
  function respond(request: MockRequest): MockReply {
    const sandbox = sandboxOf(request)
    const reply = sandbox.respond(request)
    afterResponse(sandbox)
    return reply
  }

  /** Calls the listener, loads the scorecard before a journal is full, and shrinks journals. */
  function afterResponse(sandbox: InnerSandbox): void {
    if (onRequest !== undefined) {
      const entry = sandbox.journal.latest()
      if (entry !== undefined) notify(onRequest, { ...entry, sandbox: sandbox.name })
    }
    const isLarge = budget.used > loadAtBytes
    if (!hasStartedLoading && (isLarge || sandbox.journal.progress.number > loadAt)) {
      hasStartedLoading = true
      void loadScorecards()
    }
    if (isLarge) shrinkJournals(all, budget).forEach(noteLoss)
  }

  /** Notifies once of each journal that loses entries, and of so many at most: the metrics count all of them. */
  function noteLoss({ name }: Sandbox): void {
    if (onNotice === undefined || noted.has(name) || noted.size >= maxLossNotices) return
    noted.add(name)
    const whose = name === undefined ? 'of the keys of the mock' : `of the sandbox ${name}`
    const isLast = noted.size === maxLossNotices
    const further = isLast ? ' Further journals are only counted in the metrics.' : ''
    notify(
      onNotice,
      `The journal ${whose} is among the largest and loses its oldest entries: all journals together took more than ${maxJournalBytes / 2 ** 20} MiB.${further}`,
    )
  }

  const mock: Mock = Object.assign(own, {
    handle: async (request: HttpRequest) =>
      isRequest(request) ? handle(request) : own.reject(400, noRequest),
    sandboxes: keyed.sandboxes,
    async allScorecards() {
      const scorecardModule = await loadScorecards()
      return inSlices(
        (function* (): Sliced<Scorecard[]> {
          const cards: Scorecard[] = []
          for (const one of all()) {
            yield
            cards.push(...(yield* one.scorecardSlices(scorecardModule)))
            keyed.measure(one)
          }
          return cards
        })(),
      )
    },
  })
  return {
    mock,
    /** As `handle`, but synchronous. */
    respond,
    /** Makes `handle` wait for something. */
    handleBy(responder: typeof handle): void {
      handle = responder
    },
    reject: own.reject,
    unavailable: own.unavailable,
    /** All sandboxes: the one of the mock's own keys, then the least recently used first. */
    all,
    /** Finds or creates the sandbox with a name; null for the one of the mock's own keys. */
    findOrCreate: (name: string | null): InnerSandbox =>
      name === null ? own : keyed.findOrCreate(name),
    sandboxOf,
    unsaved,
    /** Drops a sandbox; the next request with its key creates a new one. */
    forget: keyed.forget,
    afterResponse,
    /** What the sandboxes take that sandbox keys have, and at how much they are dropped. */
    usage: () => ({ bytes: keyed.bytes(), capacity: totalCapacity }),
    /** What journals have lost, for the metrics. */
    budget: budget as Readonly<JournalBudget>,
    /**
     * Takes other initial pets, which all sandboxes show from their next reset on, and the one of the mock's own keys at
     * once.
     *
     * @throws {UsageError} that lists every mistake; then nothing changes.
     */
    renewData(pets: readonly (JsonValue | object)[]): void {
      own.catalog.import(pets)
      const data = readPets(pets)
      settingsOfNew = Object.freeze({ ...settingsOfNew, data, pets: data.length })
      for (const { machine } of all()) machine.renewData(data)
    },
    /** Counts a change of the list of sandboxes that a log will show here. */
    noteSandboxes: keyed.noteSandboxes,
  }
}

const noRequest = 'A request has method, target, headers, body.'

/** JavaScript callers may forget a property. */
function isRequest(request: HttpRequest): boolean {
  const { method, target, headers, body } = Object(request) as HttpRequest
  if (typeof headers !== 'object' || headers === null) return false
  const parts = [method, target, body, ...Object.values(headers).flatMap((value) => value ?? '')]
  return parts.every((part) => typeof part === 'string')
}
