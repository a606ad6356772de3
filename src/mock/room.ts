import { type Issue, UsageError } from '../errors.ts'
import type { Base } from './base.ts'
import { createCatalogue } from './catalogue.ts'
import { createClock } from './clock.ts'
import { type CollectionClass, createPetCollection, type PetCollection } from './collection.ts'
import type { Deviation } from './deviations/deviation.ts'
import { explained } from './explain.ts'
import { createJournal, type JournalBudget, type WritableJournal } from './journal.ts'
import { loadCollection } from './load-collection.ts'
import type { MockReply, MockRequest, Respond } from './message.ts'
import { createRandom } from './random.ts'
import { createRoutes } from './routes.ts'
import { createRules } from './rules.ts'
import type { Sandbox, SettingsPatch } from './sandbox.ts'
import { createService } from './service.ts'
import { readPatch, type Settings } from './settings.ts'
import { createSnapshots, type StoredSnapshots } from './snapshots.ts'
import { Store } from './store.ts'
import { told } from './told.ts'
import { createWorld, formatOf, type World } from './world.ts'

/** A sandbox with its inner side. */
export interface Room {
  sandbox: Sandbox
  /** Answers, and notes it in the journal. */
  respond: Respond
  /** An Error reply to what is no HTTP request. */
  refuse: (status: number, message: string) => MockReply
  journal: WritableJournal
  /** About how many bytes its pets take that are not as at the start. */
  bytes: () => number
  /** Forgets what can be made again, until the next request. */
  rest: () => void
  /** Takes back what it holds of the budgets. */
  close: () => void
}

/** What a room is made of. */
export interface RoomOptions {
  name: string | undefined
  /** As the options said; `keys` are those that lead here. */
  settings: Settings
  /** The pets at the start. */
  base: Base
  /** The deviations that ids are looked up in. It may be filled later. */
  table: { deviations: readonly Deviation[] }
  Collection: CollectionClass | undefined
  /** The keys of the mock and the token of its control API: no journal and no scorecard shows them. */
  secrets: readonly string[]
  budget: JournalBudget
  /** Bytes of the rules of all worlds. */
  rulesBudget: { used: number }
  /** Bytes that pets may take beside those at the start. */
  roomForPets: number
  /** Whether it was there before, and was dropped: its first response says so. */
  wasDropped?: boolean
}

/** A world with all that belongs to it. What few users touch is made when it is touched. */
export function createRoom({
  name,
  settings: initial,
  base,
  table,
  Collection,
  secrets,
  budget,
  rulesBudget,
  roomForPets,
  wasDropped = false,
}: RoomOptions): Room {
  const [key = ''] = initial.keys
  const store = new Store({ base, format: formatOf(initial) })
  const clock = createClock(initial.now, initial.stopwatch)
  const rules = createRules(initial.rules, clock, initial.seed, rulesBudget)
  const random = createRandom(initial.seed)
  const hidden = [...new Set([...secrets, ...initial.keys])]
  const findRoute = createRoutes(initial.basePath)
  const journal = createJournal(findRoute, hidden, clock, budget)
  const waiting = {
    show: () => active?.world.visibility.flush(),
    forget() {
      active?.world.visibility.reset()
      journal.startEra()
    },
  }
  const catalogue = createCatalogue(store, waiting)
  let settings = initial
  let active: { world: World; service: Respond } | undefined
  let pets: PetCollection | undefined
  let snapshots: StoredSnapshots | undefined
  let isLossUntold = wasDropped

  function activate(): { world: World; service: Respond } {
    const world = createWorld(settings, { store, clock, rules, random, roomForPets })
    const chosen = settings.deviations.map((id) => table.deviations.find((deviation) => deviation.id === id))
    const service = chosen.reduce(
      (respond, deviation) => deviation?.bend(respond, world) ?? respond,
      createService(world),
    )
    active = { world, service }
    return active
  }

  function answer(request: MockRequest): MockReply {
    const { service, world } = active ?? activate()
    try {
      const reply = service(request)
      return settings.explain ? explained(reply, world.replies) : reply
    } catch {
      return world.problems.refused('500', 'The mock failed at this request.')
    }
  }

  function withLoss(reply: MockReply): MockReply {
    isLossUntold = false
    return (active ?? activate()).world.replies.withHeaders(reply, { 'petstore-sandbox': 'dropped' })
  }

  function change(next: Settings): void {
    waiting.show()
    const { profile } = settings
    settings = next
    if (profile['pet.extra-members'] !== next.profile['pet.extra-members']) store.writeAs(formatOf(next))
    active = undefined
  }

  const sandbox: Sandbox = {
    name,
    key,
    get pets() {
      waiting.show()
      pets ??= createPetCollection(Collection ?? loadCollection(), store)
      return pets
    },
    catalogue,
    use: (...added) => rules.add(added),
    rules: rules.list,
    pendingRules: () => rules.list().filter(({ used }) => used === 0),
    removeRules: rules.remove,
    clock,
    journal,
    async scorecards() {
      const recorded = journal.recorded()
      const { toScorecards } = await import('./scorecard/scorecard.ts')
      const { keys, basePath } = initial
      return toScorecards({ ...recorded, sandbox: name, keys, basePath, findRoute, secrets: hidden })
    },
    get snapshots() {
      snapshots ??= createSnapshots(store, waiting)
      return snapshots
    },
    configure: (patch) => change(patched(settings, patch, table.deviations)),
    get settings() {
      return settings
    },
    reset() {
      waiting.forget()
      random.reset()
      rules.reset()
      clock.reset()
      settings = initial
      store.reset()
      store.writeAs(formatOf(initial))
      active = undefined
    },
  }
  return {
    sandbox,
    journal,
    respond(request) {
      const reply = isLossUntold ? withLoss(answer(request)) : answer(request)
      const entry = journal.record(request, reply)
      if (reply.delayMs === undefined && reply.wire === undefined) return reply
      return { ...reply, onAbandoned: () => void (entry.abandoned = true) }
    },
    refuse: (status, message) => (active ?? activate()).world.problems.refused(String(status), message),
    bytes: () => store.bytes + (snapshots?.bytes() ?? 0),
    rest() {
      // A deviation may remember what it did; it must not forget it unasked.
      if (settings.deviations.length > 0) return
      waiting.show()
      active = undefined
      store.forgetTexts()
    },
    close() {
      journal.clear()
      rules.remove()
    },
  }
}

/** @throws {UsageError} that tells all mistakes. */
function patched(settings: Settings, patch: SettingsPatch, table: readonly Deviation[]): Settings {
  const mistakes: Issue[] = []
  if (typeof patch !== 'object' || patch === null) {
    throw new UsageError(`What changes must be an object of settings, and was ${told(patch)}.`)
  }
  const { profile, deviations = settings.deviations, overrides, explain, ...others } = patch
  for (const name of Object.keys(others)) {
    mistakes.push({
      path: '',
      message: `${JSON.stringify(name)} cannot be changed while the mock runs. What can are profile, deviations, overrides and explain.`,
    })
  }
  const flags = {
    ...(overrides !== undefined && { overrides }),
    ...(explain !== undefined && { explain }),
  }
  for (const [name, flag] of Object.entries(flags)) {
    if (typeof flag !== 'boolean')
      mistakes.push({ path: name, message: `must be true or false, and was ${told(flag)}.` })
  }
  const isProfile =
    profile === undefined || (typeof profile === 'object' && profile !== null && !Array.isArray(profile))
  const read = readPatch(
    { profile: isProfile ? { ...settings.profile, ...withoutUndefined(profile) } : profile, deviations },
    table,
    mistakes,
  )
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return Object.freeze({ ...settings, ...flags, ...read })
}

function withoutUndefined(profile: SettingsPatch['profile'] = {}): SettingsPatch['profile'] {
  return Object.fromEntries(Object.entries(profile).filter(([, option]) => option !== undefined))
}
