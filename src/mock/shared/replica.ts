import { type JsonValue, parseJson } from '../../json.ts'
import { UsageError } from '../../errors.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import type { SandboxMachine } from '../sandbox.ts'
import { readRequest, type Sealer, UnreadableError } from './sealer.ts'

/** An entry of the log. */
export interface LogEntry {
  readonly index: number
  readonly letter: string
  readonly op: string
  /** The operation before. */
  readonly previous: string
  readonly at: number
  /** The number of its entry in the journal, or the latest number before it. */
  readonly number: number
  readonly body: Buffer
}

/** An entry as the script returns it, all texts as bytes. */
type RawEntry = [
  index: number,
  letter: Buffer,
  op: Buffer,
  previous: Buffer,
  at: number,
  number: Buffer | number,
  body: Buffer,
]

/** What the script returns, all texts as bytes. */
export type Returned = [
  status: Buffer,
  at: number,
  tail?: RawEntry[],
  mine?: number[],
  number?: number,
  isDue?: number,
  seen?: number,
]

export function toEntry([index, letter, op, previous, at, number, body]: RawEntry): LogEntry {
  return {
    index,
    letter: letter.toString(),
    op: op.toString(),
    previous: previous.toString(),
    at,
    number: Number(number.toString()),
    body,
  }
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
  /** Whether an entry of the log is being done. */
  isOpen: boolean
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
  readonly turn: Turn = { at: 0, startedAt: Date.now(), number: 0, latest: 0, seenAt: 0, isOpen: false }
  readonly #parts: ReplicaParts

  constructor(controlled: ControlledSandbox, parts: ReplicaParts) {
    this.controlled = controlled
    this.#parts = parts
    this.#close()
  }

  /** Applies what another mock has done, or what was given up. */
  apply({ letter, at, number, body }: LogEntry): void {
    const { machine, journal } = this.controlled
    const { sealer, replay } = this.#parts
    if (letter === 'r') machine.respond(readRequest(sealer.open(body)), at)
    else if (letter === 's') {
      restart(machine, at)
      this.turn.startedAt = at
      journal.clearThrough(0)
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
    const { machine, journal } = this.controlled
    restart(machine, at)
    journal.clearThrough(0)
    this.#parts.onEnd(this.controlled)
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
    Object.defineProperties(journal, {
      requests: { get: () => turn.latest },
      lastSeen: { get: () => (turn.seenAt === 0 ? {} : { lastSeen: new Date(turn.seenAt).toISOString() }) },
      clear: { value: () => (turn.isOpen ? journal.clearThrough(turn.number) : refuse()) },
    })
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
