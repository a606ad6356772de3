/** Generated histories, correct or with one fault. */
import { createDraw } from './clients.ts'
import type { Recorded } from './linearizable.ts'
import { type Operation, sandboxModel, startState, type State } from './register.ts'
import { Random } from '../../../src/mock/pets/seed.ts'

export const start = startState('[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]')

/** Faults, with the kinds of operations that can have them. */
export const plantedFaults = {
  'a creation that is acknowledged and lost': ['create'],
  'a creation that is applied twice': ['create'],
  'a read of an older state': ['list'],
  'a rule that is used without being counted': ['get', 'list', 'create'],
  'a reset that did not happen': ['reset'],
  'an id that is given twice': ['create'],
} as const
export type PlantedFault = keyof typeof plantedFaults

export interface Plan {
  seed: number
  clients: number
  operations: number
  /** One in this many operations gets no response; half of them take effect, perhaps later. */
  oneLostIn?: number | undefined
  fault?: PlantedFault | undefined
}

interface Running {
  readonly op: Operation
  readonly client: number
  readonly call: number
  readonly isLost: boolean
  /** Set when the operation has taken effect. */
  result?: string
}

/** Concurrent operations of these kinds could explain a fault, so that the history would be linearizable. */
const covers = new Set([
  'end',
  'reset',
  'restore',
  'clear-rules',
  'save',
  'set-clock',
  'advance',
  'reset-clock',
])
const audits = ['export', 'rules', 'clock'] as const

/**
 * Simulates clients with one operation each at a time, which takes effect at any moment between call and return. A
 * fault is planted in the second half, after a quiet moment with an audit; another audit is the end.
 *
 * @returns undefined if the fault could not be planted.
 */
export function makeHistory({ seed, clients, operations, oneLostIn, fault }: Plan) {
  const random = new Random(seed)
  const below = (end: number): number => Math.floor(random.next() * end)
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)]
  const draws = Array.from({ length: clients }, (_, client) =>
    createDraw(seed * 50 + client, `c${client}`, () => state.pets.length),
  )
  const history: Recorded<Operation>[] = []
  /** All states with their start times. */
  const states: { since: number; state: State }[] = []
  const late: Operation[] = []
  let [running, state, now, isQuiet] = [[] as Running[], start, 0, false]
  const planted = { isThere: false }

  function draw(client: number): Operation {
    for (;;) {
      const op = (draws[client] as () => Operation)()
      if (
        !isQuiet ||
        !covers.has(op.kind) ||
        (op.kind === 'reset' && fault === 'a reset that did not happen')
      )
        return op
    }
  }
  function become(next: State): void {
    state = next
    states.push({ since: now, state })
  }
  function apply(one: Running): void {
    const { result, state: after } = sandboxModel.step(state, one.op)
    const before = state
    const again = sandboxModel.step(after, one.op)
    one.result = result
    become(after)
    if (
      fault === undefined ||
      planted.isThere ||
      !isQuiet ||
      one.isLost ||
      !isPlaceOf(fault, one.op)
    )
      return
    switch (fault) {
      case 'a creation that is acknowledged and lost':
        if (result.startsWith('201')) become(before)
        break
      case 'a creation that is applied twice':
        if (result.startsWith('201') && again.result.startsWith('201')) become(again.state)
        break
      case 'a rule that is used without being counted':
        if (result.startsWith('418')) become(before)
        break
      case 'a reset that did not happen':
        if (before.pets.length > start.pets.length) become(before)
        break
      case 'an id that is given twice':
        if (result.startsWith('201'))
          one.result = result.replace(/"id":\d+/, `"id":${before.pets.length}`)
        break
      case 'a read of an older state': {
        if (one.op.kind !== 'list' || one.op.limit < 100 || one.op.status !== undefined) break
        const returned = history.findLast(
          ({ op, result }) => op.kind === 'create' && result?.startsWith('201'),
        )
        const old = states.findLast(({ state }) => !holds(state, returned?.result))
        if (
          returned === undefined ||
          returned.return >= one.call ||
          old === undefined ||
          !holds(before, returned.result)
        )
          break
        one.result = sandboxModel.step({ ...old.state, rules: before.rules }, one.op).result
        break
      }
    }
    planted.isThere = state !== after || one.result !== result
  }
  function audit(): void {
    for (const kind of audits) {
      const { result } = sandboxModel.step(state, { kind })
      history.push({ op: { kind }, call: now + 1, return: now + 2, result, by: 'audit' })
      now += 3
    }
  }

  while (history.length < operations && !planted.isThere) {
    now += 1
    const wantsQuiet = fault !== undefined && !isQuiet && history.length > operations / 2
    if (wantsQuiet && running.length === 0) {
      audit()
      late.length = 0
      isQuiet = true
    }
    step(!wantsQuiet)
  }
  while (running.length > 0) {
    now += 1
    step(false)
  }
  audit()
  return fault !== undefined && !planted.isThere ? undefined : history

  /** Lets one operation begin, take effect or return. */
  function step(mayBegin: boolean): void {
    const turn = below(3)
    if (turn === 0 && mayBegin) {
      const client = below(clients)
      if (running.some((one) => one.client === client)) return
      const op = draw(client)
      const mayBeLost = fault === undefined || !(isQuiet || covers.has(op.kind))
      const isLost = oneLostIn !== undefined && below(oneLostIn) === 0 && mayBeLost
      running.push({ op, client, call: now, isLost })
    } else if (turn === 1) {
      if (late.length > 0 && below(4) === 0)
        become(sandboxModel.step(state, late.shift() as Operation).state)
      const one = pick(running.filter(({ result }) => result === undefined))
      if (one !== undefined && (!one.isLost || below(2) === 0)) apply(one)
    } else {
      const one = pick(running.filter(({ result, isLost }) => isLost || result !== undefined))
      if (one === undefined) return
      const { op, call, client, isLost, result } = one
      const [end, back] = isLost ? [Infinity, undefined] : [now, result]
      history.push({ op, call, return: end, result: back, by: `client ${client}` })
      if (isLost && result === undefined && below(2) === 0) late.push(op)
      running = running.filter((other) => other !== one)
    }
  }
}

/** Whether one of the latest pets is the result of a creation. */
const holds = ({ pets }: State, result = ''): boolean =>
  pets.rows
    .slice(Math.max(0, pets.length - 80), pets.length)
    .some(({ text }) => result.endsWith(text))

const isPlaceOf = (fault: PlantedFault, { kind }: Operation): boolean =>
  (plantedFaults[fault] as readonly string[]).includes(kind)

/** Checks linearizability by trying all orders. */
export function judgeByForce(
  history: readonly Recorded<Operation>[],
  state: State = start,
): boolean {
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
