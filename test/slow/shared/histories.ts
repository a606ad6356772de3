/** Histories that are made, not recorded: clients run one operation each at a time, which takes effect at any moment in between. */
import { createDraw } from './clients.ts'
import type { Recorded } from './linearizable.ts'
import { type Operation, sandboxModel, startState, type State } from './register.ts'
import { Random } from '../../../src/mock/seed.ts'

export const start = startState('[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]')

interface Plan {
  seed: number
  clients: number
  operations: number
  /** One in so many operations gets no response; half of them take effect, perhaps later. */
  oneLostIn: number
}

interface Running {
  readonly op: Operation
  readonly client: number
  readonly call: number
  readonly isLost: boolean
  /** Once it has taken effect. */
  result?: string
}

/** A history that has an order: that in which its operations took effect. */
export function makeHistory({ seed, clients, operations, oneLostIn }: Plan): Recorded<Operation>[] {
  const random = new Random(seed)
  const below = (end: number): number => Math.floor(random.next() * end)
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)]
  const draws = Array.from({ length: clients }, (_, client) =>
    createDraw(seed * 50 + client, `c${client}`, () => state.pets.length),
  )
  const history: Recorded<Operation>[] = []
  const late: Operation[] = []
  let [running, state, now] = [[] as Running[], start, 0]

  function apply(op: Operation): string {
    const { result, state: after } = sandboxModel.step(state, op)
    state = after
    return result
  }
  function begin(): void {
    const client = below(clients)
    if (running.some((one) => one.client === client)) return
    const op = (draws[client] as () => Operation)()
    running.push({ op, client, call: now, isLost: below(oneLostIn) === 0 })
  }
  function takeEffect(): void {
    if (late.length > 0 && below(4) === 0) apply(late.shift() as Operation)
    const one = pick(running.filter(({ result }) => result === undefined))
    if (one !== undefined && (!one.isLost || below(2) === 0)) one.result = apply(one.op)
  }
  function end(): void {
    const one = pick(running.filter(({ result, isLost }) => isLost || result !== undefined))
    if (one === undefined) return
    const { op, call, client, isLost, result } = one
    const by = `client ${client}`
    history.push({ op, call, by, ...(isLost ? { return: Infinity, result: undefined } : { return: now, result }) })
    if (isLost && result === undefined && below(2) === 0) late.push(op)
    running = running.filter((other) => other !== one)
  }

  while (history.length < operations || running.length > 0) {
    now += 1
    const turn = below(3)
    if (turn === 1) takeEffect()
    else if (turn === 2) end()
    else if (history.length < operations) begin()
  }
  return history
}

/** Whether a history has an order, without any cleverness: all orders are tried. */
export function judgeByForce(history: readonly Recorded<Operation>[], state: State = start): boolean {
  const closed = history.filter((one) => one.return !== Infinity)
  if (closed.length === 0) return true
  const earliest = Math.min(...closed.map((one) => one.return))
  return history.some((one) => {
    if (one.call > earliest) return false
    const after = sandboxModel.step(state, one.op)
    if (one.result !== undefined && one.result !== after.result) return false
    return judgeByForce(
      history.filter((other) => other !== one),
      after.state,
    )
  })
}
