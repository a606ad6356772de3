/** Checks whether a history of concurrent operations is linearizable: explained by an order of the operations. */

export interface Recorded<Op> {
  readonly op: Op
  /** Time of the call, on the clock of the history. */
  readonly call: number
  /** Time of the result; Infinity without one: the operation may have taken effect at any later time, or never. */
  readonly return: number
  /** The result, if there is one. */
  readonly result: string | undefined
  /** Client and mock, for the output of a counterexample. */
  readonly by: string
}

/** A sequential model. States are immutable plain values. */
export interface Sequential<State, Op> {
  step: (state: State, op: Op) => { state: State; result: string }
  /** Equal texts for exactly the equal states. */
  keyOf: (state: State) => string
  /** Equal texts for operations without a result that have the same effect: only the earliest of them is tried. */
  effectOf: (op: Op) => string
}

export interface Judgment<Op> {
  verdict: 'linearizable' | 'not linearizable' | 'not checked'
  /** Number of tried configurations. */
  steps: number
  /** End of the longest order: the operation that cannot follow it, and the result that was expected there. */
  stuck?: { done: number; at: Recorded<Op>; expected: string }
}

interface Frame<State> {
  readonly state: State
  readonly next: readonly number[]
  turn: number
}

/**
 * The search of Wing and Gong with the memoization of Lowe: depth first over the operations that no pending one
 * precedes; a set of done operations is skipped if the same set led to the same state before. The cost depends on the
 * number of concurrent operations and of those without a result, and linearly on the length of the history.
 *
 * @param budget maximum number of configurations; beyond it, the history is `not checked`.
 */
export function judge<State, Op>(
  model: Sequential<State, Op>,
  start: State,
  history: readonly Recorded<Op>[],
  budget = 500_000,
): Judgment<Op> {
  const closed = history
    .filter((one) => one.return !== Infinity)
    .toSorted((a, b) => a.call - b.call)
  const open = history.filter((one) => one.return === Infinity).toSorted((a, b) => a.call - b.call)
  const all = [...closed, ...open]
  const names = [...new Set(open.map(({ op }) => model.effectOf(op)))]
  /** The effect of each open operation, and the number of done ones per effect: always the earliest. */
  const effects = open.map(({ op }) => names.indexOf(model.effectOf(op)))
  let used: readonly number[] = names.map(() => 0)
  const isDone = new Uint8Array(all.length)
  const seen = new Map<string, (readonly number[])[]>()
  /** All closed operations below are done. */
  let first = 0
  let [done, steps] = [0, 0]
  let deepest: { done: number; state: State; at: Recorded<Op> } | undefined

  /** Operations that may be next: no pending one returned before their call. The one that returned first is first. */
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
   * Whether the same operations led to the same state before, with no more of those without a result: the more of them
   * are left, the more is possible. After one without a result fewer are tried, so that is another configuration.
   */
  function wasTried(state: State, index: number): boolean {
    let key = `${first} `
    const end = closed[first]?.return ?? -Infinity
    for (
      let index = first + 1;
      index < closed.length && (closed[index] as Recorded<Op>).call <= end;
      index += 1
    ) {
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
   * Whether the previous operation has no result and would have the same effect after this one: then only that order is
   * tried, so that such operations are placed only where they matter.
   */
  function couldChangePlaces(index: number, after: State): boolean {
    const before = trail.at(-1)
    if (
      before === undefined ||
      before.index < closed.length ||
      (index >= closed.length && index > before.index)
    )
      return false
    const { op, result } = all[index] as Recorded<Op>
    const alone = model.step((stack.at(-2) as Frame<State>).state, op)
    if (result !== undefined && alone.result !== result) return false
    const both = model.step(alone.state, (all[before.index] as Recorded<Op>).op)
    return model.keyOf(both.state) === model.keyOf(after)
  }

  const stack: Frame<State>[] = [{ state: start, next: candidates(start), turn: 0 }]
  /** The operation that led to each frame except the first, and the values before it. */
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
    if (
      result === undefined
        ? model.keyOf(after.state) === model.keyOf(frame.state)
        : after.result !== result
    )
      continue
    if (couldChangePlaces(index, after.state)) continue
    steps += 1
    if (steps > budget) return { verdict: 'not checked', steps, ...stuckAt(deepest) }
    trail.push({ index, first, used })
    isDone[index] = 1
    if (index < closed.length) done += 1
    else
      used = used.map((count, effect) =>
        effect === effects[index - closed.length] ? count + 1 : count,
      )
    while (first < closed.length && isDone[first] === 1) first += 1
    stack.push({
      state: after.state,
      next: wasTried(after.state, index) ? [] : candidates(after.state),
      turn: 0,
    })
  }
  return { verdict: 'linearizable', steps }

  function stuckAt(found: typeof deepest): Pick<Judgment<Op>, 'stuck'> {
    if (found === undefined) return {}
    const { state, at } = found
    return { stuck: { done: found.done, at, expected: model.step(state, at.op).result } }
  }
}
