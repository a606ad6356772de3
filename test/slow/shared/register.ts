/** A model of one sandbox, operation by operation, which shares no code with the mock. */
import type { Recorded, Sequential } from './linearizable.ts'

export type Operation =
  | { kind: 'create'; name: string; status: Status }
  | { kind: 'get'; id: number }
  | { kind: 'list'; limit: number; status?: Status }
  | { kind: 'export' }
  | {
      kind: 'add-rule'
      mark: string
      operation: 'createPet' | 'getPet' | 'listPets'
      skip: number
      times: number
    }
  | { kind: 'rules' }
  | { kind: 'clear-rules' }
  | { kind: 'set-clock'; now: number }
  | { kind: 'advance'; ms: number }
  | { kind: 'clock' }
  | { kind: 'reset-clock' }
  | { kind: 'save'; snapshot: string }
  | { kind: 'restore'; snapshot: string }
  | { kind: 'snapshots' }
  | { kind: 'look'; route: LookRoute }
  | { kind: 'reset' }
  | { kind: 'end' }

/** Routes below a sandbox that respond 200 while it exists. What they show is checked after an episode. */
export const lookRoutes = [
  '',
  '/journal',
  '/journal/count',
  '/journal.har',
  '/scorecard',
  '/settings',
] as const
type LookRoute = (typeof lookRoutes)[number]

export const statuses = ['available', 'pending', 'sold'] as const
type Status = (typeof statuses)[number]

/** Pets in the order of creation; states that only grow share the rows. Equal lists are the same object. */
interface Pets {
  readonly key: number
  readonly rows: Row[]
  readonly length: number
  readonly children: Map<string, Pets>
}
interface Row {
  readonly text: string
  readonly status: Status
}
interface Rule {
  readonly id: number
  readonly mark: string
  readonly operation: string
  readonly skip: number
  readonly times: number
  readonly fitting: number
  readonly used: number
}
export interface State {
  readonly start: Pets
  readonly pets: Pets
  readonly rules: readonly Rule[]
  readonly rulesEver: number
  /** The time of a stopped clock, in milliseconds since 1970. */
  readonly stoppedAt: number | undefined
  readonly snapshots: ReadonlyMap<string, Pets>
  /** False from its end until a request with its key recreates it. */
  readonly isThere: boolean
}

/** Removal of getPet, in milliseconds since 1970. */
export const removedAt = Date.UTC(2030, 11, 5)

/** Name of a pet that is in no response: its creation got none. */
const unseen = 'unseen'
let lists = 0

function append(pets: Pets, row: Row): Pets {
  const name = row.text + row.status
  let child = pets.children.get(name)
  if (child === undefined) {
    const rows = pets.rows.length === pets.length ? pets.rows : pets.rows.slice(0, pets.length)
    rows.push(row)
    child = { key: (lists += 1), rows, length: pets.length + 1, children: new Map() }
    pets.children.set(name, child)
  }
  return child
}

/** Creates a sandbox with these pets, exported by the control API, with ids from 1 without a gap. */
export function startState(exported: string): State {
  let pets: Pets = { key: (lists += 1), rows: [], length: 0, children: new Map() }
  for (const pet of JSON.parse(exported) as { id: number; status: Status }[]) {
    if (pet.id !== pets.length + 1)
      throw new Error(`The model needs ids without a gap, not ${pet.id}.`)
    pets = append(pets, { text: JSON.stringify(pet), status: pet.status })
  }
  return {
    start: pets,
    pets,
    rules: [],
    rulesEver: 0,
    stoppedAt: undefined,
    snapshots: new Map(),
    isThere: true,
  }
}

/** Each operation according to the documentation of the mock, for the default profile. */
export const sandboxModel: Sequential<State, Operation> = {
  keyOf({ pets, rules, rulesEver, stoppedAt, snapshots, isThere }) {
    const kept = rules
      .map(({ id, mark, fitting, used }) => `${id}${mark}.${fitting}.${used}`)
      .join()
    return `${isThere ? '' : 'gone'} ${pets.key} ${rulesEver} ${kept} ${stoppedAt} ${Array.from(
      snapshots,
      ([name, { key }]) => name + key,
    )
      .toSorted()
      .join()}`
  },
  effectOf(op) {
    if (op.kind === 'create') return `create ${op.status}`
    return op.kind === 'get' || op.kind === 'list' ? op.kind : JSON.stringify(op)
  },
  step(before, op) {
    const isRequest = op.kind === 'create' || op.kind === 'get' || op.kind === 'list'
    if (!before.isThere && !isRequest) return { state: before, result: '404' }
    const state = before.isThere ? before : { ...before, isThere: true }
    switch (op.kind) {
      case 'create':
        return intervene(state, 'createPet', () => {
          const id = state.pets.length + 1
          const text = `{"id":${id},"name":"${op.name}","categoryId":1,"status":"${op.status}"}`
          const pets = append(state.pets, {
            text: op.name === unseen ? unseen : text,
            status: op.status,
          })
          return { state: { ...state, pets }, result: `201 ${text}` }
        })
      case 'get':
        return intervene(state, 'getPet', () => {
          if ((state.stoppedAt ?? 0) >= removedAt) return { state, result: '410' }
          const row = op.id <= state.pets.length ? state.pets.rows[op.id - 1] : undefined
          return { state, result: row === undefined ? '404' : `200 ${row.text}` }
        })
      case 'list':
        return intervene(state, 'listPets', () => {
          const found: string[] = []
          for (
            let place = state.pets.length - 1;
            place >= 0 && found.length < op.limit;
            place -= 1
          ) {
            const { text, status } = state.pets.rows[place] as Row
            if (op.status === undefined || op.status === status) found.push(text)
          }
          return { state, result: `200 [${found.join()}]` }
        })
      case 'export': {
        const rows = state.pets.rows.slice(0, state.pets.length)
        return { state, result: `200 [${rows.map(({ text }) => text).join()}]` }
      }
      case 'add-rule': {
        const { mark, operation, skip, times } = op
        const id = state.rulesEver + 1
        const rules = [...state.rules, { id, mark, operation, skip, times, fitting: 0, used: 0 }]
        return { state: { ...state, rules, rulesEver: id }, result: `201 rule-${id}` }
      }
      case 'rules':
        return {
          state,
          result: `200 ${state.rules.map(({ id, mark, used }) => `rule-${id}:${mark}:${used}`).join()}`,
        }
      case 'clear-rules':
        return { state: { ...state, rules: [] }, result: '204' }
      case 'set-clock':
        return { state: { ...state, stoppedAt: op.now }, result: `200 ${op.now}` }
      case 'advance': {
        if (state.stoppedAt === undefined) return { state, result: '200 runs' }
        const stoppedAt = state.stoppedAt + op.ms
        return { state: { ...state, stoppedAt }, result: `200 ${stoppedAt}` }
      }
      case 'clock':
        return { state, result: `200 ${state.stoppedAt ?? 'runs'}` }
      case 'reset-clock':
        return { state: { ...state, stoppedAt: undefined }, result: '200 runs' }
      case 'save':
        return {
          state: { ...state, snapshots: new Map(state.snapshots).set(op.snapshot, state.pets) },
          result: `200 ${state.pets.length}`,
        }
      case 'restore': {
        const pets = state.snapshots.get(op.snapshot)
        return pets === undefined
          ? { state, result: '404' }
          : { state: { ...state, pets }, result: '204' }
      }
      case 'snapshots': {
        const all = Array.from(state.snapshots, ([name, { length }]) => `${name}:${length}`)
        return { state, result: `200 ${all.toSorted().join()}` }
      }
      case 'look':
        return { state, result: '200' }
      case 'end':
        return {
          state: {
            ...state,
            pets: state.start,
            rules: [],
            rulesEver: 0,
            stoppedAt: undefined,
            snapshots: new Map(),
            isThere: false,
          },
          result: '204',
        }
      case 'reset':
        return {
          state: { ...state, pets: state.start, rules: [], rulesEver: 0, stoppedAt: undefined },
          result: '204',
        }
    }
  },
}

type Step = ReturnType<(typeof sandboxModel)['step']>

/** The newest due rule responds; older matching rules only count the request. */
function intervene(state: State, operation: string, otherwise: () => Step): Step {
  if (!state.rules.some((rule) => rule.operation === operation && rule.used < rule.times))
    return otherwise()
  let mark: string | undefined
  const rules = state.rules.toReversed().map((rule) => {
    if (rule.operation !== operation || rule.used >= rule.times) return rule
    const fitting = rule.fitting + 1
    if (fitting <= rule.skip || mark !== undefined) return { ...rule, fitting }
    ;({ mark } = rule)
    return { ...rule, fitting, used: rule.used + 1 }
  })
  const counted = { ...state, rules: rules.toReversed() }
  if (mark !== undefined) return { state: counted, result: `418 ${mark}` }
  const { state: after, result } = otherwise()
  return { state: { ...after, rules: counted.rules }, result }
}

/** Operations without an effect. */
const reads = new Set<Operation['kind']>(['export', 'rules', 'clock', 'snapshots', 'look'])

/**
 * Completes operations without a response from later responses: a pet in one of them was created with that id before it
 * returned; the name of a pet in none of them is irrelevant. Operations that cannot have had an effect are dropped.
 */
export function infer(history: readonly Recorded<Operation>[]): Recorded<Operation>[] {
  const shown = new Map<string, { text: string; at: number }>()
  for (const one of history) {
    if (one.result === undefined) continue
    for (const [text, name = ''] of one.result.matchAll(
      /\{"id":\d+,"name":"([^"]*)","categoryId":1,"status":"\w+"\}/g,
    )) {
      const before = shown.get(name)
      if (before === undefined || before.at > one.return) shown.set(name, { text, at: one.return })
    }
  }
  // Reads use up rules, and recreate a sandbox that has ended.
  const readsMatter = history.some(({ op }) => op.kind === 'add-rule' || op.kind === 'end')
  return history.flatMap((one): Recorded<Operation>[] => {
    const { op, result } = one
    if (result !== undefined) return [one]
    if (op.kind === 'create') {
      const found = shown.get(op.name)
      if (found === undefined) return [{ ...one, op: { ...op, name: unseen } }]
      return [{ ...one, result: `201 ${found.text}`, return: found.at }]
    }
    if (op.kind === 'get' || op.kind === 'list') return readsMatter ? [one] : []
    return reads.has(op.kind) ? [] : [one]
  })
}
