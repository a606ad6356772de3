/** Judges a history of concurrent operations: whether they could have taken effect one after the other, each between its call and its return. */

export interface Recorded<Op> {
  readonly op: Op
  /** When it was sent, on the one clock of the history. */
  readonly call: number
  /** When its result was there; Infinity where none came: it may have taken effect at any time since, or never. */
  readonly return: number
  /** What came back, or undefined where none came. */
  readonly result: string | undefined
  /** Who sent it to whom: for the reader of a counterexample. */
  readonly by: string
}

/** What the operations do one after the other. States are plain values that are never changed. */
export interface Sequential<State, Op> {
  step: (state: State, op: Op) => { state: State; result: string }
  /** Equal texts for equal states, and for no others. */
  keyOf: (state: State) => string
  /** Equal texts for operations without a result that do the same: only the earliest of them is tried. */
  effectOf: (op: Op) => string
}

export interface Judgment<Op> {
  verdict: 'linearizable' | 'not linearizable' | 'not checked'
  /** Configurations that were tried. */
  steps: number
  /** As far as the best order came: the operation that fits nowhere behind it, and what it should have returned there. */
  stuck?: { done: number; at: Recorded<Op>; expected: string }
}

interface Frame<State> {
  readonly state: State
  readonly next: readonly number[]
  turn: number
}

/**
 * The search of Wing and Gong with the memory of Lowe: depth first over the operations that nothing undone precedes; a
 * set of done operations is left at once when the same set led to the same state before. Its cost is that of the
 * operations at the same time, and of those without a result; the length of the history counts once.
 *
 * @param budget of configurations. When it runs out, the history is `not checked`.
 */
export function judge<State, Op>(
  model: Sequential<State, Op>,
  start: State,
  history: readonly Recorded<Op>[],
  budget = 500_000,
): Judgment<Op> {
  const closed = history.filter((one) => one.return !== Infinity).toSorted((a, b) => a.call - b.call)
  const open = history.filter((one) => one.return === Infinity).toSorted((a, b) => a.call - b.call)
  const all = [...closed, ...open]
  const names = [...new Set(open.map(({ op }) => model.effectOf(op)))]
  /** Which effect each open operation has, and how many of each effect are done: the earliest ones. */
  const effects = open.map(({ op }) => names.indexOf(model.effectOf(op)))
  let used: readonly number[] = names.map(() => 0)
  const isDone = new Uint8Array(all.length)
  const seen = new Map<string, (readonly number[])[]>()
  /** All closed operations below are done. */
  let first = 0
  let [done, steps] = [0, 0]
  let deepest: { done: number; state: State; at: Recorded<Op> } | undefined

  /** Those that may come next: no undone one returned before they were called. The one that returned first leads. */
  function candidates(state: State): number[] {
    const next: number[] = []
    let earliest = Infinity
    let at: Recorded<Op> | undefined
    for (let index = first; index < closed.length; index += 1) {
      const one = closed[index] as Recorded<Op>
      if (one.call > earliest) break
      if (isDone[index] === 1) continue
      if (one.return < earliest) [earliest, at] = [one.return, one]
      next.push(index)
    }
    if (at !== undefined && done >= (deepest?.done ?? 0)) deepest = { done, state, at }
    next.sort((a, b) => (all[a] as Recorded<Op>).return - (all[b] as Recorded<Op>).return)
    const tried = new Set<number>()
    for (const [place, one] of open.entries()) {
      if (one.call > earliest) break
      const effect = effects[place] as number
      if (isDone[closed.length + place] === 1 || tried.has(effect)) continue
      tried.add(effect)
      next.push(closed.length + place)
    }
    return next
  }

  /**
   * Whether the same operations led to the same state before, by no more of those that have no result: the more of them
   * are left, the more is possible. Behind one without a result fewer are tried, so that it is another configuration.
   */
  function wasTried(state: State, index: number): boolean {
    let key = `${first} `
    const end = closed[first]?.return ?? -Infinity
    for (let index = first + 1; index < closed.length && (closed[index] as Recorded<Op>).call <= end; index += 1) {
      if (isDone[index] === 1) key += `${index},`
    }
    key += ` ${model.keyOf(state)}`
    const isWithin = (counts: readonly number[]): boolean =>
      counts.every((count, effect) => count <= (used[effect] as number))
    const own = index < closed.length ? key : `${key} ${index}`
    if (seen.get(key)?.some(isWithin) || seen.get(own)?.some(isWithin)) return true
    seen.set(own, [...(seen.get(own) ?? []), used])
    return false
  }

  /**
   * Whether the operation before has no result and would do the same behind this one: then that order is the one to try,
   * so that such operations stand only where they matter.
   */
  function couldChangePlaces(index: number, after: State): boolean {
    const before = trail.at(-1)
    if (before === undefined || before.index < closed.length || (index >= closed.length && index > before.index))
      return false
    const { op, result } = all[index] as Recorded<Op>
    const alone = model.step((stack.at(-2) as Frame<State>).state, op)
    if (result !== undefined && alone.result !== result) return false
    const both = model.step(alone.state, (all[before.index] as Recorded<Op>).op)
    return model.keyOf(both.state) === model.keyOf(after)
  }

  const stack: Frame<State>[] = [{ state: start, next: candidates(start), turn: 0 }]
  /** The operation that led to each frame but the first, and what stood before it. */
  const trail: { index: number; first: number; used: readonly number[] }[] = []
  while (first < closed.length) {
    const frame = stack.at(-1) as Frame<State>
    const index = frame.next[frame.turn]
    if (index === undefined) {
      stack.pop()
      const back = trail.pop()
      if (back === undefined) return { verdict: 'not linearizable', steps, ...stuckAt(deepest) }
      isDone[back.index] = 0
      if (back.index < closed.length) done -= 1
      ;({ first, used } = back)
      continue
    }
    frame.turn += 1
    const { op, result } = all[index] as Recorded<Op>
    const after = model.step(frame.state, op)
    if (result === undefined ? model.keyOf(after.state) === model.keyOf(frame.state) : after.result !== result) continue
    if (couldChangePlaces(index, after.state)) continue
    steps += 1
    if (steps > budget) return { verdict: 'not checked', steps, ...stuckAt(deepest) }
    trail.push({ index, first, used })
    isDone[index] = 1
    if (index < closed.length) done += 1
    else used = used.map((count, effect) => (effect === effects[index - closed.length] ? count + 1 : count))
    while (first < closed.length && isDone[first] === 1) first += 1
    stack.push({ state: after.state, next: wasTried(after.state, index) ? [] : candidates(after.state), turn: 0 })
  }
  return { verdict: 'linearizable', steps }

  function stuckAt(found: typeof deepest): Pick<Judgment<Op>, 'stuck'> {
    if (found === undefined) return {}
    const { state, at } = found
    return { stuck: { done: found.done, at, expected: model.step(state, at.op).result } }
  }
}
