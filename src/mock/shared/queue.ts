/** What waits for a call to the engine: of one sandbox at most one is under way, and what comes meanwhile shares the next. */

/** What waits for a call to the engine. */
export interface Task {
  /** The id of its entry; undefined while it needs none. */
  op: string | undefined
  readonly letter: 'r' | 'c' | 'e' | 'look'
  /** Whether a sandbox that is not there is made. */
  readonly creates: boolean
  /** Whether it leaves the state as it is, as far as the mock knows. */
  readonly isRead: () => boolean
  /** The body of its entry. */
  readonly seal: () => Buffer
  body?: Buffer
  /** Of the body, about. */
  readonly bytes: number
  /** By the clock of the process. */
  readonly deadline: number
  /** Whether a call was lost that may have written its entry. */
  isUncertain: boolean
  isDone: boolean
  /** Does it at its place in the log, and responds. */
  readonly run: (place: { at: number; number: number }, isThere: boolean) => void
  /** Responds that it could not be done. */
  readonly fail: () => void
}

/** Milliseconds after which a request that waits for the engine gets 503. */
const patienceMs = 1_500
/** Milliseconds between two attempts. */
const retryMs = 50
/** Of one call: tasks, and about how many bytes they and the entries of others take. */
export const mostTasks = 500
export const mostBytes = 2 ** 20
/** The engine has not responded in time. */
export class UnavailableError extends Error {}

/** Tasks that wait for calls to the engine, and fail when they wait too long. */
export abstract class TaskQueue {
  readonly #isGone: () => boolean
  protected waiting: Task[] = []
  protected called: Task[] = []
  #isCalling = false
  #timer: NodeJS.Timeout | undefined
  /** When the latest call came back: a sandbox that is being loaded may take several. */
  #progressAt = -Infinity

  /** @param isGone whether no task shall wait for the engine. */
  constructor(isGone: () => boolean) {
    this.#isGone = isGone
  }

  /** @returns false when the tasks that are left shall wait a moment. */
  protected abstract callOnce(called: readonly Task[]): Promise<boolean>
  /** Notes why a call failed, and returns whether it would fail again. */
  protected abstract isFinal(error: unknown): boolean

  protected add(task: Omit<Task, 'op' | 'deadline' | 'isUncertain' | 'isDone'>): void {
    if (this.#isGone()) return task.fail()
    const deadline = performance.now() + patienceMs
    this.waiting.push({ ...task, op: undefined, deadline, isUncertain: false, isDone: false })
    this.#timer ??= this.#expireIn(patienceMs)
    if (this.#isCalling) return
    this.#isCalling = true
    // What arrives in the same turn of the event loop shares the call.
    setImmediate(() => void this.#call())
  }

  /** Fails what has waited too long. What was called may still take its place in the log. */
  #expire(): void {
    const now = performance.now()
    const deadlineOf = ({ deadline }: Task): number => Math.max(deadline, this.#progressAt + patienceMs)
    for (const task of [...this.called, ...this.waiting]) {
      if (deadlineOf(task) <= now) this.#fail(task)
    }
    this.waiting = this.waiting.filter(({ isDone }) => !isDone)
    const next = [...this.called, ...this.waiting].find(({ isDone }) => !isDone)
    this.#timer = next && this.#expireIn(Math.max(1, deadlineOf(next) - now))
  }

  #fail(task: Task): void {
    if (task.isDone) return
    task.isDone = true
    task.fail()
  }

  /** A process that was busy first reads what has come meanwhile. */
  #expireIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#expire()), ms)
  }

  async #call(): Promise<void> {
    while (this.waiting.length > 0) {
      this.called = this.#take()
      const isDone = await this.callOnce(this.called).catch((error: unknown) => {
        const isFinal = this.isFinal(error)
        for (const task of this.called) {
          if (task.op !== undefined) task.isUncertain = true
          if (isFinal) this.#fail(task)
        }
        return false
      })
      if (isDone) this.#progressAt = performance.now()
      const left = this.called.filter((task) => !task.isDone)
      this.called = []
      this.waiting.unshift(...left)
      await (isDone ? new Promise(setImmediate) : new Promise((resolve) => setTimeout(resolve, retryMs)))
    }
    this.#isCalling = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #take(): Task[] {
    let [count, bytes] = [0, 0]
    for (const task of this.waiting) {
      // An end goes alone: reads of its call would be served behind it, without making the sandbox again.
      const isFull = count >= mostTasks || bytes + task.bytes > mostBytes || task.letter === 'e'
      if (count > 0 && isFull) break
      count += 1
      bytes += task.bytes
      // What comes behind an end finds a new sandbox; what makes one may not come behind what finds none.
      if (task.letter === 'e' || (task.letter === 'c' && !task.creates)) break
    }
    return this.waiting.splice(0, count)
  }
}
