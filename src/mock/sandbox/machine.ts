import { UsageError, formatValue } from '../../errors.ts'
import { type JsonValue, printJson } from '../../json.ts'
import type { Int64 } from '../../spec/types.ts'
import { idSchemes } from '../pets/int64.ts'
import { bytesOfTexts, patchPet, readPets, type StoredPet } from '../pets/pet.ts'
import { type ClockState, SandboxClock } from '../service/clock.ts'
import { type Context, createContext } from '../service/context.ts'
import type { Defect, Memory } from '../defects/defect.ts'
import { explained } from '../service/replies.ts'
import type { MockReply, MockRequest, Respond } from '../service/message.ts'
import { createSeed, Random } from '../pets/seed.ts'
import { Rules, type RulesState } from '../rules/rules.ts'
import { createService } from '../service/service.ts'
import type { Settings, SettingsPatch } from './types.ts'
import type { PetPatch, Rule, RuleInForce } from '../schemas/schemas.gen.ts'
import type { RuleFunction } from '../rules/rule.ts'
import { type Changeable, changeableOf, patchSettings } from './settings.ts'
import { none, type PetChange, Store, type StoreState } from '../pets/store.ts'

/** The complete state of a sandbox: a plain value that survives `printJson` and `parseJson`. */
export interface SandboxState<Pets = readonly StoredPet[]> {
  readonly version: 1
  readonly settings: Changeable
  /** The seed of the initial pets; by default, that of the mock. */
  readonly seed?: number
  readonly pets: StoreState<Pets>
  readonly clock: ClockState
  readonly rules: RulesState
  /** The state of the generator for shuffled lists. */
  readonly random: number
  readonly defects: Readonly<Record<string, Memory>>
  readonly snapshots: readonly Snapshot<Pets>[]
}

/** A reply, and the first changes of pets that its request made: at most ten, which `Store` keeps. */
interface Served {
  readonly reply: MockReply
  readonly changes: readonly PetChange[]
}

/** Puts something else instead of the pets of a state and of those of its snapshots, in this order. */
export function mapPets<From, To>(
  state: SandboxState<From>,
  map: (pets: From) => To,
): SandboxState<To> {
  const inStore = (store: StoreState<From>): StoreState<To> => ({ ...store, pets: map(store.pets) })
  const pets = inStore(state.pets)
  return {
    ...state,
    pets,
    snapshots: state.snapshots.map((one) => ({ ...one, pets: inStore(one.pets) })),
  }
}

interface Snapshot<Pets = readonly StoredPet[]> {
  readonly name: string
  readonly savedAt: string
  readonly pets: StoreState<Pets>
  readonly bytes: number
}

export interface MachineOptions {
  /** The initial settings; `keys` are those of this sandbox. */
  settings: Settings
  /** All defects. An object, because the control API loads them at its first use. */
  loaded: { readonly defects: readonly Defect[] }
  capacity: number
}

const maxSnapshots = 100

/**
 * A deterministic state machine: the same requests and changes at the same times result in the same state and the same
 * replies on any machine. Before a change, the caller sets the time: `clock.at`.
 *
 * A sandbox may be driven by a log instead of its users. Then its time, the numbers of its requests and its lives come from
 * the log, there is a reason why it is read-only (`whyReadOnly`), and it is writable only while an entry is applied.
 */
export class SandboxMachine {
  readonly #options: MachineOptions
  readonly store: Store
  readonly clock: SandboxClock
  readonly rules: Rules
  readonly #random: Random
  /** What `reset` returns to. */
  #initial: Settings
  #settings: Settings
  #memories: Record<string, Memory> = {}
  #snapshots: readonly Snapshot[] = []
  /** A cache that derives from the settings, without state. */
  #active: { context: Context; service: Respond } | undefined

  /** @param at milliseconds since 1970. */
  constructor(options: MachineOptions, at: number) {
    const { settings } = options
    this.#options = options
    this.#initial = settings
    this.#settings = settings
    this.store = new Store(initialPets(settings), settings.ids)
    this.clock = new SandboxClock(settings.stoppedAt, at)
    this.rules = new Rules(settings.rules, this.clock, settings.seed)
    this.#random = new Random(settings.seed)
  }

  /** Responds, and says which pets have changed. An exception becomes a 500. */
  respond(request: MockRequest): Served {
    this.store.changes = none
    const { service, context } = this.#active ?? this.#activate()
    let reply: MockReply
    try {
      reply = service(request)
      if (this.#settings.explain) reply = explained(reply, context.replies)
    } catch {
      reply = context.problems.rejected('500', 'The mock failed at this request.')
    }
    return { reply, changes: this.store.changes }
  }

  use(rules: readonly (Rule | RuleFunction)[]): RuleInForce[] {
    return this.rules.add(rules, this.#options.capacity - this.bytes)
  }

  configure(patch: SettingsPatch): void {
    this.#applySettings(patchSettings(this.#settings, patch, this.#options.loaded.defects))
  }

  importPets(pets: readonly (JsonValue | object)[]): void {
    this.store.replace(readPets(pets))
  }

  /** @param position in the order of creation; by default the last. */
  addPets(pets: readonly (JsonValue | object)[], position?: number): StoredPet[] {
    this.store.showWaiting()
    const read = readPets(pets, (id) => this.store.has(id))
    this.#expectCapacity()
    for (const { id } of read) if (id !== undefined) this.store.reserve(id)
    const added = read.map((pet) => ({ ...pet, id: pet.id ?? this.store.assignId() }))
    for (const pet of added) this.store.insert(pet)
    if (position !== undefined) this.store.moveLast(added.length, position)
    return added
  }

  changePet(id: Int64, patch: PetPatch): StoredPet | undefined {
    this.store.showWaiting()
    const pet = this.store.pet(id)
    if (pet === undefined) return undefined
    const changed = patchPet(pet, patch)
    if (bytesOfTexts(changed) > bytesOfTexts(pet)) this.#expectCapacity()
    this.store.update(id, changed)
    return changed
  }

  deletePet(id: Int64): boolean {
    this.store.showWaiting()
    return this.store.remove(id)
  }

  saveSnapshot(name: string): void {
    if (typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name)) {
      throw new UsageError(
        `The name of a snapshot is made of 1 to 100 letters, digits, dots, hyphens and underscores, not ${formatValue(name)}.`,
      )
    }
    this.store.showWaiting()
    const { bytes } = this.store
    const savedAt = new Date(this.clock.at).toISOString()
    const others = this.#snapshots.filter((one) => one.name !== name)
    this.#snapshots = [...others, { name, savedAt, pets: this.store.save(), bytes }].slice(
      -maxSnapshots,
    )
    // Drop the oldest when they exceed the capacity.
    while (this.#snapshots.length > 1 && this.bytes > this.#options.capacity)
      this.#snapshots = this.#snapshots.slice(1)
  }

  restoreSnapshot(name: string): boolean {
    const snapshot = this.#snapshots.find((one) => one.name === name)
    if (snapshot === undefined) return false
    this.store.restore(snapshot.pets)
    return true
  }

  deleteSnapshot(name: string): boolean {
    const before = this.#snapshots
    this.#snapshots = before.filter((one) => one.name !== name)
    return this.#snapshots.length < before.length
  }

  /** @param seed of the initial pets, from now on: by default, the one that they have. */
  reset(seed = this.#initial.seed): void {
    this.#reseed(seed)
    this.#random.state = new Random(seed).state
    this.clock.reset()
    this.rules.reset(seed)
    this.store.replace(initialPets(this.#initial))
    this.#applySettings(this.#initial)
  }

  /** Begins another life, as a new sandbox: without snapshots, and with the first seed. */
  startOver(at: number): void {
    this.clock.at = at
    this.clock.state = { offset: 0, moved: 0 }
    this.#snapshots = []
    this.rules.latest = 0
    this.reset(this.#options.settings.seed)
  }

  /** Takes other initial pets, for the next reset. */
  renewData(data: readonly StoredPet[]): void {
    this.#initial = Object.freeze({ ...this.#initial, data, pets: data.length })
  }

  #reseed(seed: number): void {
    if (seed === this.#initial.seed) return
    if (this.#initial.data !== undefined)
      throw new UsageError([
        {
          path: 'seed',
          message: 'has no effect here: the initial pets come from data or generate.',
        },
      ])
    this.#initial = Object.freeze({ ...this.#initial, seed })
  }

  get settings(): Settings {
    return this.#settings
  }

  get context(): Context {
    return (this.#active ?? this.#activate()).context
  }

  get snapshots(): readonly Snapshot[] {
    return this.#snapshots
  }

  /** The approximate size of pets, rules, snapshots and what defects remember. A pet counts in each snapshot. */
  get bytes(): number {
    // Each creation reads this: without defects, nothing is printed.
    const remembered = this.#settings.defects.length > 0 ? printJson(this.#memories).length : 0
    return this.#snapshots.reduce(
      (sum, { bytes }) => sum + bytes,
      this.store.bytes + this.rules.bytes + remembered,
    )
  }

  /** A value for each part of the state that changes whenever the part does. */
  get versions() {
    const memories = this.#memories
    return {
      pets: this.store.stateVersion,
      rules: this.rules.version,
      settings: this.#settings,
      clock: this.clock.state,
      snapshots: this.#snapshots,
      random: this.#random.state,
      // Printed only where versions are compared: most who read them need the others.
      get memories() {
        return JSON.stringify(memories)
      },
    }
  }

  /** Calls `onFunction` with the id of each rule that is a function, which is omitted. Default: throws a UsageError. */
  save(onFunction = rejectFunction): SandboxState {
    return {
      version: 1,
      settings: changeableOf(this.#settings),
      seed: this.#initial.seed,
      pets: this.store.save(),
      clock: this.clock.state,
      rules: this.rules.save(onFunction),
      random: this.#random.state,
      defects: structuredClone(this.#memories),
      snapshots: this.#snapshots,
    }
  }

  /**
   * @param latest the number of the latest request, if the journal begins anew
   * @throws {UsageError} when this version does not know the format or the settings of the state
   */
  restore(state: SandboxState, latest = Infinity): void {
    if (state.version !== 1) throw new UsageError('The state is that of another version.')
    const { settings, loaded } = this.#options
    this.#reseed(state.seed ?? settings.seed)
    this.#applySettings(patchSettings(this.#initial, state.settings, loaded.defects))
    this.store.restore(state.pets)
    this.clock.state = state.clock
    this.rules.reset(this.#initial.seed)
    this.rules.restore(state.rules, latest)
    this.#random.state = state.random
    this.#memories = structuredClone(state.defects)
    this.#snapshots = state.snapshots
  }

  dropCaches(): void {
    this.#active = undefined
    this.store.forgetLists()
  }

  #activate(): { context: Context; service: Respond } {
    const { store, clock, rules } = this
    const context = createContext(this.#settings, {
      store,
      clock,
      rules,
      random: this.#random,
      hasCapacity: () => this.bytes <= this.#options.capacity,
    })
    let service = createService(context)
    for (const id of this.#settings.defects) {
      const defect = this.#options.loaded.defects.find((one) => one.id === id)
      const memory = (this.#memories[id] ??= {})
      if (defect !== undefined) service = defect.apply(service, { ...context, memory })
    }
    this.#active = { context, service }
    return this.#active
  }

  #expectCapacity(): void {
    if (this.bytes > this.#options.capacity)
      throw new UsageError('There is no capacity for more pets. Delete some.')
  }

  #applySettings(settings: Settings): void {
    this.store.showWaiting()
    this.#settings = settings
    this.#memories = {}
    this.#active = undefined
  }
}

const rejectFunction = (id: string): void => {
  throw new UsageError(`${id} is a function, which cannot be saved. Remove it first.`)
}

/** The initial pets: those of `data` or `generate`, which all sandboxes share, or seeded ones. */
function initialPets({ data, seed, pets, ids }: Settings): readonly StoredPet[] {
  if (data !== undefined) return data
  const makePet = createSeed(seed)
  const toId = idSchemes[ids]
  return Array.from({ length: pets }, (_, index) => {
    const pet = makePet(index + 1)
    return ids === 'small' ? pet : { ...pet, id: toId(pet.id), categoryId: toId(pet.categoryId) }
  })
}
