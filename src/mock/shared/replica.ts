import { parseJson } from '../../json.ts'
import { type ControlCall, empty, type ControlRoute } from '../control/routes/route.ts'
import { journalRoutes } from '../control/routes/journal.ts'
import { petRoutes } from '../control/routes/pets.ts'
import { stateRoutes } from '../control/routes/state.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import type { JournalProgress } from '../journal/journal.ts'
import type { Context } from '../service/context.ts'
import type { MockReply, MockRequest, Respond } from '../service/message.ts'
import { createService } from '../service/service.ts'
import type { SandboxMachine } from '../sandbox/machine.ts'
import type { RawEntry } from './scripts.ts'
import type { SharedContext } from './context.ts'
import { readRequests } from './requests.ts'
import { UnreadableError } from './sealer.ts'

export interface LogPosition {
  index: number
  op: string
}

export type LogEntry = ReturnType<typeof toEntry>

export function toEntry([index, head, body]: RawEntry) {
  const [op = '', previous = '', letter = '', at, number] = head.toString().split(' ')
  // The previous operation, and the latest number of the journal before the entry.
  return { index, letter, op, previous, at: Number(at), number: Number(number), body }
}

/** Methods that change nothing: "Safe Methods", RFC 9110, section 9.2.1. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Whether a request certainly does not change the state. Counters of rules, defects and the generator of shuffled lists
 * are state, and a read may show a waiting pet.
 */
export function isRead(
  { settings, rules, store }: SandboxMachine,
  { method }: MockRequest,
): boolean {
  return (
    safeMethods.has(method.toUpperCase()) &&
    rules.bytes === 0 &&
    settings.defects.length === 0 &&
    settings.profile['list.order'] !== 'shuffled' &&
    store.waiting.length === 0
  )
}

/** Control operations that go through the log. Their effects depend only on the sandbox and the time. */
export const loggedRoutes: ReadonlyMap<string, ControlRoute> = new Map(
  [...stateRoutes, ...petRoutes, ...journalRoutes]
    .filter(({ method, id }) => (method !== 'GET' && id !== 'repeatRequest') || id === 'exportPets')
    .map((route) => [route.id, route]),
)

export interface LoggedCall extends Pick<ControlCall, 'path' | 'query' | 'body'> {
  route: string
}

/**
 * Returns what applies a request to which another mock responds: it changes the same, but prints no pets.
 */
export function createApply(machine: SandboxMachine) {
  let latest: { context: Context; service: Respond } | undefined

  function serviceOf(context: Context): Respond {
    if (latest?.context !== context) {
      const pageOf: Context['pageOf'] = (query) => {
        // Drawing pets changes the generator.
        context.firstPets(query.limit, query)
        return context.replies.empty(200)
      }
      latest = { context, service: createService({ ...context, print: () => '', pageOf }) }
    }
    return latest.service
  }

  return (request: MockRequest, at: number): void => {
    machine.clock.at = at
    // Defects may remember responses.
    if (machine.settings.defects.length > 0) return void machine.respond(request)
    try {
      serviceOf(machine.context)(request)
    } catch {
      // The mock that responds reports it.
    }
  }
}

/** The local copy of a sandbox, which only entries of the log change. */
export class Replica {
  readonly sandbox: InnerSandbox
  /** The latest time of the engine: milliseconds since 1970. */
  at = 0
  readonly #sealer: SharedContext['sealer']
  readonly #apply: ReturnType<typeof createApply>

  constructor(sandbox: InnerSandbox, { sealer }: Pick<SharedContext, 'sealer'>) {
    this.sandbox = sandbox
    this.#sealer = sealer
    this.#apply = createApply(sandbox.machine)
  }

  /** Applies an entry of another mock, or an own one that has failed by a timeout. */
  apply({ letter, at, number, body }: LogEntry): void {
    if (letter === 'r')
      for (const request of readRequests(this.#sealer.open(body))) this.#apply(request, at)
    else if (letter === 's') {
      this.end(at)
      this.sandbox.startedAt = at
    } else if (letter === 'e') this.end(at)
    else if (letter === 'c') {
      try {
        this.carryOut(parseJson(this.#sealer.open(body)) as unknown as LoggedCall, { at, number })
      } catch (error) {
        // The call was invalid; the mock that received it has responded.
        if (error instanceof UnreadableError) throw error
      }
    } else throw new UnreadableError(`it has the kind ${letter}`)
  }

  /** Starts over. Until the next start, there is no sandbox. */
  end(at: number): void {
    const { sandbox } = this
    sandbox.machine.startOver(at)
    sandbox.startedAt = 0
    const { journal } = sandbox
    journal.clearThrough(0)
    const { progress } = journal
    Object.assign(progress, { era: 0, seenAt: 0 })
    if (progress.complete !== undefined) progress.complete = 0
  }

  /** Takes over the result of a call besides its entries. */
  update(at: number, progress: Pick<JournalProgress, 'number' | 'seenAt'>): void {
    const { journal, machine } = this.sandbox
    this.at = Math.max(this.at, at)
    machine.clock.at = this.at
    Object.assign(journal.progress, progress)
  }

  carryOut(
    { route, path, query, body }: LoggedCall,
    { at, number }: Pick<LogEntry, 'at' | 'number'>,
  ): MockReply {
    const { sandbox } = this
    const row = loggedRoutes.get(route)
    if (row === undefined) throw new UnreadableError(`it calls ${route}`)
    sandbox.machine.clock.at = at
    sandbox.journal.progress.number = number
    sandbox.isWritable = true
    try {
      const call: Partial<ControlCall> = { sandbox, path, query, body }
      return (row.handle(call as ControlCall) ?? empty()) as MockReply
    } finally {
      sandbox.isWritable = false
    }
  }
}
