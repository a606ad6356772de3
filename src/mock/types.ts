import type { JsonValue } from '../json.ts'
import type { Profile } from '../spec/choices.ts'
import type { OperationId } from '../spec/operations.ts'
import type { Int64, ExactPet } from '../spec/types.ts'
import type { Collection } from '@msw/data'

import type { PetPatch, PetSchema, StoredPet } from './catalog.ts'
import type { Inspected, Journal, JournalEntry } from './journal-entry.ts'
import type { RuleRequest } from './message.ts'
import type { Scorecard } from './scorecard/types.ts'

/**
 * One sandbox of a mock: its pets, its rules, its clock, its journal. A mock is one itself, for the keys that it was given;
 * each sandbox key has another. Nothing that is done in one shows in another.
 */
export interface Sandbox {
  /** The name of the sandbox; undefined for that of the mock's own keys. */
  readonly name: string | undefined
  /** An API key that leads here. */
  readonly key: string
  readonly pets: PetCollection
  readonly catalog: Catalog
  /** Adds rules. The last one goes first. Throws a UsageError that lists all mistakes. */
  use: (...rules: (Rule | RuleFunction)[]) => RuleInForce[]
  /** The rules in force, in the order in which they were added. */
  rules: () => RuleInForce[]
  /** Those that were never used. */
  pendingRules: () => RuleInForce[]
  /** Switches a rule on or off, or moves it; undefined when no rule has this id. */
  changeRule: (id: string, patch: RulePatch) => RuleInForce | undefined
  /** Removes the rule with this id, or all rules; returns whether there was one. */
  removeRules: (id?: string) => boolean
  readonly clock: Clock
  readonly journal: Journal
  /** How well the client of each key keeps the contract, by the requests in the journal. */
  scorecards: () => Promise<Scorecard[]>
  /** Entries of the journal with the mistakes of each request, as the scorecards have them: violations first. */
  inspect: <Entry extends { number: number }>(entries: readonly Entry[]) => Promise<(Entry & Inspected)[]>
  /** Sends the request of an entry again, with the key that the journal does not show. Returns the new entry. */
  repeat: (number: number) => JournalEntry | undefined
  /** For each part a value that is another one once the part has changed. */
  readonly versions: Readonly<Record<'pets' | 'rules' | 'settings' | 'clock' | 'snapshots', unknown>>
  readonly snapshots: Snapshots
  /** Changes what may change while the mock runs. The pets stay. Throws a UsageError that lists all mistakes. */
  configure: (patch: SettingsPatch) => void
  /** The options in force. */
  readonly settings: Settings
  /**
   * Everything back to the start: the pets, their ids, the rules, the clock, the settings, and what deviations remember.
   * The journal is emptied, and with it the scorecard; `{ journal: 'keep' }` leaves both. The snapshots stay.
   */
  reset: (options?: { journal?: 'clear' | 'keep' }) => void
}

/** What `configure` changes: options for some of the choices, and the others in place of those before. */
export type SettingsPatch = Pick<MockOptions, 'profile' | 'deviations' | 'overrides' | 'explain'>

/** The pets, for what the interface has no operation for. */
export interface Catalog {
  /** How many pets there are. */
  readonly size: number
  /** All pets, in the order of creation. */
  export: () => ExactPet[]
  /** In place of all pets. Throws a UsageError that lists every mistake with its JSON pointer; then nothing changes. */
  import: (pets: readonly JsonValue[]) => void
  /**
   * Adds pets, and returns them; one without an id gets the next one. Throws a UsageError that lists every mistake with
   * its JSON pointer; then nothing changes.
   */
  add: (pets: readonly JsonValue[]) => ExactPet[]
  /** Other values for some fields; returns the pet, or undefined when no pet has this id. Throws a UsageError when it would be invalid. */
  change: (id: Int64, patch: PetPatch) => ExactPet | undefined
  delete: (id: Int64) => boolean
}

/** The clock of a sandbox. It decides whether getPet is removed. */
export interface Clock {
  now: () => Date
  /** Whether it stands still. */
  readonly frozen: boolean
  /** When the sandbox started, by the clock of the system. */
  readonly startedAt: Date
  /** Stops it at an instant, such as `2030-12-06`, or lets it run on from there. Throws a UsageError when it is invalid. */
  set: (instant: Date | string, options?: { frozen?: boolean }) => void
  /** Moves it. Rate limits and outage windows move along. */
  advance: (ms: number) => void
  /** As the options said. */
  reset: () => void
}

/** Pets by name, to come back to. At most 100; the oldest goes. */
export interface Snapshots {
  save: (name: string) => void
  /** Returns whether there is one. */
  restore: (name: string) => boolean
  delete: (name: string) => boolean
  list: () => { name: string; pets: number; savedAt: string }[]
}

/** What is known of a sandbox without entering it. */
export interface SandboxSummary {
  name: string
  key: string
  pets: number
  requests: number
  /** When its latest request came: `2026-11-20T12:00:00.000Z`. Not there before the first. */
  lastSeen?: string
}

/** The sandboxes of a mock. */
export interface Sandboxes {
  /** Those that are there, the least recently used first. */
  list: () => SandboxSummary[]
  /** The sandbox with this name; it is made at its first use. Throws a UsageError when the name is invalid. */
  get: (name: string) => Sandbox
  /** Whether it is there now. */
  has: (name: string) => boolean
  /** Whether this one is still that with its name. */
  isCurrent: (sandbox: Sandbox) => boolean
  /** Ends it: the next request with its key finds a new one. */
  delete: (name: string) => boolean
  /** Counts those that came and went. */
  readonly version: number
  /** How many were dropped for lack of capacity. */
  readonly dropped: number
}

/**
 * What shall happen to some requests: an error, a delay, a fault of the connection, a rate limit. It is counted, never
 * random. Rules apply to operations that are requested with a valid key: without one, the response is 401.
 *
 * Of several rules that fit a request the newest goes first; an older one adds only what is missing: to a response the
 * delay, to a delay the response.
 */
export interface Rule {
  /** Which requests. All operations by default; each field narrows it. */
  when?: RuleCondition
  /** The response, in place of the ordinary one: a refused creation leaves no pet behind. */
  reply?: RuleReply
  /** How long the response waits. */
  delayMs?: Delay
  /** What happens to the connection. */
  fault?: Fault
  /** So many requests in each window; the others get 429 with Retry-After. All responses say what is left. */
  rateLimit?: { requests: number; windowMs: number }
  /** Lets the first requests that fit pass. 0 by default. */
  skip?: number
  /** For so many requests, then never again. Without an end by default. */
  times?: number
  /** An outage window, counted from when the rule was added. Without one by default. */
  during?: { afterMs?: number; forMs: number }
}

/**
 * A rule that is a function: it gets each request of an operation with a valid key, and returns what happens to that
 * request, or undefined for nothing. The mock responds at once, so that it cannot be async. Where it throws, or returns
 * what no rule says, the response is 500 with its message. The control API lists its name alone.
 */
export type RuleFunction = (request: RuleRequest) => Pick<Rule, 'reply' | 'delayMs' | 'fault'> | undefined

export interface RuleCondition {
  operation?: OperationId | readonly OperationId[]
  /** The value of each of these query parameters, decoded. */
  query?: Readonly<Record<string, string>>
  /** The petId, as it stands in the path. */
  petId?: string
  /** The value of each of these headers. */
  headers?: Readonly<Record<string, string>>
  /** Fields that the body has, with these values. */
  body?: Readonly<Record<string, JsonValue>>
}

export interface RuleReply {
  /** An HTTP status: 200 to 599. */
  status: number
  /** The `code` of the Error body; one that belongs to the status by default. */
  code?: string
  /** The `message` of the Error body. */
  message?: string
  /** Further headers, such as `Retry-After`. Those that say how a message is sent are refused. */
  headers?: Readonly<Record<string, string>>
  /**
   * In place of the Error body: any JSON, at most 100 levels deep. Where `headers` has a Content-Type other than JSON
   * (`text/html`), a string is sent as it is, without quotes. A status below 300 needs a body, but for 204.
   */
  body?: JsonValue | object
}

/** Milliseconds, at most ten minutes: always as many, from a seeded range, or log-normal by its median and its 99th percentile, seeded. */
export type Delay = number | { from: number; to: number } | { median: number; p99: number }

/**
 * `reset`: the connection is reset. `silence`: no response ever comes. `truncated-body`: the connection ends in the middle
 * of the body. `slowBodyMs`: the body trickles in over so many milliseconds.
 */
export type Fault = 'reset' | 'silence' | 'truncated-body' | { slowBodyMs: number }

/** A rule in force, and how often it was used. */
export interface RuleInForce extends Rule {
  /** Of a rule that is a function, its name: `anonymous` where it has none. */
  function?: string
  /** `rule-1`, `rule-2` and so on. */
  id: string
  /** Requests that it was applied to. */
  used: number
  /** How often it can still be used. Not there for a rule without `times`. */
  remaining?: number
  /** False when it is switched off. */
  enabled: boolean
  /** Whether it will be applied again: it is switched on, its `times` are not used up, nor is its window over. */
  active: boolean
}

/** What `changeRule` changes. */
export interface RulePatch {
  enabled?: boolean
  /** Its new place in the list, from 0. The last rule goes first. */
  position?: number
}

/** The pets of a mock as a collection of @msw/data, to query and to change in tests. */
export interface PetCollection extends Collection<PetSchema> {
  /**
   * Waits until the collection shows all pets that there are. It makes its records in a turn of their own: those of the
   * pets at the start after the first use of `mock.pets`, that of a pet that came otherwise after its creation.
   */
  settled: () => Promise<void>
}

/** The class that @msw/data exports. */
export type CollectionClass = typeof Collection

/** A request and its response as the journal shows them, and what else a log shows. */
export interface LoggedRequest extends JournalEntry {
  /** The sandbox that it went to; undefined for that of the mock's own keys. */
  sandbox: string | undefined
}

/** What `createMock` takes. Everything has a default. */
export interface MockOptions {
  /** Chooses the seeded pets: the same seed, the same pets, on every machine. A safe integer; 1 by default. */
  seed?: number
  /** How many pets there are at the start: 0 to 100,000; 100 by default. */
  pets?: number
  /**
   * `small` by default: pets have the ids 1, 2, 3 and so on. `large`: odd ids and category ids from 2^53 + 1 on, which a
   * client rounds that holds them in a double.
   */
  ids?: 'small' | 'large'
  /** The pets at the start, in place of seeded ones: each with an id of its own. */
  data?: readonly ExactPet[]
  /** The accepted API keys: printable ASCII without spaces. `defaultKey` alone by default. */
  keys?: readonly string[]
  /** The path of the base address: `/v1` by default. Empty, or with a slash at its start and none at its end. */
  basePath?: string
  /** An option for any unspecified behavior; the table of choices has the defaults. */
  profile?: Partial<Profile>
  /** Ways in which the mock shall break the contract, by id. None by default. */
  deviations?: readonly string[]
  /** Errors, delays and faults that are in force from the start, in each sandbox. None by default. */
  rules?: readonly (Rule | RuleFunction)[]
  /** Whether a sandbox key leads to a sandbox of its own. True by default; false makes it an unknown key. */
  sandboxes?: boolean
  /** Whether a request may choose its response with the header `Prefer`, such as `Prefer: code=503`. True by default. */
  overrides?: boolean
  /** Whether each response says which clause or choice made it, in the header `Petstore-Explain`. False by default. */
  explain?: boolean
  /** Called with a message when a sandbox is dropped for lack of capacity. */
  onNotice?: (notice: string) => void
  /** Called with each request to any sandbox, when its response is ready; it must not throw. */
  onRequest?: (request: LoggedRequest) => void
  /** The class of @msw/data, for `mock.pets` where the mock cannot load it by itself: in a browser. */
  Collection?: CollectionClass
  /**
   * The clock: an instant that stands still, or a function, by which rate limits, outage windows and the delay of new pets
   * run, too. The system's by default.
   */
  now?: Date | string | (() => Date)
}

type Complete = 'seed' | 'pets' | 'ids' | 'keys' | 'basePath' | 'deviations' | 'sandboxes' | 'overrides' | 'explain'

/** The options of a mock, checked and complete. */
export interface Settings extends Readonly<Required<Pick<MockOptions, Complete>>> {
  /** Those in force from the start; one that is a function shows nothing. */
  readonly rules: readonly Rule[]
  /** In place of seeded pets. */
  readonly data: readonly StoredPet[] | undefined
  readonly profile: Readonly<Profile>
  /** The time that comes with what is done: milliseconds since 1970. */
  readonly now: () => number
  /** The instant at which the clock stands still, in milliseconds since 1970. */
  readonly stoppedAt: number | undefined
}
