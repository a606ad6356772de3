import { keptSeconds, type Exchange } from '../http/exchange.ts'
import { describe } from './expect.ts'
import type { ExplanationName, Violation } from './findings.ts'
import { concluded, type Assumptions, type Judging } from './questions.ts'
import { idReused, judgeIdReused, judgeOwnPetRemoved, removed } from './removals.ts'
import type { Log } from './run-log.ts'
import { hasAnotherChanged, othersChangeTheirs } from './status-changes.ts'

/** Something innocent that may explain a claim. The page `docs/explanation/certainty.md` says what refutes each. */
interface Explanation {
  /** Why a requirement is not verified as long as it is possible; capital letters stand for values. */
  reason: string
  /** Reads the log, and yields the questions that decide. Returns the reason as long as it is possible; undefined once it is refuted. */
  judge(claim: Violation, log: Log, assumptions: Assumptions): Judging<string | undefined>
}

const changed = 'other clients change pets while the run looks at them'
const leftList = 'others change the statuses of pets while the run looks at them'
const cached =
  'REQUEST responded STATUS, by its headers from a cache: verify behind the cache, or set a longer time with --settle'
const late = 'may be late, after N s (--settle)'

/**
 * What may be innocent about a claim, in the order in which the log is read. A claim says which of them could explain it;
 * `cached` may explain any. Whether others have changed the status of a pet of the run is judged before: the claim depends on it.
 */
export const explanations: Readonly<Record<ExplanationName, Explanation>> = {
  /** Others change the statuses of their pets. */
  otherStatusChanges: {
    reason: changed,
    judge: (_claim, log) => concluded(othersChangeTheirs(log) ? changed : undefined),
  },
  /** Others have moved the pet to another status. */
  leftStatusList: {
    reason: leftList,
    judge: (_claim, log) => concluded(hasAnotherChanged(log) ? leftList : undefined),
  },
  /** Others have removed or changed a pet of the run. */
  ownPetRemoved: {
    reason: removed,
    judge: judgeOwnPetRemoved,
  },
  /** Others have removed a pet, and the next new pet got its id. */
  idReused: {
    reason: idReused,
    judge: judgeIdReused,
  },
  /** A response comes from a cache. */
  cached: {
    reason: cached,
    judge: ({ exchanges }) => concluded(staleness(exchanges)),
  },
  /** A new pet, a change or a removal is not visible everywhere yet. */
  late: {
    reason: late,
    // Whether it can be late was read when the claim was made: what comes later was late.
    judge: ({ unless }) => concluded(unless?.late ? late : undefined),
  },
}

/** The further waits for what may be late, in consistency windows of at most 5 s: lists are often cached for a minute. */
export const patience = { windows: [5, 7], longestWindowMs: 5_000 } as const

/** What is innocent about a claim, or may be; undefined where nothing is. */
export function* explain(
  claim: Violation,
  log: Log,
  assumptions: Assumptions,
): Judging<{ name: ExplanationName; reason: string } | undefined> {
  for (const name of Object.keys(explanations) as ExplanationName[]) {
    const mayExplain = name === 'cached' || (claim.unless?.[name] ?? false)
    // The id of a pet may be 0.
    if (mayExplain === false) continue
    const reason = yield* explanations[name].judge(claim, log, assumptions)
    if (reason !== undefined) return { name, reason }
  }
  return undefined
}

/** Why a comparison of several responses shows nothing, where one of them may come from a cache. */
function staleness(exchanges: readonly Exchange[]): string | undefined {
  const kept = exchanges.find((exchange) => keptSeconds(exchange) > 0)
  if (kept === undefined || exchanges.length === 1) return undefined
  const seconds = keptSeconds(kept)
  const age = seconds === Infinity ? '' : ` and up to ${seconds} s old`
  return cached
    .replace('REQUEST responded STATUS', () => describe(kept))
    .replace(' from a cache', `$&${age}`)
}
