import { type JsonValue, printJson } from '../../json.ts'
import type { ControlledSandbox } from '../controls.ts'
import type { MockReply, MockRequest, SandboxRequest } from '../message.ts'
import type { SharedEngine } from './engine.ts'
import { mostBytes, mostTasks, type Task, TaskQueue, UnavailableError } from './queue.ts'
import { isRead, type LogEntry, Replica, type ReplicaParts, type Returned, toEntry } from './replica.ts'
import { UnreadableError } from './sealer.ts'
import { loadSnapshot, type SavedSnapshot, saveSnapshot } from './snapshot.ts'

/** What stands around the logs of a mock. */
export interface LogOptions extends ReplicaParts {
  engine: SharedEngine
  keys: { log: string; state: string }
  /** Milliseconds until an unused sandbox is gone; 0 for never. */
  ttlMs: number
  /** An id that no other operation has, on any mock. */
  nextOp: () => string
  afterResponse: (controlled: ControlledSandbox) => void
  /** Lists the sandbox among those that are there. */
  enlist: (at: number) => Promise<void>
  /** Something that this kit cannot read stands in the engine. */
  onUnreadable: (reason: string) => void
}

type Place = Pick<LogEntry, 'index' | 'op'>

const nowhere: Place = { index: 0, op: '' }
/** Milliseconds between two notes that a sandbox is in use. */
const enlistMs = 5_000

/**
 * The sandbox as its log has it. What changes it waits for its place in the log; what reads waits for a call that began
 * after it arrived. Of one sandbox at most one call is under way: what comes meanwhile shares the next.
 */
export class SandboxLog extends TaskQueue {
  readonly #options: LogOptions
  readonly replica: Replica
  #last = nowhere
  /** The log has lost its beginning, and there is no snapshot. */
  #isLost = false
  #saved: SavedSnapshot | undefined
  #enlistedAt = -Infinity
  #touchedAt = -Infinity

  constructor(controlled: ControlledSandbox, options: LogOptions) {
    super(() => options.engine.isGone)
    this.#options = options
    this.replica = new Replica(controlled, options)
  }

  /** Never rejects: without the engine it is 503. */
  respond(request: MockRequest): Promise<MockReply> {
    const { machine, read, respond } = this.replica.controlled
    const { sealer, afterResponse } = this.#options
    let own: SandboxRequest = read(request)
    return new Promise((resolve) => {
      this.add({
        letter: 'r',
        creates: true,
        bytes: request.body.length,
        isRead: () => isRead(machine, own),
        seal() {
          own = { ...own, headers: sealer.hideHeaders(own.headers) }
          return sealer.seal(JSON.stringify(own))
        },
        run: (place) => {
          resolve(respond(request, own, place))
          afterResponse(this.replica.controlled)
        },
        fail: () => resolve(this.#unavailable()),
      })
    })
  }

  /**
   * Does a control call at its place in the log; `creates` says whether it makes the sandbox when it is not there.
   *
   * @throws {UsageError} as the call does; resolves to undefined without a sandbox.
   */
  control(call: JsonValue, creates: boolean): Promise<MockReply | undefined> {
    const { sealer, replay } = this.#options
    return new Promise((resolve, reject) => {
      this.add({
        letter: 'c',
        creates,
        // It goes alone: an import may be large.
        bytes: mostBytes,
        isRead: () => false,
        seal: () => sealer.seal(printJson(call)),
        run: (place, isThere) => {
          if (!isThere) return resolve(undefined)
          try {
            resolve(this.replica.open(place, () => replay(this.replica.controlled, call)))
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
          }
        },
        fail: () => resolve(this.#unavailable()),
      })
    })
  }

  /**
   * Brings the sandbox up to date, and returns whether it is there.
   *
   * @param creates whether it is made when it is not.
   * @throws {Error} when the engine does not respond.
   */
  look(creates: boolean): Promise<boolean> {
    return this.#wait('look', creates)
  }

  /** Ends the sandbox, and returns whether it was there. */
  end(): Promise<boolean> {
    return this.#wait('e', false)
  }

  #wait(letter: 'e' | 'look', creates: boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.add({
        letter,
        creates,
        bytes: 0,
        isRead: () => letter === 'look',
        seal: () => Buffer.alloc(0),
        run: (_, isThere) => resolve(isThere),
        fail: () => reject(new UnavailableError()),
      })
    })
  }

  /** Whether an entry goes on where the log was left. Overridden by tests alone. */
  protected follows(entry: LogEntry, last: Place): boolean {
    return entry.index === last.index + 1 && entry.previous === last.op
  }

  /**
   * The tasks that a call may serve, once it has returned: those that waited before it was sent. Overridden by tests alone.
   *
   * @param _arrived those that have come since.
   */
  protected served(called: readonly Task[], _arrived: readonly Task[]): readonly Task[] {
    return called
  }

  #unavailable(): MockReply {
    this.#options.engine.counters.unavailable += 1
    const reply = this.replica.controlled.refuse(503, 'The engine of this shared mock does not respond. Try again.')
    return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } }
  }

  protected isFinal(error: unknown): boolean {
    if (error instanceof UnreadableError) this.#options.onUnreadable(error.message)
    return error instanceof UnreadableError
  }

  /** @returns false when the tasks that are left shall wait a moment. */
  protected async callOnce(called: readonly Task[]): Promise<boolean> {
    const { engine, keys, nextOp, ttlMs } = this.#options
    const { machine } = this.replica.controlled
    const entries = called.filter((task) => task.op !== undefined || !task.isRead())
    for (const task of entries) {
      task.op ??= nextOp()
      task.body ??= task.seal()
    }
    const now = performance.now()
    const isTouch = ttlMs > 0 && now - this.#touchedAt > ttlMs / 10
    const wanted = called.filter(({ letter }) => letter === 'r').length
    const creates = called.some((task) => task.creates)
    engine.counters.calls += 1
    const returned = (await engine.use((client) =>
      client.appendEntriesBuffer(
        keys.log,
        keys.state,
        this.#last.index,
        this.#last.op,
        mostTasks,
        mostBytes,
        wanted,
        creates ? nextOp() : '',
        isTouch ? ttlMs : 0,
        Math.min(5_000, Math.max(1_000, Math.round(machine.store.size / 2))),
        Math.max(8 * 2 ** 20, Math.round(machine.bytes / 2)),
        this.#isLost ? 'anew' : '',
        ...entries.flatMap(({ letter, op = '', body = '' }) => [letter, op, body]),
      ),
    )) as Returned
    const [status, at, tail = [], mine = [], latest = 0, isDue = 0, seen = 0] = returned
    const kind = status.toString()
    // One that has come to its end while it was not used has no other past.
    const isOver = ttlMs > 0 && now - this.#touchedAt > 0.8 * ttlMs
    if (kind === 'behind' || kind === 'diverged') {
      await this.#reload({ isTrimmed: kind === 'behind', isDiverged: kind === 'diverged' && !isOver }, called)
      return true
    }
    if (!this.#applyTail(tail.map(toEntry))) {
      await this.#reload({ isTrimmed: false, isDiverged: true }, called)
      return true
    }
    if (kind === 'more') return true
    this.replica.reach({ at, latest, seenAt: seen })
    this.#isLost = false
    if (isTouch) this.#touchedAt = now
    const isThere = kind === 'ok'
    if (isThere && (now - this.#enlistedAt > enlistMs || tail.some(([, letter]) => letter.toString() === 's'))) {
      this.#enlistedAt = now
      await this.#options.enlist(at)
    }
    for (const [place, task] of entries.entries()) {
      const [index = 0, number = 0] = mine.slice(2 * place, 2 * place + 2)
      if (!isThere || index === 0) continue
      engine.counters.entries += 1
      this.#applyOwn(task, { index, at, number })
    }
    this.#serve(called, { isThere, latest })
    if (isDue === 1) void this.#save()
    return true
  }

  /** Serves what reads, in the state that the call has found. */
  #serve(called: readonly Task[], { isThere, latest }: { isThere: boolean; latest: number }): void {
    let number = latest
    for (const task of this.served(called, this.waiting)) {
      if (task.isDone) continue
      if (task.letter === 'r') number += 1
      // What the call has brought may have made it one that changes the state: then it waits for its place.
      if (isThere && !task.isRead()) continue
      task.isDone = true
      task.run({ at: this.replica.turn.at, number }, isThere)
    }
    this.waiting = this.waiting.filter(({ isDone }) => !isDone)
  }

  /** @returns false when the log has another past than this mock. */
  #applyTail(tail: readonly LogEntry[]): boolean {
    this.#options.engine.counters.lag = tail.length
    for (const entry of tail) {
      const isFirst = this.#last === nowhere && entry.letter === 's'
      if (!isFirst && !this.follows(entry, this.#last)) return false
      const task = this.called.find(({ op, isDone }) => op === entry.op && !isDone)
      if (task === undefined) this.replica.apply(entry)
      else this.#applyOwn(task, entry)
      this.#last = { index: entry.index, op: entry.op }
    }
    return true
  }

  #applyOwn(task: Task, { index, at, number }: Pick<LogEntry, 'index' | 'at' | 'number'>): void {
    const { op = '', letter, body = Buffer.alloc(0) } = task
    if (task.isDone) this.replica.apply({ index, letter, op, previous: '', at, number, body })
    else {
      task.isDone = true
      if (letter === 'e') this.replica.end(at)
      task.run({ at, number }, true)
    }
    this.#last = { index, op }
  }

  /**
   * Throws the state away, and takes that of the engine: its log was trimmed, or has another past than this mock.
   */
  async #reload(
    { isTrimmed, isDiverged }: { isTrimmed: boolean; isDiverged: boolean },
    called: readonly Task[],
  ): Promise<void> {
    const { engine, keys, sealer } = this.#options
    if (isDiverged) engine.counters.reloads += 1
    this.#last = nowhere
    this.#saved = undefined
    for (const task of called) {
      // Whether it was done stands in what is gone: it must not be done again.
      if (!task.isUncertain || task.isDone) continue
      task.isDone = true
      task.fail()
    }
    const snapshot = await engine.use((client) => loadSnapshot(client, keys.state, sealer))
    if (snapshot === undefined) {
      this.#isLost = isTrimmed
      return
    }
    const { state, place, startedAt, era, saved } = snapshot
    this.replica.controlled.machine.restore(state)
    Object.assign(this.replica.turn, { startedAt, era })
    this.#saved = saved
    this.#last = place
  }

  async #save(): Promise<void> {
    const { engine, keys, sealer } = this.#options
    const { startedAt, era } = this.replica.turn
    const state = this.replica.controlled.machine.save()
    const place = this.#last
    const done = await engine
      .use((client) => saveSnapshot(client, keys, sealer, { state, place, startedAt, era, saved: this.#saved }))
      .catch(() => undefined)
    if (done === undefined) return
    this.#saved = done
    engine.counters.snapshots += 1
  }
}
