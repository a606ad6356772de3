import { parseJson } from '../../json.ts'
import { UsageError } from '../../errors.ts'
import type { Call, Route } from '../control/route.ts'
import { journalRoutes } from '../control/routes/journal.ts'
import { petRoutes } from '../control/routes/pets.ts'
import { stateRoutes } from '../control/routes/state.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { MockReply, SandboxRequest } from '../message.ts'
import type { SandboxMachine } from '../sandbox.ts'
import type { RawEntry } from './scripts.ts'
import type { SharedContext } from './context.ts'
import { readRequests, UnreadableError } from './sealer.ts'

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

/** What the log holds of the control API: what these routes do depends on nothing but the sandbox and its time. */
export const loggedRoutes: ReadonlyMap<string, Route> = new Map(
  [...stateRoutes, ...petRoutes, ...journalRoutes]
    .filter(({ method, id }) => (method !== 'GET' && id !== 'repeatRequest') || id === 'exportPets')
    .map((route) => [route.id, route]),
)

/** A control call, as the log holds it. */
export interface LoggedCall extends Pick<Call, 'path' | 'query' | 'body'> {
  route: string
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
  readonly #context: Pick<SharedContext, 'sealer' | 'inner'>

  constructor(controlled: ControlledSandbox, context: Pick<SharedContext, 'sealer' | 'inner'>) {
    this.controlled = controlled
    this.#context = context
    this.#close()
  }

  /** Applies what another mock has done, or what was given up. */
  apply({ letter, at, number, body }: LogEntry): void {
    const { machine } = this.controlled
    const { sealer } = this.#context
    if (letter === 'r') for (const request of readRequests(sealer.open(body))) machine.respond(request, at)
    else if (letter === 's') {
      restart(machine, at)
      this.turn.startedAt = at
      this.#forget()
    } else if (letter === 'e') this.end(at)
    else if (letter === 'c') {
      try {
        this.carryOut(parseJson(sealer.open(body)) as unknown as LoggedCall, { at, number })
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
    this.#context.inner.forget(this.controlled)
  }

  /** Forgets the requests of another life. */
  #forget(): void {
    this.controlled.journal.clearThrough(0)
    Object.assign(this.turn, { era: 0, latest: 0, seenAt: 0, complete: 0 })
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

  /** Does what a control call of the log says, at its place there. */
  carryOut({ route, path, query, body }: LoggedCall, { at, number }: Pick<LogEntry, 'at' | 'number'>): MockReply {
    const { sandbox, machine } = this.controlled
    const row = loggedRoutes.get(route)
    if (row === undefined) throw new UnreadableError(`it calls ${route}`)
    machine.clock.at = at
    this.turn.number = number
    this.turn.isOpen = true
    try {
      const call: Partial<Call> = { sandbox, path, query, body }
      return row.handle(call as Call) as MockReply
    } finally {
      this.turn.isOpen = false
    }
  }
}
