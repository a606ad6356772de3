import type { PetStatus } from '../../spec/types.ts'
import * as credentials from '../credentials.ts'
import type { Credential } from '../credentials.ts'
import { statuses } from '../suspicions/lists.ts'
import { ordinaryKinds, specialKinds } from './bodies.ts'
import { SeededRandom } from './random.ts'

/** A pet created by the sequence, counted from the last one; beyond its first, an earlier pet of the run. */
export interface Back {
  back: number
}

/** A step of a sequence, which means the same whenever it runs. */
export type SequenceStep =
  | { op: 'create'; kind: string; status: PetStatus | undefined; as?: Credential }
  /** Reuses the name of an earlier pet, with the same or `other` fields. */
  | { op: 'again'; pet: Back; other: boolean }
  | { op: 'get'; pet: Back; offset?: bigint; as?: Credential }
  | { op: 'get-id'; id: string; as?: Credential }
  | { op: 'list'; query: string; isDescribed: boolean; as?: Credential }
  /** Concurrent requests. */
  | { op: 'together'; steps: SequenceStep[] }

const limits = [1, 2, 3, 5, 9, 10, 19, 20, 21, 33, 50, 64, 99, 100]

/** Unspecified queries. */
const oddQueries = [
  ...'0|101|-1||abc|1.5|20.0|1e1|%205|5%20|%2B5|0x10|1,000|%D9%A3|2147483648|4294967297|9223372036854775807|9223372036854775808'
    .concat("|18446744073709551617|null|NaN|Infinity|%00|%FF|5;|1'--")
    .split('|')
    .map((value) => `limit=${value}`),
  ..."|lost|Available|SOLD|sold%20|sold,pending|null|%00|*|0|sold'--".split('|').map((value) => `status=${value}`),
  ...'limit=2&limit=3 status=sold&status=pending limit=0&status=lost limit=1.5&status=sold offset=1'.split(' '),
  ...'page=2&limit=3 cursor=x sort=-name fields=id q=Rex limit%5B%5D=5 status%5B%5D=sold && ='.split(' '),
]

/** Ids that are no int64. */
const oddIds = ['abc', '9223372036854775808', '-9223372036854775809', 'null', 'true', '%20', '-', 'NaN', '%F0%9F%90%BE']
/** Ids that probably do not exist. */
const unknownIds = ['9223372036854775807', '-9223372036854775808', '0', '-1', '9007199254740993', '4294967296']
/** Offsets of unknown ids near a known one, some of which collide with it in narrower integers. */
const idOffsets = [1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 31n]

const denied = Object.values(credentials).filter(
  (one) => one !== credentials.validKey && one !== credentials.lowerCaseScheme,
)

/** Steps that every run includes, unless it ends early. */
type Special = (draw: SeededRandom) => SequenceStep
const specials: readonly Special[] = [
  ...specialKinds.map((kind): Special => (draw) => ({
    op: 'create',
    kind,
    status: draw.pick([undefined, ...statuses]),
  })),
  ...[false, true].map((other): Special => () => ({ op: 'again', pet: { back: 0 }, other })),
  ...oddQueries.map((query): Special => () => ({ op: 'list', query, isDescribed: false })),
  ...[...oddIds, ...unknownIds].map((id): Special => () => ({ op: 'get-id', id })),
  ...idOffsets.map((offset): Special => (draw) => ({ op: 'get', pet: { back: draw.below(2) }, offset })),
  ...denied.flatMap((as): Special[] => [
    (draw) => ({ ...list(draw), as }),
    (draw) => ({ op: 'create', kind: 'plain', status: draw.pick(statuses), as }),
    (draw) => ({ op: 'get', pet: { back: draw.below(3) }, as }),
  ]),
]

function list(draw: SeededRandom): SequenceStep & { op: 'list' } {
  const status = draw.pick([undefined, undefined, ...statuses])
  const limit = draw.pick([undefined, 100, ...limits, 1 + draw.below(100)])
  const parts = [
    ...(limit === undefined ? [] : [`limit=${limit}`]),
    ...(status === undefined ? [] : [`status=${draw.below(8) === 0 ? status.replace('d', '%64') : status}`]),
  ]
  return { op: 'list', query: (draw.below(2) === 0 ? parts : parts.toReversed()).join('&'), isDescribed: true }
}

/** Ordinary steps. Each sequence uses a random subset, so that sequences differ in emphasis. */
const usual: Record<string, (draw: SeededRandom) => SequenceStep> = {
  create: (draw) => ({ op: 'create', kind: 'plain', status: draw.pick([undefined, ...statuses]) }),
  spell: (draw) => ({ op: 'create', kind: draw.pick(ordinaryKinds), status: draw.pick([undefined, ...statuses]) }),
  special: (draw) => draw.pick(specials)(draw),
  get: (draw) => ({ op: 'get', pet: { back: draw.below(4) } }),
  read: (draw) => ({ op: 'get', pet: { back: draw.below(2) } }),
  list,
  wide: (draw) => ({ op: 'list', query: `status=${draw.pick(statuses)}&limit=100`, isDescribed: true }),
  together: (draw) => {
    const one = draw.pick([usual['create'], usual['get'], list, usual['create']])
    return { op: 'together', steps: Array.from({ length: 2 + draw.below(3) }, () => (one ?? list)(draw)) }
  },
}

/** Ordinary steps of a sequence. */
const maxSteps = 6
const specialsOfEach = 2

/** After this many sequences, every special step was used. */
export const sequencesPerDeck = Math.ceil(specials.length / specialsOfEach)

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

/** Simpler variants of a step, the simplest first. */
export function simpler(step: SequenceStep): SequenceStep[] {
  if (step.op === 'together') return [...step.steps, ...step.steps.map((_, at) => together(step.steps, at))]
  if (step.op === 'create' && step.status !== undefined && step.as === undefined)
    return [{ ...step, status: undefined }]
  if (step.op === 'list' && step.query.includes('&')) return step.query.split('&').map((query) => ({ ...step, query }))
  return []
}

const together = (steps: readonly SequenceStep[], without: number): SequenceStep => ({
  op: 'together',
  steps: steps.filter((_, at) => at !== without),
})
