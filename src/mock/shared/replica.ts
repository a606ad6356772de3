import { type JsonValue, parseJson } from '../../json.ts'
import { UsageError } from '../../errors.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { RecordedEntry } from '../journal-entry.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import type { SandboxMachine } from '../sandbox.ts'
import { readPage, type Recording } from './messages.ts'
import type { RawEntry } from './scripts.ts'
import { readRequests, type Sealer, UnreadableError } from './sealer.ts'

/** An entry of the log. */
export interface LogEntry {
  readonly index: number
  readonly letter: string
  readonly op: string
  /** The operation before. */
  readonly previous: string
  readonly at: number
  /** The latest number of the journal before it. */
  readonly number: number
  readonly body: Buffer
}

/** The entry that the script returns. */
export function toEntry([index, head, body]: RawEntry): LogEntry {
  const [op = '', previous = '', letter = '', at, number] = head.toString().split(' ')
  return { index, letter, op, previous, at: Number(at), number: Number(number), body }
}

/**
 * Whether a request leaves the state as it is: it may also be one that does and is not known to. What a rule, a
 * deviation or a shuffled list uses up is state, and a pet that waits is shown by the next read.
 */
export function isRead({ settings, rules, store }: SandboxMachine, { method }: SandboxRequest): boolean {
  return (
    method.toUpperCase() !== 'POST' &&
    rules.bytes === 0 &&
    settings.deviations.length === 0 &&
    settings.profile['list.order'] !== 'shuffled' &&
    store.waiting.length === 0
  )
}

/** Lets a sandbox begin again, as if it were made at this time: milliseconds since 1970. */
export function restart(machine: SandboxMachine, at: number): void {
  const { stoppedAt } = machine.settings
  machine.clock.at = at
  machine.restore({ ...machine.save(), snapshots: [], clock: { stoppedAt, offset: 0, moved: 0 } })
  machine.actions.reset()
}

/** What is known of a sandbox beside its state. */
interface Turn {
  /** The latest time of the engine: milliseconds since 1970. */
  at: number
  /** When it was made: milliseconds since 1970. */
  startedAt: number
  /** The number of the latest request before the control call that is being done. */
  number: number
  /** The latest number of all mocks, and when that request came; 0 for never. */
  latest: number
  seenAt: number
  /** The number of the latest request before the pets were replaced. */
  era: number
  /** Whether an entry of the log is being done. */
  isOpen: boolean
  /** Whether a stream follows the journal, and up to which number the entries of all mocks are there. */
  isWatched: boolean
  complete: number
}

/** Why a sandbox is not changed in process. */
export const refuse = (): never => {
  throw new UsageError('Other mocks share this mock: change it through the control API.')
}

/** How a replica does what the log says. */
export interface ReplicaParts {
  sealer: Sealer
  /** Carries out a control call of the log. */
  replay: (controlled: ControlledSandbox, call: JsonValue) => MockReply
  /** The sandbox has come to its end. */
  onEnd: (controlled: ControlledSandbox) => void
}

/** The sandbox of one mock, brought up to date by the entries of the log. */
export class Replica {
  readonly controlled: ControlledSandbox
  readonly turn: Turn = {
    at: 0,
    startedAt: Date.now(),
    number: 0,
    latest: 0,
    seenAt: 0,
    era: 0,
    isOpen: false,
    isWatched: false,
    complete: 0,
  }
  readonly #parts: ReplicaParts
  /** The latest entry of each other mock that the journal has. */
  #known: Record<string, number> = {}
  readonly #gathered = new WeakSet<RecordedEntry>()

  constructor(controlled: ControlledSandbox, parts: ReplicaParts) {
    this.controlled = controlled
    this.#parts = parts
    this.#close()
  }

  /** Applies what another mock has done, or what was given up. */
  apply({ letter, at, number, body }: LogEntry): void {
    const { machine } = this.controlled
    const { sealer, replay } = this.#parts
    if (letter === 'r') for (const request of readRequests(sealer.open(body))) machine.respond(request, at)
    else if (letter === 's') {
      restart(machine, at)
      this.turn.startedAt = at
      this.#forget()
    } else if (letter === 'e') this.end(at)
    else if (letter === 'c') {
      try {
        this.open({ at, number }, () => replay(this.controlled, parseJson(sealer.open(body))))
      } catch (error) {
        // A mistake in the call, which the mock that took it has responded to.
        if (error instanceof UnreadableError) throw error
      }
    } else throw new UnreadableError(`it has the kind ${letter}`)
  }

  /** Back to its start: whatever comes next finds a new one. */
  end(at: number): void {
    restart(this.controlled.machine, at)
    this.#forget()
    this.#parts.onEnd(this.controlled)
  }

  /** What this mock has recorded after a number. */
  recordingAfter(number: number): Pick<Recording, 'startedAt' | 'entries'> {
    const { entries } = this.controlled.journal.recorded()
    const own = entries.filter((entry) => entry.number > number && !this.#gathered.has(entry))
    return { startedAt: this.turn.startedAt, entries: own }
  }

  /** The number of the latest entry that the journal has of each other mock. */
  get known(): Readonly<Record<string, number>> {
    return this.#known
  }

  /** Takes what other mocks have recorded into the journal. */
  take(recordings: readonly Recording[]): void {
    const { journal } = this.controlled
    const fresh = recordings.flatMap(({ node, startedAt, entries }) => {
      if (startedAt !== this.turn.startedAt || entries.length === 0) return []
      this.#known[node] = Math.max(this.#known[node] ?? 0, ...entries.map(({ number }) => number))
      return readPage(entries)
    })
    if (fresh.length === 0) return
    const { cleared } = journal.range
    journal.replace((entries) => {
      const numbers = new Set(entries.map(({ number }) => number))
      const others = fresh.filter(({ number }) => number > cleared && !numbers.has(number))
      for (const entry of others) this.#gathered.add(entry)
      return [...entries, ...others].toSorted((one, other) => one.number - other.number)
    })
  }

  /** Forgets the requests of another life. */
  #forget(): void {
    this.controlled.journal.clearThrough(0)
    Object.assign(this.turn, { era: 0, latest: 0, seenAt: 0, complete: 0 })
    this.#known = {}
  }

  /** Takes what a call says of the sandbox beside its entries. */
  reach({ at, ...rest }: Pick<Turn, 'at' | 'latest' | 'seenAt'>): void {
    Object.assign(this.turn, rest, { at: Math.max(this.turn.at, at) })
    this.controlled.machine.clock.at = this.turn.at
  }

  /** Leaves the sandbox to the log: nothing else changes it, and what is counted of it is counted over all mocks. */
  #close(): void {
    const { turn } = this
    const { machine, journal, sandbox } = this.controlled
    const change = machine.apply.bind(machine)
    machine.apply = (entry, at) => {
      // A read in process shows what there is.
      if (!turn.isOpen && entry.action === 'showPets') return undefined as never
      return turn.isOpen ? change(entry, at) : refuse()
    }
    const range = Object.getOwnPropertyDescriptor(journal, 'range')?.get as () => typeof journal.range
    Object.defineProperties(journal, {
      // What is missing in between comes later: a stream waits for it.
      range: {
        get() {
          const all = range.call(journal)
          return turn.isWatched ? { ...all, last: Math.max(all.cleared, Math.min(all.last, turn.complete)) } : all
        },
      },
      requests: { get: () => turn.latest },
      lastSeen: { get: () => (turn.seenAt === 0 ? {} : { lastSeen: new Date(turn.seenAt).toISOString() }) },
      clear: { value: () => (turn.isOpen ? journal.clearThrough(turn.number) : refuse()) },
    })
    const { record } = journal
    journal.record = (request, reply, work) => Object.assign(record(request, reply, work), { era: turn.era })
    journal.startEra = () => void (turn.era = turn.number)
    Object.defineProperty(sandbox.clock, 'startedAt', { get: () => new Date(turn.startedAt) })
  }

  /** Lets something change the sandbox, at its place in the log. */
  open<Value>({ at, number }: Pick<LogEntry, 'at' | 'number'>, act: () => Value): Value {
    this.controlled.machine.clock.at = at
    this.turn.number = number
    this.turn.isOpen = true
    try {
      return act()
    } finally {
      this.turn.isOpen = false
    }
  }
}
