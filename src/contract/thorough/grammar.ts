import { petStatuses } from '../../spec/operations.ts'
import type { PetStatus } from '../../spec/types.ts'
import * as credentials from '../http/credentials.ts'
import type { Credential } from '../http/credentials.ts'
import { ordinaryKinds, specialKinds } from '../http/request-bodies.ts'

/** Reproducible random numbers (mulberry32). */
class SeededRandom {
  #state: number

  /** @param stream selects one of many sequences of the same seed */
  constructor(seed: number, stream: number) {
    this.#state =
      (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0
    for (let round = 0; round < 4; round += 1) this.below(2)
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end)
  }

  /** @param items not empty */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items]
    for (let end = shuffled.length - 1; end > 0; end -= 1) {
      const other = this.below(end + 1)
      ;[shuffled[end], shuffled[other]] = [shuffled[other] as Item, shuffled[end] as Item]
    }
    return shuffled
  }
}

/**
 * A step of a sequence, which means the same whenever it runs. `back` selects a pet that the sequence has created, counted
 * from the last one; beyond its first, an earlier pet of the run.
 */
export type SequenceStep =
  | { op: 'create'; kind: string; status: PetStatus | undefined; as?: Credential }
  /** Reuses the name of an earlier pet, with the same or `other` fields. */
  | { op: 'again'; back: number; other: boolean }
  | { op: 'get'; back: number; offset?: bigint; as?: Credential }
  | { op: 'get-id'; id: string }
  | { op: 'list'; query: string; isDescribed: boolean; as?: Credential }
  | { op: 'together'; steps: SequenceStep[] }

const limits = [1, 2, 3, 5, 9, 10, 19, 20, 21, 33, 50, 64, 99, 100]

const oddQueries = [
  ...'0|101|-1||abc%22|1.5|20.0|1e1|%205|5%20|%2B5|0x10|1,000|%D9%A3|2147483648|4294967297|9223372036854775807|9223372036854775808'
    .concat("|18446744073709551617|null|NaN|Infinity|%00|%FF|5;|1'--")
    .split('|')
    .map((value) => `limit=${value}`),
  ..."|lost|Available|SOLD|sold%20|sold,pending|null|%00|*|0|sold'--"
    .split('|')
    .map((value) => `status=${value}`),
  ...'limit=2&limit=3 status=sold&status=pending limit=0&status=lost limit=1.5&status=sold offset=1'.split(
    ' ',
  ),
  ...'page=2&limit=3 cursor=x sort=-name fields=id q=Rex limit%5B%5D=5 status%5B%5D=sold && ='.split(
    ' ',
  ),
]

const oddIds = [
  'abc',
  '9223372036854775808',
  '-9223372036854775809',
  'null',
  'true',
  '%20',
  '-',
  'NaN',
  '%F0%9F%90%BE',
]
/** Ids that probably do not exist. */
export const unknownIds = [
  '9223372036854775807',
  '-9223372036854775808',
  '0',
  '-1',
  '9007199254740993',
  '4294967296',
]
/** Offsets of unknown ids near a known one, some of which collide with it in narrower integers. */
const idOffsets = [1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 31n]

const denied = Object.values(credentials).filter(
  (one) => one !== credentials.validKey && one !== credentials.lowerCaseScheme,
)

const anyStatus = [undefined, ...petStatuses]

/** Steps that every run includes, unless it ends early. */
type Special = (draw: SeededRandom) => SequenceStep
const specials: readonly Special[] = [
  ...specialKinds.map((kind): Special => (draw) => ({
    op: 'create',
    kind,
    status: draw.pick(anyStatus),
  })),
  ...[false, true].map((other): Special => () => ({ op: 'again', back: 0, other })),
  ...oddQueries.map((query): Special => () => ({ op: 'list', query, isDescribed: false })),
  ...[...oddIds, ...unknownIds].map((id): Special => () => ({ op: 'get-id', id })),
  ...idOffsets.map((offset): Special => (draw) => ({ op: 'get', back: draw.below(2), offset })),
  ...denied.flatMap((as): Special[] => [
    (draw) => ({ ...list(draw), as }),
    (draw) => ({ op: 'create', kind: 'plain', status: draw.pick(petStatuses), as }),
    (draw) => ({ op: 'get', back: draw.below(3), as }),
  ]),
]

function list(draw: SeededRandom): SequenceStep & { op: 'list' } {
  const status = draw.pick([undefined, undefined, ...petStatuses])
  const limit = draw.pick([undefined, 100, ...limits, 1 + draw.below(100)])
  const parts = [
    ...(limit === undefined ? [] : [`limit=${limit}`]),
    ...(status === undefined
      ? []
      : [`status=${draw.below(8) === 0 ? status.replace('d', '%64') : status}`]),
  ]
  return {
    op: 'list',
    query: (draw.below(2) === 0 ? parts : parts.toReversed()).join('&'),
    isDescribed: true,
  }
}

/** Ordinary steps. Each sequence uses a random subset, so that sequences differ in emphasis. */
const usual: Record<string, (draw: SeededRandom) => SequenceStep> = {
  create: (draw) => ({ op: 'create', kind: 'plain', status: draw.pick(anyStatus) }),
  spell: (draw) => ({ op: 'create', kind: draw.pick(ordinaryKinds), status: draw.pick(anyStatus) }),
  special: (draw) => draw.pick(specials)(draw),
  get: (draw) => ({ op: 'get', back: draw.below(4) }),
  read: (draw) => ({ op: 'get', back: draw.below(2) }),
  list,
  wide: (draw) => ({
    op: 'list',
    query: `status=${draw.pick(petStatuses)}&limit=100`,
    isDescribed: true,
  }),
  together: (draw) => {
    const one = draw.pick([usual['create'], usual['get'], list, usual['create']])
    return {
      op: 'together',
      steps: Array.from({ length: 2 + draw.below(3) }, () => (one ?? list)(draw)),
    }
  },
}

/** The most usual steps of a sequence, and its special ones, which take turns: with one, a run needs twice as many sequences to use all. */
const maxSteps = 6
const specialsOfEach = 2

/** The nth sequence of a seed, independent of the length of the run. */
export function drawSequence(seed: number, nth: number): SequenceStep[] {
  const draw = new SeededRandom(seed, nth)
  const deck = new SeededRandom(seed, -1).shuffle(specials)
  const names = Object.keys(usual)
  const some = names.filter(() => draw.below(2) === 0)
  const allowed = some.length === 0 ? names : some
  const steps: SequenceStep[] = Array.from({ length: 1 + draw.below(maxSteps) }, () => {
    return (usual[draw.pick(allowed)] ?? list)(draw)
  })
  for (let count = 0; count < specialsOfEach; count += 1) {
    const special = deck[(nth * specialsOfEach + count) % deck.length] as Special
    steps.splice(draw.below(steps.length + 1), 0, special(draw))
  }
  return steps
}

function simpler(step: SequenceStep): SequenceStep[] {
  if (step.op === 'together')
    return [...step.steps, ...step.steps.map((_, at) => together(step.steps, at))]
  if (step.op === 'create' && step.status !== undefined && step.as === undefined)
    return [{ ...step, status: undefined }]
  if (step.op === 'list' && step.query.includes('&'))
    return step.query.split('&').map((query) => ({ ...step, query }))
  return []
}

const together = (steps: readonly SequenceStep[], without: number): SequenceStep => ({
  op: 'together',
  steps: steps.filter((_, at) => at !== without),
})

/** Looks for a shorter failing sequence: fewer steps, then simpler ones. `fails` returns undefined to stop. */
export async function shrink(
  steps: readonly SequenceStep[],
  fails: (steps: readonly SequenceStep[]) => Promise<boolean | undefined>,
): Promise<readonly SequenceStep[]> {
  let shortest = steps
  const take = async (shorter: readonly SequenceStep[]): Promise<boolean | undefined> => {
    const result = await fails(shorter)
    if (result) shortest = shorter
    return result
  }
  for (
    let size = Math.ceil(shortest.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    // From the end: a failure usually needs the first steps.
    for (let at = shortest.length - size; at >= 0; at -= size) {
      const shorter = shortest.filter((_, place) => place < at || place >= at + size)
      if (shorter.length > 0 && (await take(shorter)) === undefined) return shortest
    }
  }
  for (let at = 0; at < shortest.length; at += 1) {
    const step = shortest[at] as SequenceStep
    for (const other of simpler(step)) {
      const result = await take(shortest.with(at, other))
      if (result === undefined) return shortest
      if (result) {
        at -= 1
        break
      }
    }
  }
  return shortest
}
