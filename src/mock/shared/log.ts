import { printJson } from '../../json.ts'
import type { InnerSandbox } from '../sandbox/sandbox.ts'
import type { MockReply, MockRequest } from '../service/message.ts'
import type { SharedContext } from './context.ts'
import { unavailable, UnavailableError } from './engine.ts'
import {
  type Batch,
  extraMsOf,
  failTask,
  type ReplyUse,
  runAll,
  type Task,
  TaskQueue,
} from './queue.ts'
import {
  isRead,
  type LogEntry,
  type LoggedCall,
  type LogPosition,
  Replica,
  toEntry,
} from './replica.ts'
import { printRequest } from './requests.ts'
import type { Appended } from './scripts.ts'
import { UnreadableError } from './sealer.ts'
import { loadSnapshot, saveSnapshot } from './snapshot.ts'

let operations = 0
const start: LogPosition = { index: 0, op: '' }
/** The interval of listing a sandbox as used. */
const enlistMs = 5_000
/** A snapshot is due after entries of half the size of the sandbox, within these bounds. */
const minBytes = 2 ** 18
const maxBytes = 2 ** 22

/** The reply to a call, and what the call was about. */
interface Reply {
  status: string
  /** The time of the engine. */
  at: number
  tail: readonly LogEntry[]
  /** That of the latest entry. */
  index: number
  /** Whether it is the entry of the batch. */
  isAppended: boolean
  number: number
  isDue: boolean
  seenAt: number
  /** When the call began, by `performance.now`. */
  since: number
  isUse: boolean
  isTouch: boolean
  requests: number
}

/** Calls under way for a sandbox when the engine is far. */
const maxCalls = 8

/**
 * Keeps a sandbox in sync with its log. Changes wait for their place in the log; reads wait for a call that started after
 * they arrived.
 */
export class SandboxLog extends TaskQueue<Reply> {
  readonly #context: SharedContext
  readonly #keys: { log: string; state: string }
  readonly #ttlMs: number
  readonly replica: Replica
  #last = start
  /** Why the log cannot be read. */
  #unreadable: UnreadableError | undefined
  #enlistedAt = -Infinity
  #touchedAt = -Infinity

  constructor(sandbox: InnerSandbox, context: SharedContext) {
    super(() => context.engine.isGone)
    this.#context = context
    this.#keys = {
      log: context.keyOf(sandbox, 'log'),
      state: context.keyOf(sandbox, 'state'),
    }
    this.#ttlMs = sandbox.name === undefined ? 0 : context.sandboxTtlMs
    this.replica = new Replica(sandbox, context)
  }

  /** Never rejects: without the engine, the response is 503. */
  respond(request: MockRequest): Promise<MockReply> {
    const { sandbox } = this.replica
    const { machine, respond } = sandbox
    const { sealer, inner, announce } = this.#context
    let logged: MockRequest | undefined
    return new Promise((resolve) => {
      this.add({
        kind: 'request',
        creates: true,
        bytes: request.body.length,
        isRead: () => request.rejection !== undefined || isRead(machine, request),
        toEntry(place, placeOf) {
          const { headers, json } = sealer.logHeaders(request.headers)
          const credential = machine.context.credentialOf(request)
          logged = { ...request, headers, credential }
          return printRequest(logged, json, place, placeOf)
        },
        run: (place) => {
          resolve(respond(request, { ...place, withoutKey: logged }))
          inner.afterResponse(sandbox)
          announce(sandbox.name)
        },
        fail: () => resolve(this.#unavailable()),
      })
    })
  }

  /** Does a control call at its place in the log. Undefined when there is no sandbox, and the call creates none. */
  control(call: LoggedCall, creates: boolean): Promise<MockReply | undefined> {
    return new Promise((resolve) => {
      this.add({
        kind: 'control',
        creates,
        bytes: 0,
        extraMs: extraMsOf(call.body),
        isRead: () => false,
        toEntry: () => printJson(call),
        // What the call throws rejects the promise.
        run: (place, exists) =>
          resolve(exists ? (async () => this.replica.carryOut(call, place))() : undefined),
        fail: () => resolve(this.#unavailable()),
      })
    })
  }

  /**
   * Brings the sandbox up to date, and returns whether it exists.
   *
   * @param creates whether to create a missing sandbox.
   * @param isListing whether it is for a list, which does not use the sandbox.
   * @throws {UnavailableError | UnreadableError}
   */
  sync(creates: boolean, isListing = false): Promise<boolean> {
    return this.#wait('sync', creates, isListing)
  }

  /** As `sync`, but deletes a log that cannot be read, and starts the sandbox over. */
  async recover(creates: boolean): Promise<boolean> {
    return this.sync(creates).catch(async (error: unknown) => {
      if (!(error instanceof UnreadableError)) throw error
      await this.#context.engine.use((client) => client.del(this.#keys.log, this.#keys.state))
      return this.sync(true)
    })
  }

  /** Deletes the sandbox, and returns whether it existed. */
  end(): Promise<boolean> {
    return this.#wait('end', false)
  }

  #wait(kind: 'end' | 'sync', creates: boolean, isListing = false): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.add({
        kind,
        creates,
        isListing,
        bytes: 0,
        isRead: () => kind === 'sync',
        toEntry: () => '',
        run: ({ at }, exists) => {
          if (exists && kind === 'end') this.replica.end(at)
          resolve(exists)
        },
        fail: () =>
          reject(this.#unreadable ?? new UnavailableError('The engine has not responded in time.')),
      })
    })
  }

  /** Whether an entry is the next one. */
  protected follows(entry: LogEntry, last: LogPosition): boolean {
    return entry.index === last.index + 1 && entry.previous === last.op
  }

  #unavailable(): MockReply {
    this.#context.engine.counters.unavailable += 1
    return this.replica.sandbox.unavailable(this.#unreadable?.message ?? unavailable)
  }

  protected isFinal(error: unknown): boolean {
    if (!(error instanceof UnreadableError)) return false
    const { log, state } = this.#keys
    const advice = `use the version that wrote it, reset the sandbox, or delete it in the engine: DEL ${log} ${state}`
    const isKnown = this.#unreadable !== undefined
    this.#unreadable = new UnreadableError(
      `The log ${log} cannot be read: ${error.message}; ${advice}`,
    )
    if (!isKnown) this.#context.onUnreadable(this.#unreadable.message)
    return true
  }

  protected maxCalls(): number {
    return this.#context.engine.isFar && this.#last !== start ? maxCalls : 1
  }

  protected hasAppended({ isAppended }: Reply): boolean {
    return isAppended
  }

  protected compose(tasks: readonly Task[]): Batch<Reply> {
    const writes = tasks.filter((task) => !task.isRead())
    const [first] = writes
    if (first === undefined) return { tasks, entry: undefined, isUncertain: false }
    const placeOf = new Map<string, number>()
    const texts = writes.map((task, place) => task.toEntry(place, placeOf))
    const body = this.#context.sealer.seal(
      first.kind === 'request' ? `[${texts.join()}]` : (texts[0] as string),
    )
    const entry = { op: this.#nextOp(), letter: first.kind[0] as string, body, tasks: writes }
    return { tasks, entry, isUncertain: false }
  }

  /** Appends the entry of a batch, if any, and returns the entries of others. */
  protected async call({ entry, tasks }: Batch, previous?: Batch): Promise<Reply> {
    const { engine } = this.#context
    const { machine } = this.replica.sandbox
    engine.counters.calls += 1
    const since = performance.now()
    const isUse = tasks.some(({ isListing = false }) => !isListing)
    const isTouch = isUse && this.#ttlMs > 0 && since - this.#touchedAt > this.#ttlMs / 10
    const requests = tasks.filter(({ kind }) => kind === 'request').length
    const [status, at, tail = [], index = 0, isAppended = 0, number = 0, isDue = 0, seenAt = 0] =
      (await engine.run(
        'appendEntry',
        [this.#keys.log, this.#keys.state],
        this.#last.index,
        this.#last.op,
        requests,
        tasks.some(({ creates }) => creates) ? this.#nextOp() : '',
        isTouch ? this.#ttlMs : 0,
        Math.min(maxBytes, Math.max(minBytes, Math.round(machine.bytes / 2))),
        previous?.entry?.op ?? '',
        ...(entry === undefined ? [] : [entry.letter, entry.op, entry.body]),
      )) as Appended
    return {
      status: status.toString(),
      at,
      tail: tail.map(toEntry),
      index,
      isAppended: isAppended === 1,
      number,
      isDue: isDue === 1,
      seenAt,
      since,
      isUse,
      isTouch,
      requests,
    }
  }

  protected async useReply(batch: Batch, reply: Reply): Promise<ReplyUse> {
    const { counters } = this.#context.engine
    const { entry, tasks } = batch
    const { status, at, tail, index, isAppended, number, since, isUse, isTouch } = reply
    const isFound = status !== 'behind' && status !== 'diverged'
    const isKnown = isFound && this.#applyTail(tail)
    const position = isAppended ? index - 1 : index
    if (!isKnown || (status !== 'more' && this.#last.index !== position)) {
      // A log that has expired has not diverged.
      const hasExpired = this.#ttlMs > 0 && since - this.#touchedAt > 0.8 * this.#ttlMs
      if (status !== 'behind' && !hasExpired) counters.reloads += 1
      batch.isUncertain ||= isAppended
      return 'lost'
    }
    if (status === 'more') return 'again'
    this.replica.update(at, { number: number + reply.requests, seenAt: reply.seenAt })
    this.#unreadable = undefined
    if (isTouch) this.#touchedAt = since
    const exists = status === 'ok'
    // It has expired, or somebody has deleted its log in the engine.
    if (!exists && this.replica.sandbox.startedAt !== 0) this.replica.end(at)
    const isNew = tail.some(({ letter }) => letter === 's')
    if (exists && isUse && (isNew || since - this.#enlistedAt > enlistMs)) {
      this.#enlistedAt = since
      // With a full memory, a list may miss how recently a sandbox was used.
      await this.#enlist(at, isTouch).catch((error: unknown) => {
        if (isNew) throw error
      })
    }
    if (isAppended) {
      counters.entries += 1
      this.#applyOwn(batch, { index, at, number })
    }
    const written = entry?.letter === 'r' ? entry.tasks.length : 0
    // Only tasks that waited before the call was sent. New entries, such as rules, may have turned a read into a change,
    // which waits for its place.
    const done = tasks.filter((task) => !task.isDone && (!exists || task.isRead()))
    runAll(done, { at: this.replica.at, number: number + written }, exists)
    this.#forgetEnded()
    if (reply.isDue) void this.#save()
    return 'taken'
  }

  /**
   * Forgets a sandbox that does not exist, as soon as no task is left that may create it: whatever comes later finds a new
   * one under its name, and two would each have a part of the journal.
   */
  #forgetEnded(): void {
    const { sandbox } = this.replica
    const isIdle = [...this.waiting, ...this.sent.flatMap(({ tasks }) => tasks)].every(
      ({ isDone }) => isDone,
    )
    if (sandbox.startedAt === 0 && isIdle) this.#context.inner.forget(sandbox)
  }

  /** Lists the sandbox as used, and drops others that have expired from the list. */
  async #enlist(at: number, dropsExpired: boolean): Promise<void> {
    const { engine, prefix } = this.#context
    const { name } = this.replica.sandbox
    const list = `${prefix}:sandboxes`
    if (name !== undefined) await engine.use((client) => client.zadd(list, 'GT', at, name))
    if (dropsExpired)
      await engine.use((client) => client.zremrangebyscore(list, '-inf', at - 2 * this.#ttlMs))
  }

  /** A unique id across all mocks. */
  #nextOp(): string {
    return `${this.#context.node}-${(operations += 1).toString(36)}`
  }

  /** @returns false when the log has diverged from the state of this mock. */
  #applyTail(tail: readonly LogEntry[]): boolean {
    this.#context.engine.counters.lag = tail.length
    for (const entry of tail) {
      const isOld = entry.index <= this.#last.index
      // The reply to an earlier call had it.
      if (isOld && (entry.index < this.#last.index || entry.op === this.#last.op)) continue
      const isFirst = this.#last === start && entry.letter === 's'
      if (!isFirst && !this.follows(entry, this.#last)) return false
      const own = this.sent.find((batch) => batch.entry?.op === entry.op)
      if (own === undefined) this.replica.apply(entry)
      else this.#applyOwn(own, entry)
      this.#last = entry
    }
    return true
  }

  /** Runs the tasks of the batch's own entry, even those that have already failed by a timeout. */
  #applyOwn(batch: Batch, { index, at, number }: Pick<LogEntry, 'index' | 'at' | 'number'>): void {
    const { op, tasks } = batch.entry as NonNullable<Batch['entry']>
    batch.entry = undefined
    runAll(tasks, { at, number }, true)
    this.#last = { index, op }
  }

  /** Loads the state from the engine, after the log was trimmed or has diverged. */
  protected async reload(): Promise<void> {
    const { engine, sealer } = this.#context
    this.#last = start
    for (const batch of this.sent.filter(({ isUncertain }) => isUncertain)) {
      // It is unknown whether the state includes the entry, so it must not be repeated.
      batch.entry?.tasks.forEach(failTask)
      batch.entry = undefined
    }
    const snapshot = await loadSnapshot(engine, this.#keys.state, sealer)
    if (snapshot === undefined) return
    const { state, index, op, startedAt, era } = snapshot
    const { sandbox } = this.replica
    sandbox.machine.restore(state)
    sandbox.startedAt = startedAt
    sandbox.journal.progress.era = era
    this.#last = { index, op }
  }

  async #save(): Promise<void> {
    await saveSnapshot(this.#context, this.#keys, this.replica.sandbox, this.#last).catch(() => {})
  }
}
