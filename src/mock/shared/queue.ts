/** What waits for its place in the log, or to read what the log has. */
export interface Task {
  readonly kind: 'request' | 'control' | 'end' | 'look'
  /** Whether a sandbox that is not there is made. */
  readonly creates: boolean
  /** Whether it leaves the state as it is, as far as the mock knows. */
  readonly isRead: () => boolean
  /** What an entry holds of it, as JSON, and about how many bytes that takes. */
  readonly toEntry: () => string
  readonly bytes: number
  /** Does it at its place in the log, and responds. */
  readonly run: (place: Place, isThere: boolean) => void
  /** Responds that it could not be done. */
  readonly fail: () => void
  /** When it fails, by the clock of the process. */
  deadline: number
  isDone: boolean
}

/** Where a task stands: the time of the engine, and its number in the journal. */
export interface Place {
  at: number
  number: number
}

/** Tasks that share calls to the engine until all are done. */
export interface Batch {
  readonly tasks: readonly Task[]
  /** What changes something, as one entry of the log; undefined when nothing does, or once the entry has its place. */
  entry:
    | { readonly op: string; readonly letter: string; readonly body: Buffer; readonly tasks: readonly Task[] }
    | undefined
  /** Whether a call was lost that may have appended the entry. */
  isUncertain: boolean
}

/** Milliseconds after which what waits for the engine gets 503. */
export const patienceMs = 1_500
/** Milliseconds between two attempts, and between two looks at what has waited too long. */
const retryMs = 50
const lookMs = 100
/** Of one batch: tasks, and about how many bytes their entry takes. */
const maxTasks = 500
const maxBytes = 2 ** 20

/** Tasks that wait for the engine: one batch is under way, and what comes meanwhile shares the next. */
export abstract class TaskQueue {
  readonly #isGone: () => boolean
  protected waiting: Task[] = []
  #batch: Batch | undefined
  #isCalling = false
  #isLooking = false

  /** @param isGone whether no task shall wait for the engine. */
  constructor(isGone: () => boolean) {
    this.#isGone = isGone
  }

  /** Makes what a call takes of tasks. */
  protected abstract compose(tasks: readonly Task[]): Batch
  /** @returns whether the log has taken the batch. What of it is not done then has become part of the next entry. */
  protected abstract call(batch: Batch): Promise<boolean>
  /** Whether a call that failed would fail again. */
  protected abstract isFinal(error: unknown): boolean

  protected add(task: Omit<Task, 'deadline' | 'isDone'>): void {
    if (this.#isGone()) return task.fail()
    this.waiting.push(Object.assign(task, { deadline: performance.now() + patienceMs, isDone: false }))
    if (!this.#isLooking) this.#lookLater()
    if (this.#isCalling) return
    this.#isCalling = true
    // What arrives in the same turn of the event loop shares the call.
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
    }
    this.#isCalling = false
  }

  /** The tasks of the next batch. What is no request goes alone: an import may be large, and behind an end all is new. */
  #take(): Task[] {
    let bytes = 0
    const goesAlone = ({ kind }: Task): boolean => kind === 'control' || kind === 'end'
    const end = this.waiting.findIndex((task, place) => {
      bytes += task.bytes
      const isFull = place >= maxTasks || bytes > maxBytes || goesAlone(task) || goesAlone(this.waiting[0] as Task)
      return place > 0 && isFull
    })
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end)
  }

  /** A process that was busy first reads what has come meanwhile. */
  #lookLater(): void {
    this.#isLooking = true
    setTimeout(() => setImmediate(() => this.#expire()), lookMs).unref()
  }

  /** Fails what has waited too long. What was called may still take its place in the log. */
  #expire(): void {
    const now = performance.now()
    const tasks = [...(this.#batch?.tasks ?? []), ...this.waiting]
    for (const task of tasks) if (task.deadline <= now) fail(task)
    this.waiting = this.waiting.filter(({ isDone }) => !isDone)
    this.#isLooking = false
    if (tasks.some(({ isDone }) => !isDone)) this.#lookLater()
  }
}

/** Fails a task that is not done. */
export function fail(task: Task): void {
  if (task.isDone) return
  task.isDone = true
  task.fail()
}
