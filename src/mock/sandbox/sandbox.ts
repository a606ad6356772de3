import { fail, formatValue } from '../../errors.ts'
import { toPet } from '../pets/pet.ts'
import { none } from '../pets/store.ts'
import type { CollectionClass, PetCollection, Sandbox } from './types.ts'
import { createPetCollection, loadCollection } from './collection.ts'
import { isInt64 } from '../../validate.ts'
import type { Int64 } from '../../spec/types.ts'
import { repeatedHeaders } from '../journal/correlation.ts'
import { withCredentials } from '../service/cors.ts'
import { createJournal, type JournalBudget, type WritableJournal } from '../journal/journal.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import { createRoutes } from '../service/route.ts'
import { boolean, expectValid, integer } from '../../option-checks.ts'
import { systemTime } from './settings.ts'
import { SandboxMachine, type MachineOptions } from './machine.ts'
import { inSlices, type Sliced } from '../journal/slices.ts'
import type * as Scorecards from '../scorecard/scorecard.ts'
import type { Scorecard } from '../scorecard/scorecard.gen.ts'

type Module = typeof Scorecards

/** A sandbox, with what its mock needs of it. */
export interface InnerSandbox extends Sandbox {
  readonly journal: WritableJournal
  /** Its state. All changes go through it. */
  readonly machine: SandboxMachine
  /** Whether its users may change it; one that is driven by a log, only while an entry is applied. */
  isWritable: boolean
  /**
   * When its life began: milliseconds since 1970; 0 while a log has no life of it. Two equal values are the same life:
   * callers compare them after an await. A reset begins an era of the journal, but no life.
   */
  startedAt: number
  /** The requests to which it has responded here, and the time that it has worked for them. */
  readonly work: { requests: number; microseconds: number }
  /** What it has added to the total of its mock when it was measured last. */
  measuredBytes: number
  /** What its scorecards take. */
  scorecardBytes: () => number
  /** The same as `scorecards`, in slices. */
  scorecardSlices: (module: Module) => Sliced<Scorecard[]>
  /**
   * Responds, and records it. `place`: when, and as which request of the sandbox; `withoutKey`: the request as the log has
   * it, so that all who apply it see the same headers.
   */
  respond: (
    request: MockRequest,
    place?: { at: number; number: number; withoutKey: MockRequest | undefined },
  ) => MockReply
  /** An Error reply to something that is not a valid HTTP request. */
  reject: (status: number, message: string) => MockReply
  /** The reply while something that it needs does not respond. */
  unavailable: (message: string) => MockReply
}

interface InnerSandboxOptions extends MachineOptions {
  name: string | undefined
  Collection: CollectionClass | undefined
  /** The keys of the mock and the token of its control API, which journals and scorecards must not show. */
  secrets: readonly string[]
  budget: JournalBudget
  resend: (request: MockRequest) => MockReply
  /** Why its users cannot change it: it is driven by a log. Default: they can. */
  whyReadOnly?: string | undefined
  /** Called before anything may change. */
  onTouched?: ((sandbox: InnerSandbox) => void) | undefined
}

/** Loaded before journals are full: then entries that leave are counted at once. */
let scorecardModule: Module | undefined

export async function loadScorecards(): Promise<Module> {
  scorecardModule ??= await import('../scorecard/scorecard.ts')
  return scorecardModule
}

/** @throws {UsageError} in JavaScript for an id as a text, which no pet has. */
const expectId = (id: Int64): Int64 =>
  isInt64(id) ? id : fail(`The id of a pet is an integer, not ${formatValue(id)}.`)

export function createSandbox(options: InnerSandboxOptions): InnerSandbox {
  // The settings at creation. Only for what never changes: keys, base path, origins, time and the size of the journal.
  const { name, settings: created, Collection, secrets, budget, resend, whyReadOnly } = options
  const { keys, basePath, corsOrigins } = created
  const machine = new SandboxMachine(options, created.now(Date.now()))
  const { store, clock } = machine
  const allSecrets = [...new Set([...secrets, ...keys])]
  const findRoute = createRoutes(basePath)
  let scorer: Scorecards.Scorer | undefined
  const scorerOf = ({ Scorer }: Module): Scorecards.Scorer => {
    scorer ??= new Scorer({ sandbox: name, keys, basePath, findRoute, secrets: allSecrets })
    return scorer
  }
  const journal = createJournal(findRoute, allSecrets, clock, budget, {
    maxEntries: created.journal,
    beforeClear: () => void beginChange(),
    onClear: () => void (scorer = undefined),
    onLeave(entry) {
      if (scorecardModule !== undefined) scorerOf(scorecardModule).addLeaving(entry)
    },
  })
  let collection: PetCollection | undefined
  const now = (): number => created.now(clock.at)
  /** With a function as clock, the journal still shows the time of the system. */
  const isRealTime = created.now === systemTime

  /** Every change by users starts here: whether they may, at which time, and what is to be saved. */
  const beginChange = (): SandboxMachine => {
    if (!sandbox.isWritable) fail(whyReadOnly ?? '')
    clock.at = now()
    machine.rules.latest = journal.progress.number
    options.onTouched?.(sandbox)
    return machine
  }
  /** A read through JavaScript shows waiting pets, which is a change: where users may not change it, they stay hidden. */
  const showPets = (): void => {
    if (sandbox.isWritable) beginChange().store.showWaiting()
  }
  const rules = (): ReturnType<Sandbox['rules']> => {
    clock.at = now()
    return machine.rules.list()
  }

  /** The scorer, with all entries of the journal. */
  function* withAllEntries(module: Module): Sliced<Scorecards.Scorer> {
    const current = scorerOf(module)
    for (const entry of journal.recorded().entries) {
      yield
      current.add(entry)
    }
    // The journal may have been cleared meanwhile.
    return scorer === current ? current : yield* withAllEntries(module)
  }
  function* scorecardSlices(module: Module): Sliced<Scorecard[]> {
    const current = yield* withAllEntries(module)
    const { entries, received } = journal.recorded()
    return current.scorecards({ kept: entries.length, received })
  }

  const sandbox: InnerSandbox = {
    name,
    key: keys[0] ?? '',
    get pets() {
      showPets()
      collection ??= createPetCollection(Collection ?? loadCollection(), store, beginChange)
      return collection
    },
    catalog: {
      get size() {
        return store.size + store.waiting.length
      },
      export() {
        showPets()
        return store.list().map(toPet)
      },
      import(pets) {
        beginChange().importPets(pets)
        journal.startEra()
      },
      add(pets, position) {
        if (position !== undefined) expectValid({ position }, { position: integer })
        return beginChange().addPets(pets, position).map(toPet)
      },
      change(id, patch) {
        const pet = beginChange().changePet(expectId(id), patch)
        return pet && toPet(pet)
      },
      delete: (id) => beginChange().deletePet(expectId(id)),
    },
    use: (...added) => beginChange().use(added),
    rules,
    pendingRules: () => rules().filter(({ used }) => used === 0),
    changeRule(id, patch) {
      expectValid(patch, { enabled: boolean, position: integer })
      return beginChange().rules.change(id, patch)
    },
    removeRules: (id) => beginChange().rules.remove(id),
    clock: {
      now: () => new Date(clock.millis(now())),
      set(instant, options = {}) {
        expectValid(options, { frozen: boolean })
        beginChange().clock.set(instant, options.frozen)
      },
      get frozen() {
        return clock.state.stoppedAt !== undefined
      },
      get startedAt() {
        return new Date(sandbox.startedAt)
      },
      advance: (ms) => beginChange().clock.advance(ms),
      reset: () => beginChange().clock.reset(),
    },
    journal,
    scorecards: async () => inSlices(scorecardSlices(await loadScorecards())),
    get versions() {
      return machine.versions
    },
    async inspect(shown) {
      const current = await inSlices(withAllEntries(await loadScorecards()))
      const entries = new Map(journal.recorded().entries.map((entry) => [entry.number, entry]))
      return inSlices(
        (function* () {
          const inspected = []
          for (const one of shown) {
            yield
            const entry = entries.get(one.number)
            const issues = entry === undefined ? [] : current.issuesOf(entry)
            inspected.push({ ...one, issues })
          }
          return inspected
        })(),
      )
    },
    repeat(number) {
      const request = journal.requestOf(number)
      if (request === undefined) return undefined
      resend(request)
      return journal.last()
    },
    snapshots: {
      save: (snapshot) => beginChange().saveSnapshot(snapshot),
      restore(snapshot) {
        const isThere = beginChange().restoreSnapshot(snapshot)
        if (isThere) journal.startEra()
        return isThere
      },
      delete: (snapshot) => beginChange().deleteSnapshot(snapshot),
      list: () =>
        machine.snapshots.map(({ name, pets, savedAt }) => ({
          name,
          pets: pets.pets.length,
          savedAt,
        })),
    },
    configure: (patch) => beginChange().configure(patch),
    get settings() {
      return machine.settings
    },
    reset(options = {}) {
      expectValid(options, {
        journal: ['one of clear, keep', (kept) => kept === 'clear' || kept === 'keep'],
        seed: integer,
      })
      const { journal: kept = 'clear', seed } = options
      beginChange().reset(seed)
      journal.startEra()
      if (kept === 'clear') journal.clear()
    },

    machine,
    isWritable: whyReadOnly === undefined,
    startedAt: whyReadOnly === undefined ? Date.now() : 0,
    work: { requests: 0, microseconds: 0 },
    measuredBytes: 0,
    scorecardBytes: () => scorer?.bytes ?? 0,
    scorecardSlices,
    /** Responds, measures how long that took, and records it. */
    respond(request, place) {
      options.onTouched?.(sandbox)
      const since = performance.now()
      let { rejection } = request
      try {
        clock.at = place?.at ?? (isRealTime ? Date.now() : now())
      } catch (error) {
        rejection = [500, String(error)]
      }
      const { at } = clock
      const { reply: served, changes } =
        rejection === undefined
          ? machine.respond(place?.withoutKey ?? request)
          : { reply: sandbox.reject(...rejection), changes: none }
      let reply = served
      const repeated = repeatedHeaders(request, reply)
      if (repeated !== undefined) reply = machine.context.replies.withHeaders(reply, repeated)
      if (corsOrigins.length > 0) reply = withCredentials(reply, request, corsOrigins)
      const microseconds = Math.round((performance.now() - since) * 1000)
      sandbox.work.requests += 1
      sandbox.work.microseconds += microseconds
      const entry = journal.record(request, reply, {
        at: place || isRealTime ? at : Date.now(),
        microseconds,
        changes,
        number: place?.number,
        rules: machine.rules.changes,
      })
      if (reply.delayMs === undefined && reply.wire === undefined) return reply
      return { ...reply, onAbandoned: () => journal.abandon(entry, performance.now() - since) }
    },
    reject: (status, message) => machine.context.problems.rejected(status, message),
    unavailable(message) {
      const reply = sandbox.reject(503, message)
      return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } }
    },
  }
  return sandbox
}
