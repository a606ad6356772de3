import { keptSeconds, type Exchange } from '../http/exchange.ts'
import { describe } from './expect.ts'
import type { ExplanationName, NotVerified, Violation } from './findings.ts'
import { concluded, type Assumptions, type Judging } from './questions.ts'
import { idReused, mayReuse, othersTook, taken } from './removals.ts'
import type { Log } from './run-log.ts'
import { anyOtherMoved, othersChange, othersMoved, unseen, type Moved } from './status-changes.ts'

/** Something innocent that may explain a claim. The texts are the documentation, too. */
export interface Explanation<Subject = Violation, Conclusion = string | undefined> {
  /** What is innocent about it, and the claims that it can explain. */
  what: string
  explains: string
  /** When the log refutes it, and the requests that decide. */
  refuted: string
  requests: string
  /** Why a requirement is not verified as long as it is possible; capital letters stand for values. */
  reason: string
  /** Reads the log, and yields the questions that decide. Returns the reason as long as it is possible; undefined once it is refuted. */
  judge(subject: Subject, log: Log, assumptions: Assumptions): Judging<Conclusion>
}

const changed = 'other clients change pets while the run looks at them'
const leftList = 'others change the statuses of pets while the run looks at them'
const cached =
  'REQUEST responded STATUS, by its headers from a cache: verify behind the cache, or set a longer time with --settle'
const late = 'may be late, after N s (--settle)'

type OfClaims = Exclude<ExplanationName, 'moved'>

/**
 * What may be innocent about a claim, in the order in which the log is read. A claim says which of them could explain it;
 * `cached` may explain any. `moved` is judged before: whether there is a claim, and which, depends on it.
 */
export const explanations: Readonly<
  Record<OfClaims, Explanation> & { moved: Explanation<Moved, boolean | NotVerified> }
> = {
  changed: {
    what: 'Others change the statuses of their pets.',
    explains:
      'responses that show a pet of others with different statuses, or lists by status that differ',
    refuted:
      'In the whole run, no two lists without a filter that the same request got show a pet of others with different statuses.',
    requests: 'nothing: every response counts',
    reason: changed,
    judge: (_claim, log) => concluded(othersChange(log) ? changed : undefined),
  },
  leftList: {
    what: 'Others have moved the pet to another status.',
    explains: 'a pet that is missing from the list of its status',
    refuted: 'In the whole run, no pet was shown with one status and later with another one.',
    requests: 'nothing: every response counts',
    reason: leftList,
    judge: (_claim, log) => concluded(anyOtherMoved(log) ? leftList : undefined),
  },
  moved: {
    what: 'Others have changed the status of a pet of the run.',
    explains: 'a pet of the run with another status than it was created with',
    refuted:
      'Three reads in a row show other statuses each time: reads change it. Or no read has shown it with the status that was sent, and no other pet changes its status, not even a new one that is read at once, and again when it is older than this one was. Or other pets change theirs, but no read has shown a pet with the status that was sent, and two new ones have another one at once, the same for the same status, and keep it.',
    requests:
      'the pet, three times in a row; the other pets of the run; a new pet, twice; where others change statuses, two new pets, twice',
    reason: unseen,
    judge: othersMoved,
  },
  taken: {
    what: 'Others have removed or changed a pet of the run.',
    explains: 'a pet of the run that is gone, or has another name or category',
    refuted:
      'A further read shows the pet as it was created, or with another name of the run. Or no pet of others is gone, and either no response has ever shown the pet, or another pet of the run is gone or changed, too; but where all pets of the run are gone that were there at a moment, new ones must get lost as well, the older ones first, or a lost one must be there again: a job that removes test pets takes all at once, for good. In a smoke run, always: it sends few requests.',
    requests:
      'the pet, five times; the longest lists; the other pets of the run; pets that lists no longer show; where all earlier pets of the run are gone, two new ones, until they are older than the youngest lost one, and at last the lost ones',
    reason: taken,
    judge: othersTook,
  },
  idReused: {
    what: 'Others have removed a pet, and the next new pet got its id.',
    explains: 'a new pet with the id of an earlier one',
    refuted:
      'Creations side by side get one id again; where both pets have one name, creations with that name. Or it happened more than once, or within 10 ms of the creation of an earlier pet with another name, and no pet of others is gone.',
    requests:
      'four creations side by side, once in a run, or two with the name that both pets have; pets that lists no longer show',
    reason: idReused,
    judge: mayReuse,
  },
  cached: {
    what: 'A response comes from a cache.',
    explains: 'responses that disagree',
    refuted:
      'The headers of the responses allow no age (`Age`, `Cache-Control`, `Expires`, `X-Cache` and others like them).',
    requests: 'nothing: the headers count',
    reason: cached,
    judge: ({ exchanges }) => concluded(staleness(exchanges)),
  },
  late: {
    what: 'A new pet, a change or a removal is not visible everywhere yet.',
    explains: 'a pet that is missing, or is shown as it was before',
    refuted:
      'Of a list: the pet was shown before the run created any, and others add none that a list by status learns of later. Of getPet: it has shown this pet, or a later one of the run. Of a page: lists beside it show more such pets, or more pets are missing than there are new ones, or two pages end at the same length.',
    requests:
      'the same requests after the consistency window (`--settle`), until two agree; where nothing else is violated, again after 5 and after 7 more windows of at most 5 s',
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
): Judging<{ name: OfClaims; reason: string } | undefined> {
  const { moved: _, ...ofClaims } = explanations
  for (const name of Object.keys(ofClaims) as OfClaims[]) {
    const mayExplain = claim.unless?.[name] ?? name === 'cached'
    if (mayExplain === false) continue
    const reason = yield* ofClaims[name].judge(claim, log, assumptions)
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
