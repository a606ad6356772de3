import type { JsonValue } from '../../json.ts'
import type { Profile } from '../../spec/behaviors.ts'
import type { Int64, ExactNewPet, ExactPet } from '../../spec/types.ts'
import type { Collection } from '@msw/data'

import type { PetSchema, StoredPet } from '../pets/pet.ts'
import type { Journal, JournalEntry } from '../journal/entry.ts'
import type { Inspected } from '../scorecard/scorecard.ts'
import type { RuleFunction } from '../rules/rule.ts'
import type { DefectId, PetPatch, Rule, RuleInForce, RulePatch } from '../schemas/schemas.gen.ts'
import type { Scorecard } from '../scorecard/scorecard.gen.ts'

/**
 * A sandbox of a mock: pets, rules, a clock and a journal. A mock is itself the sandbox of its own keys, and each sandbox
 * key has another one. Sandboxes are isolated from each other.
 */
export interface Sandbox {
  /** Undefined for the sandbox of the mock's own keys, which is null in saved and logged data. */
  readonly name: string | undefined
  /** An API key of this sandbox. */
  readonly key: string
  /** The pets as a collection of `@msw/data`, to create and query in tests. Before a query: `await mock.pets.settled()`. */
  readonly pets: PetCollection
  /** The same pets as plain values: to export, import, add, change and delete. */
  readonly catalog: Catalog
  /** Adds rules. The last one applies first. Throws a UsageError that lists all mistakes. */
  use: (...rules: (Rule | RuleFunction)[]) => RuleInForce[]
  /** The rules in force, in the order in which they were added. */
  rules: () => RuleInForce[]
  /** The rules that no request has used. */
  pendingRules: () => RuleInForce[]
  /** Switches a rule on or off, or moves it; undefined when no rule has this id. */
  changeRule: (id: string, patch: RulePatch) => RuleInForce | undefined
  /** Removes the rule with this id, or all rules; returns whether there was one. */
  removeRules: (id?: string) => boolean
  /** The clock that decides whether getPet is removed: `mock.clock.set('2030-12-06')`. */
  readonly clock: Clock
  /** The requests and their responses: `mock.journal.last({ operation: 'createPet' })`. */
  readonly journal: Journal
  /** How well the client of each key keeps the contract, judging by the requests in the journal. */
  scorecards: () => Promise<Scorecard[]>
  /** Adds to entries of the journal the mistakes of each request: violations first. */
  inspect: <Entry extends { number: number }>(
    entries: readonly Entry[],
  ) => Promise<(Entry & Inspected)[]>
  /** Sends the request of an entry again, with its key. Returns the new entry. */
  repeat: (number: number) => JournalEntry | undefined
  /** A value for each part that changes whenever the part does. */
  readonly versions: Readonly<
    Record<'pets' | 'rules' | 'settings' | 'clock' | 'snapshots', unknown>
  >
  /** Copies of the pets to return to: `mock.snapshots.save('before')`. */
  readonly snapshots: Snapshots
  /** Changes settings of the running mock. The pets stay. Throws a UsageError that lists all mistakes. */
  configure: (patch: SettingsPatch) => void
  /** The options in force. */
  readonly settings: Settings
  /**
   * Resets pets, ids, rules, clock, settings and the state of defects. Clears the journal, and with it the scorecard,
   * unless `journal` is `keep`. Snapshots stay. With `seed`, the initial pets are those of another seed, also at later
   * resets.
   */
  reset: (options?: { journal?: 'clear' | 'keep' | undefined; seed?: number | undefined }) => void
}

/** The settings that `configure` changes. `profile` is merged; the others are replaced. */
export type SettingsPatch = Pick<MockOptions, 'profile' | 'defects' | 'overrides' | 'explain'>

/** Direct access to the pets, beyond the operations of the interface. */
export interface Catalog {
  /** The number of pets, with those that reads of the service do not show yet. */
  readonly size: number
  /** All pets, in the order of creation. */
  export: () => ExactPet[]
  /** Replaces all pets. Throws a UsageError that lists every mistake with its JSON pointer; then nothing changes. */
  import: (pets: readonly (JsonValue | object)[]) => void
  /**
   * Adds pets, and returns them; one without an id gets the next one. Throws a UsageError that lists every mistake with
   * its JSON pointer; then nothing changes. `position` is the one in the order of creation, from 0; by default the last.
   */
  add: (pets: readonly (JsonValue | object)[], position?: number) => ExactPet[]
  /** Changes some fields. Returns undefined when no pet has this id. Throws a UsageError when the pet would be invalid. */
  change: (id: Int64, patch: PetPatch) => ExactPet | undefined
  /** Returns whether there was such a pet. */
  delete: (id: Int64) => boolean
}

/** The clock of a sandbox. It decides whether getPet is removed. */
export interface Clock {
  /** The time that it shows. */
  now: () => Date
  /** Whether the clock is stopped. */
  readonly frozen: boolean
  /** When the sandbox started, by the system clock. */
  readonly startedAt: Date
  /** Stops the clock at an instant, such as `2030-12-06`, or lets it run from there. Throws a UsageError when it is invalid. */
  set: (instant: Date | string, options?: { frozen?: boolean | undefined }) => void
  /** Moves the clock, and with it rate limits and outage windows. */
  advance: (ms: number) => void
  /** Back to the option `now`. */
  reset: () => void
}

/** Named snapshots of the pets. At most 100; the oldest is dropped. */
export interface Snapshots {
  /** Saves the pets and the next id; replaces an earlier snapshot with this name. */
  save: (name: string) => void
  /** Replaces the pets and the next id by those of a snapshot; returns whether there is one. */
  restore: (name: string) => boolean
  /** Returns whether there was one. */
  delete: (name: string) => boolean
  /** The snapshots with the number of their pets, in the order of saving. */
  list: () => { name: string; pets: number; savedAt: string }[]
}

export interface SandboxSummary {
  name: string
  key: string
  pets: number
  /** Those since its journal was cleared. */
  requests: number
  /** When its latest request arrived: `2026-11-20T12:00:00.000Z`. Absent before the first. */
  lastSeen?: string
}

/** The sandboxes of a mock. */
export interface Sandboxes {
  /** The existing sandboxes, the least recently used first. */
  list: () => SandboxSummary[]
  /** Finds or creates a sandbox. Throws a UsageError when the name is invalid. */
  get: (name: string) => Sandbox
  /** Whether the sandbox exists. */
  has: (name: string) => boolean
  /** Whether this sandbox still exists; another one may have its name now. */
  isCurrent: (sandbox: Sandbox) => boolean
  /** Deletes a sandbox; the next request with its key creates a new one. */
  delete: (name: string) => boolean
  /** Counts created and deleted sandboxes. */
  readonly version: number
  /** How many were dropped because the capacity was reached. */
  readonly dropped: number
}

/** The pets of a mock as a collection of @msw/data, to query and change in tests. */
export interface PetCollection extends Collection<PetSchema> {
  /**
   * Resolves when the collection shows all pets. Its records are made asynchronously: after the first use of `mock.pets`,
   * and after each creation outside of the collection.
   */
  settled: () => Promise<void>
}

/** The class that @msw/data exports. */
export type CollectionClass = typeof Collection

/** An entry of the journal for a log. */
export interface LoggedRequest extends JournalEntry {
  /** The name of the sandbox; undefined for the one of the mock's own keys. */
  sandbox: string | undefined
  /** The address of the client, or of a proxy before the mock; empty where the adapter does not know it. */
  address: string
}

/** The options of `createMock`. */
export interface MockOptions {
  /** Chooses the initial pets: the same on every machine, and in each sandbox. A safe integer; 1 by default. */
  seed?: number | undefined
  /** The number of initial pets: 0 to 100,000; 100 by default. */
  pets?: number | undefined
  /**
   * `small`, the default: ids 1, 2, 3 and so on. `large`: odd ids and category ids above 2^53, which clients round that
   * store integers in doubles.
   */
  ids?: 'small' | 'large' | undefined
  /** The initial pets, instead of seeded ones. Each needs its own id. */
  data?: readonly ExactPet[] | undefined
  /**
   * Makes pet `n`, from 1, instead of a seeded one; the mock assigns the id. It is called once for each of the `pets` when
   * the mock is made: all sandboxes start with the same pets, and return to them at a reset. It must be synchronous.
   */
  generate?: ((n: number) => ExactNewPet) | undefined
  /** The accepted API keys: printable ASCII without spaces. Only `defaultKey` by default. */
  keys?: readonly string[] | undefined
  /** The path of the base URL: empty, or with a slash at its start and none at its end; `/v1` by default. */
  basePath?: string | undefined
  /**
   * Origins whose pages may send credentials, such as `http://localhost:5173`: with `credentials: 'include'`, a browser
   * accepts no other response. Pages of other origins can then read no response, unless the profile has
   * `http.cors: 'any-origin'`. None by default.
   */
  corsOrigins?: readonly string[] | undefined
  /** Options for unspecified behaviors; the table of behaviors has the defaults. */
  profile?: { readonly [Id in keyof Profile]?: Profile[Id] | undefined } | undefined
  /** Ids of deliberate defects. None by default. */
  defects?: readonly DefectId[] | undefined
  /** Rules that are in force from the start, in each sandbox. None by default. */
  rules?: readonly (Rule | RuleFunction)[] | undefined
  /**
   * Whether each sandbox key has its own sandbox. True by default; false makes it an invalid key. A list has the names whose
   * keys open sandboxes, such as `team-a` or `team-*`; the mock and its operator may open others.
   */
  sandboxes?: boolean | readonly string[] | undefined
  /** Whether a request may choose its response with the header `Prefer`, such as `Prefer: code=503`. True by default. */
  overrides?: boolean | undefined
  /** Whether the header `Petstore-Explain` of each response names the requirement or behavior behind it. False by default. */
  explain?: boolean | undefined
  /**
   * How many of the latest requests the journal of each sandbox keeps: 100 to 100,000, by default 10,000. Fewer take less
   * memory and time; scorecards also count those that have left.
   */
  journal?: number | undefined
  /** Called with a message when a sandbox is dropped at full capacity. */
  onNotice?: ((notice: string) => void) | undefined
  /** Called for each request to any sandbox when its response is ready; it must not throw. */
  onRequest?: ((request: LoggedRequest) => void) | undefined
  /** The class of @msw/data for `mock.pets`, where the mock cannot load it by itself: in a browser. */
  Collection?: CollectionClass | undefined
  /**
   * The clock: a fixed instant, or a function, which also drives rate limits, outage windows and the delay of new pets.
   * The system clock by default.
   */
  now?: Date | string | (() => Date) | undefined
}

type Complete =
  | 'seed'
  | 'pets'
  | 'ids'
  | 'keys'
  | 'basePath'
  | 'corsOrigins'
  | 'defects'
  | 'sandboxes'
  | 'overrides'
  | 'explain'
  | 'journal'

/** The validated options of a mock, with defaults. */
export interface Settings extends Readonly<{
  [Name in Complete]: NonNullable<MockOptions[Name]>
}> {
  /** The initial rules. One that is a function has it as `decide`, which JSON omits. */
  readonly rules: readonly Rule[]
  /** The initial pets of `data` or `generate`, instead of seeded ones. */
  readonly data: readonly StoredPet[] | undefined
  readonly profile: Readonly<Profile>
  /** The time: milliseconds since 1970. `latest` is the latest one that the sandbox had, which one driven by a log keeps. */
  readonly now: (latest: number) => number
  /** The time at which the clock is stopped: milliseconds since 1970. */
  readonly stoppedAt: number | undefined
}
