/** Work that waits for its place in the log, or for the latest state. */
export interface Task {
  readonly kind: 'request' | 'control' | 'end' | 'sync'
  /** Whether it creates a missing sandbox. */
  readonly creates: boolean
  /** Whether it is for a list, which does not use the sandbox. */
  readonly isListing?: boolean
  /** Whether it does not change the state, as far as this mock knows. */
  readonly isRead: () => boolean
  /** The JSON for its place in the entry. `placeOf` has the places of headers that the entry shows already. */
  readonly toEntry: (place: number, placeOf: Map<string, number>) => string
  /** The approximate size of its entry. */
  readonly bytes: number
  /** How much longer than other tasks it may take while the engine responds: milliseconds. */
  readonly extraMs?: number
  /** Does the work at its place in the log, and responds. */
  readonly run: (place: Place, exists: boolean) => void
  /** Responds that the engine is unavailable. */
  readonly fail: () => void
  /** When it fails, by `performance.now`. */
  deadline: number
  isDone: boolean
}

/** The place of a task in the log. */
export interface Place {
  /** The time of the engine. */
  at: number
  number: number
}

/** Tasks that share calls to the engine. */
export interface Batch<Reply = unknown> {
  readonly tasks: readonly Task[]
  /** The entry for all tasks that change the state; undefined without such tasks, and once it has its place. */
  entry:
    | {
        readonly op: string
        readonly letter: string
        readonly body: Buffer
        readonly tasks: readonly Task[]
      }
    | undefined
  /** Whether a call without a usable reply may have appended the entry. */
  isUncertain: boolean
  /** Of the call under way. */
  reply?: Promise<Reply> | undefined
}

/** What a reply means for its batch: done, to be repeated, or to be repeated once the state was loaded again. */
export type ReplyUse = 'taken' | 'again' | 'lost'

/** Tasks fail after this time. */
export const patienceMs = 1_500
/** Many pets take longer. */
export const extraMsOf = (body: unknown): number => (Array.isArray(body) ? body.length / 10 : 0)
/** The intervals between two attempts, and between two checks of deadlines. */
const retryMs = 50
const checkMs = 100
/** The limits of a batch: tasks, and the approximate size of its entry. */
const maxTasks = 500
const maxBytes = 2 ** 20

/** A change of everything has its own batch: an import may be large, and an end changes everything. */
const goesAlone = (task: Task | undefined): boolean =>
  task?.kind === 'control' || task?.kind === 'end'

/**
 * Tasks that wait for the engine. While a batch is under way, new tasks collect for the next one, unless the engine is far:
 * then several are under way at once. Replies are used in the order of their calls; after a failure, each batch without a
 * result is repeated by itself.
 */
export abstract class TaskQueue<Reply> {
  readonly #isGone: () => boolean
  protected waiting: Task[] = []
  /** Batches without a result, in the order of their calls. */
  protected readonly sent: Batch<Reply>[] = []
  #isScheduled = false
  #isUsing = false
  #isChecking = false

  /** @param isGone whether tasks should not wait for the engine. */
  constructor(isGone: () => boolean) {
    this.#isGone = isGone
  }

  /** How many calls may be under way. */
  protected abstract maxCalls(): number
  protected abstract compose(tasks: readonly Task[]): Batch<Reply>
  /** @param previous the latest batch with an entry that is under way, if any. */
  protected abstract call(batch: Batch<Reply>, previous: Batch<Reply> | undefined): Promise<Reply>
  protected abstract useReply(batch: Batch<Reply>, reply: Reply): Promise<ReplyUse>
  /** Whether the log has the entry of a batch. */
  protected abstract hasAppended(reply: Reply): boolean
  protected abstract reload(): Promise<void>
  /** Whether repeating a failed call is useless. */
  protected abstract isFinal(error: unknown): boolean

  protected add(task: Omit<Task, 'deadline' | 'isDone'>): void {
    if (this.#isGone()) return task.fail()
    this.waiting.push(
      Object.assign(task, { deadline: performance.now() + patienceMs, isDone: false }),
    )
    if (!this.#isChecking) this.#scheduleCheck()
    this.#schedule()
  }

  /** Tasks of two turns of the event loop share a call: clients that have just got responses send their next requests. */
  #schedule(): void {
    if (this.#isScheduled || !this.#mayCall()) return
    this.#isScheduled = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isScheduled = false
        if (this.#mayCall()) this.#send()
      }),
    )
  }

  #mayCall(): boolean {
    if (this.waiting.length === 0) return false
    if (this.sent.length === 0) return true
    return (
      this.sent.length < this.maxCalls() &&
      !goesAlone(this.waiting[0]) &&
      this.sent.every(({ reply, tasks }) => reply !== undefined && !goesAlone(tasks[0]))
    )
  }

  #send(): void {
    const batch = this.compose(this.#take())
    void this.#call(
      batch,
      this.sent.findLast(({ entry }) => entry !== undefined),
    )
    this.sent.push(batch)
    if (!this.#isUsing) void this.#useReplies()
  }

  #call(batch: Batch<Reply>, previous?: Batch<Reply>): Promise<Reply> {
    batch.reply = this.call(batch, previous)
    // Rejections are noticed in their turn.
    batch.reply.catch(() => {})
    return batch.reply
  }

  async #useReplies(): Promise<void> {
    this.#isUsing = true
    for (let batch = this.sent[0]; batch !== undefined; batch = this.sent[0]) {
      let outcome: ReplyUse | undefined
      try {
        outcome = await this.useReply(batch, await (batch.reply ?? this.#call(batch)))
        if (outcome !== 'taken') {
          await this.#discardReplies()
          if (outcome === 'lost') await this.reload()
        }
      } catch (error) {
        batch.isUncertain = true
        await this.#discardReplies()
        if (this.isFinal(error)) batch.tasks.forEach(failTask)
      }
      const left = batch.tasks.filter(({ isDone }) => !isDone)
      if (outcome === 'taken') this.waiting.unshift(...left)
      if (outcome === 'taken' || left.length === 0) this.sent.shift()
      if (outcome === undefined) await new Promise((resolve) => setTimeout(resolve, retryMs))
      this.#dropDone()
      this.#schedule()
    }
    this.#isUsing = false
  }

  /** Waits for all calls under way. Their replies follow one that could not be used. */
  async #discardReplies(): Promise<void> {
    const [first, ...others] = this.sent as [Batch<Reply>, ...Batch<Reply>[]]
    first.reply = undefined
    for (const batch of others) {
      const hasAppended = await batch.reply?.then(
        (reply) => this.hasAppended(reply),
        () => true,
      )
      if (hasAppended === true) batch.isUncertain = true
      batch.reply = undefined
    }
  }

  /** Drops batches that need no call: their tasks had their place in the log, or have failed. */
  #dropDone(): void {
    const isDone = ({ reply, tasks }: Batch<Reply>): boolean =>
      reply === undefined && tasks.every((task) => task.isDone)
    for (const batch of this.sent.filter(isDone)) this.sent.splice(this.sent.indexOf(batch), 1)
  }

  /** The tasks of the next batch. */
  #take(): Task[] {
    let bytes = 0
    const end = this.waiting.findIndex((task, place) => {
      bytes += task.bytes
      const isFull =
        place >= maxTasks || bytes > maxBytes || goesAlone(task) || goesAlone(this.waiting[0])
      return place > 0 && isFull
    })
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end)
  }

  /** The immediate lets a busy process read responses that have arrived meanwhile. */
  #scheduleCheck(): void {
    this.#isChecking = true
    setTimeout(() => setImmediate(() => this.#expire()), checkMs).unref()
  }

  /** Fails tasks that have waited too long. Their entry may still take its place in the log. */
  #expire(): void {
    const now = performance.now()
    const tasks = [...this.sent.flatMap((batch) => batch.tasks), ...this.waiting]
    const isGone = this.#isGone()
    for (const task of tasks)
      if (task.deadline + (isGone ? 0 : (task.extraMs ?? 0)) <= now) failTask(task)
    this.waiting = this.waiting.filter(({ isDone }) => !isDone)
    this.#isChecking = false
    if (tasks.some(({ isDone }) => !isDone)) this.#scheduleCheck()
  }
}

export function runAll(tasks: readonly Task[], { at, number }: Place, exists: boolean): void {
  let next = number
  for (const task of tasks) {
    if (task.kind === 'request') next += 1
    task.isDone = true
    task.run({ at, number: next }, exists)
  }
}

export function failTask(task: Task): void {
  if (task.isDone) return
  task.isDone = true
  task.fail()
}
