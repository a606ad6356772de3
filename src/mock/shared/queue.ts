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
export interface Batch {
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
  /** Whether a failed call may have appended the entry. */
  isUncertain: boolean
}

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

/** Tasks that wait for the engine. While one batch is being processed, new tasks collect for the next. */
export abstract class TaskQueue {
  readonly #isGone: () => boolean
  protected waiting: Task[] = []
  #batch: Batch | undefined
  #isCalling = false
  #isChecking = false

  /** @param isGone whether tasks should not wait for the engine. */
  constructor(isGone: () => boolean) {
    this.#isGone = isGone
  }

  protected abstract compose(tasks: readonly Task[]): Batch
  /** @returns whether the log has accepted the batch. Unfinished tasks then move to the next one. */
  protected abstract call(batch: Batch): Promise<boolean>
  /** Whether repeating a failed call is useless. */
  protected abstract isFinal(error: unknown): boolean

  protected add(task: Omit<Task, 'deadline' | 'isDone'>): void {
    if (this.#isGone()) return task.fail()
    this.waiting.push(
      Object.assign(task, { deadline: performance.now() + patienceMs, isDone: false }),
    )
    if (!this.#isChecking) this.#scheduleCheck()
    if (this.#isCalling) return
    this.#isCalling = true
    // Tasks of the same turn of the event loop share the call.
    setImmediate(() => void this.#work())
  }

  async #work(): Promise<void> {
    while (this.#batch !== undefined || this.waiting.length > 0) {
      const batch = (this.#batch ??= this.compose(this.#take()))
      let isTaken: boolean | undefined
      try {
        isTaken = await this.call(batch)
      } catch (error) {
        batch.isUncertain = true
        if (this.isFinal(error)) batch.tasks.forEach(fail)
      }
      const left = batch.tasks.filter(({ isDone }) => !isDone)
      if (isTaken === true) this.waiting.unshift(...left)
      if (isTaken === true || left.length === 0) this.#batch = undefined
      if (isTaken === undefined) await new Promise((resolve) => setTimeout(resolve, retryMs))
      // Clients that have just got their responses often send the next request at once: it shares the next call.
      else await turns(2)
    }
    this.#isCalling = false
  }

  /** The tasks of the next batch. `control` and `end` have their own: an import may be large, and an end changes everything. */
  #take(): Task[] {
    let bytes = 0
    const goesAlone = ({ kind }: Task): boolean => kind === 'control' || kind === 'end'
    const end = this.waiting.findIndex((task, place) => {
      bytes += task.bytes
      const isFull =
        place >= maxTasks ||
        bytes > maxBytes ||
        goesAlone(task) ||
        goesAlone(this.waiting[0] as Task)
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
    const tasks = [...(this.#batch?.tasks ?? []), ...this.waiting]
    const isGone = this.#isGone()
    for (const task of tasks)
      if (task.deadline + (isGone ? 0 : (task.extraMs ?? 0)) <= now) fail(task)
    this.waiting = this.waiting.filter(({ isDone }) => !isDone)
    this.#isChecking = false
    if (tasks.some(({ isDone }) => !isDone)) this.#scheduleCheck()
  }
}

/** Waits for turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export function runAll(tasks: readonly Task[], { at, number }: Place, exists: boolean): void {
  let next = number
  for (const task of tasks) {
    if (task.kind === 'request') next += 1
    task.isDone = true
    task.run({ at, number: next }, exists)
  }
}

export function fail(task: Task): void {
  if (task.isDone) return
  task.isDone = true
  task.fail()
}
